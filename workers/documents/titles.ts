import type { Block } from './blocks.ts';

/** Styles of lines below a title. Templates base them on the style of the title; they are running text. */
const BYLINE = /^(?:sub-?title|author|date)$/i;

export const TITLE_STYLE = /^title$/i;

/** Whether paragraphs of this style are no headings, whatever the style is based on. */
export function isByline(styleName: string): boolean {
  return BYLINE.test(styleName);
}

/**
 * Keeps the title of a document as one heading: joins a title in several paragraphs, and makes repetitions of it
 * running text. Other paragraphs in the style of the title stay headings. Returns the title, null without one.
 */
export function joinTitle(blocks: readonly Block[]): { blocks: Block[]; title: string | null } {
  const start = blocks.findIndex(isTitleBlock);
  const first = blocks[start];
  if (first === undefined || !isTitleBlock(first)) return { blocks: [...blocks], title: null };
  let end = start + 1;
  while (end < blocks.length && isTitleBlock(blocks[end])) end += 1;
  const lines = blocks.slice(start, end).filter(isTitleBlock);
  const text = lines.map((line) => line.text).join(' ');
  const joined: Block =
    lines.length === 1 ? first : { kind: 'heading', level: 1, isTitle: true, text, page: first.page };
  const rest = blocks.slice(end).map((block): Block => {
    if (!isTitleBlock(block)) return block;
    const { kind: _, level, isTitle: __, ...inline } = block;
    return block.text === text ? { kind: 'paragraph', ...inline } : { kind: 'heading', level, ...inline };
  });
  return { blocks: [...blocks.slice(0, start), joined, ...rest], title: text };
}

function isTitleBlock(block: Block | undefined): block is Block & { kind: 'heading' } {
  return block?.kind === 'heading' && block.isTitle === true;
}
