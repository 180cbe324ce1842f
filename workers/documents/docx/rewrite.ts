/**
 * One pass over a story part (document, notes, comments, headers and footers) that resolves everything a converter
 * would lose or misread, and writes the part with only paragraphs of text and tables: tracked changes are accepted or
 * marked, comments dropped or marked; fields, content controls, ruby, equations and text boxes become text; page starts
 * and paragraph roles become marks in the text.
 */

import { byName } from '../../../src-server/platform/records.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { DEEP_FORMULA, EquationWriter } from '../math.ts';
import { pictureDescription } from '../picture-description.ts';
import { raisedText } from '../raised-text.ts';
import { MARKS, withoutMarks } from '../revisions.ts';
import {
  equationFieldText,
  fieldAddress,
  isSymbolFont,
  NOT_TICKED,
  placeOnPage,
  symbolLetters,
  symbolOf,
  TICKED,
} from '../word-processing.ts';
import { walkXml, type XmlElement } from '../xml.ts';
import {
  type ElementReader,
  endMarkedParagraph,
  type Outcome,
  openState,
  ParagraphProperties,
  READ,
  type RewriteState,
  readAnchorEnd,
  readChange,
  readCommentReference,
  readNote,
  readNoteReference,
} from './rewrite-state.ts';
import { type EmbeddedPart, type RewrittenStory, type StoryContext, StoryWriter } from './story.ts';
import { isToggledOff, runFlag } from './styles.ts';

/** Rewrites a part. Collects its notes, changes and anchors in `context`. */
export function rewriteStory(bytes: Buffer, context: StoryContext): RewrittenStory {
  const writer = new StoryWriter(context);
  const readElement = readMarkup(writer, context);
  const stack: Exclude<Outcome, 'drop'>[] = [];
  let droppedDepth = 0;
  let equation: EquationWriter | null = null;
  let equationDepth = 0;
  walkXml(bytes, context.budget, {
    open(element) {
      if (equation !== null) {
        equation.openEquationElement(element);
        equationDepth += 1;
      } else if (droppedDepth > 0) {
        droppedDepth += 1;
      } else {
        const outcome = readElement(element);
        if (outcome === 'drop') droppedDepth = 1;
        else if (element.namespace === 'm' && element.local === 'oMath') equation = new EquationWriter();
        else stack.push(outcome);
      }
    },
    close() {
      if (equation !== null && equationDepth > 0) {
        equation.closeEquationElement();
        equationDepth -= 1;
      } else if (equation !== null) {
        const { text, latex } = equation.finishEquation();
        if (equation.isDeep) context.warnings.add(DEEP_FORMULA);
        writer.addSignedText('formula', text === '' ? null : context.inline.openFormula(latex), text);
        equation = null;
      } else if (droppedDepth > 0) {
        droppedDepth -= 1;
      } else {
        stack.pop()?.close?.();
      }
    },
    text(text) {
      if (equation !== null) equation.addEquationText(withoutMarks(text));
      else if (droppedDepth === 0) stack.at(-1)?.text?.(withoutMarks(text).replaceAll('\t', MARKS.tab));
    },
  });
  return writer.finishStory();
}

/** Elements without document text, or with an older version of it. */
const DROPPED = new Set([
  ...['tblPr', 'tblPrEx', 'tblGrid', 'sdtEndPr', 'rubyPr', 'rt', 'delInstrText', 'numberingChange'],
  ...['pPrChange', 'rPrChange', 'tblPrChange', 'trPrChange', 'tcPrChange', 'sectPrChange', 'tblPrExChange'],
]);

const MAX_SPANNED_COLUMNS = 1000;

const MAX_EMBEDDED = 1000;

