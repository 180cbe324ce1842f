import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { countChart, countDiagram } from './drawings.ts';
import { decodePart, type OfficeSource, relationsOf } from './office.ts';
import { attributeOf, elementNames, scanXml } from './scan-xml.ts';

/** What a part of a Word document holds, by its fate. */
interface Story {
  owed: string[];
  deleted: string[];
  /** In cells that a merged cell covers, prompts of empty content controls, and fields inside instructions. */
  hidden: string[];
  /** Guides beside the letters of ruby. */
  guides: string[];
  optional: string[];
  /** Ids of the notes that its text refers to. */
  references: Set<string>;
  /** Relations of the headers and footers that its sections show. */
  furniture: Set<string>;
  /** Relations of the charts and diagrams that it shows. */
  drawings: string[];
}

/** Counts a .docx from the text runs of its parts. */
export function countWord({ source, main, ledger, includeComments }: OfficeSource): void {
  const relations = relationsOf(source, main);
  const relatedPartTargets = (type: string) => relations.filter((one) => one.type === type).map(({ target }) => target);
  const prompts = readPromptLetters(source, relations);
  const body = readStory(decodePart(source.read(main)), includeComments, prompts);
  const addStoryToLedger = (place: string, { owed, deleted, hidden, guides, optional }: Story) => {
    ledger.addOwedText(place, owed.join(''));
    ledger.mayHold(optional.join('\n'));
    const left = [
      ['deleted-by-tracked-changes', deleted],
      ['hidden', hidden],
      ['unsupported-part', guides],
    ] as const;
    for (const [reason, pieces] of left) {
      const text = pieces.join('');
      ledger.addOwedText(place, text);
      ledger.recordLeftOutText({ reason, where: place, text });
    }
  };
  addStoryToLedger(main, body);
  for (const type of ['footnotes', 'endnotes']) {
    for (const part of relatedPartTargets(type)) {
      for (const [id, note] of readWordNotes(decodePart(source.read(part)), includeComments, prompts)) {
        if (body.references.has(`${type} ${id}`)) addStoryToLedger(part, note);
        else leaveOutStory(ledger, part, note);
      }
    }
  }
  countFurniture({ source, main, ledger, includeComments }, body.furniture, relations, prompts);
  const comments = relatedPartTargets('comments').map((part) => ({ part, text: decodePart(source.read(part)) }));
  for (const { part, text } of includeComments ? comments : []) {
    addStoryToLedger(part, readStory(text, includeComments, prompts));
    for (const [, author = ''] of text.matchAll(/\sw:author="([^"]*)"/g)) ledger.mayHold(author);
  }
  const drawn = new Set<string>();
  for (const id of body.drawings) {
    const part = relations.find((one) => one.id === id);
    if (part === undefined) continue;
    drawn.add(part.target.toLowerCase());
    const count = part.type === 'diagramData' ? countDiagram : countChart;
    count(decodePart(source.read(part.target)), part.target, ledger);
  }
  for (const { name } of source.entries()) {
    if (drawn.has(name.toLowerCase())) continue;
    const office = { source, main, ledger, includeComments };
    if (/^word\/(?:charts\/chart(?:Ex)?|diagrams\/data)\d*\.xml$/i.test(name))
      leaveOutPart(office, name, 'unsupported-part');
    // Building blocks, which the document offers but does not show.
    else if (/^word\/glossary\/document\.xml$/i.test(name)) leaveOutPart(office, name, 'hidden');
  }
}

/** A part with text that the result has no place for. */
function leaveOutPart({ source, ledger }: OfficeSource, name: string, reason: LeftOutReason): void {
  const lines: string[] = [];
  let isText = false;
  let [elements, open] = [0, 0];
  scanXml(decodePart(source.read(name)), {
    open: (element) => {
      elements += 1;
      open += 1;
      isText = element === 't' || element === 'v';
    },
    text: (text) => {
      if (isText) lines.push(text);
    },
    close: () => {
      open -= 1;
      isText = false;
    },
  });
  if (elements === 0 || open !== 0) {
    ledger.warnings.push(say`${name} is damaged, and its text is not known.`);
    ledger.recordLeftOutText({ reason: 'damaged', where: name, text: '', sample: name });
  }
  const text = lines.join('\n');
  ledger.addOwedText(name, text);
  ledger.recordLeftOutText({ reason, where: name, text });
}

