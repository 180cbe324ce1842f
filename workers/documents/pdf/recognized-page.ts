import type { RecognizedPage } from '../../tasks.ts';
import type { PageLine, PdfPage } from './page-content.ts';

/** What tesseract is less sure of than this is a texture or a drawing, not text. */
const CONFIDENCE_MIN = 30;
/** Height of a line's box in font sizes: from the top of capitals to the foot of descenders. */
const LINE_HEIGHT_SIZES = 0.95;

/** The page with the text that was read from its picture; its own is kept where nothing was. */
export function withRecognizedText(page: PdfPage, recognized: RecognizedPage): PdfPage {
  const lines: PageLine[] = [];
  const points = 1 / recognized.scale;
  for (const { text, confidence, box, block, paragraph } of recognized.lines) {
    if (confidence < CONFIDENCE_MIN) continue;
    const [left, top, right, bottom] = box;
    lines.push({
      left: left * points,
      top: top * points,
      right: right * points,
      bottom: bottom * points,
      text,
      size: Math.round(((bottom - top) * points) / LINE_HEIGHT_SIZES),
      bold: false,
      tag: null,
      group: block * 10_000 + paragraph,
      recognized: true,
    });
  }
  if (lines.length === 0) return page;
  return {
    ...page,
    // A page that lay sideways has its edges where it was read.
    width: recognized.width * points,
    height: recognized.height * points,
    parts: byParagraph(lines).map((group) => ({ kind: 'lines', lines: group })),
  };
}

/** Tesseract's own paragraphs; heights of single lines are too uneven to find them again. */
function byParagraph(lines: PageLine[]): PageLine[][] {
  const paragraphs = new Map<number, PageLine[]>();
  for (const line of lines) {
    const known = paragraphs.get(line.group) ?? [];
    known.push(line);
    paragraphs.set(line.group, known);
  }
  return [...paragraphs.values()];
}
