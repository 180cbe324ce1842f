/** Photographed pages as a scanner would show them: cut out along their edges, rectified, in even light. */

import { RASTER_PIXELS_MAX } from '../pdf/open-pdf.ts';
import type { MapBox } from './deskew.ts';
import type { GreyImage } from './grey-image.ts';
import { connectedInkPieces, findInk, isDarkPaper, lettersAmong, type ReducedImage, reduceImage } from './ink.ts';
import { countReadInk, unreadShareOf } from './judge.ts';
import { evenLight, isUnevenlyLit, mayLieOnTable, measurePaper } from './light.ts';
import { findPageOutline } from './page-outline.ts';
import { type Corners, rectifyPage } from './perspective.ts';

/** A picture to recognise, made of another one. */
export interface PageView {
  image: GreyImage;
  reduced: ReducedImage;
  /** From the view to the picture that it was made of. */
  mapBox: MapBox;
  /** Degrees, clockwise, by which the view was level already. */
  skew: number;
}

export function unchangedBox(box: Parameters<MapBox>[0]): ReturnType<MapBox> {
  return box;
}

/** The page of a photograph; null for a picture that is read as it is. */
export function flattenPage(image: GreyImage, reduced: ReducedImage): PageView | null {
  const paper = measurePaper(reduced);
  const page = mayLieOnTable(paper) ? cutOutPage(image, reduced) : null;
  const view = page ?? { image, reduced, mapBox: unchangedBox, skew: 0 };
  return evenLightOf(view, page === null ? paper : measurePaper(view.reduced)) ?? page;
}

function cutOutPage(image: GreyImage, reduced: ReducedImage): PageView | null {
  const corners = findPageOutline(reduced);
  if (corners === null || isWrittenOutside(reduced, corners)) return null;
  const inPicture = corners.map(([x, y]) => [x * reduced.reduced, y * reduced.reduced]) as unknown as Corners;
  const page = rectifyPage(image, inPicture, RASTER_PIXELS_MAX);
  return { ...page, reduced: reduceImage(page.image), skew: leanOf(inPicture) };
}

/** Degrees, clockwise, by which the middle of the page leans. */
function leanOf([topLeft, topRight, bottomRight, bottomLeft]: Corners): number {
  const across = topRight[0] + bottomRight[0] - topLeft[0] - bottomLeft[0];
  const down = topRight[1] + bottomRight[1] - topLeft[1] - bottomLeft[1];
  return (Math.atan2(down, across) * 180) / Math.PI;
}

/** Whether there are rows of letters outside of the page. */
function isWrittenOutside(reduced: ReducedImage, corners: Corners): boolean {
  const letters = lettersAmong(connectedInkPieces(findInk(reduced)));
  const outside = letters.filter(
    ({ left, right, top, bottom }) => !isWithin((left + right) / 2, (top + bottom) / 2, corners),
  );
  const { unread } = countReadInk(outside, []);
  return unreadShareOf({ read: letters.length - outside.length, unread }) > 0;
}

function isWithin(x: number, y: number, corners: Corners): boolean {
  return corners.every(([fromX, fromY], index) => {
    const [toX, toY] = corners[(index + 1) % corners.length] ?? [fromX, fromY];
    return (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX) >= 0;
  });
}

function evenLightOf(view: PageView, paper: ReturnType<typeof measurePaper>): PageView | null {
  if (!isUnevenlyLit(paper)) return null;
  const image = evenLight(view.image, paper, view.reduced.reduced);
  // Most of a dark screen stays dark: its letters are brighter than its paper.
  return isDarkPaper(image.samples) ? null : { ...view, image, reduced: reduceImage(image) };
}