/** The reader of one part: called for each element, in order. */
function readMarkup(writer: StoryWriter, context: StoryContext): (element: XmlElement) => Outcome {
  const state = openState(writer, context);
  return (element) => {
    if (state.isInControlProperties) return readControlProperty(element, state);
    if (element.namespace !== 'w') return FOREIGN[`${element.namespace}:${element.local}`]?.(element, state) ?? READ;
    if (state.properties !== null) return readProperty(element, state, state.properties);
    if (state.isInRunProperties) return readRunProperty(element, state);
    if (DROPPED.has(element.local)) return 'drop';
    // Element names may match names inherited from Object.prototype.
    return Object.hasOwn(READERS, element.local) ? (READERS[element.local]?.(element, state) ?? READ) : READ;
  };
}

/** Nothing inside `w:pPr` is text. */
function readProperty(element: XmlElement, state: RewriteState, properties: ParagraphProperties): Outcome {
  if (element.local.endsWith('Change')) return 'drop';
  if (element.local === 'headerReference' || element.local === 'footerReference')
    return rememberFurniture(element, state);
  return properties.readParagraphProperty(element);
}

/** Runs, the run properties that change characters, and the characters. */
const RUNS: Readonly<Record<string, ElementReader>> = byName({
  r: (_, state) => {
    state.symbolFont = null;
    state.isRaised = false;
    state.runFlags = 0;
    return READ;
  },
  rPr: (_, state) => {
    state.isInRunProperties = true;
    return {
      close: () => {
        state.isInRunProperties = false;
      },
    };
  },
  t: readRunText,
  delText: readRunText,
});

/**
 * Form fields of Word 97, whose value is not in the text: check boxes as Word shows them, lists as the chosen entry.
 */
const FORM_FIELDS: Readonly<Record<string, ElementReader>> = byName({
  ffData: (_, state) => {
    const field = { isTicked: null, entries: [], chosen: 0 } as NonNullable<typeof state.formField>;
    state.formField = field;
    return {
      close: () => {
        state.formField = null;
        if (field.isTicked !== null) state.writer.addStoryText(field.isTicked ? TICKED : NOT_TICKED);
        else state.writer.addStoryText(withoutMarks(field.entries[field.chosen] ?? ''));
      },
    };
  },
  checkBox: (_, { formField }) => {
    if (formField !== null) formField.isTicked = false;
    return READ;
  },
  // The default state; a following `checked` overrides it.
  default: readState,
  checked: readState,
  listEntry: (element, { formField }) => {
    const value = element.attributeValue('val');
    if (value !== null && formField !== null && formField.entries.length < MAX_ENTRIES) formField.entries.push(value);
    return READ;
  },
  result: (element, { formField }) => {
    if (formField !== null) formField.chosen = Number(element.attributeValue('val')) || 0;
    return READ;
  },
});

