/** Counts calendars, contacts and texts with light markup, line by line. */

import type { ParseOptions } from '../blocks.ts';
import { FIELD_LABELS } from '../calendar-fields.ts';
import { asciidocTitles } from '../light-markup/asciidoc-inline.ts';
import { type LightMarkup, lightMarkupOf } from '../light-markup/markup-format.ts';
import { rstTitles } from '../light-markup/rst-names.ts';
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

/** The box of a task, which the result has with a small letter. */
const CHECKED = '(?<=[-+*.)] )\\[X\\]';

const MACROS = 'link|mailto|tel|xref|image|footnote|footnoteref|stem|latexmath|asciimath|kbd|btn|pass|anchor';

/** Markup whose letters are no text: addresses behind a text, names of roles, macros and labels, names of values. */
const MARKUP: Readonly<Record<LightMarkup, RegExp>> = {
  rst: new RegExp(
    [
      ':(?:std:)?(?:ref|numref|any|eq|keyword):`([^`<>]{1,200})`',
      '<[^<>`]{1,2000}>(?=`)',
      ':(?:[A-Za-z][\\w+.-]{0,60}:){1,4}(?=`)',
      '(?<=`):(?:[A-Za-z][\\w+.-]{0,60}:){1,4}',
      '\\[#[\\w.:-]{0,200}\\](?=_)',
      '\\|([^|\\s][^|\\n]{0,200})\\|',
      CHECKED,
    ].join('|'),
    'g',
  ),
  asciidoc: new RegExp(
    [
      `\\b(?:${MACROS}):[^\\s\\[]{0,500}(?=\\[)`,
      'footnote(?:ref)?:[^\\s\\[]{0,500}(?=\\[)',
      '(?<=\\bmailto:[^\\s\\[\\]]{1,300}\\[(?:"[^"\\]]{0,300}"|[^,"\\]]{0,300})),[^\\]\\n]{0,300}',
      '\\bmenu:(?=[^\\s\\[]{0,500}\\[)',
      '\\bindexterm2:(?=\\[)',
      '\\bindexterm:\\[[^\\]\\n]{0,500}\\]',
      '\\b(?:https?|ftp|irc)://[^\\s\\[\\]<>"]{1,600}(?=\\[)',
      '[\\],]\\s*(?:window|role|opts|options|rel|title|id|subject|width|height|align|alt)=[^\\]\\n]{0,300}',
      '(?<=\\[)(?:width|role|window|alt|title)=[^\\]\\n]{0,300}',
      '<<([^<>,\\n]{1,300})>>',
      '<<[^<>,\\n]{1,300},',
      '\\bxref:([^\\s\\[]{1,300})\\[\\]',
      '\\{([A-Za-z0-9_][\\w-]{0,100})\\}(?:[^\\s\\[\\]{}]{0,300}(?=\\[))?',
      '\\[\\[[^\\[\\]\\n]{0,300}\\]\\]',
      '\\[(?:[.#][^\\]\\n]{0,200}|[A-Za-z][\\w -]{0,60})\\](?=[*_`#])',
      '\\(\\(\\([^()]{1,300}\\)\\)\\)',
      '(?<=^|\\s)(?:\\d{1,2}\\*|\\d{0,2}(?:\\.\\d{1,3})?\\+)?[<^>.]{0,3}[adehlmsv]?(?=[|!])',
      '^`{3,}.*$',
      CHECKED,
    ].join('|'),
    'gm',
  ),
  org: new RegExp(
    [
      '\\[\\[(?:[^\\[\\]\\\\\\n]|\\\\.){1,2000}\\](?=\\[)',
      '(?<=\\[\\[)file:',
      '\\[fn:',
      '\\[@\\d+\\]',
      CHECKED,
      '\\bsrc_[\\w-]{1,40}(?:\\[[^\\]\\n]{0,200}\\])?(?=\\{)',
      '(?<=<)mailto:',
      '\\\\(?:begin|end)\\{[A-Za-z]+\\*?\\}',
    ].join('|'),
    'gi',
  ),
};

/** Lines for programs, of which the result may hold parts. */
const SETTINGS: Readonly<Record<LightMarkup, RegExp>> = {
  rst: /^\s*(?:\.\. |__ |:[\w-]+:)/,
  asciidoc: /^(?:\s*:!?[\w-]+!?:|\[[^\]]*\]\s*$|(?:include|image|video|audio|ifdef|ifndef|ifeval|endif|toc)::)/,
  org: /^\s*(?::[\w-]+:|#\+)/,
};

/** Lines that begin what is no text, with the lines below that are indented deeper. */
const HIDDEN_RST = new RegExp(
  [
    '^\\s*(?:[-*+]\\s+)?\\.\\.(?:',
    ' +(?:index|contents|meta|highlight|default-role|currentmodule|sectnum|title|role)::',
    '|\\s+(?![\\w:.+-]+ ?::)(?![[_|])\\S|\\s*$)',
  ].join(''),
);

const DEFINITION_RST = /^\s*\.\. +(?:_|\|)/;

/** Of directives and notes whose first line has text. */
const TEXT_RST = new RegExp(
  [
    '^\\s*\\.\\. +(?:\\[[^\\]]+\\]|(?:admonition|attention|caution|danger|error|hint|important|note|seealso|tip|',
    'warning|rubric|topic)::)\\s+(.*)$',
  ].join(''),
  'i',
);

/** Labels of changes, which the result has in words. */
const VERSIONS_RST = /\.\. (?:version\w+|deprecated)::|\.\. math::/g;

