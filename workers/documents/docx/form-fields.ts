import { withoutMarks } from '../marks.ts';
import type { XmlElement } from '../xml.ts';
import { type ElementReader, READ } from './rewrite-state.ts';

const TICKED = '\u2612';
const NOT_TICKED = '\u2610';
const MAX_ENTRIES = 1000;

/** Form fields of Word 97, whose value is not in the text: ticks as what Word shows, lists as what was chosen. */
export const FORM_FIELDS: Readonly<Record<string, ElementReader>> = {
  ffData: (_, state) => {
    const field = { isTicked: null, entries: [], chosen: 0 } as NonNullable<typeof state.formField>;
    state.formField = field;
    return {
      close: () => {
        state.formField = null;
        if (field.isTicked !== null) state.writer.addText(field.isTicked ? TICKED : NOT_TICKED);
        else state.writer.addText(withoutMarks(field.entries[field.chosen] ?? ''));
      },
    };
  },
  checkBox: (_, { formField }) => {
    if (formField !== null) formField.isTicked = false;
    return READ;
  },
  // What it was when the form was empty; `checked`, which follows, says what it is.
  default: readState,
  checked: readState,
  listEntry: (element, { formField }) => {
    const value = element.attribute('val');
    if (value !== undefined && formField !== null && formField.entries.length < MAX_ENTRIES)
      formField.entries.push(value);
    return READ;
  },
  result: (element, { formField }) => {
    if (formField !== null) formField.chosen = Number(element.attribute('val')) || 0;
    return READ;
  },
};

function readState(element: XmlElement, { formField }: Parameters<ElementReader>[1]) {
  const value = element.attribute('val');
  if (formField === null) return READ;
  if (formField.isTicked === null) formField.chosen = Number(value) || 0;
  else formField.isTicked = value === undefined || ['1', 'true', 'on'].includes(value);
  return READ;
}
