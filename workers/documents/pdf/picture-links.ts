/** Puts the links of pictures, of which a PDF has no blocks, before the text below them. */

import type { Block, InlineMark } from '../blocks.ts';
import type { PdfPage, PictureLink } from './page-content.ts';

/** Each address once in the document, and none that its text leads to. */
export function addPictureLinks(blocks: readonly Block[], pages: readonly PdfPage[]): void {
  if (pages.every(({ pictureLinks }) => pictureLinks === undefined)) return;
  const known = new Set(blocks.flatMap(marksOf).map(({ url }) => url));
  for (const { number, pictureLinks = [] } of pages) {
    for (const link of pictureLinks) {
      if (known.has(link.url)) continue;
      known.add(link.url);
      const block = blockBelow(blocks, number, link);
      if (block !== null) block.images = [...(block.images ?? []), { url: link.url, alt: '', isFrame: true }];
    }
  }
}

type PlacedBlock = Exclude<Block, { kind: 'comment' | 'page-furniture' }>;

function marksOf(block: Block): readonly InlineMark[] {
  return 'marks' in block && block.marks !== undefined ? block.marks : [];
}

/** The first block below the picture in its column, else the first one after it. */
function blockBelow(blocks: readonly Block[], page: number, link: PictureLink): PlacedBlock | null {
  const placed = blocks.filter((block): block is PlacedBlock => 'lines' in block && block.lines !== undefined);
  const own = placed.filter((block) => block.page === page);
  const isBelow = ({ lines = [] }: PlacedBlock) => (lines[0]?.[3] ?? 0) >= link.top;
  const isInColumn = ({ lines = [] }: PlacedBlock) =>
    lines.some(([, , left, , right]) => left < link.right && right > link.left);
  return (
    own.find((block) => isBelow(block) && isInColumn(block)) ??
    own.find(isBelow) ??
    placed.find((block) => block.page > page) ??
    placed.at(-1) ??
    null
  );
}
