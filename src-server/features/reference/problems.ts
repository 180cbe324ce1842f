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

/** Title and main part of `/problems/{code}`; null for an unknown code. */
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
      'with its JSON path; `$` is the body itself. Unknown fields are errors, so that a typing mistake is never ' +
      'ignored.',
    advice: 'Correct the fields that are listed, then send the request again. Nothing was charged.',
  },
  unauthorized: {
    meaning:
      'The call needs the owner token or a wallet sign-in. The credential is missing, wrong, expired or already ' +
      'used.',
    advice:
      'The owner sends `Authorization: Bearer <owner token>` (the file owner-token in the data folder). A ' +
      'payer signs in with the wallet that paid, in the header `SIGN-IN-WITH-X`. A wrong credential is refused ' +
      'even where none is needed.',
  },
  forbidden: {
    meaning:
      'The caller may not do this: the resource belongs to another account, or the request has a foreign `Host` ' +
      'or comes from a web page of a foreign origin, as attacks on local services do.',
    advice:
      'Use the address that Quarry prints at its start. The owner can allow a web origin in the settings. Only ' +
      'the account that made a job, or the owner, can cancel it.',
  },
  not_found: {
    meaning: 'Nothing exists at this address or with this identifier. Identifiers are deleted after their retention.',
    advice:
      'Compare the address with the [reference](/reference). A job is found under the environment that made ' + 'it.',
  },
  method_not_allowed: {
    meaning: 'The address exists, the method does not.',
    advice: 'The header `Allow` lists the methods that the address takes.',
  },
  conflict: {
    meaning: 'The request contradicts what is there, for example more webhooks than an account can have.',
    advice: 'The `detail` names the conflict. Resolve it, then send the request again.',
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` was sent within 24 hours with another request.',
    advice: 'Make a new key, such as a UUID, for each request, and send the same key only to repeat it.',
  },
  job_expired: {
    meaning: 'The retention of the job is over: result and files are deleted. Retention is at least 24 hours.',
    advice: 'Submit the work again. To keep results, fetch them before `expiresAt`, or receive them by webhook.',
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
    meaning: 'The account has used all its requests per minute, or all concurrent calls of its plan are in use.',
    advice:
      'Wait the seconds in `Retry-After`: the next request passes then. Refused requests do not count. [Limits ' +
      'and plans](/reference/guides/limits) has the figures.',
  },
  storage_full: {
    meaning: 'The disk of the appliance is full. Nothing was accepted or charged.',
    advice: 'Free some space on the machine, then send the request again.',
  },
  storage_unavailable: {
    meaning:
      'The data folder of the appliance is missing or read-only, or another program locks its database. Nothing was ' +
      'accepted or charged.',
    advice:
      'Check the folder (the log has its state), and close other programs that use it. Then send the request again.',
  },
  settlement_unavailable: {
    meaning:
      'The payment cannot be verified or settled now, or the sign-in of a contract wallet cannot be checked: the ' +
      'facilitator or the chain does not answer.',
    advice:
      'Wait the seconds in `Retry-After` and send the same request with the same proof: the proof is not ' + 'spent.',
  },
  shutting_down: {
    meaning: 'The server is stopping. Accepted jobs continue at its next start.',
    advice: 'Send the request again after the restart.',
  },
  source_unreachable: {
    meaning:
      'The source could not be fetched: the name is not known, the connection failed, or the answer was an ' + 'error.',
    advice: 'Open the address yourself. If it works there, send the request again later, or upload the file.',
  },
  source_forbidden: {
    meaning:
      'The source may not be fetched: it needs a login, is private, or is in a private network, which only the ' +
      'owner may read.',
    advice: 'Use a public or signed URL, or upload the content as `file`. Export private videos and send the file.',
  },
  source_too_large: {
    meaning: 'The source is larger than the limit for its kind.',
    advice: 'Send a smaller one, or ask the owner to raise the limit in the settings.',
  },
  unsupported_media: {
    meaning:
      'The bytes of the source are of a kind that the call does not accept. Its name and declared type are ignored.',
    advice: 'The `detail` names its kind and the accepted ones. Convert it, or send it to the call for its kind.',
  },
  corrupt_input: {
    meaning: 'The source is damaged, truncated, empty, or harmful, such as an archive that unpacks without end.',
    advice: 'Open it in its own program, save it again, and send the new file.',
  },
  encrypted_input: {
    meaning: 'The source is protected with a password.',
    advice: 'Save a copy without the password and send that.',
  },
  robots_disallowed: {
    meaning: 'The robots.txt of the site disallows this address.',
    advice: 'Ask the operator of the site. Quarry cannot ignore robots.txt.',
  },
  model_not_installed: {
    meaning: 'The model that was asked for, or the default one, is not on the machine.',
    advice:
      '`choices` lists what the owner can install, on the Models page of the dashboard. With `Prefer: install` the ' +
      "owner's request waits for it.",
  },
  engine_unavailable: {
    meaning: 'A program that the work needs is missing or does not start.',
    advice: '`npm run doctor` on the appliance lists what is missing and how to install it.',
  },
  engine_failed: {
    meaning: 'A program that the work needs failed for a reason other than the input.',
    advice: 'Send the proof of payment again with the same request: a job that fails by our fault has a free re-run.',
  },
  timeout: {
    meaning: 'The work exceeded its time limit.',
    advice: 'Send a smaller source or fewer options. A paid job that failed this way has a free re-run.',
  },
  out_of_memory: {
    meaning: 'The work exceeded its memory limit and was stopped.',
    advice: 'Send a smaller source. A paid job that failed this way has a free re-run.',
  },
  cancelled: {
    meaning: 'The job was cancelled by its account or the owner.',
    advice: 'Submit it again if it was a mistake.',
  },
  interrupted: {
    meaning: 'The server ended while only this job ran, at its last attempt; or it stopped during an answer.',
    advice: 'Send another source, or the interrupted request again. A paid job that failed this way has a free re-run.',
  },
  internal: {
    meaning: 'An internal error. The cause is in the log, under the request id.',
    advice: 'Report it with the `X-Request-Id` of the answer. A paid job that failed this way has a free re-run.',
  },
};
