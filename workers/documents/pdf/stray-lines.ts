/**
 * In a tagged PDF all that no tag names is decoration, such as the date and address that a browser prints at a page's
 * edges. Where it comes after the text, MuPDF leaves it inside of the last tagged element, often a table's last cell.
 */
import type { PageLine } from './page-content.ts';

/** Share of a page's height, at the top and at the bottom, in which decoration stands. */
const EDGE_SHARE = 0.12;
/** Distance, in heights of a line, from the element's own text. */
const FAR_LINES = 3;
/** Difference of sizes below which a line may be the element's own, gone on in the next column. */
const SIZE_TOLERANCE = 0.1;

/** Takes the page's decoration out of its last element. `lines` are in the order of the file. */
export function detachStrayLines(lines: PageLine[], pageHeight: number): void {
  const last = lines.at(-1);
  if (last === undefined || last.tag === null) return;
  const start = lines.findLastIndex((line) => line.group !== last.group) + 1;
  const members = lines.slice(start);
  const from = members.findIndex((line, index) => index > 0 && isStray(line, members.slice(0, index), pageHeight));
  if (from < 0) return;
  const groups = Math.max(...lines.map((line) => line.group));
  for (const [index, line] of members.slice(from).entries()) {
    line.tag = { kind: 'artifact' };
    line.group = groups + 1 + index;
  }
}

function isStray(line: PageLine, before: readonly PageLine[], pageHeight: number): boolean {
  const isAtEdge = line.bottom <= pageHeight * EDGE_SHARE || line.top >= pageHeight * (1 - EDGE_SHARE);
  if (!isAtEdge) return false;
  const far = FAR_LINES * (line.bottom - line.top);
  if (before.some((own) => line.top - own.bottom <= far && own.top - line.bottom <= far)) return false;
  const isNextColumn = before.every((own) => line.left >= own.right);
  const first = before[0] as PageLine;
  return !isNextColumn || Math.abs(line.size - first.size) > SIZE_TOLERANCE * first.size;
}
