/**
 * Outlook messages (.msg): properties as streams of a compound file, attachments and messages in messages as storages.
 * Threat: circular storages; each message inside another counts as a file inside a file, whose depth is bounded.
 */

import { isAscii, isUtf8 } from 'node:buffer';
import { cleanFileName } from '../../../src-server/platform/files/file-names.ts';
import { decodePage } from '../../../src-server/platform/text/decode-text.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { NormalizedDocument } from '../blocks.ts';
import { type CompoundEntry, CompoundFile } from '../doc/word-file.ts';
import { decodeHtml } from '../html/parse-html.ts';
import type { FileOptions, FileParser, Part } from '../parts.ts';
import { encryptedMail, type Mail, readMail, SHOWN_PICTURE_BYTES_MIN } from './read-mail.ts';
import { decompressRtf, htmlInRtf } from './rtf-body.ts';

/** Numbers of properties, as they occur in the names of streams. */
const PROPERTY = {
  class: '001A',
  subject: '0037',
  senderName: '0C1A',
  senderAddress: '5D01',
  senderPlainAddress: '0C1F',
  to: '0E04',
  cc: '0E03',
  body: '1000',
  html: '1013',
  rtf: '1009',
  sent: 0x0039,
  delivered: 0x0e06,
  codePage: 0x3ffd,
  htmlCodePage: 0x3fde,
  fileName: '3707',
  shortFileName: '3704',
  displayName: '3001',
  data: '3701',
  contentId: '3712',
  mediaType: '370E',
} as const;

/** Bytes before the properties of fixed size: at the top, in a message inside another, in an attachment. */
const HEAD_BYTES = { top: 32, inner: 24, attachment: 8 } as const;

const FIXED_BYTES = 16;

/** Further attachments are not opened: in a hostile file each of them lists all others. */
const ATTACHMENTS_MAX = 1000;

const SIGNED = /^IPM\.Note\.SMIME\.MultipartSigned$/i;

const RTF_START = '{\\rtf';

const WESTERN_PAGE = 1252;

const UTF_8_PAGE = 65_001;

/** Milliseconds from 1601, where Windows begins to count, to 1970. */
const EPOCH_MS = 11_644_473_600_000n;

/** Errors: `corrupt_input`, `encrypted_input`. */
export const parseMsg: FileParser = (bytes, options) => {
  const file = new CompoundFile(bytes);
  return readMessage(new MsgStorage(file, undefined, HEAD_BYTES.top), options);
};

function readMessage(message: MsgStorage, options: FileOptions): Promise<NormalizedDocument> {
  const mail = mailOf(message);
  const isSealed = /^IPM\.Note\.SMIME$/i.test(message.textProperty(PROPERTY.class) ?? '');
  if (isSealed && mail.html === null && mail.text === null) throw encryptedMail();
  return readMail('msg', mail, options);
}

function mailOf(message: MsgStorage): Mail {
  const name = message.textProperty(PROPERTY.senderName) ?? '';
  const address =
    message.textProperty(PROPERTY.senderAddress) ?? message.textProperty(PROPERTY.senderPlainAddress) ?? '';
  // Addresses of Exchange are paths in a directory.
  const isAddress = address.includes('@') && address !== name;
  const from = isAddress ? `${name} <${address}>`.trim() : name;
  const fields = [
    ['From', from],
    ['To', message.textProperty(PROPERTY.to) ?? ''],
    ['Cc', message.textProperty(PROPERTY.cc) ?? ''],
    ['Date', message.timeProperty(PROPERTY.sent) ?? message.timeProperty(PROPERTY.delivered) ?? ''],
  ] as const;
  return {
    subject: message.textProperty(PROPERTY.subject),
    from,
    fields,
    ...chooseMsgBody(message),
    parts: msgParts(message),
  };
}

const UNREAD_BODY = say`The body of the message is damaged and was not read. Open the message and save it again.`;

/** The body from the property that keeps most of it: HTML, HTML wrapped in RTF, text, RTF. */
function chooseMsgBody(message: MsgStorage): Pick<Mail, 'html' | 'text' | 'rtf' | 'warning'> {
  const text = message.textProperty(PROPERTY.body);
  const compressed = message.binaryProperty(PROPERTY.rtf);
  const html = message.htmlProperty();
  if (html !== null || compressed === null) {
    const isMissing = html === null && text === null && message.statesBody();
    return { html, text, warning: isMissing ? UNREAD_BODY : null };
  }
  const rtf = decompressRtf(message.readMsgStream(compressed));
  const isRtf = rtf?.toString('latin1', 0, RTF_START.length) === RTF_START;
  if (rtf === null || !isRtf) return { html: null, text, warning: text === null ? UNREAD_BODY : null };
  return { html: htmlInRtf(rtf), text, rtf };
}

