/**
 * One pass over a story part (document, notes, comments, headers and footers) that settles everything a converter
 * would lose or get wrong, and writes the part anew with nothing but paragraphs of text and tables in it: tracked
 * changes are accepted or marked, comments dropped or marked, fields, content controls, ruby, equations and text boxes
 * become text, page starts and what a paragraph is become marks (`marks.ts`) in the text.
 */

import { EquationWriter } from '../docx-math.ts';
import { MARKS, withoutMarks } from '../marks.ts';
import { walkXml } from '../xml.ts';
import type { StoryContext } from './docx-story.ts';
import { readMarkup } from './rewrite-elements.ts';
import type { Outcome } from './rewrite-state.ts';
import { StoryWriter } from './story.ts';

/** A part rewritten: WordprocessingML of paragraphs, tables and marks, prefix `w`. */
export interface RewrittenStory {
  xml: string;
  /** Paragraphs, rows and cells in it. */
  nodes: number;
  /** It holds what only mammoth knows: cells that span rows. */
  needsMammoth: boolean;
}

/** Rewrites a part. What else it says (notes referred to, changes, anchors) is gathered in `context`. */
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
        equation.open(element);
        equationDepth += 1;
      } else if (droppedDepth > 0) {
        droppedDepth += 1;
      } else if (element.namespace === 'm' && element.local === 'oMath') {
        equation = new EquationWriter();
      } else {
        const outcome = readElement(element);
        if (outcome === 'drop') droppedDepth = 1;
        else stack.push(outcome);
      }
    },
    close() {
      if (equation !== null && equationDepth > 0) {
        equation.close();
        equationDepth -= 1;
      } else if (equation !== null) {
        writer.addText(equation.finish());
        equation = null;
      } else if (droppedDepth > 0) {
        droppedDepth -= 1;
      } else {
        stack.pop()?.close?.();
      }
    },
    text(text) {
      if (equation !== null) equation.text(withoutMarks(text));
      else if (droppedDepth === 0) stack.at(-1)?.text?.(withoutMarks(text).replaceAll('\t', MARKS.tab));
    },
  });
  return writer.finish();
}
