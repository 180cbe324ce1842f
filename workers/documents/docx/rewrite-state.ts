import type { XmlElement } from '../xml.ts';
import type { StoryContext } from './docx-story.ts';
import type { ParagraphProperties } from './paragraph-properties.ts';
import type { StoryWriter } from './story.ts';

/** What becomes of an element: passed over with all it holds, or read, with something to do for its text or its end. */
export type Outcome = 'drop' | { text?(text: string): void; close?(): void };

/** Read, with nothing to do. */
export const READ: Outcome = {};

/** What a form field of Word 97 holds that is no text of the document: a tick, or which entry was chosen. */
export interface FormField {
  isTicked: boolean | null;
  entries: string[];
  chosen: number;
}

/** Where the reader of a part stands. */
export interface RewriteState {
  writer: StoryWriter;
  context: StoryContext;
  /** Of the open paragraphs: more than one where a text box stands in a paragraph. */
  paragraphs: { properties: ParagraphProperties | null }[];
  /** Set while inside `w:pPr`. */
  properties: ParagraphProperties | null;
  rows: { isDeleted: boolean }[];
  isInRowProperties: boolean;
  cell: { columns: number; merge: 'restart' | 'continue' | null } | null;
  fields: { instruction: string; isLink: boolean }[];
  /** Of the run that is being read: the symbol font it is set in, and whether it stands raised. */
  symbolFont: string | null;
  isRaised: boolean;
  /** Set while inside its `w:rPr`. */
  isInRunProperties: boolean;
  /** The form field that is being described. */
  formField: FormField | null;
  alternatives: { emittedBefore: number; showed: boolean }[];
  anchorStarts: Map<string, number>;
}

export type ElementReader = (element: XmlElement, state: RewriteState) => Outcome;

export function openState(writer: StoryWriter, context: StoryContext): RewriteState {
  return {
    writer,
    context,
    paragraphs: [],
    properties: null,
    rows: [],
    isInRowProperties: false,
    cell: null,
    fields: [],
    symbolFont: null,
    isRaised: false,
    isInRunProperties: false,
    formField: null,
    alternatives: [],
    anchorStarts: new Map(),
  };
}
