/**
 * Cleans file names from untrusted sources. They are displayed and hint at a format, and are never used as paths.
 * Folders (path traversal), control characters and direction marks are removed, because they can disguise a name.
 */

import { wholeSlice } from '../text/strings.ts';

const MAX_NAME_CHARS = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes.
const UNWANTED_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
/** `name*=UTF-8''percent-encoded` (RFC 8187) and `name="quoted"` or `name=token` (RFC 6266). */
const EXTENDED_NAME = /(?:^|;)\s*filename\*\s*=\s*([\w-]{1,40})'[^']{0,40}'([^\s;]{1,2000})/i;
const QUOTED_NAME = /(?:^|;)\s*filename\s*=\s*"((?:[^"\\]|\\.){0,2000})"/i;
const TOKEN_NAME = /(?:^|;)\s*filename\s*=\s*([^\s;"]{1,2000})/i;

/** The last part of an untrusted file name, safe to display; null when nothing remains. */
export function cleanFileName(name: string | null | undefined): string | null {
  if (name === null || name === undefined) return null;
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const clean = last.toWellFormed().replace(UNWANTED_CHARACTERS, '').trim();
  if (clean === '' || clean === '.' || clean === '..') return null;
  return shortenFileName(clean);
}

/** Results that stand for their source. Others of the same job keep their own name behind it. */
const MAIN_RESULT = /^(?:document|transcript|audio|text|content)\./;

/** Not possible in names on Windows, or read as a folder elsewhere. */
const RESERVED_CHARACTERS = /[<>:"/\\|?*]/g;

/** Of a prompt that serves as a name. */
const STEM_CHARS_MAX = 80;

/**
 * The name to save a result under: "Talk.srt" for `transcript.srt` of "Talk.mp3".
 * @param source a file name, an address, or the start of a prompt
 */
export function nameAfterSource(name: string, source: string): string {
  const url = /^https?:/i.test(source) ? URL.parse(source) : null;
  const given = url === null ? source.replace(/[/\\]/g, '_') : fileNameOfResponse(undefined, url);
  const clean = cleanFileName(given)?.replace(RESERVED_CHARACTERS, '_') ?? '';
  const whole = clean.replace(/(?<=.)\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,8}$/, '').replace(/[. ]+$/, '') || url?.hostname;
  const stem = wholeSlice(whole ?? '', 0, STEM_CHARS_MAX).trim();
  if (stem === '') return name;
  return MAIN_RESULT.test(name) ? `${stem}${name.slice(name.indexOf('.'))}` : `${stem} ${name}`;
}

/** The file name from Content-Disposition, else the last segment of the URL path. */
export function fileNameOfResponse(contentDisposition: string | undefined, url: URL): string | null {
  return nameOfDisposition(contentDisposition) ?? cleanFileName(decodePercent(url.pathname.split('/').at(-1) ?? ''));
}

function nameOfDisposition(header: string | undefined): string | null {
  if (header === undefined) return null;
  const extended = EXTENDED_NAME.exec(header);
  if (extended?.[2] !== undefined && extended[1]?.toLowerCase() === 'utf-8') {
    const name = cleanFileName(decodePercent(extended[2]));
    if (name !== null) return name;
  }
  const quoted = QUOTED_NAME.exec(header)?.[1]?.replace(/\\(.)/g, '$1');
  return cleanFileName(quoted ?? TOKEN_NAME.exec(header)?.[1]);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % is common in hand-made links. The raw text is still a usable label.
    return text;
  }
}

/** Truncates a name and keeps its extension, which is the hint. */
function shortenFileName(name: string): string {
  if (name.length <= MAX_NAME_CHARS) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, MAX_NAME_CHARS - ending.length).toWellFormed() + ending;
}
