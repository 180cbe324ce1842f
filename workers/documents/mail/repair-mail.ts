/**
 * Mails whose labels do not tell the encoding of their bytes: UTF-8 labelled us-ascii or iso-8859-1, raw 8-bit header
 * fields, mails that were saved as UTF-16. The parts concerned are rewritten as UTF-8; all others stay byte for byte.
 * Threat: one pass over the lines; open boundaries are bounded.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import { type DecodedText, decodeText } from '../../../src-server/platform/text/decode-text.ts';
import { byteOrderMark, unmarkedUtf16 } from '../../../src-server/platform/text/encoding.ts';

const LINE_FEED = 0x0a;

const BOUNDARIES_MAX = 50;

/** Searches of a whole mail for a boundary that is not there. */
const LOST_BOUNDARIES_MAX = 10;

const BOUNDARY_LINE = /^--([^\s-][^\r\n]{0,68}|-[^\r\n]{0,69}?)[ \t]*\r?\n(?:[\w-]+:[^\n]*\n)*?Content-/im;

/** Characters in which the first boundary stands. */
const BOUNDARY_SEARCH_CHARS = 64 * 1024;

/** The boundary by which the parts of a body are divided, whatever its head says; null without one. */
export function boundaryInBody(body: string): string | null {
  return BOUNDARY_LINE.exec(body.slice(0, BOUNDARY_SEARCH_CHARS))?.[1] ?? null;
}

/** Encodings in ASCII bytes. */
const SEVEN_BIT = /^(?:iso-2022|utf-?7|hz)/i;

const ENCODED_WORD = /=\?([^?\s*]+)(\*[^?\s]*)?\?([QqBb])\?([^?]*)\?=/g;

/** The mail with correct labels; the same bytes where there is nothing to mend. */
export function repairMail(bytes: Buffer): Buffer {
  const text = inUtf8(bytes);
  const pieces = new MailPieces(text).readRepairedPieces();
  return pieces === null ? text : Buffer.concat(pieces);
}