/** Values of names by which a text may be written many times. */
const EXPANDED_CHARS_MAX = 4_000_000;

export function countLightMarkup(bytes: Buffer, { ledger, language, fileName }: ParseOptions): void {
  const format = lightMarkupOf(fileName);
  const text = decodeTextFile(bytes, language).replace(/\r\n?/g, '\n');
  const { owed, settings, hidden } = splitMarkupLines(text, format);
  const optional = [settings];
  const values = valuesOf(text, format);
  let expanded = 0;
  const putAside = (markup: string, ...groups: (string | number | undefined)[]) => {
    optional.push(markup);
    const name = groups.slice(0, -2).find((group) => typeof group === 'string');
    const value = typeof name === 'string' ? values.get(nameOfValue(name)) : undefined;
    expanded += value?.length ?? 0;
    if (value !== undefined && expanded < EXPANDED_CHARS_MAX) optional.push(value);
    return ' ';
  };
  ledger.addOwedText('', owed.replace(MARKUP[format], putAside));
  if (format === 'rst') {
    for (const _ of text.matchAll(VERSIONS_RST))
      optional.push('begin aligned end Changed Removed Added since in version');
  } else optional.push(...(text.match(/\\begin\{/g) ?? []).map(() => 'begin alignedat gathered end'));
  ledger.mayHold(optional.join('\n'));
  leaveOutComments(ledger, hidden);
}

function splitMarkupLines(text: string, format: LightMarkup): { owed: string; settings: string; hidden: string } {
  const owed: string[] = [];
  const settings: string[] = [];
  const hidden: string[] = [];
  const sort = { rst: sortRst, asciidoc: sortAsciidoc, org: sortOrg }[format]();
  for (const line of text.split('\n')) {
    const kind = sort(line);
    if (kind === 'hidden') hidden.push(line);
    else if (kind === 'settings' || (kind === null && SETTINGS[format].test(line))) {
      settings.push(line);
      const own = format === 'rst' ? TEXT_RST.exec(line)?.[1] : undefined;
      if (own !== undefined) owed.push(own);
    } else owed.push(line);
  }
  return { owed: owed.join('\n'), settings: settings.join('\n'), hidden: hidden.join('\n') };
}

type LineKind = 'hidden' | 'settings' | null;

/** Comments and definitions, which end where their indent does. */
function sortRst(): (line: string) => LineKind {
  let open: { kind: LineKind; indent: number; isEmpty: boolean } | null = null;
  return (line) => {
    const indent = line.search(/\S/);
    if (open !== null && indent === -1 && open.isEmpty) open = null;
    if (open !== null && (indent === -1 || indent > open.indent)) {
      open.isEmpty = false;
      return open.kind;
    }
    open = null;
    const kind = HIDDEN_RST.test(line) ? 'hidden' : DEFINITION_RST.test(line) ? 'settings' : null;
    if (kind !== null) open = { kind, indent, isEmpty: line.trim() === '..' };
    return kind;
  };
}

function sortAsciidoc(): (line: string) => LineKind {
  let fence: string | null = null;
  let goesOn = false;
  return (line) => {
    const own = /^\/{4,}$/.exec(line.trimEnd())?.[0];
    if (fence !== null) {
      if (own === fence) fence = null;
      return 'hidden';
    }
    if (own !== undefined) {
      fence = own;
      return 'hidden';
    }
    const isSetting = goesOn || /^:!?[\w-]+!?:/.test(line);
    goesOn = isSetting && / [+\\]\s*$/.test(line);
    if (isSetting) return 'settings';
    return /^\/\/(?!\/)/.test(line) ? 'hidden' : null;
  };
}

function sortOrg(): (line: string) => LineKind {
  let end: RegExp | null = null;
  let kind: LineKind = null;
  return (line) => {
    if (end !== null) {
      const isOver = end.test(line) || /^\*+\s/.test(line);
      if (isOver) end = null;
      if (!isOver || !line.startsWith('*')) return kind;
    }
    const isComment = /^\s*#\+begin_comment\s*$/i.test(line);
    if (isComment || /^\s*:(?:PROPERTIES|LOGBOOK):\s*$/i.test(line)) {
      end = isComment ? /^\s*#\+end_comment\s*$/i : /^\s*:END:\s*$/i;
      kind = isComment ? 'hidden' : 'settings';
      return kind;
    }
    return /^\s*#(?:\s|$)/.test(line) ? 'hidden' : null;
  };
}

/** What names stand for. */
function valuesOf(text: string, format: LightMarkup): Map<string, string> {
  const pattern = {
    rst: /^\s*\.\. \|([^|\n]+)\| +\w+:: *(.*(?:\n[ \t]+\S.*){0,5})/gm,
    asciidoc: /^:([\w-]+):[ \t]+(.*(?:(?<= [+\\])\n.*){0,20})/gm,
    org: null,
  }[format];
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of pattern === null ? [] : text.matchAll(pattern)) {
    values.set(nameOfValue(name), value);
  }
  const lines = format === 'org' ? [] : text.split('\n');
  for (const [name, title] of format === 'rst' ? rstTitles(lines) : asciidocTitles(lines)) {
    values.set(nameOfValue(name), title);
  }
  return values;
}

function nameOfValue(name: string): string {
  return name.replace(/\s+/g, ' ').replace(/^#/, '').trim().toLowerCase();
}

function leaveOutComments(ledger: SourceLedger, text: string): void {
  ledger.addOwedText('comments', text);
  ledger.recordLeftOutText({ reason: 'hidden', where: 'comments', text });
}
