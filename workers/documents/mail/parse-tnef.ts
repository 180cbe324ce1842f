/**
 * What Outlook puts into winmail.dat ([MS-OXTNEF]): a message as attributes and MAPI properties, with its attachments.
 * Threat: lengths and counts from the file. Each attribute and value is a slice of the bytes present, counts are
 * bounded, and each message inside counts as a file inside a file, whose depth is bounded.
 */

import { QuarryError } from '../../../src-server/platform/errors.ts';
import { cleanFileName } from '../../../src-server/platform/files/file-names.ts';
import { decodePage } from '../../../src-server/platform/text/decode-text.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { decodeHtml } from '../html/parse-html.ts';
import type { FileParser, Part } from '../parts.ts';
import { type Mail, readMail, SHOWN_PICTURE_BYTES_MIN } from './read-mail.ts';
import { decompressRtf, htmlInRtf } from './rtf-body.ts';

const SIGNATURE = 0x223e9f78;

const HEAD_BYTES = 6;

/** Level, attribute and length before its data, and a checksum behind it. */
const ATTRIBUTE_BYTES = 9;
const CHECKSUM_BYTES = 2;

const PROPERTIES_MAX = 10_000;

const ATTACHMENTS_MAX = 1000;

const WESTERN_PAGE = 1252;

const ATTRIBUTE = {
  subject: 0x00018004,
  body: 0x0002800c,
  properties: 0x00069003,
  codePage: 0x00069007,
  attachment: 0x00069002,
  attachmentName: 0x00018010,
  attachmentData: 0x0006800f,
  attachmentProperties: 0x00069005,
} as const;

const PROPERTY = {
  subject: 0x0037,
  senderName: 0x0c1a,
  senderAddress: 0x5d01,
  to: 0x0e04,
  cc: 0x0e03,
  body: 0x1000,
  html: 0x1013,
  rtf: 0x1009,
  data: 0x3701,
  fileName: 0x3707,
  displayName: 0x3001,
  contentId: 0x3712,
  mediaType: 0x370e,
} as const;

const TYPE = { object: 0x0d, narrow: 0x1e, wide: 0x1f, binary: 0x102 } as const;

/** Bytes of an interface's number before the message in an attachment. */
const INTERFACE_BYTES = 16;

interface Value {
  type: number;
  data: Buffer;
}

type Properties = ReadonlyMap<number, Value>;

interface TnefAttachment {
  name: string | null;
  data: Buffer | null;
  properties: Properties;
}

interface TnefMessage {
  subject: string | null;
  body: string | null;
  properties: Properties;
  attachments: TnefAttachment[];
  page: number;
}

/** Errors: `corrupt_input`. */
export const parseTnef: FileParser = (bytes, options) => {
  const message = readMessage(bytes);
  return readMail('tnef', mailOf(message), options);
};

function readMessage(bytes: Buffer): TnefMessage {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32LE(0) !== SIGNATURE) {
    throw new QuarryError('corrupt_input', say`The container of Outlook is damaged: ask for the mail again.`);
  }
  const message: TnefMessage = {
    subject: null,
    body: null,
    properties: new Map(),
    attachments: [],
    page: WESTERN_PAGE,
  };
  for (let at = HEAD_BYTES; at + ATTRIBUTE_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 5);
    const start = at + ATTRIBUTE_BYTES;
    addAttribute(message, bytes.readUInt32LE(at + 1), bytes.subarray(start, start + length));
    at = start + length + CHECKSUM_BYTES;
  }
  return message;
}

function addAttribute(message: TnefMessage, attribute: number, data: Buffer): void {
  const open = message.attachments.at(-1);
  switch (attribute) {
    case ATTRIBUTE.codePage:
      if (data.length >= 4) message.page = data.readUInt32LE(0);
      break;
    case ATTRIBUTE.subject:
      message.subject = narrowText(data, message.page);
      break;
    case ATTRIBUTE.body:
      message.body = narrowText(data, message.page);
      break;
    case ATTRIBUTE.properties:
      message.properties = new Map([...message.properties, ...readProperties(data)]);
      break;
    case ATTRIBUTE.attachment:
      message.attachments.push({ name: null, data: null, properties: new Map() });
      break;
    case ATTRIBUTE.attachmentName:
      if (open !== undefined) open.name = narrowText(data, message.page);
      break;
    case ATTRIBUTE.attachmentData:
      if (open !== undefined) open.data = data;
      break;
    case ATTRIBUTE.attachmentProperties:
      if (open !== undefined) open.properties = readProperties(data);
      break;
  }
}

/** Bytes of a value by its type, where it has no length of its own. */
const FIXED_BYTES: Readonly<Record<number, number>> = {
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
};

const MANY_VALUES = 0x1000;

const NAMED_FROM = 0x8000;