const READERS: Readonly<Record<string, ElementReader>> = byName({
  p: readParagraph,
  pPr: readParagraphProperties,
  ...RUNS,
  tab: (_, { writer }) => addMark(writer, MARKS.tab),
  ptab: (_, { writer }) => addMark(writer, MARKS.tab),
  cr: (_, { writer }) => addMark(writer, MARKS.line),
  br: readBreak,
  lastRenderedPageBreak: (_, { writer, context }) => {
    if (context.hasRenderedBreaks) writer.addPage();
    return READ;
  },
  noBreakHyphen: (_, { writer }) => {
    writer.addStoryText('\u2011');
    return READ;
  },
  sym: (element, { writer }) => {
    writer.addStoryText(withoutMarks(symbolOf(element.attributeValue('font'), element.attributeValue('char') ?? '')));
    return READ;
  },
  ins: readChange,
  del: readChange,
  moveFrom: readChange,
  moveTo: readChange,
  hyperlink: (element, state) => {
    const target = state.context.relationships.get(element.attributeValue('id') ?? '');
    const isAddress = target?.isExternal === true;
    return openLinkOutcome(state, isAddress ? placeOnPage(target.target, element.attributeValue('anchor')) : null);
  },
  fldSimple: (element, state) => openLinkOutcome(state, fieldAddress(element.attributeValue('instr') ?? '')),
  fldChar: readFieldCharacter,
  instrText: (_, { fields }) => ({
    text: (text) => {
      const field = fields.at(-1);
      if (field !== undefined) field.instruction += text;
    },
  }),
  ...FORM_FIELDS,
  footnoteReference: (element, state) => readNoteReference('footnote', element, state),
  endnoteReference: (element, state) => readNoteReference('endnote', element, state),
  footnote: readNote,
  endnote: readNote,
  comment: readNote,
  commentRangeStart: (element, { anchorStarts, writer }) => {
    anchorStarts.set(element.attributeValue('id') ?? '', writer.textLength);
    return READ;
  },
  commentRangeEnd: readAnchorEnd,
  commentReference: readCommentReference,
  tbl: (_, { writer }) => (writer.startTable() ? { close: () => writer.endStoryTable() } : READ),
  tr: readRow,
  // Columns left free before the first cell.
  gridBefore: (element, { writer }) => {
    const columns = Math.min(MAX_SPANNED_COLUMNS, Number(element.attributeValue('val')) || 0);
    if (columns > 0 && writer.startCell()) {
      writer.setCell(columns, null);
      writer.endStoryCell();
    }
    return READ;
  },
  trPr: (_, state) => {
    state.isInRowProperties = true;
    return {
      close: () => {
        state.isInRowProperties = false;
      },
    };
  },
  tc: (_, { writer }) => (writer.startCell() ? { close: () => writer.endStoryCell() } : READ),
  tcPr: readCellProperties,
  gridSpan: (element, { cell }) => {
    if (cell !== null) cell.columns = Math.min(MAX_SPANNED_COLUMNS, Number(element.attributeValue('val')) || 1);
    return READ;
  },
  vMerge: (element, { cell }) => {
    if (cell !== null) cell.merge = element.attributeValue('val') === 'restart' ? 'restart' : 'continue';
    return READ;
  },
  txbxContent: (_, { writer }) => {
    writer.startBox();
    return { close: () => writer.endBox() };
  },
  headerReference: rememberFurniture,
  footerReference: rememberFurniture,
  altChunk: readEmbeddedDocument,
  sdt: readControl,
  sdtPr: readControlProperties,
});

const FOREIGN: Readonly<Record<string, ElementReader>> = byName({
  'm:oMath': (_, state) => (isPlaceholder(state) ? 'drop' : READ),
  'mc:AlternateContent': (_, { alternatives, writer }) => {
    alternatives.push({ emittedBefore: writer.emitted, showed: false });
    return {
      close: () => {
        alternatives.pop();
      },
    };
  },
  'mc:Choice': (_, { alternatives, writer }) => {
    const alternative = alternatives.at(-1);
    if (alternative?.showed === true) return 'drop';
    return {
      close: () => {
        if (alternative !== undefined) alternative.showed = writer.emitted > alternative.emittedBefore;
      },
    };
  },
  // A copy of the content for programs that do not support the first choice.
  'mc:Fallback': (_, { alternatives }) => (alternatives.at(-1)?.showed === true ? 'drop' : READ),
  'wp:docPr': (element, { writer }) => addDescription(writer, element.attributeValue('descr')),
  'v:shape': (element, { writer }) => addDescription(writer, element.attributeValue('alt')),
  // WordArt, also as a watermark: a box of its own.
  'v:textpath': (element, { writer }) => {
    const text = withoutMarks(element.attributeValue('string') ?? '');
    if (text.trim() === '') return READ;
    writer.startBox();
    writer.addStoryText(text);
    writer.endBox();
    return READ;
  },
  'c:chart': (element, state) => readDrawing('chart', element.attributeValue('r:id'), state),
  'cx:chart': (element, state) => readDrawing('chart', element.attributeValue('r:id'), state),
  'dgm:relIds': (element, state) => readDrawing('diagram', element.attributeValue('r:dm'), state),
});

function addMark(writer: StoryWriter, mark: string): Outcome {
  writer.addMark(mark);
  return READ;
}

/** A content control; its properties come before its content. */
function readControl(_: XmlElement, { controls }: RewriteState): Outcome {
  controls.push({ promptName: null, shown: controls.at(-1)?.shown ?? null });
  return {
    close: () => {
      controls.pop();
    },
  };
}

