/** Inline markup of articles and books in XML: JATS, DocBook, TEI, DITA and XHTML. */

import { byName } from '../../../src-server/platform/records.ts';
import { closeSign, type InlineValues, openSign, type PlainKind } from '../inline-marks.ts';
import type { XmlElement } from '../xml.ts';

/** What stands before and after the text of an element. */
export interface InlineSigns {
  open: string;
  close: string;
}

const KINDS: ReadonlyMap<string, PlainKind> = new Map([
  ...namesOf('emphasis', ['italic', 'emphasis', 'emph', 'em', 'i', 'hi', 'firstterm', 'foreignphrase', 'citetitle']),
  ...namesOf('strong', ['bold', 'b', 'strong', 'guibutton', 'guimenu', 'guilabel', 'guimenuitem', 'uicontrol']),
  ...namesOf('strike', ['strike', 's']),
  ...namesOf('sub', ['sub', 'subscript']),
  ...namesOf('sup', ['sup', 'superscript']),
  ...namesOf('code', ['monospace', 'tt', 'code', 'literal', 'command', 'filename', 'option', 'parameter', 'varname']),
  ...namesOf('code', ['function', 'classname', 'constant', 'envar', 'userinput', 'computeroutput', 'systemitem']),
  ...namesOf('code', ['codeph', 'filepath', 'cmdname', 'parmname', 'apiname', 'systemoutput', 'msgph']),
]);

/** Emphasis of DocBook and TEI is named by an attribute. */
const LOOKS: readonly [RegExp, PlainKind][] = [
  [/^(?:bold|strong|b)$/i, 'strong'],
  [/^(?:strikethrough|strike|line-through)$/i, 'strike'],
  [/^(?:sub|subscript)$/i, 'sub'],
  [/^(?:sup|super|superscript)$/i, 'sup'],
  [/^(?:tt|mono|monospace|typewriter|code)$/i, 'code'],
];

const LINKS = new Set(['link', 'ulink', 'ext-link', 'uri', 'xref', 'ref', 'a', 'self-uri', 'related-article']);

/** The marks around a quotation, unless its text has some. */
export const QUOTED: InlineSigns = { open: '“', close: '”' };

/** Characters that readers of the vocabulary add. */
const WRAPPED: Readonly<Record<string, InlineSigns>> = byName({
  quote: QUOTED,
  q: QUOTED,
  manvolnum: { open: '(', close: ')' },
});

/** Only raised and lowered text, such as of patents, whose other marks are for their layout. */
const RAISED: ReadonlySet<PlainKind> = new Set(['sub', 'sup']);

/** The signs of an element inside a text; null for an element without any. */
export function inlineSignsOf(
  element: XmlElement,
  values: InlineValues,
  { isRaisedOnly }: { isRaisedOnly: boolean },
): InlineSigns | null {
  const kind = kindOf(element);
  if (isRaisedOnly) return kind !== null && RAISED.has(kind) ? signsOf(kind) : null;
  if (kind !== null) return signsOf(kind);
  if (LINKS.has(element.local)) {
    const address = addressOf(element);
    // A place in the same file has no page to lead to.
    const open = address === null || address.startsWith('#') ? null : values.openAddress(address);
    return open === null ? null : { open, close: closeSign('link') };
  }
  return WRAPPED[element.local] ?? null;
}

function signsOf(kind: PlainKind): InlineSigns {
  return { open: openSign(kind), close: closeSign(kind) };
}

function kindOf(element: XmlElement): PlainKind | null {
  const kind = KINDS.get(element.local) ?? null;
  if (element.local !== 'emphasis' && element.local !== 'hi') return kind;
  const looks = `${element.attributeValue('role') ?? ''} ${element.attributeValue('rend') ?? ''}`.split(/\s+/);
  return LOOKS.find(([look]) => looks.some((one) => look.test(one)))?.[1] ?? kind;
}

function addressOf(element: XmlElement): string | null {
  return element.attributeValue('href') ?? element.attributeValue('url') ?? element.attributeValue('target');
}

function namesOf(kind: PlainKind, names: readonly string[]): [string, PlainKind][] {
  return names.map((name) => [name, kind]);
}