/** A mail that was saved as UTF-16. */
export function inUtf8(bytes: Buffer): Buffer {
  const mark = byteOrderMark(bytes);
  if (mark?.encoding === 'utf-8') return bytes.subarray(mark.length);
  const encoding = mark?.encoding ?? unmarkedUtf16(bytes);
  return encoding === null ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

class MailPieces {
  readonly #bytes: Buffer;
  readonly #pieces: Buffer[] = [];
  readonly #boundaries: string[] = [];
  #isChanged = false;
  #at = 0;
  #lostBoundaries = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Null if nothing was changed. */
  readRepairedPieces(): Buffer[] | null {
    do this.#readMimeEntity();
    while (this.#at < this.#bytes.length);
    return this.#isChanged ? this.#pieces : null;
  }

  /** A head, a body, and the boundary line after it. */
  #readMimeEntity() {
    const start = this.#at;
    const head = this.#withTrueBoundary(this.#readHead(start));
    const fields = parseFields(head.toString('latin1'));
    const type = fields.get('content-type') ?? '';
    const boundary = /^\s*multipart\//i.test(type) ? mimeFieldParameter(type, 'boundary') : null;
    if (boundary !== null && boundary !== '' && this.#boundaries.length < BOUNDARIES_MAX) {
      this.#boundaries.push(boundary);
    }
    const bodyStart = this.#at;
    const { bodyEnd, end } = this.#findBoundary(bodyStart);
    const body = this.#bytes.subarray(bodyStart, bodyEnd);
    const isMessage = /^\s*message\/rfc822/i.test(type);
    const text = /^\s*(?:text\/|$)/i.test(type) ? mendedText(fields, body) : null;
    const mendedHead = mendHead(head, mimeFieldParameter(type, 'charset'));
    if (text !== null) {
      this.#isChanged = true;
      this.#pieces.push(headInUtf8(mendedHead ?? head), Buffer.from(base64Lines(text)));
    } else {
      this.#pieces.push(mendedHead ?? head);
      if (mendedHead !== null) this.#isChanged = true;
      // The message inside has a head of its own.
      if (isMessage && !isEncoded(fields)) {
        this.#at = bodyStart;
        return;
      }
      this.#pieces.push(body);
    }
    this.#pieces.push(this.#bytes.subarray(bodyEnd, end));
    this.#at = end;
  }

  /** The head of a part whose boundary is missing or wrong with that of its body; without one its body is text. */
  #withTrueBoundary(head: Buffer): Buffer {
    const type = parseFields(head.toString('latin1')).get('content-type') ?? '';
    if (!/^\s*multipart\//i.test(type) || this.#lostBoundaries >= LOST_BOUNDARIES_MAX) return head;
    const stated = mimeFieldParameter(type, 'boundary') ?? '';
    const place = this.#bytes.indexOf(`--${stated}`, this.#at);
    if (stated !== '' && (place === this.#at || this.#bytes[place - 1] === LINE_FEED)) return head;
    this.#lostBoundaries += 1;
    const body = this.#bytes.toString('latin1', this.#at, this.#at + BOUNDARY_SEARCH_CHARS);
    if (stated !== '' && body.includes(`\n--${stated}`)) return head;
    const found = boundaryInBody(body);
    const right = found === null ? 'text/plain' : `multipart/mixed; boundary="${found}"`;
    this.#isChanged = true;
    const lines = head.toString('latin1').replace(/\r?\n[ \t]+/g, ' ');
    return Buffer.from(lines.replace(/^content-type\s*:[^\r\n]*/im, `Content-Type: ${right}`), 'latin1');
  }

  /** The head with its empty line. */
  #readHead(start: number): Buffer {
    for (let at = start; at < this.#bytes.length; ) {
      const end = this.#lineEnd(at);
      const isEmpty = this.#bytes.toString('latin1', at, Math.min(end, at + 2)).trim() === '';
      at = end;
      if (!isEmpty) continue;
      this.#at = end;
      return this.#bytes.subarray(start, end);
    }
    this.#at = this.#bytes.length;
    return this.#bytes.subarray(start);
  }

  #lineEnd(start: number): number {
    const end = this.#bytes.indexOf(LINE_FEED, start);
    return end === -1 ? this.#bytes.length : end + 1;
  }

  /** The next line with an open boundary; a closing one ends with its line, and what follows belongs to no part. */
  #findBoundary(start: number): { bodyEnd: number; end: number } {
    for (let at = start; at < this.#bytes.length; ) {
      const end = this.#lineEnd(at);
      if (this.#bytes[at] === 0x2d && this.#bytes[at + 1] === 0x2d) {
        const line = this.#bytes.toString('latin1', at, Math.min(end, at + 200)).trimEnd();
        const open = this.#boundaries.findLastIndex((one) => line === `--${one}` || line === `--${one}--`);
        if (open !== -1) {
          this.#boundaries.length = open + 1;
          if (line === `--${this.#boundaries[open]}`) return { bodyEnd: at, end };
          this.#boundaries.length = open;
          return { bodyEnd: at, end: this.#findBoundary(end).end };
        }
      }
      at = end;
    }
    return { bodyEnd: this.#bytes.length, end: this.#bytes.length };
  }
}

function parseFields(head: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

function mimeFieldParameter(field: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(field) ?? [];
  return quoted ?? plain ?? null;
}

function isEncoded(fields: ReadonlyMap<string, string>): boolean {
  return /base64|quoted-printable/i.test(fields.get('content-transfer-encoding') ?? '');
}

/** The text of a part whose label is wrong; null if it is right or the part is a file. */
function mendedText(fields: ReadonlyMap<string, string>, body: Buffer): string | null {
  if (/^\s*attachment/i.test(fields.get('content-disposition') ?? '')) return null;
  const type = fields.get('content-type') ?? '';
  const label = mimeFieldParameter(type, 'charset');
  if (label !== null && SEVEN_BIT.test(label)) return null;
  const bytes = decodedBody(fields.get('content-transfer-encoding') ?? '', body);
  const isFlowed =
    /^flowed$/i.test(mimeFieldParameter(type, 'format') ?? '') && FLOWED_QUOTE.test(bytes.toString('latin1'));
  // A mail that was saved as UTF-16 may say so.
  if (isAscii(bytes) && !encodingOf(label).startsWith('utf-16') && !isFlowed) return null;
  const { text, encoding } = trueText(bytes, label);
  if (isFlowed) return joinQuotedLines(text, /^yes$/i.test(mimeFieldParameter(type, 'delsp') ?? ''));
  return encoding === encodingOf(label) && (encoding !== 'utf-8' || isUtf8(bytes)) ? null : text;
}

const FLOWED_QUOTE = /^>.* \r?$/m;

/** The quoted lines of `format=flowed` as whole paragraphs (RFC 3676): the mail library joins them with their signs. */
function joinQuotedLines(text: string, dropsSpace: boolean): string {
  const joined: string[] = [];
  let open: { depth: number; line: string } | null = null;
  const closeQuote = () => {
    if (open !== null) joined.push(open.line.trimEnd());
    open = null;
  };
  for (const line of text.split(/\r?\n/)) {
    const signs = /^>+/.exec(line)?.[0] ?? '';
    const words = line.slice(signs.length).replace(/^ /, '');
    if (open !== null && open.depth !== signs.length) closeQuote();
    if (signs === '') joined.push(line);
    else if (open === null) open = { depth: signs.length, line: `${signs} ${words}` };
    else open.line = (dropsSpace ? open.line.slice(0, -1) : open.line) + words;
    if (open !== null && (!words.endsWith(' ') || words === '-- ')) closeQuote();
  }
  closeQuote();
  return joined.join('\r\n');
}

function trueText(bytes: Buffer, label: string | null): DecodedText {
  return decodeText(bytes, { declared: [label] });
}

/** Without a label a mail library reads UTF-8. */
function encodingOf(label: string | null): string {
  try {
    return new TextDecoder(label?.trim() || 'utf-8').encoding;
  } catch {
    // The library reads an unknown label in its own way, so the part is rewritten.
    return '';
  }
}

function decodedBody(transfer: string, body: Buffer): Buffer {
  if (/base64/i.test(transfer)) return Buffer.from(body.toString('latin1'), 'base64');
  if (!/quoted-printable/i.test(transfer)) return body;
  const text = body.toString('latin1').replace(/=[ \t]*\r?\n/g, '');
  return Buffer.from(
    text.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16))),
    'latin1',
  );
}