function readControlProperties(_: XmlElement, state: RewriteState): Outcome {
  state.isInControlProperties = true;
  return {
    close: () => {
      state.isInControlProperties = false;
    },
  };
}

function readControlProperty(element: XmlElement, { controls }: RewriteState): Outcome {
  const control = controls.at(-1);
  // Names the building block of the prompt, and comes before the flag.
  if (element.name === 'w:placeholder') return READ;
  if (control === undefined) return 'drop';
  if (element.name === 'w:docPart') control.promptName = element.attributeValue('val');
  if (element.name === 'w:showingPlcHdr') {
    const isOn = !['0', 'false', 'off'].includes(element.attributeValue('val') ?? '');
    control.shown = isOn ? { name: control.promptName, position: 0, isTyped: false } : null;
  }
  return 'drop';
}

function isPlaceholder({ controls }: RewriteState): boolean {
  return controls.at(-1)?.shown?.isTyped === false;
}

/** Whether text asks for a value, and is no text of the document. */
function isPromptText({ controls, context }: RewriteState, text: string): boolean {
  const shown = controls.at(-1)?.shown ?? null;
  return shown !== null && context.prompts.takesPromptText(shown, text);
}

function readEmbeddedDocument(element: XmlElement, state: RewriteState): Outcome {
  if (!addEmbedded({ kind: 'document', relationshipId: element.attributeValue('id') ?? '' }, state))
    state.context.warnings.add(say`A document embedded in this one in another format was not read.`);
  return READ;
}

function readDrawing(kind: 'chart' | 'diagram', relationshipId: string | null, state: RewriteState): Outcome {
  if (isPlaceholder(state)) return READ;
  if (!addEmbedded({ kind, relationshipId: relationshipId ?? '' }, state))
    state.context.warnings.add(say`A chart or diagram in a header, footer or note was not read.`);
  return READ;
}

/** Places another part. Returns false where none is read. */
function addEmbedded(part: EmbeddedPart, { context, writer }: RewriteState): boolean {
  const { embedded } = context;
  if (embedded === null || embedded.length >= MAX_EMBEDDED) return false;
  writer.addAnchored({ kind: 'embedded' }, String(embedded.length));
  embedded.push(part);
  return true;
}

function readParagraph(_: XmlElement, state: RewriteState): Outcome {
  const { writer, paragraphs, context } = state;
  const paragraph: RewriteState['paragraphs'][number] = { properties: null };
  paragraphs.push(paragraph);
  // A field whose separator is missing must not swallow the results of those behind it.
  for (const field of state.fields) field.isInstruction = false;
  writer.startParagraph();
  return {
    close: () => {
      const { properties } = paragraph;
      paragraphs.pop();
      const joins = properties !== null && (endMarkedParagraph(properties, state) || properties.isDropCap);
      if (properties?.endsPage === true && !context.hasRenderedBreaks) writer.addPage();
      writer.endStoryParagraph(joins);
    },
  };
}

function readParagraphProperties(_: XmlElement, state: RewriteState): Outcome {
  const properties = new ParagraphProperties();
  const paragraph = state.paragraphs.at(-1);
  if (paragraph !== undefined) paragraph.properties = properties;
  state.properties = properties;
  return {
    close: () => {
      state.properties = null;
      const { writer, context } = state;
      if (properties.startsPage && !context.hasRenderedBreaks && writer.textLength > 0) writer.addPage();
      writer.setFact(properties.takeParagraphFact(context));
    },
  };
}

function readBreak(element: XmlElement, { writer, context }: RewriteState): Outcome {
  writer.addMark(MARKS.line);
  if (element.attributeValue('type') === 'page' && !context.hasRenderedBreaks) writer.addPage();
  return READ;
}

function readRow(_: XmlElement, { writer, rows }: RewriteState): Outcome {
  if (!writer.startRow()) return READ;
  const row = { isDeleted: false };
  rows.push(row);
  return {
    close: () => {
      rows.pop();
      writer.endStoryRow(row.isDeleted);
    },
  };
}

