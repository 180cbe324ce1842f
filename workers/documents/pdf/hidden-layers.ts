/** Text on layers that the document does not show. */
import type { PDFDocument, PDFPage } from 'mupdf';
import { readRunTexts } from './read-lines.ts';

/** Bound on the layers of a document. */
const LAYERS_MAX = 1000;

/** Indexes of the layers that are not shown. */
export function hiddenLayersOf(document: PDFDocument): number[] {
  const count = Math.min(document.countLayers(), LAYERS_MAX);
  return Array.from({ length: count }, (_, layer) => layer).filter((layer) => !document.isLayerVisible(layer));
}

/** The texts of the page that only these layers have. `shown` are those without them. */
export function textsOnLayers(
  document: PDFDocument,
  page: PDFPage,
  layers: readonly number[],
  shown: readonly string[],
): string[] {
  const counts = new Map<string, number>();
  for (const text of shown) counts.set(text, (counts.get(text) ?? 0) + 1);
  for (const layer of layers) document.setLayerVisible(layer, true);
  try {
    return readRunTexts(page).filter((text) => {
      const count = counts.get(text) ?? 0;
      counts.set(text, count - 1);
      return count <= 0;
    });
  } finally {
    for (const layer of layers) document.setLayerVisible(layer, false);
  }
}