/** The first value of each property, as far as the bytes go. */
function readProperties(bytes: Buffer): Properties {
  const found = new Map<number, Value>();
  const reader = new Reader(bytes);
  const count = Math.min(reader.takeNumber(), PROPERTIES_MAX);
  for (let index = 0; index < count && !reader.isAtEnd; index += 1) {
    const head = reader.takeNumber();
    const [type, property] = [head & 0xffff, head >>> 16];
    if (property >= NAMED_FROM) skipName(reader);
    const base = type & ~MANY_VALUES;
    const fixed = FIXED_BYTES[base];
    const isCounted = fixed === undefined || (type & MANY_VALUES) !== 0;
    const values = isCounted ? Math.min(reader.takeNumber(), PROPERTIES_MAX) : 1;
    for (let value = 0; value < values && !reader.isAtEnd; value += 1) {
      const data = reader.takePadded(fixed ?? reader.takeNumber());
      if (value === 0 && property < NAMED_FROM) found.set(property, { type: base, data });
    }
  }
  return found;
}

const GUID_BYTES = 16;

function skipName(reader: Reader): void {
  reader.takePadded(GUID_BYTES);
  const isText = reader.takeNumber() === 1;
  const value = reader.takeNumber();
  if (isText) reader.takePadded(value);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** 0 at the end. */
  takeNumber(): number {
    const number = this.#at + 4 <= this.#bytes.length ? this.#bytes.readUInt32LE(this.#at) : 0;
    this.#at += 4;
    return number;
  }

  /** Values end at a multiple of four bytes. */
  takePadded(length: number): Buffer {
    const data = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length + ((4 - (length % 4)) % 4);
    return data;
  }
}

function mailOf(message: TnefMessage): Mail {
  const { properties, page } = message;
  const property = (id: number) => textOf(properties.get(id), page);
  const name = property(PROPERTY.senderName) ?? '';
  const address = property(PROPERTY.senderAddress) ?? '';
  const from = address.includes('@') && address !== name ? `${name} <${address}>`.trim() : name;
  return {
    subject: property(PROPERTY.subject) ?? message.subject,
    from,
    fields: [
      ['From', from],
      ['To', property(PROPERTY.to) ?? ''],
      ['Cc', property(PROPERTY.cc) ?? ''],
    ],
    ...bodyOf(message),
    parts: attachmentParts(message),
  };
}

const UNREAD_BODY = say`The body of the message is damaged and was not read. Ask for the mail again.`;

function bodyOf({ properties, body, page }: TnefMessage): Pick<Mail, 'html' | 'text' | 'rtf' | 'warning'> {
  const text = textOf(properties.get(PROPERTY.body), page) ?? body;
  const html = properties.get(PROPERTY.html);
  if (html !== undefined && html.data.length > 0) return { html: decodeHtml(html.data, null).text, text };
  const compressed = properties.get(PROPERTY.rtf);
  if (compressed === undefined) return { html: null, text };
  const rtf = decompressRtf(compressed.data);
  if (rtf?.toString('latin1', 0, 5) !== '{\\rtf')
    return { html: null, text, warning: text === null ? UNREAD_BODY : null };
  return { html: htmlInRtf(rtf), text, rtf };
}

function* attachmentParts({ attachments, page }: TnefMessage): Generator<Part> {
  for (const [index, { name, data, properties }] of attachments.entries()) {
    const property = (id: number) => textOf(properties.get(id), page);
    const object = properties.get(PROPERTY.data);
    const given = cleanFileName(property(PROPERTY.fileName) ?? name ?? property(PROPERTY.displayName));
    const content = data ?? object?.data ?? Buffer.alloc(0);
    if (index >= ATTACHMENTS_MAX) {
      yield { name: given ?? `Attachment ${index + 1}`, sizeBytes: Number.POSITIVE_INFINITY, read: () => content };
      continue;
    }
    const inner = object?.type === TYPE.object ? object.data.subarray(INTERFACE_BYTES) : null;
    if (inner !== null && inner.length >= HEAD_BYTES && inner.readUInt32LE(0) === SIGNATURE) {
      yield { name: given ?? 'Attached message', sizeBytes: inner.length, kind: 'tnef', read: () => inner };
      continue;
    }
    const isPicture = /^image\//i.test(property(PROPERTY.mediaType) ?? '');
    const isShown = isPicture && properties.has(PROPERTY.contentId);
    if (isShown && content.length < SHOWN_PICTURE_BYTES_MIN) continue;
    yield { name: given ?? `Attachment ${index + 1}`, sizeBytes: content.length, read: () => content };
  }
}

/** Null if it is missing or empty. */
function textOf(value: Value | undefined, page: number): string | null {
  if (value === undefined) return null;
  const { type, data } = value;
  const text = type === TYPE.wide ? decodeUtf16(data).replace(/\0.*$/su, '') : narrowText(data, page);
  return text.trim() === '' ? null : text;
}

function narrowText(data: Buffer, page: number): string {
  const end = data.indexOf(0);
  return decodePage(end === -1 ? data : data.subarray(0, end), page);
}
