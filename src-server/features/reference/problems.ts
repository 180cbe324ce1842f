import { STATUS_CODES } from 'node:http';
import { ERROR_CODES, ERRORS, isErrorCode, isJobErrorCode } from '../../platform/error-codes.ts';
import { codeBlock, escapeHtml, inlineCode, type Row, renderGuideTable, renderMarkdown } from './guides.ts';

/** The main part of `/problems`. */
export function problemIndex(): string {
  const rows = ERROR_CODES.map((code): Row => {
    const { status, title } = ERRORS[code];
    const place = isJobErrorCode(code) ? 'answers and jobs' : 'answers';
    return [`<a href="/problems/${code}">${inlineCode(code)}</a>`, String(status), place, escapeHtml(title)];
  });
  return `<h1>Error codes</h1>
<p>Every error but 402 is a problem object; its <code>type</code> is the address of one of these pages, and its
<code>code</code> never changes its meaning.</p>
${renderGuideTable('Error codes', ['Code', 'Status', 'Found in', 'Title'], rows)}`;
}

/** Title and main part of `/problems/{code}`; null for an unknown code. */
export function problemPage(code: string): { title: string; main: string } | null {
  if (!isErrorCode(code)) return null;
  const { status, title, meaning, advice, fault } = ERRORS[code];
  const inJob = isJobErrorCode(code)
    ? '<p>A job that was accepted and then failed carries the same code in its <code>error</code>.</p>'
    : '';
  const rerun =
    fault === 'appliance'
      ? '<p>A paid job that failed this way has a free re-run: send its proof again with the same request.</p>'
      : '';
  const example = { type: `/problems/${code}`, title, status, detail: 'One sentence on this very case.', code };
  const main = `<h1>${escapeHtml(title)}</h1>
<p class="address"><code>${code}</code> <span class="price">${status} ${STATUS_CODES[status] ?? ''}</span></p>
<h2 id="meaning">What it means</h2>${renderMarkdown(meaning).html}${inJob}
<h2 id="advice">What to do</h2>${renderMarkdown(advice).html}${rerun}
<h2 id="form">What it looks like</h2>${codeBlock(JSON.stringify(example, null, 2), 'Example')}
<p><a href="/problems">All error codes</a></p>`;
  return { title, main };
}