function readCellProperties(_: XmlElement, state: RewriteState): Outcome {
  const cell: NonNullable<RewriteState['cell']> = { columns: 1, merge: null };
  state.cell = cell;
  return {
    close: () => {
      state.cell = null;
      state.writer.setCell(cell.columns, cell.merge);
    },
  };
}

function rememberFurniture(element: XmlElement, { context }: RewriteState): Outcome {
  const id = element.attributeValue('id');
  if (id !== null) context.furniture.add(id);
  return READ;
}

function readFieldCharacter(element: XmlElement, state: RewriteState): Outcome {
  const { fields } = state;
  const type = element.attributeValue('fldCharType');
  if (type === 'begin')
    fields.push({ instruction: '', isLink: false, isInstruction: true, emittedBefore: state.writer.emitted });
  const field = fields.at(-1);
  if (field === undefined) return READ;
  if (type === 'separate') {
    field.isInstruction = false;
    field.isLink = openLink(state, fieldAddress(field.instruction));
  } else if (type === 'end') {
    fields.pop();
    if (field.isLink) state.writer.addMark(MARKS.linkClose);
    const hasResult = state.writer.emitted > field.emittedBefore;
    if (!hasResult && !isInInstruction(state))
      state.writer.addStoryText(withoutMarks(equationFieldText(field.instruction)));
  }
  return READ;
}

/** Whether text is the result of a field inside the instruction of another, which no page shows. */
function isInInstruction({ fields }: RewriteState): boolean {
  return fields.some(({ isInstruction }) => isInstruction);
}

function openLinkOutcome(state: RewriteState, url: string | null): Outcome {
  return openLink(state, url) ? { close: () => state.writer.addMark(MARKS.linkClose) } : READ;
}

function openLink({ writer, context }: RewriteState, url: string | null): boolean {
  const sign = context.inline.openLink(url === null ? null : withoutMarks(url));
  if (sign !== null) writer.addMark(sign);
  return sign !== null;
}

function addDescription(writer: StoryWriter, description: string | null): Outcome {
  const text = pictureDescription(withoutMarks(description ?? ''));
  if (text !== null) writer.addAnchored({ kind: 'description' }, text);
  return READ;
}

/** Nothing inside `w:rPr` is text. */
function readRunProperty(element: XmlElement, state: RewriteState): Outcome {
  const { local } = element;
  if (local.endsWith('Change')) return 'drop';
  if (local === 'vertAlign') state.isRaised = element.attributeValue('val') === 'superscript';
  else if (local === 'rFonts') {
    const font = element.attributeValue('ascii') ?? element.attributeValue('hAnsi');
    state.symbolFont = font !== null && isSymbolFont(font) ? font : null;
  } else if (local === 'rStyle') state.runFlags |= state.context.styles.runFlags(element.attributeValue('val'));
  else {
    const flag = runFlag(local);
    if (flag === 0) return READ;
    state.runFlags = isToggledOff(element.attributeValue('val')) ? state.runFlags & ~flag : state.runFlags | flag;
  }
  return READ;
}

function readRunText(_: XmlElement, state: RewriteState): Outcome {
  const { writer, symbolFont, isRaised, runFlags } = state;
  if (isInInstruction(state)) return READ;
  const shownText = (text: string) => {
    if (symbolFont !== null) return symbolLetters(symbolFont, text);
    return isRaised ? raisedText(text) : text;
  };
  return {
    text: (text) => {
      if (!isPromptText(state, text)) writer.addStoryText(shownText(text), runFlags);
    },
  };
}

const MAX_ENTRIES = 1000;

function readState(element: XmlElement, { formField }: Parameters<ElementReader>[1]) {
  const value = element.attributeValue('val');
  if (formField === null) return READ;
  if (formField.isTicked === null) formField.chosen = Number(value) || 0;
  else formField.isTicked = value === null || ['1', 'true', 'on'].includes(value);
  return READ;
}
