import { isSymbolFont, symbolLetters } from '../symbol-fonts.ts';
import { raisedText } from '../word-processing.ts';
import type { XmlElement } from '../xml.ts';
import { type ElementReader, type Outcome, READ, type RewriteState } from './rewrite-state.ts';

/** Runs, what they say of their letters that makes others of them, and the letters. */
export const RUNS: Readonly<Record<string, ElementReader>> = {
  r: (_, state) => {
    state.symbolFont = null;
    state.isRaised = false;
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
  t: readText,
  delText: readText,
};

/** Inside `w:rPr` nothing is text. */
export function readRunProperty(element: XmlElement, state: RewriteState): Outcome {
  if (element.local.endsWith('Change')) return 'drop';
  if (element.local === 'vertAlign') state.isRaised = element.attribute('val') === 'superscript';
  else if (element.local === 'rFonts') {
    const font = element.attribute('ascii') ?? element.attribute('hAnsi');
    state.symbolFont = font !== undefined && isSymbolFont(font) ? font : null;
  }
  return READ;
}

function readText(_: XmlElement, { writer, symbolFont, isRaised }: RewriteState): Outcome {
  if (symbolFont !== null) return { text: (text) => writer.addText(symbolLetters(symbolFont, text)) };
  if (isRaised) return { text: (text) => writer.addText(raisedText(text)) };
  return { text: (text) => writer.addText(text) };
}