/** Notes that no text refers to are not shown. */
function leaveOutStory(ledger: OfficeSource['ledger'], where: string, { owed }: Story): void {
  const text = owed.join('');
  ledger.addOwedText(where, text);
  ledger.recordLeftOutText({ reason: 'hidden', where, text });
}

/** Headers and footers: each text once, and none with only a page number. */
function countFurniture(
  { source, ledger }: OfficeSource,
  used: ReadonlySet<string>,
  relations: readonly Relation[],
  prompts: PromptLetters,
): void {
  const seen = new Set<string>();
  const parts = relations.filter(({ id }) => used.has(id));
  for (const { type, target } of new Map(parts.map((one) => [one.target, one])).values()) {
    const { owed, optional } = readStory(decodePart(source.read(target)), false, prompts);
    const text = owed.join('');
    const key = `${type} ${text.replace(/\s+/g, ' ').trim()}`;
    ledger.mayHold(optional.join('\n'));
    ledger.addOwedText(target, text);
    if (seen.has(key) || LONE_NUMBER.test(text)) {
      ledger.recordLeftOutText({ reason: 'repeated-header-or-footer', where: target, text });
    }
    seen.add(key);
  }
}

type Relation = ReturnType<typeof relationsOf>[number];

const LONE_NUMBER = /^[^\p{L}\p{N}]*\d{0,4}[^\p{L}\p{N}]*$/u;

/** The notes of a part by id, without separators. */
function* readWordNotes(xml: string, includeComments: boolean, prompts: PromptLetters): Generator<[string, Story]> {
  for (const match of xml.matchAll(/<(?:\w+:)?(?:footnote|endnote)(?=[\s>])([^>]*)>/g)) {
    const type = attributeOf(match[0], 'type');
    if (type !== null && type !== 'normal') continue;
    const start = match.index + match[0].length;
    const end = xml.slice(start).search(/<\/(?:\w+:)?(?:footnote|endnote)>/);
    const story = readStory(xml.slice(start, end === -1 ? undefined : start + end), includeComments, prompts);
    yield [attributeOf(match[0], 'id') ?? '', story];
  }
}

/** The letters of the prompts of content controls, by the name of their building block. */
type PromptLetters = ReadonlyMap<string, string>;

function readPromptLetters(source: OfficeSource['source'], relations: readonly Relation[]): PromptLetters {
  const part = relations.find(({ type }) => type === 'glossaryDocument');
  const prompts = new Map<string, string>();
  let name = '';
  let letters = '';
  let isText = false;
  scanXml(part === undefined ? '' : decodePart(source.read(part.target)), {
    open(element, tag) {
      if (element === 'docPart') letters = '';
      else if (element === 'name') name = attributeOf(tag, 'val') ?? '';
      isText = element === 't';
    },
    close(element) {
      isText = false;
      if (element === 'docPart') prompts.set(name, letters);
    },
    text(text) {
      if (isText) letters += text.replace(/\s+/g, '');
    },
  });
  return prompts;
}

/** Fonts whose characters are signs of their own, which the result shows as the signs. */
const SYMBOL_FONT = /(?:Symbol|Wingdings|Webdings|ZapfDingbats|Dingbats)/i;

/** What a reader looks at. */
const STORY_ELEMENTS = elementNames([
  ...[
    't',
    'delText',
    'del',
    'moveFrom',
    'rt',
    'r',
    'rFonts',
    'sdt',
    'showingPlcHdr',
    'docPart',
    'tr',
    'trPr',
    'tc',
    'vMerge',
  ],
  ...['AlternateContent', 'Choice', 'Fallback', 'footnoteReference', 'endnoteReference', 'headerReference'],
  ...['footerReference', 'docPr', 'cNvPr', 'shape', 'textpath', 'listEntry', 'p', 'br', 'cr', 'tab', 'fldChar'],
  ...['instrText', 'chart', 'relIds'],
]);

/** Sorts the text runs of a part by their fate. */
class StoryReader {
  readonly names = STORY_ELEMENTS;
  readonly story: Story = {
    owed: [],
    deleted: [],
    hidden: [],
    guides: [],
    optional: [],
    references: new Set(),
    furniture: new Set(),
    drawings: [],
  };
  readonly #keepsDeleted: boolean;
  #textDepth = 0;
  #deleted = 0;
  #optional = 0;
  #guides = 0;
  #isInstruction = false;
  readonly #fields = new FieldCounter();
  #placeholders = 0;
  #isSymbol = false;
  readonly #coveredCells: boolean[] = [];
  #isInRowProperties = false;
  #controls: { prompt: string | null; start: number | null }[] = [];
  readonly #prompts: PromptLetters;
  readonly #rows: { start: number; isDeleted: boolean }[] = [];
  readonly #alternatives: { start: number; hasText: boolean }[] = [];
  readonly #optionalStack: boolean[] = [];

