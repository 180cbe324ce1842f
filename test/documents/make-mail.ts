/** Mails for tests. */

export interface MailPart {
  type: string;
  body: string | Uint8Array;
  name?: string;
  /** Further header lines of the part. */
  fields?: readonly string[];
}

const FIELDS = [
  'From: "Lee, Ann" <ann@mail.example>',
  'To: bo@mail.example',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= from the harbour',
  'Date: Mon, 2 Mar 2026 10:00:00 +0000',
  'MIME-Version: 1.0',
];

/** A mail with these parts; `boundary` differs in nested ones. */
export function makeMail(parts: readonly MailPart[], boundary = 'part'): Buffer {
  const head = [...FIELDS, `Content-Type: multipart/mixed; boundary="${boundary}"`, '', ''].join('\r\n');
  const pieces = parts.map((part) => `--${boundary}\r\n${pieceOf(part)}\r\n`);
  return Buffer.from(`${head}${pieces.join('')}--${boundary}--\r\n`);
}

function pieceOf({ type, body, name, fields = [] }: MailPart): string {
  const head = [`Content-Type: ${type}`, ...fields];
  if (typeof body === 'string') return [...head, '', body].join('\r\n');
  if (name !== undefined) head.push(`Content-Disposition: attachment; filename="${name}"`);
  const encoded = Buffer.from(body).toString('base64').replace(/.{76}/g, '$&\r\n');
  return [...head, 'Content-Transfer-Encoding: base64', '', encoded].join('\r\n');
}
