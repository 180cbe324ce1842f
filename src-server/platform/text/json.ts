import { QuarryError } from '../errors.ts';
import { describeBytes } from '../units.ts';
import type { Said } from './say.ts';
import { say, tell } from './say.ts';

/** Base64 of UTF-8 JSON. */
export function base64Json(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/**
 * Yields the lines of streamed JSONL text, without empty ones. Only a line feed ends a line: Node's readline also
 * splits at U+2028 and U+2029, which are allowed inside JSON strings.
 */
export async function* jsonLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of pieces) {
    const lines = piece.split('\n');
    lines[0] = begun + lines[0];
    begun = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (begun !== '') yield begun;
}

/** `Expected ',' or '}' after property value in JSON at position 9 (line 1 column 10)` */
const WITH_PLACE = /^(.+?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/;

/** `Unexpected token 'N', "{"a":NaN}" is not valid JSON`. The quoted context is the sender's text. */
const WITH_TOKEN = /^(Unexpected token '.+?'), /su;

/**
 * The fault in a JSON text and its position, if the engine reports it: `: expected ',' … (line 1, column 10)`, or ``.
 */
export function jsonFault(error: unknown): string {
  const message = error instanceof SyntaxError ? error.message : '';
  if (message === 'Unexpected end of JSON input') return ': it ends in the middle';
  const [, placed, line, column] = WITH_PLACE.exec(message) ?? [];
  if (placed !== undefined) return `: ${lowerFirst(placed)} (line ${line}, column ${column})`;
  const token = WITH_TOKEN.exec(message)?.[1];
  return token === undefined ? '' : `: ${lowerFirst(token)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `data:<mime>[;parameter=value];base64,` with a bound on each part, so that matching is cheap. */
const DATA_URI_START =
  /^data:([a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100})(?:;[a-z0-9-]{1,40}=[^;,]{0,100}){0,4};base64,/i;

interface DataUri {
  mediaType: string;
  content: Buffer;
}

/**
 * Decodes `data:<mime>;base64,<data>` with strict base64 (RFC 4648, padded). Used on the server's thread for small
 * bodies and in a worker for large ones. Errors: `invalid_request` on `file`, `body_too_large` over `maxBytes`.
 */
export function parseDataUri(text: string, maxBytes = Number.POSITIVE_INFINITY): DataUri {
  const start = DATA_URI_START.exec(text);
  if (start?.[1] === undefined) throw notDataUri();
  const encoded = text.slice(start[0].length);
  const padding = encoded.endsWith('==') ? 2 : encoded.endsWith('=') ? 1 : 0;
  if ((encoded.length / 4) * 3 - padding > maxBytes) {
    const message = say`The file is over the limit of ${describeBytes(maxBytes)}.`;
    throw new QuarryError('body_too_large', message, { fields: [{ path: 'file', message }] });
  }
  const content = Buffer.from(encoded, 'base64');
  // Buffer skips invalid base64 characters. Encoding again shows whether any were skipped.
  if (content.toString('base64') !== encoded) {
    throw fileError(tell`The data of the data URI in file is not valid, padded base64${base64FaultOf(encoded)}.`);
  }
  return { mediaType: start[1].toLowerCase(), content };
}

/** Common deviations of encoders: line breaks (`base64` without `-w0`), the URL alphabet, percent-encoding. */
function base64FaultOf(encoded: string): string {
  if (/\s/.test(encoded)) return ': leave out its line breaks and blanks';
  if (encoded.includes('%')) return ': send it as it is, without percent-encoding';
  return /[-_]/.test(encoded) ? ': write + and / where it has - and _' : '';
}

export function notDataUri(): QuarryError {
  return fileError(
    tell`Give file as a data URI of the form data:<mime>;base64,<data>, or send it as multipart/form-data.`,
  );
}

function fileError(message: Said): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path: 'file', message }] });
}
