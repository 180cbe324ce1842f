/** Scans and photographs of pages, drawn from seeded numbers: turned, in perspective, in uneven light, with noise. */

import { mupdf } from '../../workers/documents/pdf/open-pdf.ts';
import { text, writePdf } from './pdf-writer.ts';

/** Grey levels, rows from the top. */
export interface Picture {
  width: number;
  height: number;
  samples: Uint8Array;
}

export type Place = readonly [x: number, y: number];

const WHITE = 255;

/** A source of numbers from 0 to 1 that is the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The first page of a PDF, or the part of it that is given in points. */
export function drawPicture(pdf: Buffer, dotsPerInch: number, part: readonly number[] = [0, 0, 612, 792]): Picture {
  const scale = dotsPerInch / 72;
  const page = mupdf.Document.openDocument(pdf, 'application/pdf').loadPage(0);
  const bounds = part.map((place) => Math.round(place * scale)) as [number, number, number, number];
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, bounds, false);
  pixmap.clear(WHITE);
  const device = new mupdf.DrawDevice(mupdf.Matrix.scale(scale, scale), pixmap);
  page.run(device, mupdf.Matrix.identity);
  device.close();
  const [width, height] = [pixmap.getWidth(), pixmap.getHeight()];
  return { width, height, samples: Uint8Array.from(pixmap.getPixels().subarray(0, width * height)) };
}

/** The picture seen through a map of places, each pixel the mean of four. Outside of it is `ground`. */
function warpPicture(
  picture: Picture,
  [width, height]: Place,
  toSource: (x: number, y: number) => Place,
  ground: (x: number, y: number) => number,
): Picture {
  const samples = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      let sum = 0;
      for (const [right, down] of [
        [0.25, 0.25],
        [0.75, 0.25],
        [0.25, 0.75],
        [0.75, 0.75],
      ] as const) {
        const [x, y] = toSource(column + right, row + down);
        const isInside = x >= 0 && y >= 0 && x < picture.width && y < picture.height;
        sum += isInside ? levelAt(picture, x, y) : ground(column, row);
      }
      samples[row * width + column] = sum / 4;
    }
  }
  return { width, height, samples };
}

function levelAt({ width, height, samples }: Picture, x: number, y: number): number {
  const [left, top] = [Math.max(0, Math.floor(x - 0.5)), Math.max(0, Math.floor(y - 0.5))];
  const [right, bottom] = [Math.min(width - 1, left + 1), Math.min(height - 1, top + 1)];
  const [across, down] = [Math.max(0, x - 0.5 - left), Math.max(0, y - 0.5 - top)];
  const at = (column: number, row: number) => samples[row * width + column] ?? WHITE;
  const upper = at(left, top) * (1 - across) + at(right, top) * across;
  return upper * (1 - down) + (at(left, bottom) * (1 - across) + at(right, bottom) * across) * down;
}

/** Clockwise about its middle, on a white sheet that holds all of it. */
export function turnPicture(picture: Picture, degrees: number): Picture {
  const [sine, cosine] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const wide = Math.ceil(picture.width * Math.abs(cosine) + picture.height * Math.abs(sine));
  const high = Math.ceil(picture.height * Math.abs(cosine) + picture.width * Math.abs(sine));
  const toSource = (x: number, y: number): Place => {
    const [right, down] = [x - wide / 2, y - high / 2];
    return [right * cosine + down * sine + picture.width / 2, down * cosine - right * sine + picture.height / 2];
  };
  return warpPicture(picture, [wide, high], toSource, () => WHITE);
}

export interface Shot {
  /** Size of the photograph. */
  size: Place;
  /** Where the corners of the page are, as shares of the photograph, clockwise from the top left. */
  corners: readonly [Place, Place, Place, Place];
  /** Middle grey level of the table below the page. */
  ground: number;
  /** Light at the left and right edge of the photograph and at its bottom, as shares. */
  light: readonly [left: number, right: number, bottom: number];
  /** Grey levels, the standard deviation of a pixel. */
  noise: number;
  /** How far the paper's lines bend, in pixels. */
  bend?: number;
}

