import { decodeText } from '../../../src-server/platform/text/decode-text.ts';
import type { NormalizedDocument, ParseOptions } from '../blocks.ts';
import { boundaryInBody, inUtf8 } from '../mail/repair-mail.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { countPage } from './markup.ts';

const DEPTH_MAX = 20;

const PARTS_MAX = 5000;

const HEAD_CHARS_MAX = 256 * 1024;

/** Counts the shown headers and the inline texts of a mail. Attachments are files of their own. */
export function countMail(bytes: Buffer, { ledger }: ParseOptions, { format }: NormalizedDocument): void {
  // Each mail of a mailbox is a file of its own.
  if (format === 'mbox') return;
  const mail = parseMailPart(
    inUtf8(bytes)
      .toString('latin1')
      .replace(/^\s*>?From [^\n]*\n/, ''),
  );
  const mailHeaderValue = (name: string) => readableHeader(mail.fields.get(name) ?? '');
  ledger.addOwedText('headers', ['subject', 'from', 'to', 'cc'].map(mailHeaderValue).join('\n'));
  ledger.mayHold(mailHeaderValue('date'));
  countPart(mail, { ledger, isCopy: false, depth: 0, left: { parts: PARTS_MAX }, usualType: 'text/plain' });
}

interface MailPart {
  fields: Map<string, string>;
  /** One character per byte. */
  body: string;
}

interface Place {
  ledger: SourceLedger;
  /** Another form of a text that is read. */
  isCopy: boolean;
  depth: number;
  left: { parts: number };
  /** Of parts that state no type. */
  usualType: string;
}

function countPart(part: MailPart, place: Place): void {
  const type = part.fields.get('content-type') ?? place.usualType;
  place.left.parts -= 1;
  if (place.depth > DEPTH_MAX || place.left.parts < 0) return;
  if (/^\s*multipart\//i.test(type)) {
    const stated = childrenOf(part.body, mailFieldParameter(type, 'boundary'));
    const children = stated.length === 0 ? childrenOf(part.body, boundaryInBody(part.body)) : stated;
    if (children.length === 0) place.ledger.addOwedText('body', decodeBody(part, null));
    const isAlternative = /^\s*multipart\/alternative/i.test(type);
    const usualType = /^\s*multipart\/digest/i.test(type) ? 'message/rfc822' : 'text/plain';
    const shown = isAlternative ? children.findLastIndex(hasPage) : -1;
    for (const [index, child] of children.entries()) {
      const isOther = isAlternative && index !== (shown === -1 ? 0 : shown);
      countPart(child, { ...place, isCopy: place.isCopy || isOther, depth: place.depth + 1, usualType });
    }
    return;
  }
  if (!/^\s*text\/(?:plain|html)\b/i.test(type)) return;
  if (/^\s*attachment/i.test(part.fields.get('content-disposition') ?? '')) return;
  const text = decodeBody(part, mailFieldParameter(type, 'charset'));
  if (place.isCopy) place.ledger.mayHold(text);
  else if (/html/i.test(type)) countPage(text, 'body', place.ledger);
  else place.ledger.addOwedText('body', text);
}

function hasPage({ fields, body }: MailPart): boolean {
  const type = fields.get('content-type') ?? '';
  return /^\s*text\/html/i.test(type) || (/^\s*multipart\//i.test(type) && /content-type:\s*text\/html/i.test(body));
}

function parseMailPart(text: string): MailPart {
  const end = /\r?\n\r?\n/.exec(text.slice(0, HEAD_CHARS_MAX));
  const head = end === null ? text.slice(0, HEAD_CHARS_MAX) : text.slice(0, end.index);
  const fields = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return { fields, body: end === null ? '' : text.slice(end.index + end[0].length) };
}

function childrenOf(body: string, boundary: string | null): MailPart[] {
  if (boundary === null || boundary === '') return [];
  const pieces = `\n${body}`.split(`\n--${boundary}`).slice(1, PARTS_MAX);
  return pieces
    .filter((piece) => !piece.startsWith('--'))
    .map((piece) => parseMailPart(piece.replace(/^[ \t]*\r?\n/, '')));
}

function mailFieldParameter(field: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(field);
  return match === null ? null : (match[1] ?? match[2] ?? null);
}

function decodeBody({ fields, body }: MailPart, charset: string | null): string {
  const encoding = fields.get('content-transfer-encoding')?.trim().toLowerCase();
  if (encoding === 'base64') return decodeBytes(Buffer.from(body, 'base64'), charset);
  return decodeBytes(
    encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : Buffer.from(body, 'latin1'),
    charset,
  );
}

function decodeQuotedPrintable(text: string): Buffer {
  const plain = text
    .replace(/=[ \t]*\r?\n/g, '')
    .replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(plain, 'latin1');
}

/** Valid UTF-8 with other characters than ASCII is what it is, whatever its label. */
function decodeBytes(bytes: Buffer, charset: string | null): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of other encodings are ASCII.
    if (!/[\u001b\u0000]/.test(text) && !/utf-?(?:7|16)/i.test(charset ?? '')) return text;
  } catch {
    // In the encoding of its label.
  }
  return decodeText(bytes, { declared: [charset] }).text;
}

const ENCODED_WORD = /=\?([^?*]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=/gi;

/** A header with its encoded words as text. */
function readableHeader(value: string): string {
  const raw = decodeBytes(Buffer.from(value, 'latin1'), null);
  return raw
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(ENCODED_WORD, (_, charset: string, kind: string, text: string) =>
      decodeBytes(
        kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : decodeQuotedPrintable(text.replaceAll('_', ' ')),
        charset,
      ),
    );
}
