import { QuarryError } from '../../../src-server/platform/errors.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';
import { KIB } from '../../../src-server/platform/units.ts';
import type { Block, NormalizedDocument } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { readHtml } from '../html/parse-html.ts';
import { LetterSum } from '../letters.ts';
import { addPlainText } from '../parse-text.ts';
import { type FileOptions, joinParts, type Part } from '../parts.ts';
import { readRtf } from '../rtf/parse-rtf.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { countPage } from '../sources/markup.ts';
import { countRichText } from '../sources/word-97.ts';

/** Pictures in the body below this size are logos and smileys. */
export const SHOWN_PICTURE_BYTES_MIN = 10 * KIB;

/** What is read of a mail, from any format. */
export interface Mail {
  subject: string | null;
  from: string | null;
  /** Shown below the subject, in this order. */
  fields: readonly (readonly [label: string, value: string])[];
  html: string | null;
  text: string | null;
  /** Read if there is neither HTML nor text. */
  rtf?: Buffer | null;
  /** About a body that could not be read. */
  warning?: Said | null;
  parts: Iterable<Part>;
}

/** The subject as heading, the fields, the body (as HTML if there is one), then the attachments. */
export function readMail(format: string, mail: Mail, options: FileOptions): Promise<NormalizedDocument> {
  const builder = new DocumentBuilder(options);
  builder.addDocumentBlock({ kind: 'heading', level: 1, text: mail.subject ?? '' });
  const fields = mail.fields.filter(([, value]) => value !== '');
  builder.addDocumentBlock({
    kind: 'paragraph',
    text: fields.map(([label, value]) => `${label}: ${value}`).join('\n'),
  });
  const before = builder.blocks.length;
  const language = mail.html === null ? null : readHtml(mail.html, builder).language;
  const isPoorer = mail.html !== null && isPoorCopy(builder.blocks.slice(before), mail.text ?? '');
  if (mail.text !== null && (mail.html === null || isPoorer)) addPlainText(mail.text, builder);
  else if (mail.html === null && mail.rtf) readRtf(mail.rtf, builder);
  if (mail.warning) builder.addWarning(mail.warning);
  // Labels and the form of dates are the result's own.
  options.ledger.mayHold(fields.flatMap(([label, value]) => (label === 'Date' ? [label, value] : [label])).join('\n'));
  if (format !== 'eml') countMessage(mail, fields, options.ledger);
  const document = builder.buildNormalizedDocument({ format, title: mail.subject, author: mail.from, language });
  return joinParts(document, mail.parts, options);
}

/** Some programs send the text beside a page that shows it as a picture. */
function isPoorCopy(page: readonly Block[], text: string): boolean {
  const shown = new LetterSum();
  for (const block of page) shown.addLetterText(block.kind === 'table' ? block.rows.flat().join(' ') : block.text);
  const plain = new LetterSum();
  plain.addLetterText(text);
  return shown.count * 2 < plain.count;
}

/** The properties of an Outlook message are its bytes; a plain copy of its page repeats the page. */
function countMessage(mail: Mail, fields: Mail['fields'], ledger: SourceLedger): void {
  ledger.addOwedText('message', [mail.subject ?? '', ...fields.map(([, value]) => value)].join('\n'));
  if (mail.html !== null) {
    countPage(mail.html, 'message', ledger);
    ledger.mayHold(mail.text ?? '');
  } else if (mail.text !== null) ledger.addOwedText('message', mail.text);
  else if (mail.rtf) countRichText(mail.rtf, 'message', { ledger, includeComments: false });
}

export function encryptedMail(): QuarryError {
  return new QuarryError(
    'encrypted_input',
    say`The message is encrypted. Decrypt it in the mail program and export it.`,
  );
}