/** Photographs by hand: tilted in a lamp's light, from below, on a bright table, at night, with the edges cut off. */
export const SHOTS = {
  tilted: {
    corners: [
      [0.16, 0.05],
      [0.95, 0.12],
      [0.86, 0.96],
      [0.06, 0.9],
    ],
    ground: 70,
    light: [0.95, 0.65, 0.8],
  },
  below: {
    corners: [
      [0.22, 0.1],
      [0.8, 0.08],
      [0.97, 0.95],
      [0.04, 0.97],
    ],
    ground: 80,
    light: [0.9, 0.5, 0.9],
  },
  bright: {
    corners: [
      [0.12, 0.06],
      [0.9, 0.1],
      [0.93, 0.95],
      [0.05, 0.92],
    ],
    ground: 190,
    light: [1, 0.6, 0.8],
  },
  night: {
    corners: [
      [0.1, 0.1],
      [0.9, 0.06],
      [0.95, 0.93],
      [0.05, 0.95],
    ],
    ground: 30,
    light: [0.6, 0.25, 0.8],
  },
  cut: {
    corners: [
      [-0.04, -0.03],
      [1.03, 0.01],
      [1.05, 1.06],
      [-0.02, 1.02],
    ],
    ground: 60,
    light: [1, 0.5, 0.7],
  },
} as const satisfies Record<string, Pick<Shot, 'corners' | 'ground' | 'light'>>;

/** A page as a camera sees it that is held by hand. */
export function photographPage(page: Picture, shot: Shot): Picture {
  const random = seeded(3);
  const [width, height] = shot.size;
  const corners = shot.corners.map(([x, y]): Place => [x * width, y * height]);
  const map = mapToUnitSquare(corners);
  const bend = shot.bend ?? 0;
  const toSource = (x: number, y: number): Place => {
    const [u, v] = map(x, y + bend * Math.sin((x / width) * Math.PI * 1.5));
    return [u * page.width, v * page.height];
  };
  const grain = Array.from({ length: 97 }, () => (random() - 0.5) * 24);
  const ground = (x: number, y: number) =>
    shot.ground + (grain[Math.floor(x / 3 + Math.sin(y / 90) * 5 + 970) % 97] ?? 0);
  const photograph = warpPicture(page, [width, height], toSource, ground);
  lightPicture(photograph, shot.light);
  addNoise(photograph, shot.noise, random);
  return photograph;
}

/** The perspective in which four corners become those of the square from 0 to 1. */
export function mapToUnitSquare(corners: readonly Place[]): (x: number, y: number) => Place {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners as [Place, Place, Place, Place];
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const determinant = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / determinant;
  const h = (dx1 * sy - sx * dy1) / determinant;
  const [a, b, c] = [x1 - x0 + g * x1, x3 - x0 + h * x3, x0];
  const [d, e, f] = [y1 - y0 + g * y1, y3 - y0 + h * y3, y0];
  return (x, y) => {
    const weight = (d * h - e * g) * x + (b * g - a * h) * y + (a * e - b * d);
    return [
      ((e - f * h) * x + (c * h - b) * y + (b * f - c * e)) / weight,
      ((f * g - d) * x + (a - c * g) * y + (c * d - a * f)) / weight,
    ];
  };
}

/** Darkens a picture towards its edges. */
export function lightPicture({ width, height, samples }: Picture, [left, right, bottom]: Shot['light']): void {
  for (let at = 0; at < samples.length; at += 1) {
    const [x, y] = [(at % width) / width, Math.floor(at / width) / height];
    samples[at] = (samples[at] ?? 0) * (left + (right - left) * x) * (1 + (bottom - 1) * y * y);
  }
}

/** Adds the noise of a camera or a scanner. */
export function addNoise({ samples }: Picture, deviation: number, random: () => number): void {
  for (let at = 0; at < samples.length; at += 1) {
    // The sum of three even numbers is nearly normal, with a deviation of half.
    const noise = (random() + random() + random() - 1.5) * 2 * deviation;
    samples[at] = Math.max(0, Math.min(WHITE, (samples[at] ?? 0) + noise));
  }
}

