/** The paper below a transparent picture: white letters on white would vanish. */

const WHITE = 255;

const GREY = 128;

const BLACK = 0;

/** From this opacity on a pixel is seen. */
const OPAQUE = 128;

/** Share of the picture that must be transparent: rounded corners need no paper of their own. */
const CLEAR_SHARE_MIN = 0.2;

/** Share of the seen pixels at an edge to transparency: letters have many, a cut-out sheet of paper has few. */
const EDGE_SHARE_MIN = 0.04;

/** Levels from which letters are told from paper. */
const CONTRAST_MIN = 60;

/** Share of the edges that may be lost in the paper. */
const LOST_MAX = 0.02;

interface ClearPixels {
  width: number;
  height: number;
  /** Grey level of a pixel as if it were opaque. */
  greyAt(pixel: number): number;
  /** 0 to 255. */
  opacityAt(pixel: number): number;
}

/** The level of the paper on which the letters of a picture are seen: white if they allow it. */
export function choosePaper(pixels: ClearPixels): number {
  const { width, height, opacityAt } = pixels;
  let seen = 0;
  for (let pixel = 0; pixel < width * height; pixel += 1) if (opacityAt(pixel) >= OPAQUE) seen += 1;
  if (1 - seen / Math.max(1, width * height) < CLEAR_SHARE_MIN) return WHITE;
  const edges = edgesByLevel(pixels);
  const edge = edges.reduce((sum, count) => sum + count, 0);
  if (edge === 0 || edge < seen * EDGE_SHARE_MIN) return WHITE;
  const lostOn = (paper: number) =>
    edges.reduce((sum, count, level) => sum + (Math.abs(level - paper) < CONTRAST_MIN ? count : 0), 0) / edge;
  const papers = [WHITE, BLACK, GREY].map((paper) => ({ paper, lost: lostOn(paper) }));
  return (papers.find(({ lost }) => lost <= LOST_MAX) ?? papers.reduce((a, b) => (b.lost < a.lost ? b : a))).paper;
}

/** A level over paper. Letters darker and brighter than grey paper both become dark on white: no reader takes both. */
export function onPaper(level: number, opacity: number, paper: number): number {
  const mixed = (level * opacity + paper * (WHITE - opacity)) / WHITE;
  return Math.round(paper === GREY ? WHITE - Math.min(WHITE, 2 * Math.abs(mixed - GREY)) : mixed);
}

/** Counts the seen pixels beside transparent ones by their level. */
function edgesByLevel({ width, height, greyAt, opacityAt }: ClearPixels): Uint32Array {
  const edges = new Uint32Array(WHITE + 1);
  const isClear = (pixel: number) => opacityAt(pixel) < OPAQUE;
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    if (isClear(pixel)) continue;
    const isEdge =
      (pixel % width > 0 && isClear(pixel - 1)) ||
      (pixel % width < width - 1 && isClear(pixel + 1)) ||
      (pixel >= width && isClear(pixel - width)) ||
      (pixel < width * (height - 1) && isClear(pixel + width));
    if (!isEdge) continue;
    const level = Math.min(WHITE, Math.round(greyAt(pixel)));
    edges[level] = (edges[level] ?? 0) + 1;
  }
  return edges;
}
