import { RUN_EMPHASIS, RUN_STRIKE, RUN_STRONG } from '../inline-marks.ts';
import type { ParagraphFlow } from '../paragraph-flow.ts';

/** Purpose of a group's text. */
type RtfUse = 'text' | 'skip' | 'inert' | 'capture' | 'fonts' | 'styles' | 'style' | 'variants';

/** State of one group; a group starts with a copy of its parent's. */
export interface RtfState {
  use: RtfUse;
  flow: ParagraphFlow;
  /** Target of captured text; shared with nested groups. */
  capture: { text: string } | null;
  /** Called when the group closes; not inherited. */
  onClose: (() => void) | null;
  /** True before the first word of the group, which may state its purpose. */
  isAtStart: boolean;
  isStarred: boolean;
  /** Count of fallback bytes after a Unicode character, for readers without Unicode. */
  fallbackBytes: number;
  font: number | null;
  isHidden: boolean;
  isRaised: boolean;
  /** Emphasis, as flags of `inline-marks.ts`. */
  emphasis: number;
  isInserted: boolean;
  isDeleted: boolean;
  move: 'move-from' | 'move-to' | null;
  insertedBy: number | null;
  insertedAt: number;
  deletedBy: number | null;
  deletedAt: number;
  movedBy: number | null;
  movedAt: number;
  style: number | null;
  outlineLevel: number | null;
  isInTable: boolean;
  tableDepth: number;
  listLevel: number;
  leftIndent: number;
  firstIndent: number;
  /** True for a drop cap of the next paragraph. */
  isDropCap: boolean;
}

type Properties<Keys extends keyof RtfState> = Pick<RtfState, Keys>;

const PLAIN_CHARACTERS: Properties<'isHidden' | 'isRaised' | 'emphasis' | 'isInserted' | 'isDeleted' | 'move'> = {
  isHidden: false,
  isRaised: false,
  emphasis: 0,
  isInserted: false,
  isDeleted: false,
  move: null,
};

const PLAIN_PARAGRAPH: Properties<
  'style' | 'outlineLevel' | 'isInTable' | 'tableDepth' | 'listLevel' | 'leftIndent' | 'firstIndent' | 'isDropCap'
> = {
  style: null,
  outlineLevel: null,
  isInTable: false,
  tableDepth: 1,
  listLevel: 0,
  leftIndent: 0,
  firstIndent: 0,
  isDropCap: false,
};

export function firstState(flow: ParagraphFlow): RtfState {
  return {
    use: 'text',
    flow,
    capture: null,
    onClose: null,
    isAtStart: true,
    isStarred: false,
    fallbackBytes: 1,
    font: null,
    insertedBy: null,
    insertedAt: 0,
    deletedBy: null,
    deletedAt: 0,
    movedBy: null,
    movedAt: 0,
    ...PLAIN_CHARACTERS,
    ...PLAIN_PARAGRAPH,
  };
}

/** Applies a character or paragraph property; returns false for other words. */
export function applyProperty(state: RtfState, word: string, parameter: number | null): boolean {
  const value = parameter ?? 0;
  const isOn = parameter !== 0;
  switch (word) {
    case 'v':
      state.isHidden = isOn;
      return true;
    case 'b':
      setEmphasis(state, RUN_STRONG, isOn);
      return true;
    case 'i':
      setEmphasis(state, RUN_EMPHASIS, isOn);
      return true;
    case 'strike':
    case 'striked':
      setEmphasis(state, RUN_STRIKE, isOn);
      return true;
    case 'super':
      state.isRaised = isOn;
      return true;
    case 'sub':
    case 'nosupersub':
      state.isRaised = false;
      return true;
    case 'f':
      state.font = value;
      return true;
    case 'uc':
      state.fallbackBytes = Math.max(0, value);
      return true;
    case 'pard':
      Object.assign(state, PLAIN_PARAGRAPH);
      return true;
    case 's':
      state.style = value;
      return true;
    case 'outlinelevel':
      state.outlineLevel = value;
      return true;
    case 'intbl':
      state.isInTable = isOn;
      return true;
    case 'itap':
      state.tableDepth = Math.max(1, value);
      state.isInTable = value > 0;
      return true;
    case 'ilvl':
      state.listLevel = Math.min(Math.max(0, value), 8);
      return true;
    case 'li':
      state.leftIndent = value;
      return true;
    case 'fi':
      state.firstIndent = value;
      return true;
    case 'dropcapli':
      state.isDropCap = value > 0;
      return true;
    default:
      return applyRevision(state, word, value, isOn);
  }
}

function setEmphasis(state: RtfState, flag: number, isOn: boolean): void {
  state.emphasis = isOn ? state.emphasis | flag : state.emphasis & ~flag;
}

export function resetCharacters(state: RtfState, defaultFont: number | null): void {
  Object.assign(state, PLAIN_CHARACTERS);
  state.font = defaultFont;
}

function applyRevision(state: RtfState, word: string, value: number, isOn: boolean): boolean {
  switch (word) {
    case 'revised':
      state.isInserted = isOn;
      return true;
    case 'deleted':
      state.isDeleted = isOn;
      return true;
    case 'mvf':
      state.move = isOn ? 'move-from' : null;
      return true;
    case 'mvt':
      state.move = isOn ? 'move-to' : null;
      return true;
    case 'revauth':
      state.insertedBy = value;
      return true;
    case 'revdttm':
      state.insertedAt = value;
      return true;
    case 'revauthdel':
      state.deletedBy = value;
      return true;
    case 'revdttmdel':
      state.deletedAt = value;
      return true;
    case 'mvauth':
      state.movedBy = value;
      return true;
    case 'mvdate':
      state.movedAt = value;
      return true;
    default:
      return false;
  }
}

// Control words by their effect on text.

/** Words for a character or a break within a paragraph. A map, because a word may be `constructor`. */
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

/** Destinations whose content is no document text. */
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

/** Starred words with document text; all other starred words are skipped. */
export const STARRED_TEXT = new Set(['shpinst', 'do', 'moMath', 'moMathPara', 'nesttableprops', 'footnote']);

/** Properties within equations, which are no text. */
export function isMathProperty(word: string): boolean {
  return /^m[A-Za-z]*Pr$/.test(word);
}

export const HEADER_WORDS = new Set(['header', 'headerl', 'headerr', 'headerf']);

export const FOOTER_WORDS = new Set(['footer', 'footerl', 'footerr', 'footerf']);