/** As a camera or scanner saves it. */
export function toJpeg({ width, height, samples }: Picture, quality = 85): Buffer {
  const pixmap = new mupdf.Pixmap(mupdf.ColorSpace.DeviceGray, [0, 0, width, height], false);
  pixmap.getPixels().set(samples);
  return Buffer.from(pixmap.asJPEG(quality, false));
}

/** A page to photograph, and the lines that stand on it. */
export interface DrawnPage {
  picture: Picture;
  lines: string[];
}

const PROSE =
  `The lighthouse keeper wrote down every ship that passed its name its flag and the hour of the day On stormy
nights he wrote little because the lamp needed him more than the book did After forty years the shelves of the tower
held ninety volumes and nobody had ever read one A clerk of the harbour board found them in the spring of 1931 and
asked for the keys of the upper room at once Dredging of the channel will be completed in October provided that the
weather allows it The board thanks all members of the staff for their work during a difficult season and expects goods
of the northern terminal to rise by four percent where two new cranes were put into service in March`.split(/\s+/);

function proseLines(count: number, characters: number, random: () => number): string[] {
  return Array.from({ length: count }, () => {
    let line = '';
    for (;;) {
      const word = PROSE[Math.floor(random() * PROSE.length)] ?? '';
      if (line.length + word.length + 1 > characters) return line;
      line += line === '' ? word : ` ${word}`;
    }
  });
}

/** A page of running text under a heading. */
export function drawLetter(dotsPerInch: number, seed = 5): DrawnPage {
  const random = seeded(seed);
  const lines = proseLines(34, 78, random);
  const pdf = writePdf({
    pages: [`${text(70, 50, ['Annual Harbour Report'], 18, 'F2')}\n${text(70, 100, lines, 12)}`],
  });
  return { picture: drawPicture(pdf, dotsPerInch), lines: ['Annual Harbour Report', ...lines] };
}

/** A page of two columns in small letters. */
export function drawColumns(dotsPerInch: number, seed = 6): DrawnPage {
  const random = seeded(seed);
  const [left, right] = [proseLines(44, 44, random), proseLines(44, 44, random)];
  const pdf = writePdf({ pages: [`${text(60, 60, left, 10.5)}\n${text(330, 60, right, 10.5)}`] });
  return { picture: drawPicture(pdf, dotsPerInch), lines: [...left, ...right] };
}

const GOODS = ['Mooring rope', 'Fender blue', 'Marine paint', 'Shackle 10mm', 'Brass lamp', 'Deck brush', 'Oil filter'];

/** A narrow till receipt: each item with its price on one line. */
export function drawReceipt(dotsPerInch: number, seed = 8): DrawnPage {
  const random = seeded(seed);
  const [wide, size] = [210, 11];
  const parts = [text(48, 18, ['BLUE ANCHOR STORE'], 12, 'F2'), text(62, 38, ['14 Quay Street'], size)];
  const lines = ['BLUE ANCHOR STORE', '14 Quay Street'];
  let top = 70;
  const add = (item: string, price: string) => {
    parts.push(text(14, top, [item], size), text(wide - 14 - price.length * 6.1, top, [price], size));
    lines.push(`${item} ${price}`);
    top += 19;
  };
  let total = 0;
  for (let index = 0; index < 12; index += 1) {
    const price = Math.round(200 + random() * 9000) / 100;
    total += price;
    add(GOODS[index % GOODS.length] ?? '', price.toFixed(2));
  }
  top += 10;
  add('SUBTOTAL', total.toFixed(2));
  add('VAT 20%', (total / 5).toFixed(2));
  add('TOTAL GBP', (total * 1.2).toFixed(2));
  parts.push(text(40, top + 20, ['Thank you for your visit'], size));
  lines.push('Thank you for your visit');
  const pdf = writePdf({ pages: [parts.join('\n')] });
  return { picture: drawPicture(pdf, dotsPerInch, [0, 0, wide, top + 60]), lines };
}
