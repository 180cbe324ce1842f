import { STATUS_CODES } from 'node:http';
import {
  type ErrorCode,
  isErrorCode,
  isJobErrorCode,
  JOB_ERROR_CODES,
  REQUEST_ERROR_CODES,
} from '../../contract/index.ts';
import { PROBLEMS } from '../../platform/http/problem.ts';
import { codeBlock, escapeHtml, inlineCode, type Row, renderMarkdown, table } from './markdown.ts';
import { PROBLEM_TEXTS } from './problem-texts.ts';

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
