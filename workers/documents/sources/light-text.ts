/** Counts calendars, contacts and texts with light markup, line by line. */

import type { ParseOptions } from '../blocks.ts';
import { FIELD_LABELS } from '../calendar-fields.ts';
import { decodeTextFile } from '../parse-text.ts';
import type { SourceLedger } from '../source-ledger.ts';

/** Values are text; names of fields, parameters and what is for programs may be in the result. */
export function countCalendar(bytes: Buffer, { ledger, language }: ParseOptions): void {
  const text = decodeTextFile(bytes, language)
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '');
  const owed: string[] = [];
  const optional: string[] = [];
  let isZone = false;
  for (const line of text.replace(/=\n/g, '').split('\n')) {
    if (/^(?:BEGIN|END):VTIMEZONE/i.test(line)) isZone = /^BEGIN/i.test(line);
    const [head = '', name = ''] = /^(?:[\w-]+\.)?([\w-]+)(?:;(?:"[^"]*"|[^":])*)?:/.exec(line) ?? [];
    const value = line.slice(head.length);
    optional.push(head, FIELD_LABELS[name.toUpperCase()] ?? '', 'UTC');
    const isFile = /;ENCODING=b/i.test(head) || /^data:/i.test(value);
    if (isZone || isFile || FOR_PROGRAMS.test(name)) optional.push(value);
    else owed.push(shownValue(head, value));
  }
  ledger.addOwedText('', owed.join('\n'));
  ledger.mayHold(optional.join('\n'));
}

const FOR_PROGRAMS = new RegExp(
  '^(?:BEGIN|END|VERSION|PRODID|CALSCALE|METHOD|UID|DTSTAMP|SEQUENCE|CREATED|LAST-MODIFIED|TRANSP|CLASS|REV|ACTION|' +
    'RECURRENCE-ID|X-WR-TIMEZONE)$',
  'i',
);

function shownValue(head: string, value: string): string {
  const date = /^(\d{8})(?:T(\d{4})(\d\d)?Z?)?\s*$/.exec(value);
  if (date !== null) return `${date[1]} ${date[2] ?? ''} ${date[3] === '00' ? '' : (date[3] ?? '')}`;
  if (!/QUOTED-PRINTABLE/i.test(head)) return value.replace(/^mailto:/i, '').replace(/\\n/gi, '\n');
  const bytes = value.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Comments, which end where their indent does, and those of one line. */
const COMMENTS: Readonly<Record<string, RegExp>> = {
  rst: /^\.\.(?:\s(?![\w:-]+::)(?![[_|])|$)/,
  adoc: /^\/\/(?!\/)/,
  asciidoc: /^\/\/(?!\/)/,
  org: /^\s*#(?:\s|$)/,
};

/** Lines for programs, of which the result may hold parts: directives and their options, attributes, settings. */
const SETTINGS = /^(?:\s*\.\. |\s*:[\w-]+!?:|\[[^\]]*\]\s*$|\s*#\+|(?:include|image)::)/;

export function countLightMarkup(bytes: Buffer, options: ParseOptions): void {
  const { ledger, language, fileName } = options;
  const ending = fileName?.split('.').at(-1)?.toLowerCase() ?? '';
  const comment = COMMENTS[ending === 'rest' ? 'rst' : ending];
  const owed: string[] = [];
  const optional: string[] = [];
  const hidden: string[] = [];
  let isComment = false;
  for (const line of decodeTextFile(bytes, language).split(/\r\n?|\n/)) {
    isComment = comment?.test(line) === true || (isComment && ending.startsWith('r') && /^(?:\s|$)/.test(line));
    if (isComment) hidden.push(line);
    else if (SETTINGS.test(line)) optional.push(line);
    else owed.push(line);
  }
  ledger.addOwedText('', owed.join('\n'));
  ledger.mayHold(optional.join('\n'));
  leaveOutComments(ledger, hidden.join('\n'));
}

function leaveOutComments(ledger: SourceLedger, text: string): void {
  ledger.addOwedText('comments', text);
  ledger.recordLeftOutText({ reason: 'hidden', where: 'comments', text });
}