/** The head of a part that is now UTF-8 in base64. */
function headInUtf8(head: Buffer): Buffer {
  const lines = head
    .toString('latin1')
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/);
  const kept = lines.filter((line) => line !== '' && !/^content-transfer-encoding\s*:/i.test(line));
  const typed = kept.map((line) => {
    if (!/^content-type\s*:/i.test(line)) return line;
    return `${line.replace(/;\s*charset\s*=\s*(?:"[^"]*"|[^\s;]+)/gi, '')}; charset=utf-8`;
  });
  if (!typed.some((line) => /^content-type\s*:/i.test(line))) typed.push('Content-Type: text/plain; charset=utf-8');
  return Buffer.from([...typed, 'Content-Transfer-Encoding: base64', '', ''].join('\r\n'), 'latin1');
}

function base64Lines(text: string): string {
  return Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n').concat('\r\n');
}

/** A head with raw 8-bit fields and wrong labels of encoded words as UTF-8; null if it has none. */
function mendHead(head: Buffer, charset: string | null): Buffer | null {
  const lines = head.toString('latin1').split(/(?<=\n)/);
  const raw = lines.filter((line) => !isUtf8(Buffer.from(line, 'latin1')));
  const { encoding } =
    raw.length === 0 ? { encoding: 'utf-8' } : trueText(Buffer.from(raw.join(''), 'latin1'), charset);
  const decoder = new TextDecoder(encoding);
  let isChanged = false;
  const mended = lines.map((line) => {
    const bytes = Buffer.from(line, 'latin1');
    if (!isUtf8(bytes)) {
      isChanged = true;
      return Buffer.from(decoder.decode(bytes));
    }
    const relabelled = line.replace(ENCODED_WORD, relabelEncodedWord);
    if (relabelled !== line) isChanged = true;
    return relabelled === line ? bytes : Buffer.from(relabelled, 'latin1');
  });
  return isChanged ? Buffer.concat(mended) : null;
}

/** An encoded word whose bytes are certainly UTF-8 gets that label. */
function relabelEncodedWord(
  word: string,
  label: string,
  _language: string | undefined,
  encoding: string,
  content: string,
): string {
  if (SEVEN_BIT.test(label) || encodingOf(label) === 'utf-8') return word;
  const isBase64 = encoding.toUpperCase() === 'B';
  const bytes = decodedBody(isBase64 ? 'base64' : 'quoted-printable', Buffer.from(content, 'latin1'));
  if (isAscii(bytes) || trueText(bytes, label).encoding !== 'utf-8') return word;
  return `=?utf-8?${encoding}?${content}?=`;
}
