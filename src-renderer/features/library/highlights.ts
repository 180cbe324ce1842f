import { type RefObject, useEffect } from 'react';
import type { LibraryNote } from '../../api/generated/public.ts';

/** The name of the style: `::highlight(own-note)`. */
const NAME = 'own-note';

type Quote = Pick<LibraryNote, 'quote' | 'before' | 'after'>;

/** Marks the quoted words of notes in the text that is laid out, without changing it. */
export function useHighlights(box: RefObject<HTMLElement | null>, notes: readonly Quote[]): void {
  useEffect(() => {
    const element = box.current;
    if (element === null || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = () => {
      const text = element.querySelector('[data-result]');
      const ranges = text === null ? [] : rangesOf(text, notes);
      if (ranges.length === 0) CSS.highlights.delete(NAME);
      else CSS.highlights.set(NAME, new Highlight(...ranges));
    };
    const markSoon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(mark);
    };
    markSoon();
    const watcher = new MutationObserver(markSoon);
    watcher.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      watcher.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [box, notes]);
}

/** Blocks of text that quotations stand in. */
const BLOCKS = '.block, .turn > p, .chunk-text, .reading';

function rangesOf(text: Element, notes: readonly Quote[]): Range[] {
  const quotes = notes.filter(({ quote }) => quote !== null);
  if (quotes.length === 0) return [];
  const blocks = [...text.querySelectorAll(BLOCKS)].filter((one) => one.querySelector(BLOCKS) === null);
  return blocks.flatMap((block) => {
    const content = block.textContent;
    return quotes.flatMap((quote) => {
      const place = placeOf(content, quote);
      return place === null ? [] : [rangeIn(block, place, place + (quote.quote?.length ?? 0))];
    });
  });
}

/** Where a quotation stands in a text; of several places, the one with its surroundings. */
function placeOf(content: string, { quote, before, after }: Quote): number | null {
  if (quote === null) return null;
  const places: number[] = [];
  for (let at = content.indexOf(quote); at >= 0; at = content.indexOf(quote, at + 1)) places.push(at);
  const fits = (at: number) =>
    content.slice(0, at).endsWith(before) && content.slice(at + quote.length).startsWith(after);
  const exact = places.find(fits);
  if (exact !== undefined) return exact;
  // Surroundings that reach into other blocks cannot be compared.
  const isWhole = before === '' && after === '';
  return places.length === 1 || isWhole ? (places[0] ?? null) : null;
}

function rangeIn(block: Element, from: number, to: number): Range {
  const range = document.createRange();
  const nodes = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  let passed = 0;
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (from >= passed && from < passed + length) range.setStart(node, from - passed);
    if (to <= passed + length) {
      range.setEnd(node, to - passed);
      break;
    }
    passed += length;
  }
  return range;
}