function* msgParts(message: MsgStorage): Generator<Part> {
  // The whole signed message is the only attachment.
  const isSigned = SIGNED.test(message.textProperty(PROPERTY.class) ?? '');
  for (const [index, storage] of message.attachmentStorages().entries()) {
    if (index >= ATTACHMENTS_MAX) {
      yield { name: storage.name, sizeBytes: Number.POSITIVE_INFINITY, read: () => Buffer.alloc(0) };
      continue;
    }
    const attachment = message.openAttachmentStorage(storage);
    const given = attachment.textProperty(PROPERTY.fileName) ?? attachment.textProperty(PROPERTY.shortFileName);
    const shown = cleanFileName(given) ?? cleanFileName(attachment.textProperty(PROPERTY.displayName));
    const inner = attachment.innerMessage();
    const data = attachment.binaryProperty(PROPERTY.data);
    if (inner !== null) {
      const name = shown ?? 'Attached message';
      yield { name, sizeBytes: 0, read: () => Buffer.alloc(0), parse: (options) => readMessage(inner, options) };
    } else if (data !== null) {
      const isPicture = /^image\//i.test(attachment.textProperty(PROPERTY.mediaType) ?? '');
      const isShown = isPicture && attachment.textProperty(PROPERTY.contentId) !== null;
      if (isShown && data.sizeBytes < SHOWN_PICTURE_BYTES_MIN) continue;
      const name = shown ?? `Attachment ${index + 1}`;
      const mail = isSigned ? { kind: 'eml' as const } : {};
      yield { name, sizeBytes: data.sizeBytes, read: () => attachment.readMsgStream(data), ...mail };
    }
  }
}

/** A message, or an attachment. */
class MsgStorage {
  readonly #file: CompoundFile;
  readonly #entries: CompoundEntry[];
  readonly #fixed: Buffer;

  constructor(file: CompoundFile, storage: CompoundEntry | undefined, headBytes: number) {
    this.#file = file;
    this.#entries = file.listStorageEntries(storage);
    const fixed = this.#entries.find(({ name }) => name.toLowerCase() === '__properties_version1.0');
    this.#fixed = fixed === undefined ? Buffer.alloc(0) : file.readStreamBytes(fixed).subarray(headBytes);
  }

  readMsgStream(entry: CompoundEntry): Buffer {
    return this.#file.readStreamBytes(entry);
  }

  binaryProperty(property: string): CompoundEntry | null {
    return this.#findPropertyStream(`${property}0102`);
  }

  /** Stored as UTF-16, or in the code page of the message. Null if it is missing or empty. */
  textProperty(property: string): string | null {
    const wide = this.#findPropertyStream(`${property}001F`);
    const narrow = this.#findPropertyStream(`${property}001E`);
    let text = '';
    if (wide !== null) text = decodeUtf16(this.readMsgStream(wide));
    else if (narrow !== null) text = this.#narrowText(this.readMsgStream(narrow));
    const end = text.indexOf('\0');
    text = (end === -1 ? text : text.slice(0, end)).trim();
    return text === '' ? null : text;
  }

  /** Some programs store UTF-8 whatever the code page is. */
  #narrowText(bytes: Buffer): string {
    const isCertain = !isAscii(bytes) && isUtf8(bytes);
    return isCertain ? bytes.toString() : decodePage(bytes, this.#numberProperty(PROPERTY.codePage) ?? WESTERN_PAGE);
  }

  /** Whether the list of properties names a body that is not empty. */
  statesBody(): boolean {
    return [PROPERTY.body, PROPERTY.html, PROPERTY.rtf].some((property) => {
      const number = Number.parseInt(property, 16);
      // The size counts the bytes that end a text.
      return [0x1f, 0x1e, 0x102].some((type) => (this.#fixedPropertyBytes(number, type)?.readUInt32LE() ?? 0) > 2);
    });
  }

  htmlProperty(): string | null {
    const bytes = this.binaryProperty(PROPERTY.html);
    if (bytes === null) return this.textProperty(PROPERTY.html);
    if (bytes.sizeBytes === 0) return null;
    const page = this.#numberProperty(PROPERTY.htmlCodePage);
    return decodeHtml(this.readMsgStream(bytes), page === UTF_8_PAGE ? 'utf-8' : null).text;
  }

  timeProperty(property: number): string | null {
    const value = this.#fixedPropertyBytes(property, 0x0040);
    if (value === null) return null;
    const date = new Date(Number(value.readBigUInt64LE() / 10_000n - EPOCH_MS));
    return Number.isNaN(date.getTime()) ? null : date.toISOString();
  }

  attachmentStorages(): CompoundEntry[] {
    const storages = this.#entries.filter(({ name }) => /^__attach_version1\.0_#/i.test(name));
    return storages.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  openAttachmentStorage(attachment: CompoundEntry): MsgStorage {
    return new MsgStorage(this.#file, attachment, HEAD_BYTES.attachment);
  }

  innerMessage(): MsgStorage | null {
    const storage = this.#findPropertyStream(`${PROPERTY.data}000D`);
    return storage === null ? null : new MsgStorage(this.#file, storage, HEAD_BYTES.inner);
  }

  #findPropertyStream(tag: string): CompoundEntry | null {
    const wanted = `__substg1.0_${tag}`.toLowerCase();
    return this.#entries.find(({ name }) => name.toLowerCase() === wanted) ?? null;
  }

  #numberProperty(property: number): number | null {
    return this.#fixedPropertyBytes(property, 0x0003)?.readUInt32LE() ?? null;
  }

  /** The eight bytes of a property of fixed size. */
  #fixedPropertyBytes(property: number, type: number): Buffer | null {
    for (let at = 0; at + FIXED_BYTES <= this.#fixed.length; at += FIXED_BYTES) {
      if (this.#fixed.readUInt32LE(at) === property * 0x10000 + type) return this.#fixed.subarray(at + 8, at + 16);
    }
    return null;
  }
}
