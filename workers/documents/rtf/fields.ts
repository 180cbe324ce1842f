import { closeSign, type InlineValues } from '../inline-marks.ts';
import type { ParagraphFlow } from '../paragraph-flow.ts';
import { withoutReserved } from '../revisions.ts';
import { equationFieldText, fieldAddress, NOT_TICKED, symbolOfField, TICKED } from '../word-processing.ts';
import type { RtfState } from './state.ts';

const MAX_ENTRIES = 1000;

/** State of a form field that its default replaces. */
const UNDEFINED_STATE = 25;

const CHECK_BOX = 1;

/** The reader of the document. */
interface FieldReader {
  readonly body: ParagraphFlow;
  /** Pieces of visible text so far. */
  readonly written: number;
  writeRtfText(text: string): void;
  captureGroupText(state: RtfState, done: (text: string) => void): void;
}

interface Field {
  /** Pieces of text before it. */
  written: number;
  /** Shown if the field has no result. */
  shown: string;
  /** With an open link. */
  flow: ParagraphFlow | null;
  form: { type: number; chosen: number; preset: number; entries: string[] } | null;
}

/** Reads the fields of a document: links, and those whose text is in their instruction. */
export class RtfFields {
  readonly #reader: FieldReader;
  readonly #inline: InlineValues;
  readonly #open: Field[] = [];

  constructor(reader: FieldReader, inline: InlineValues) {
    this.#reader = reader;
    this.#inline = inline;
  }

  /** Prepares the group if it is a field or a part of one; returns whether it is. */
  openFieldGroup(word: string, state: RtfState): boolean {
    const field = this.#open.at(-1);
    if (word === 'field' && state.use === 'text') this.#openField(state);
    else if (word === 'fldinst' && state.use === 'text') {
      const { flow } = state;
      this.#reader.captureGroupText(state, (text) => this.#readInstruction(text, flow));
    } else if (word === 'formfield' && state.use === 'capture' && field !== undefined) {
      field.form = { type: 0, chosen: UNDEFINED_STATE, preset: 0, entries: [] };
      this.#reader.captureGroupText(state, () => undefined);
    } else if (word === 'ffl' && state.use === 'capture' && field?.form != null) {
      const { entries } = field.form;
      this.#reader.captureGroupText(state, (text) => {
        if (entries.length < MAX_ENTRIES) entries.push(text);
      });
    } else return false;
    return true;
  }

  /** A word of a form field. */
  readFormWord(name: string, value: number): void {
    const form = this.#open.at(-1)?.form;
    if (form == null) return;
    if (name === 'fftype') form.type = value;
    else if (name === 'ffres') form.chosen = value;
    else if (name === 'ffdefres') form.preset = value;
  }

  #openField(state: RtfState): void {
    const field: Field = { written: this.#reader.written, shown: '', flow: null, form: null };
    this.#open.push(field);
    state.onClose = () => {
      this.#open.pop();
      field.flow?.writeFlowSign(closeSign('link'));
      if (this.#reader.written === field.written) this.#reader.writeRtfText(field.shown || formText(field.form));
    };
  }

  #readInstruction(instruction: string, flow: ParagraphFlow): void {
    this.#reader.writeRtfText(symbolOfField(instruction));
    const field = this.#open.at(-1);
    if (field === undefined) return;
    field.shown = equationFieldText(instruction);
    const address = flow === this.#reader.body ? fieldAddress(instruction) : null;
    const sign = this.#inline.openLink(address === null ? null : withoutReserved(address));
    if (sign === null) return;
    flow.writeFlowSign(sign);
    field.flow = flow;
  }
}

/** The value of a form field that is not in the text: a check mark, or the chosen entry. */
function formText(form: Field['form']): string {
  if (form === null) return '';
  const chosen = form.chosen === UNDEFINED_STATE ? form.preset : form.chosen;
  if (form.type === CHECK_BOX) return chosen === 0 ? NOT_TICKED : TICKED;
  return form.entries[chosen] ?? '';
}
