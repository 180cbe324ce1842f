import type { BlockLink } from '../blocks.ts';
import { MARKS } from './marks.ts';

/** A paragraph's text as blocks carry it, and what stood in it. */
export interface FinishedText {
  text: string;
  pageBreaks: number[];
  links: BlockLink[];
}

const ANY_MARK = /[\uFDD0-\uFDEF]/;
const MARK_OR_TEXT = /[\uFDD0-\uFDEF]|[^\uFDD0-\uFDEF]+/g;
const CODE_TAB = '    ';

/** Takes the marks out of a paragraph's raw text, and brings its white space and its Unicode into one form. */
export function finishText(raw: string, links: readonly string[], keepsSpaces: boolean): FinishedText {
  const finished: FinishedText = { text: '', pageBreaks: [], links: [] };
  const add = (piece: string) => {
    finished.text = joinPiece(finished.text, piece, keepsSpaces);
  };
  if (!ANY_MARK.test(raw)) {
    add(clean(raw, keepsSpaces));
    return trimEnd(finished);
  }
  let open: { url: string; start: number } | null = null;
  let linkNumber: string | null = null;
  for (const [part] of raw.matchAll(MARK_OR_TEXT)) {
    switch (part) {
      case MARKS.page:
        finished.pageBreaks.push(finished.text.length);
        break;
      case MARKS.line:
        add('\n');
        break;
      case MARKS.tab:
        add(keepsSpaces ? CODE_TAB : ' ');
        break;
      case MARKS.linkOpen:
        linkNumber = '';
        break;
      case MARKS.linkText:
        open = linkNumber === null ? null : { url: links[Number(linkNumber)] ?? '', start: finished.text.length };
        linkNumber = null;
        break;
      case MARKS.linkClose:
        if (open !== null) addLink(finished, open);
        open = null;
        break;
      default:
        if (linkNumber === null) add(clean(part, keepsSpaces));
        else linkNumber += part;
    }
  }
  if (open !== null) addLink(finished, open);
  return trimEnd(finished);
}

function clean(piece: string, keepsSpaces: boolean): string {
  const text = piece.normalize('NFC');
  return keepsSpaces ? text.replace(/[\r\n]+/g, ' ') : text.replace(/[ \t\r\n]+/g, ' ');
}

/** No space at the start of a line, and none twice. */
function joinPiece(before: string, piece: string, keepsSpaces: boolean): string {
  if (keepsSpaces) return before + piece;
  if (piece === '\n') return `${before.endsWith(' ') ? before.slice(0, -1) : before}\n`;
  const atSpace = before === '' || before.endsWith(' ') || before.endsWith('\n');
  return before + (atSpace && piece.startsWith(' ') ? piece.slice(1) : piece);
}

function addLink(finished: FinishedText, { url, start }: { url: string; start: number }): void {
  const { length } = finished.text;
  const from = finished.text[start] === ' ' ? start + 1 : start;
  const to = finished.text.endsWith(' ') ? length - 1 : length;
  if (to > from && url !== '') finished.links.push({ start: from, end: to, url });
}

function trimEnd({ text, pageBreaks, links }: FinishedText): FinishedText {
  const trimmed = text.trimEnd();
  const lead = trimmed.length - trimmed.trimStart().length;
  const end = trimmed.length - lead;
  const move = (at: number) => Math.max(0, Math.min(end, at - lead));
  return {
    text: trimmed.slice(lead),
    pageBreaks: pageBreaks.map(move),
    links: links.flatMap((link) => {
      const moved = { ...link, start: move(link.start), end: move(link.end) };
      return moved.end > moved.start ? [moved] : [];
    }),
  };
}
