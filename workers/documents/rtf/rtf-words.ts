/** What the control words of RTF mean for text, as data. */

/** Words that stand for a character or a break within a paragraph. A map, since a word may be `constructor`. */
export const CHARACTER_WORDS: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['line', '\v'],
  ['lbr', '\v'],
  ['column', '\v'],
  ['lquote', '‘'],
  ['rquote', '’'],
  ['ldblquote', '“'],
  ['rdblquote', '”'],
  ['bullet', '•'],
  ['endash', '–'],
  ['emdash', '—'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['qmspace', ' '],
]);

/** Words that open a place whose content is no text of the document. */
export const SKIPPED_DESTINATIONS = new Set([
  ...['pict', 'nonshppict', 'shppict', 'colortbl', 'filetbl', 'listtable', 'listoverridetable', 'rsidtbl', 'themedata'],
  ...['colorschememapping', 'latentstyles', 'datastore', 'generator', 'xmlnstbl', 'objdata', 'objclass', 'objname'],
  ...['fldinst', 'datafield', 'formfield', 'bkmkstart', 'bkmkend', 'xe', 'tc', 'rxe', 'txe', 'shprslt', 'sp', 'pn'],
  ...[
    'ftnsep',
    'ftnsepc',
    'ftncn',
    'aftnsep',
    'aftnsepc',
    'aftncn',
    'pgdsctbl',
    'private',
    'panose',
    'falt',
    'doccomm',
  ],
  ...['subject', 'keywords', 'operator', 'creatim', 'revtim', 'printim', 'buptim', 'company', 'manager', 'category'],
  ...['comment', 'hlinkbase', 'userprops', 'mmathPr', 'nonesttables', 'atnid', 'background'],
  ...['picprop', 'blipuid', 'wgrffmtfilter', 'protusertbl', 'docvar', 'template', 'passwordhash', 'mmathPict'],
]);

/** Starred words whose content is text all the same; every other starred word is skipped. */
export const STARRED_TEXT = new Set(['shpinst', 'do', 'moMath', 'moMathPara', 'nesttableprops']);

/** Properties within equations: their text says how, not what. */
export function isMathProperty(word: string): boolean {
  return /^m[A-Za-z]*Pr$/.test(word);
}

export const HEADER_WORDS = new Set(['header', 'headerl', 'headerr', 'headerf']);
export const FOOTER_WORDS = new Set(['footer', 'footerl', 'footerr', 'footerf']);
