/**
 * Mail: the headers, the body, and each attachment with its own parser. Threat: nesting and header floods, which the
 * library bounds, and attachments, which the budget of the job bounds. Nothing a mail refers to is loaded.
 */

import PostalMime, { type Address, type Attachment, addressParser, type Email } from 'postal-mime';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { cleanFileName } from '../../../src-server/platform/files/file-names.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { DocumentBuilder } from '../document-builder.ts';
import type { FileOptions, FileParser, Part } from '../parts.ts';
import { joinParts } from '../parts.ts';
import { isMailbox, mailsIn } from './mbox.ts';
import { encryptedMail, type Mail, readMail, SHOWN_PICTURE_BYTES_MIN } from './read-mail.ts';
import { repairMail } from './repair-mail.ts';

/** Types of mail that only its recipients can read. */
const ENCRYPTED = /^(?:multipart\/encrypted|application\/(?:x-)?pkcs7-mime)\b/i;

/** A mail, or a mailbox with each mail as a part. Errors: `corrupt_input`, `encrypted_input`, `source_too_large`. */
export const parseEml: FileParser = async (bytes, options) => {
  if (!isMailbox(bytes)) return readOne(bytes, options);
  const mails = mailsIn(bytes);
  const first = mails.next();
  const second = mails.next();
  if (first.done === true) return readOne(bytes, options);
  if (second.done === true) return readOne(first.value, options);
  const document = new DocumentBuilder(options).buildNormalizedDocument({ format: 'mbox' });
  return joinParts(document, mailParts([first.value, second.value], mails), options);
};

async function readOne(bytes: Buffer, options: FileOptions) {
  return readMail('eml', mailOf(await parseEmlMessage(repairMail(bytes))), options);
}

function* mailParts(first: readonly Buffer[], rest: Iterable<Buffer>): Generator<Part> {
  let count = 0;
  for (const mails of [first, rest]) {
    for (const mail of mails) {
      count += 1;
      yield { name: `Message ${count}`, sizeBytes: mail.length, kind: 'eml', read: () => mail };
    }
  }
}

async function parseEmlMessage(bytes: Buffer): Promise<Email> {
  let email: Email;
  try {
    email = await PostalMime.parse(bytes, { forceRfc822Attachments: true });
  } catch (cause) {
    const isBound = cause instanceof Error && /maximum/i.test(cause.message);
    if (isBound) {
      const message = say`The message nests too deeply or has too many headers. Send its parts.`;
      throw new QuarryError('source_too_large', message, { cause });
    }
    throw new QuarryError('corrupt_input', say`The message is damaged. Export it again.`, { cause });
  }
  const type = email.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  if (ENCRYPTED.test(type) && !email.text && !email.html) {
    throw encryptedMail();
  }
  return email;
}

function mailOf(email: Email): Mail {
  const { subject = null, date, to, cc, html = null, text = null } = email;
  // A message may have several authors.
  const authors = email.headers.flatMap(({ key, value }) => (key === 'from' ? addressParser(value) : []));
  const from = formatMailAddresses(authors);
  const fields = [
    ['From', from],
    ['To', formatMailAddresses(to)],
    ['Cc', formatMailAddresses(cc)],
    ['Date', date ?? ''],
  ] as const;
  return {
    subject,
    from,
    fields,
    html,
    text,
    parts: emlParts(email),
  };
}

function formatMailAddresses(list: readonly Address[] = []): string {
  return list
    .map(({ name, address, group }) => {
      if (group !== undefined) return `${name}: ${formatMailAddresses(group)}`;
      return name === '' || name === address ? address : `${name} <${address}>`;
    })
    .join(', ');
}

function* emlParts({ attachments }: Email): Generator<Part> {
  for (const [index, attachment] of attachments.entries()) {
    const bytes = attachmentBytes(attachment);
    const isMessage = attachment.mimeType === 'message/rfc822';
    const isShown = attachment.related === true && attachment.mimeType.startsWith('image/');
    if (isShown && bytes.length < SHOWN_PICTURE_BYTES_MIN) continue;
    const name = cleanFileName(attachment.filename) ?? (isMessage ? 'Attached message' : `Attachment ${index + 1}`);
    yield {
      name,
      sizeBytes: bytes.length,
      read: () => bytes,
      ...omitUndefined({ kind: isMessage ? ('eml' as const) : undefined }),
    };
  }
}

function attachmentBytes({ content }: Attachment): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof ArrayBuffer
    ? Buffer.from(content)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}