  constructor(keepsDeleted: boolean, prompts: PromptLetters) {
    this.#keepsDeleted = keepsDeleted;
    this.#prompts = prompts;
  }

  open(name: string, tag: string): void {
    switch (name) {
      case 't':
      case 'delText':
        this.#textDepth += 1;
        break;
      case 'del':
      case 'moveFrom':
        this.#deleted += 1;
        if (this.#isInRowProperties && name === 'del') this.#deleteRow();
        break;
      case 'rt':
        this.#guides += 1;
        break;
      case 'r':
        this.#isSymbol = false;
        break;
      case 'rFonts':
        if (SYMBOL_FONT.test(tag)) this.#isSymbol = true;
        break;
      case 'sdt':
        this.#controls.push({ prompt: null, start: null });
        break;
      case 'docPart':
        this.#nameOfPrompt(attributeOf(tag, 'val') ?? '');
        break;
      case 'showingPlcHdr':
        this.#openPlaceholder();
        break;
      case 'tr':
        this.#rows.push({ start: this.story.owed.length, isDeleted: false });
        break;
      case 'trPr':
        this.#isInRowProperties = true;
        break;
      default:
        this.#openOther(name, tag);
    }
  }

  #openOther(name: string, tag: string): void {
    switch (name) {
      case 'AlternateContent':
        this.#alternatives.push({ start: this.story.owed.length, hasText: false });
        break;
      case 'Choice':
      case 'Fallback': {
        const isCopy = this.#alternatives.at(-1)?.hasText === true;
        this.#optionalStack.push(isCopy);
        if (isCopy) this.#optional += 1;
        break;
      }
      case 'footnoteReference':
      case 'endnoteReference':
        if (this.#deleted === 0 || this.#keepsDeleted) {
          this.story.references.add(`${name.replace('Reference', 's')} ${attributeOf(tag, 'id') ?? ''}`);
        }
        break;
      case 'headerReference':
      case 'footerReference':
        this.story.furniture.add(attributeOf(tag, 'id') ?? '');
        break;
      case 'docPr':
      case 'cNvPr':
      case 'shape':
        for (const attribute of ['descr', 'title', 'alt']) this.#mayHold(attributeOf(tag, attribute));
        break;
      case 'tc':
        this.#coveredCells.push(false);
        break;
      case 'vMerge':
        if (this.#coveredCells.length > 0 && attributeOf(tag, 'val') !== 'restart')
          this.#coveredCells.splice(-1, 1, true);
        break;
      case 'listEntry':
        this.#mayHold(attributeOf(tag, 'val'));
        break;
      case 'textpath':
        this.#storyTextTarget().push('\n', attributeOf(tag, 'string') ?? '', '\n');
        break;
      case 'instrText':
        this.#isInstruction = true;
        break;
      case 'chart':
      case 'relIds':
        // What is in copies, deleted text and the like stands in other lists.
        if (this.#storyTextTarget() === this.story.owed) {
          this.story.drawings.push(attributeOf(tag, name === 'chart' ? 'id' : 'dm') ?? '');
          const alternative = this.#alternatives.at(-1);
          if (alternative !== undefined) alternative.hasText = true;
        }
        break;
      case 'p':
        this.#fields.endInstructions();
        break;
      case 'fldChar': {
        const letters = this.#fields.count(attributeOf(tag, 'fldCharType'), this.story.owed.length);
        if (letters !== '') this.#storyTextTarget().push(letters);
        break;
      }
    }
  }

  close(name: string): void {
    switch (name) {
      case 't':
      case 'delText':
        this.#textDepth -= 1;
        break;
      case 'del':
      case 'moveFrom':
        this.#deleted -= 1;
        break;
      case 'rt':
        this.#guides -= 1;
        this.story.guides.push('\n');
        break;
      case 'instrText':
        this.#isInstruction = false;
        break;
      case 'tc':
        this.#storyTextTarget().push('\n');
        this.#coveredCells.pop();
        break;
      case 'p':
      case 'br':
      case 'cr':
      case 'tab':
        this.#storyTextTarget().push('\n');
        break;
      case 'sdt':
        this.#closeControl();
        break;
      case 'trPr':
        this.#isInRowProperties = false;
        break;
      case 'tr':
        this.#closeStoryRow();
        break;
      case 'AlternateContent':
        this.#alternatives.pop();
        break;
      case 'Choice':
      case 'Fallback':
        this.#closeAlternative();
        break;
    }
  }

  text(text: string): void {
    if (this.#isInstruction) this.#fields.addInstruction(text);
    if (this.#textDepth > 0) (this.#isSymbol ? this.story.optional : this.#storyTextTarget()).push(text);
  }

  #storyTextTarget(): string[] {
    if (this.#optional > 0) return this.story.optional;
    if (this.#guides > 0) return this.story.guides;
    if (this.#fields.isInstruction) return this.story.hidden;
    if (this.#placeholders > 0) return this.story.hidden;
    if (this.#coveredCells.includes(true)) return this.story.hidden;
    return this.#deleted > 0 && !this.#keepsDeleted ? this.story.deleted : this.story.owed;
  }

  #mayHold(text: string | null): void {
    if (text !== null) this.story.optional.push(`\n${text}\n`);
  }

  /** The prompt of an empty control. */
  #openPlaceholder(): void {
    const control = this.#controls.at(-1);
    if (control === undefined || control.start !== null) return;
    this.#placeholders += 1;
    this.story.hidden.push('\n');
    control.start = this.story.hidden.length;
  }

  #nameOfPrompt(name: string): void {
    const control = this.#controls.at(-1);
    if (control !== undefined) control.prompt = this.#prompts.get(name) ?? null;
  }

  /** Other text than the prompt is no prompt, whatever the control says. */
  #closeControl(): void {
    const { prompt, start } = this.#controls.pop() ?? { prompt: null, start: null };
    if (start === null) return;
    this.#placeholders -= 1;
    const { hidden } = this.story;
    const letters = hidden.slice(start).join('').replace(/\s+/g, '');
    if (prompt === null || prompt.startsWith(letters)) return;
    const target = this.#storyTextTarget();
    if (target !== hidden) for (const text of hidden.splice(start)) target.push(text);
  }

  #deleteRow(): void {
    const row = this.#rows.at(-1);
    if (row !== undefined) row.isDeleted = true;
  }

  #closeStoryRow(): void {
    const row = this.#rows.pop();
    if (row?.isDeleted === true && !this.#keepsDeleted) {
      for (const text of this.story.owed.splice(row.start)) this.story.deleted.push(text);
    }
  }

  #closeAlternative(): void {
    if (this.#optionalStack.pop() === true) this.#optional -= 1;
    const alternative = this.#alternatives.at(-1);
    if (alternative === undefined) return;
    alternative.hasText ||= this.story.owed.slice(alternative.start).some((text) => text.trim() !== '');
    alternative.start = this.story.owed.length;
  }
}

/** Follows the fields of a story. */
class FieldCounter {
  readonly #open: { instruction: string; isInstruction: boolean; owedBefore: number }[] = [];

  get isInstruction(): boolean {
    return this.#open.some(({ isInstruction }) => isInstruction);
  }

  /** A paragraph ends the instructions of fields without a separator. */
  endInstructions(): void {
    for (const field of this.#open) field.isInstruction = false;
  }

  addInstruction(text: string): void {
    const field = this.#open.at(-1);
    if (field !== undefined) field.instruction += text;
  }

  /** The letters of an equation whose field ends without a result. */
  count(type: string | null, owed: number): string {
    if (type === 'begin') this.#open.push({ instruction: '', isInstruction: true, owedBefore: owed });
    const field = this.#open.at(-1);
    if (type === 'separate' && field !== undefined) field.isInstruction = false;
    if (type !== 'end' || field === undefined) return '';
    this.#open.pop();
    const [, equation = ''] = /^\s*EQ\s([\s\S]*)/i.exec(field.instruction) ?? [];
    return owed > field.owedBefore ? '' : equation.replace(/\\[a-z]+\d*/gi, ' ');
  }
}

function readStory(xml: string, keepsDeleted: boolean, prompts: PromptLetters): Story {
  const reader = new StoryReader(keepsDeleted, prompts);
  scanXml(xml, reader);
  return reader.story;
}
