import { STATUS_CODES } from 'node:http';
import {
  type ErrorCode,
  isErrorCode,
  isJobErrorCode,
  JOB_ERROR_CODES,
  REQUEST_ERROR_CODES,
} from '../../platform/errors.ts';
import { PROBLEMS } from '../../platform/http/problem.ts';
import { codeBlock, escapeHtml, inlineCode, type Row, renderMarkdown, table } from './guides.ts';

const ALL_CODES: readonly ErrorCode[] = [...REQUEST_ERROR_CODES, ...JOB_ERROR_CODES];

/** The main part of `/problems`. */
export function problemIndex(): string {
  const rows = ALL_CODES.map((code): Row => {
    const { status, title } = PROBLEMS[code];
    const place = isJobErrorCode(code) ? 'answers and jobs' : 'answers';
    return [`<a href="/problems/${code}">${inlineCode(code)}</a>`, String(status), place, escapeHtml(title)];
  });
  return `<h1>Error codes</h1>
<p>Every error but 402 is a problem object; its <code>type</code> is the address of one of these pages, and its
<code>code</code> never changes its meaning.</p>
${table('Error codes', ['Code', 'Status', 'Found in', 'Title'], rows)}`;
}

/** Title and main part of `/problems/{code}`; null for what is no code. */
export function problemPage(code: string): { title: string; main: string } | null {
  if (!isErrorCode(code)) return null;
  const { status, title } = PROBLEMS[code];
  const { meaning, advice } = PROBLEM_TEXTS[code];
  const inJob = isJobErrorCode(code)
    ? '<p>A job that was accepted and then failed carries the same code in its <code>error</code>.</p>'
    : '';
  const example = { type: `/problems/${code}`, title, status, detail: 'One sentence on this very case.', code };
  const main = `<h1>${escapeHtml(title)}</h1>
<p class="address"><code>${code}</code> <span class="price">${status} ${STATUS_CODES[status] ?? ''}</span></p>
<h2 id="meaning">What it means</h2>${renderMarkdown(meaning).html}${inJob}
<h2 id="advice">What to do</h2>${renderMarkdown(advice).html}
<h2 id="form">What it looks like</h2>${codeBlock(JSON.stringify(example, null, 2), 'Example')}
<p><a href="/problems">All error codes</a></p>`;
  return { title, main };
}

/** What a code means and how to fix it, in Markdown. platform/http/problem.ts has the status and the title. */
interface ProblemText {
  meaning: string;
  advice: string;
}

