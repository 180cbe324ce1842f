import { KIB } from '../lib/units.ts';

/** What would end a header and begin another, or the body. */
const NO_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
/** Up to here the body is copied behind the head, so that both leave with one write. */
const MAX_JOINED_BODY_BYTES = 64 * KIB;

/** The bytes of a POST, in parts to be sent one after the other. Header names are given as they are to be sent. */
export function requestBytes(url: URL, headers: Readonly<Record<string, string>>, body: Uint8Array): Uint8Array[] {
  let head = `POST ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? '';
    if (NO_HEADER_VALUE.test(value)) throw new TypeError(`The header ${name} has a value that cannot be sent.`);
    head += `${name}: ${value}\r\n`;
  }
  if (headers['content-length'] === undefined) head += `content-length: ${body.length}\r\n`;
  head += '\r\n';
  if (body.length > MAX_JOINED_BODY_BYTES) return [Buffer.from(head, 'latin1'), body];
  const bytes = Buffer.allocUnsafe(head.length + body.length);
  bytes.write(head, 'latin1');
  bytes.set(body, head.length);
  return [bytes];
}
