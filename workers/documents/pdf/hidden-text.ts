/** Text that a page holds but does not show: on layers that are off, outside the page's box, or clipped away. */
import type { PDFDocument, PDFPage } from 'mupdf';
import { LetterSum } from '../letters.ts';
import { type AllText, type RawPage, withAllText } from './read-lines.ts';

/** Bound on the layers of a document. */
const LAYERS_MAX = 1000;

/** Bound on the pairs of a shown piece and the text that it may be cut from. */
const COMPARED_MAX = 1_000_000;

/** Indexes of the layers that are not shown. */
export function hiddenLayersOf(document: PDFDocument): number[] {
  const count = Math.min(document.countLayers(), LAYERS_MAX);
  return Array.from({ length: count }, (_, layer) => layer).filter((layer) => !document.isLayerVisible(layer));
}

/**
 * The texts of the page that it does not show. `layers` are those that are off. Of a text that an edge cuts, what is
 * beyond the edge.
 */
export function hiddenTextsOf(
  document: PDFDocument,
  page: PDFPage,
  layers: readonly number[],
  raw: Pick<RawPage, 'source' | 'isTex'>,
): string[] {
  for (const layer of layers) document.setLayerVisible(layer, true);
  try {
    return withAllText(page, raw.isTex, (all) => textsBeyond(all, raw.source));
  } finally {
    for (const layer of layers) document.setLayerVisible(layer, false);
  }
}

function textsBeyond({ plain, runs }: AllText, shown: readonly string[]): string[] {
  if (lettersIn([plain]) === lettersIn(shown)) return [];
  const counts = new Map<string, number>();
  for (const text of shown) counts.set(text, (counts.get(text) ?? 0) + 1);
  const hidden = runs().filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
  const cut = [...counts].flatMap(([text, count]) => new Array<string>(Math.max(0, count)).fill(text.trim()));
  return withoutPieces(hidden, cut);
}

/** Takes the shown pieces of texts that an edge cuts out of them. */
function withoutPieces(hidden: readonly string[], pieces: readonly string[]): string[] {
  if (hidden.length * pieces.length > COMPARED_MAX) return [...hidden];
  const rest = [...hidden];
  for (const piece of pieces.filter((one) => one !== '')) {
    const at = rest.findIndex((text) => text.includes(piece));
    const text = rest[at];
    if (text !== undefined) rest[at] = text.replace(piece, () => ' ').trim();
  }
  return rest.filter((text) => text !== '');
}

function lettersIn(texts: readonly string[]): number {
  const sum = new LetterSum();
  for (const text of texts) sum.addLetterText(text);
  return sum.count;
}
