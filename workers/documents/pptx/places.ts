import type { XmlElement } from '../xml.ts';
import type { Box } from './slide-order.ts';

/** Where a shape is: its box on the slide, and the outermost group that it belongs to. */
export interface Place {
  /** Null if the layout decides. */
  box: Box | null;
  group: number | null;
}

/** A transform of DrawingML as it is read. */
interface Frame {
  x: number | null;
  y: number | null;
  width: number | null;
  height: number | null;
}

interface Group {
  number: number;
  outer: Frame;
  /** The same area in the coordinates of its members. */
  inner: Frame;
}

/** Follows the transforms of shapes and groups. */
export class PlaceReader {
  readonly #groups: Group[] = [];
  #count = 0;
  #shape: Frame = emptyFrame();
  #isGroup = false;

  openPlacedElement(element: XmlElement): void {
    switch (element.name) {
      case 'p:grpSp':
        this.#count += 1;
        this.#groups.push({ number: this.#count, outer: emptyFrame(), inner: emptyFrame() });
        return;
      case 'p:grpSpPr':
        this.#isGroup = true;
        return;
      case 'p:sp':
      case 'p:pic':
      case 'p:graphicFrame':
        this.#shape = emptyFrame();
        return;
      case 'a:off':
      case 'a:ext':
        readFrame(element, this.#isGroup ? this.#groups.at(-1)?.outer : this.#shape);
        return;
      case 'a:chOff':
      case 'a:chExt':
        readFrame(element, this.#isGroup ? this.#groups.at(-1)?.inner : undefined);
        return;
    }
  }

  closePlacedElement(name: string): void {
    if (name === 'p:grpSp') this.#groups.pop();
    else if (name === 'p:grpSpPr') this.#isGroup = false;
  }

  /** The place of the open shape. */
  get openShapePlace(): Place {
    let box = frameBox(this.#shape);
    for (const group of this.#groups.toReversed()) if (box !== null) box = boxInOuterGroup(box, group);
    return { box, group: this.#groups[0]?.number ?? null };
  }
}

/** Null if a number is missing. */
export function frameBox({ x, y, width, height }: Frame): Box | null {
  return x === null || y === null || width === null || height === null ? null : { x, y, width, height };
}

export function emptyFrame(): Frame {
  return { x: null, y: null, width: null, height: null };
}

/** Reads an offset or an extent; an extension has the name of an extent, but no size. */
export function readFrame(element: XmlElement, frame: Frame | undefined): void {
  if (frame === undefined) return;
  const numericAttribute = (name: string) => {
    const stated = element.attributeValue(name);
    const number = Number(stated);
    return stated === null || !Number.isFinite(number) ? null : number;
  };
  frame.x ??= numericAttribute('x');
  frame.y ??= numericAttribute('y');
  frame.width ??= numericAttribute('cx');
  frame.height ??= numericAttribute('cy');
}

/** The box of a member in the coordinates around its group. */
function boxInOuterGroup(box: Box, { outer, inner }: Group): Box {
  const [to, from] = [frameBox(outer), frameBox(inner)];
  if (to === null || from === null) return box;
  const across = from.width === 0 ? 1 : to.width / from.width;
  const down = from.height === 0 ? 1 : to.height / from.height;
  return {
    x: to.x + (box.x - from.x) * across,
    y: to.y + (box.y - from.y) * down,
    width: box.width * across,
    height: box.height * down,
  };
}
