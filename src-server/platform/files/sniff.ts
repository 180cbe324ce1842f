/**
 * Threat: a file that says it is something else. What arrives is judged by its bytes; a name only decides between
 * texts whose bytes look alike. Whatever the file's size, only bounded windows at its ends are read.
 */
import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FileKind } from '../../contract/index.ts';
import { byteOrderMark, looksBinary, unmarkedUtf16 } from '../text/encoding.ts';
import { KIB } from '../units.ts';
import { type ReadAt, readFrom, readWithin, sniffOle, sniffZip } from './sniff-container.ts';
import { matchForeignSignature, matchMagic, type SniffedFile } from './sniff-magic.ts';

export type { SniffedFile } from './sniff-magic.ts';

const HEAD_BYTES = 64 * KIB;
/** How far into a file a PDF may begin (Adobe's own readers allow the same). */
const PDF_START_BYTES = KIB;

const MARKDOWN_ENDINGS = new Set(['.md', '.markdown', '.mdown', '.mkd', '.mdx']);

/** Tags a page without a doctype may begin with. */
const HTML_START =
  /^<(?:head|title|meta|body|div|p|h[1-6]|table|ul|ol|span|section|article|main|center|font)(?:\s[^<]*)?\/?>/i;

const KIND_LABELS: Readonly<Record<FileKind, string>> = {
  docx: 'a Word document',
  doc: 'a Word 97-2003 document',
  odt: 'an OpenDocument text',
  rtf: 'a Rich Text document',
  pdf: 'a PDF document',
  html: 'a web page',
  text: 'a plain text file',
  markdown: 'a Markdown text',
  image: 'an image',
  audio: 'an audio file',
  video: 'a video',
  archive: 'an archive',
  ole: 'an OLE compound file',
  'old-word': 'a Word document older than Word 97',
  empty: 'an empty file',
  unknown: 'a file of an unknown kind',
};

/** The kind in words with an article, for sentences such as "This is a PDF document". */
export function describeKind(kind: FileKind): string {
  return KIND_LABELS[kind];
}

/**
 * What the file at `path` is. `label` says it in words and in more detail than the kind ("a PNG image"). `fileName` is
 * the client's own name for it, or null.
 */
export async function sniffFile(path: string, fileName: string | null): Promise<SniffedFile> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(HEAD_BYTES);
    const { bytesRead } = await file.read(buffer, 0, HEAD_BYTES, 0);
    if (bytesRead === 0) return labelled('empty');
    const head = buffer.subarray(0, bytesRead);
    const start = head.toString('latin1', 0, 8);
    const isZip = start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06');
    const isOle = start === '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
    if (!isZip && !isOle) return sniffHead(head, fileName);
    // A small file is whole in its head, so nothing more is read of it.
    const isWhole = bytesRead < HEAD_BYTES;
    const sizeBytes = isWhole ? bytesRead : (await file.stat()).size;
    const readAt: ReadAt = isWhole ? readWithin(head) : readFrom(file);
    return isZip ? await sniffZip(readAt, sizeBytes, head) : await sniffOle(readAt, head);
  } finally {
    await file.close();
  }
}

function labelled(kind: FileKind): SniffedFile {
  return { kind, label: KIND_LABELS[kind] };
}

function sniffHead(head: Buffer, fileName: string | null): SniffedFile {
  const binary = looksBinary(head);
  // A whole picture, sound or archive has zero bytes in its head: a text that begins with "ID3" or "BM" has none.
  const magic = binary || head.includes(0) ? matchMagic(head) : matchForeignSignature(head);
  if (magic !== null) return magic;
  const latin = head.toString('latin1');
  if (/^(?:\xef\xbb\xbf)?\s*\{\\rtf/.test(latin)) return labelled('rtf');
  if (isPdf(latin)) return labelled('pdf');
  if (binary) return sniffOldBinary(head);
  return sniffText(head, fileName);
}

function isPdf(latin: string): boolean {
  const start = latin.slice(0, PDF_START_BYTES);
  // Not at the very beginning, a line of its own is asked for: a text may speak of "%PDF-1.7".
  if (/^(?:\xef\xbb\xbf)?\s*%PDF-\d/.test(start)) return true;
  return /[\r\n\0]%PDF-\d\.\d[\r\n]/.test(start) && latin.includes(' obj');
}

/** Word before 97 and programs have two-byte marks: trusted only where the bytes are no text. */
function sniffOldBinary(head: Buffer): SniffedFile {
  const mark = head.toString('hex', 0, 2);
  const old = { dba5: 'Word 2', '9ba5': 'Word 1', dca5: 'Word 6 or 95', '99a6': 'Word 6 or 95', fe37: 'old Word' };
  const version = mark in old ? old[mark as keyof typeof old] : null;
  if (version !== null) return { kind: 'old-word', label: `a ${version} document` };
  if (mark === '31be' || mark === '32be') return { kind: 'old-word', label: 'a Microsoft Write document' };
  if (mark === '4d5a') return { kind: 'unknown', label: 'a program' };
  return labelled('unknown');
}

function sniffText(head: Buffer, fileName: string | null): SniffedFile {
  const text = decodeHead(head);
  const body = skipPreamble(text);
  const isMarkdown = fileName !== null && MARKDOWN_ENDINGS.has(extname(fileName).toLowerCase());
  if (/^<(?:!doctype\s+html|html)[\s>]/i.test(body)) return labelled('html');
  if (/^<(?:[\w-]+:)?document[\s>]/.test(body) && body.includes('opendocument')) {
    const isText = /office:mimetype\s*=\s*["']application\/vnd\.oasis\.opendocument\.text/.test(body);
    return isText ? labelled('odt') : { kind: 'unknown', label: 'a flat OpenDocument file' };
  }
  const xml = /^<(?:[\w-]+:)?(svg|wordDocument|package|Workbook)[\s>]/.exec(body)?.[1];
  if (xml === 'svg') return { kind: 'image', label: 'an SVG image' };
  if (xml !== undefined && body.includes('schemas.microsoft.com')) {
    return { kind: 'unknown', label: 'an Office file in flat XML' };
  }
  if (isWebArchive(body)) return { kind: 'html', label: 'a web archive (MHTML)' };
  // A Markdown text may begin with a tag of HTML, as many README files do; other texts do not.
  if (isMarkdown) return labelled('markdown');
  return HTML_START.test(body) ? labelled('html') : labelled('text');
}

/** A page with its pictures as one message: what browsers save, and programs export as a Word document. */
function isWebArchive(text: string): boolean {
  if (!/^[\w-]+:/.test(text)) return false;
  const end = text.search(/\r?\n\r?\n/);
  const head = end === -1 ? text : text.slice(0, end);
  return /^MIME-Version:/im.test(head) && /^Content-Type:\s*multipart\/related/im.test(head);
}

function decodeHead(head: Buffer): string {
  const mark = byteOrderMark(head);
  const encoding = mark?.encoding ?? unmarkedUtf16(head) ?? 'utf-8';
  return new TextDecoder(encoding).decode(head);
}

/** What follows the white space, XML declaration and comments a page may begin with. */
function skipPreamble(text: string): string {
  let rest = text.trimStart();
  for (;;) {
    const end = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?') ? '?>' : null;
    const at = end === null ? -1 : rest.indexOf(end);
    if (end === null || at === -1) return rest;
    rest = rest.slice(at + end.length).trimStart();
  }
}
