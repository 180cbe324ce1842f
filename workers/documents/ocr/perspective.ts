/** Perspective of photographed pages: the page becomes a rectangle, and boxes find their way back. */

import type { MapBox } from './deskew.ts';
import { type GreyImage, interpolatePixel } from './grey-image.ts';

export type Place = readonly [x: number, y: number];

/** Corners of a page, clockwise from its top left. */
export type Corners = readonly [Place, Place, Place, Place];

/** The page within the corners as a rectangle of at most `pixelsMax`, and the way of boxes back to the picture. */
export function rectifyPage(
  image: GreyImage,
  corners: Corners,
  pixelsMax: number,
): { image: GreyImage; mapBox: MapBox } {
  const [width, height] = rectangleSize(corners, pixelsMax);
  const toPicture = perspectiveFromUnitSquare(corners);
  const samples = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const [x, y] = toPicture((column + 0.5) / width, (row + 0.5) / height);
      samples[row * width + column] = interpolatePixel(image, x - 0.5, y - 0.5);
    }
  }
  const mapPlace = (x: number, y: number) => toPicture(x / width, y / height);
  return { image: { ...image, width, height, samples }, mapBox: (box) => mapBoxByMiddles(box, mapPlace, image) };
}

/** The longer one of each two opposite sides. */
function rectangleSize([topLeft, topRight, bottomRight, bottomLeft]: Corners, pixelsMax: number): [number, number] {
  const wide = Math.max(distance(topLeft, topRight), distance(bottomLeft, bottomRight));
  const high = Math.max(distance(topLeft, bottomLeft), distance(topRight, bottomRight));
  const scale = Math.min(1, Math.sqrt(pixelsMax / (wide * high)));
  return [Math.max(1, Math.floor(wide * scale)), Math.max(1, Math.floor(high * scale))];
}

export function distance([fromX, fromY]: Place, [toX, toY]: Place): number {
  return Math.hypot(toX - fromX, toY - fromY);
}

/** The projective map (homography) of the square from 0 to 1 to four corners. */
function perspectiveFromUnitSquare([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]: Corners): (u: number, v: number) => Place {
  const [rightX, rightY, leftX, leftY] = [x1 - x2, y1 - y2, x3 - x2, y3 - y2];
  const [sumX, sumY] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const determinant = rightX * leftY - leftX * rightY;
  const g = (sumX * leftY - leftX * sumY) / determinant;
  const h = (rightX * sumY - sumX * rightY) / determinant;
  const [a, b] = [x1 - x0 + g * x1, x3 - x0 + h * x3];
  const [d, e] = [y1 - y0 + g * y1, y3 - y0 + h * y3];
  return (u, v) => {
    const weight = g * u + h * v + 1;
    return [(a * u + b * v + x0) / weight, (d * u + e * v + y0) / weight];
  };
}

/** The middle goes where it belongs; width and height are those of the mapped middle lines. */
function mapBoxByMiddles(
  [left, top, right, bottom]: Parameters<MapBox>[0],
  mapPlace: (x: number, y: number) => Place,
  { width, height }: GreyImage,
): ReturnType<MapBox> {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const [middleX, middleY] = mapPlace(x, y);
  const halfWidth = distance(mapPlace(left, y), mapPlace(right, y)) / 2;
  const halfHeight = distance(mapPlace(x, top), mapPlace(x, bottom)) / 2;
  const clamp = (place: number, end: number) => Math.round(Math.min(end, Math.max(0, place)));
  return [
    clamp(middleX - halfWidth, width),
    clamp(middleY - halfHeight, height),
    clamp(middleX + halfWidth, width),
    clamp(middleY + halfHeight, height),
  ];
}
