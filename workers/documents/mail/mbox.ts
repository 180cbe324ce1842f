/** Mailboxes (mbox, RFC 4155): mails one after another, each behind a line that begins with "From ". */

const SEPARATOR = Buffer.from('\nFrom ');

const FIRST_SEPARATOR = 'From ';

const LINE_FEED = 0x0a;

const LINE_BYTES = 300;

/** Whether a file begins as a mailbox does. */
export function isMailbox(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, FIRST_SEPARATOR.length) === FIRST_SEPARATOR;
}

/** The mails of a mailbox without their separators, in order. */
export function* mailsIn(bytes: Buffer): Generator<Buffer> {
  let start = bytes.indexOf(LINE_FEED) + 1;
  while (start > 0) {
    const separator = nextSeparator(bytes, start);
    const end = separator === -1 ? bytes.length : separator;
    const mail = unquoteFromLines(bytes.subarray(start, end));
    if (mail.toString('latin1', 0, LINE_BYTES).trim() !== '') yield mail;
    if (separator === -1) return;
    start = bytes.indexOf(LINE_FEED, separator + 1) + 1;
  }
}

/**
 * The next line that begins with "From " and is no sentence of a mail: an empty line is before it, and it ends with a
 * year or a header field follows it.
 */
function nextSeparator(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(SEPARATOR, Math.max(0, start - 1)); at !== -1; at = bytes.indexOf(SEPARATOR, at + 1)) {
    const isAfterEmpty = /\n\r?$/.test(bytes.toString('latin1', Math.max(0, at - 2), at));
    const lines = bytes.toString('latin1', at + 1, at + 1 + 2 * LINE_BYTES).split(/\r?\n/);
    const isDated = /^From \S+ .*\d{2}:\d{2}.*$/.test(lines[0] ?? '');
    const isHead = /^[\w-]+:/.test(lines[1] ?? '');
    if (isHead && (isAfterEmpty || isDated)) return at;
  }
  return -1;
}

/** Lines of a mail that begin with "From " are quoted with ">". */
function unquoteFromLines(mail: Buffer): Buffer {
  if (!mail.includes('\n>From ') && !mail.includes('\n>>')) return mail;
  return Buffer.from(mail.toString('latin1').replace(/^>(>*From )/gm, '$1'), 'latin1');
}