const PROBLEM_TEXTS: Record<ErrorCode, ProblemText> = {
  invalid_request: {
    meaning:
      'The body, the query or a header does not fit what the call takes. `errors` lists each offending field ' +
      'with its JSON path; `$` is the body itself. Unknown fields count as errors, so that a slip of the pen ' +
      'is never ignored.',
    advice: 'Correct the fields that are listed, then send the request again. Nothing was charged.',
  },
  unauthorized: {
    meaning:
      'The call needs the owner token or a wallet sign-in and got neither, or the one it got is wrong, expired ' +
      'or used.',
    advice:
      'The owner sends `Authorization: Bearer <owner token>` (the file owner-token in the data folder). A ' +
      'payer signs in with the wallet that paid, in the header `SIGN-IN-WITH-X`. A wrong credential is refused ' +
      'even where none is needed.',
  },
  forbidden: {
    meaning:
      'Quarry knows who asks and refuses: the thing belongs to another account, or the request came under a ' +
      'foreign `Host` or from a web page of a foreign origin, which is how attacks on local services look.',
    advice:
      'Use the address that Quarry prints at its start. The owner can allow a web origin in the settings. Only ' +
      'the account that made a job, or the owner, can cancel it.',
  },
  not_found: {
    meaning:
      'There is nothing at this address, or nothing with this identifier. Identifiers are forgotten after a ' +
      'while.',
    advice:
      'Compare the address with the [reference](/reference). A job is found under the environment that made ' + 'it.',
  },
  method_not_allowed: {
    meaning: 'The address exists, the method does not.',
    advice: 'The header `Allow` lists the methods that the address takes.',
  },
  conflict: {
    meaning: 'The request contradicts what is there, for example more webhooks than an account can have.',
    advice: 'Read the `detail`: it says what stands in the way. Remove that, then send the request again.',
  },
  job_expired: {
    meaning: 'The job ended and its retention is over: result and files are gone. Retention is at least 24 hours.',
    advice: 'Submit the work again. To keep results, fetch them before `expiresAt`, or let a webhook bring them.',
  },
  body_too_large: {
    meaning: 'The body is larger than the limit for its kind. The limits are settings of the appliance.',
    advice:
      'Send a large file as `multipart/form-data` or give its `sourceUrl`: JSON with a data URI has a lower ' +
      'limit.',
  },
  header_too_large: {
    meaning: 'The header fields of the request are larger than the server reads.',
    advice: 'Send fewer or shorter ones. A proof of payment fits easily.',
  },
  unsupported_content_type: {
    meaning: 'The `Content-Type` or `Content-Encoding` of the body is not one that the call takes.',
    advice:
      'Send `application/json` in UTF-8, or `multipart/form-data` where the call takes a file. Do not compress ' +
      'it.',
  },
  range_not_satisfiable: {
    meaning: 'The `Range` asked for lies outside the file.',
    advice: '`Content-Range` tells the size of the file. Ask for a range inside it.',
  },
  rate_limited: {
    meaning:
      'The account has used up its requests per minute, or a call that answers at once found all slots of the ' +
      'plan taken.',
    advice:
      'Wait the seconds in `Retry-After`: the next request passes then. Refused requests do not count. [Limits ' +
      'and plans](/reference/guides/limits) has the figures.',
  },
  storage_full: {
    meaning: 'The disk of the appliance is full. Nothing was taken, nothing was charged.',
    advice: 'Free some space on the machine, then send the request again.',
  },
  storage_unavailable: {
    meaning:
      'The data folder of the appliance is gone or may not be written, or another program holds its database. ' +
      'Nothing was taken, nothing was charged.',
    advice: 'See to the folder, whose state the log tells, and close what else uses it. Then send the request again.',
  },
  settlement_unavailable: {
    meaning:
      'The payment could not be verified or settled now, or the sign-in of a contract wallet not be checked: the ' +
      'facilitator or the chain does not answer.',
    advice:
      'Wait the seconds in `Retry-After` and send the same request with the same proof: the proof is not ' + 'spent.',
  },
  shutting_down: {
    meaning: 'The server is stopping. Jobs that were accepted go on at its next start.',
    advice: 'Send the request again once it is back.',
  },
  source_unreachable: {
    meaning:
      'The source could not be fetched: the name is not known, the connection failed, or the answer was an ' + 'error.',
    advice: 'Open the address yourself. If it works there, send the request again later, or upload the file.',
  },
  source_forbidden: {
    meaning:
      'The source may not be fetched: it wants a login, is private, or its address leads into a private ' +
      'network, which only the owner may read from.',
    advice: 'Use a public or signed URL, or upload the content as `file`. Export private videos and send the file.',
  },
  source_too_large: {
    meaning: 'The source is larger than the limit for its kind.',
    advice: 'Send a smaller one, or ask the owner to raise the limit in the settings.',
  },
  unsupported_media: {
    meaning:
      'By its bytes the source is of a kind that the call does not take. Its name and declared type decide ' +
      'nothing.',
    advice: 'The `detail` says what it is and what is taken. Convert it, or send it to the call for its kind.',
  },
  corrupt_input: {
    meaning:
      'The source is damaged, cut off, empty, or built to be harmful, such as an archive that unpacks without ' +
      'end.',
    advice: 'Open it in the program it comes from, save it anew, and send that.',
  },
  encrypted_input: {
    meaning: 'The source is protected with a password.',
    advice: 'Save a copy without the password and send that.',
  },
  robots_disallowed: {
    meaning: 'The robots.txt of the site forbids the crawler this address.',
    advice: 'Ask whoever runs the site. Quarry has no switch to ignore it.',
  },
  model_not_installed: {
    meaning: 'The model that was asked for, or the default one, is not on the machine.',
    advice:
      '`choices` lists what the owner can install, on the Models page of the dashboard. With `Prefer: install` the ' +
      "owner's request waits for it.",
  },
  engine_unavailable: {
    meaning: 'A program that the work needs is not there or does not start.',
    advice: '`npm run doctor` on the appliance lists what is missing and how to install it.',
  },
  engine_failed: {
    meaning: 'A program that the work needs ended with an error that the input does not explain.',
    advice: 'Send the proof of payment again with the same request: a job that fails by our fault has a free re-run.',
  },
  timeout: {
    meaning: 'The work took longer than it may.',
    advice: 'Send a smaller source or fewer options. A paid job that failed this way has a free re-run.',
  },
  out_of_memory: {
    meaning: 'The work needed more memory than it may have, and was stopped before it harmed other work.',
    advice: 'Send a smaller source. A paid job that failed this way has a free re-run.',
  },
  cancelled: {
    meaning: 'Somebody who may do so cancelled the job.',
    advice: 'Submit it again if it was a mistake.',
  },
  interrupted: {
    meaning: 'The server ended while nothing but this job ran, at its last attempt; or it stopped during an answer.',
    advice: 'Send another source, or again what was cut off. A paid job that failed this way has a free re-run.',
  },
  internal: {
    meaning: 'Quarry has a fault. The cause is in its log, under the request id.',
    advice: 'Report it with the `X-Request-Id` of the answer. A paid job that failed this way has a free re-run.',
  },
};
