/**
 * The records of a PowerPoint 97-2003 presentation ([MS-PPT]). Threat: lengths and offsets from the file, containers in
 * each other. Every record is a slice of the bytes present, and their count and depth are bounded.
 */

import { QuarryError } from '../../../src-server/platform/errors.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { say } from '../../../src-server/platform/text/say.ts';

export const RECORD = {
  document: 0x03e8,
  slide: 0x03ee,
  slideAtom: 0x03ef,
  notes: 0x03f0,
  slidePersist: 0x03f3,
  slideShowInfo: 0x03f9,
  drawing: 0x040c,
  placeholder: 0x0bc3,
  objectReference: 0x0bc1,
  outlineReference: 0x0f9e,
  textHeader: 0x0f9f,
  hyperlinkId: 0x0fd3,
  hyperlink: 0x0fd7,
  linkedText: 0x0fdf,
  interactive: 0x0ff2,
  interactiveFacts: 0x0ff3,
  externalObjects: 0x0409,
  textCharacters: 0x0fa0,
  textStyle: 0x0fa1,
  textBytes: 0x0fa8,
  string: 0x0fba,
  slideList: 0x0ff0,
  userEdit: 0x0ff5,
  persistDirectory: 0x1772,
  comment: 0x2ee0,
  group: 0xf003,
  shape: 0xf004,
  groupBounds: 0xf009,
  shapeFacts: 0xf00a,
  properties: 0xf00b,
  textBox: 0xf00d,
  childAnchor: 0xf00f,
  anchor: 0xf010,
  clientData: 0xf011,
  moreProperties: 0xf122,
} as const;

const HEADER_BYTES = 8;

const DEPTH_MAX = 60;

const RECORDS_MAX = 2_000_000;

/** Version of a record that has records. */
const CONTAINER = 0xf;

export interface PptRecord {
  type: number;
  instance: number;
  isContainer: boolean;
  data: Buffer;
}

/** Counts the records that a job reads. */
export class RecordBudget {
  #left = RECORDS_MAX;
  readonly #tick: () => void;

  constructor(tick: () => void) {
    this.#tick = tick;
  }

  take(depth: number): void {
    this.#left -= 1;
    this.#tick();
    if (this.#left < 0 || depth > DEPTH_MAX) {
      throw new QuarryError('source_too_large', say`The presentation has too many records. Save it as .pptx.`);
    }
  }
}

/** The record at an offset; null at the end or if only a part of its header is there. */
export function recordAt(bytes: Buffer, at: number): PptRecord | null {
  if (at < 0 || at + HEADER_BYTES > bytes.length) return null;
  const head = bytes.readUInt16LE(at);
  const length = bytes.readUInt32LE(at + 4);
  return {
    type: bytes.readUInt16LE(at + 2),
    instance: head >> 4,
    isContainer: (head & CONTAINER) === CONTAINER,
    data: bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length),
  };
}

/** The records inside a container, one after another. */
export function* recordsIn(bytes: Buffer): Generator<PptRecord> {
  for (let at = 0; ; ) {
    const record = recordAt(bytes, at);
    if (record === null) return;
    yield record;
    at += HEADER_BYTES + record.data.length;
  }
}

/** All records inside a container, at any depth, each before those inside it. */
export function* allRecordsIn(bytes: Buffer, budget: RecordBudget, depth = 0): Generator<PptRecord> {
  for (const record of recordsIn(bytes)) {
    budget.take(depth);
    yield record;
    if (record.isContainer) yield* allRecordsIn(record.data, budget, depth + 1);
  }
}

export function childOf({ data }: PptRecord, type: number): PptRecord | null {
  for (const record of recordsIn(data)) if (record.type === type) return record;
  return null;
}

/** The text of a record of characters; null for other records. Soft line ends become `\n`. */
export function textOfRecord({ type, data }: PptRecord): string | null {
  if (type === RECORD.textBytes) return data.toString('latin1').replaceAll('\v', '\n');
  if (type !== RECORD.textCharacters && type !== RECORD.string) return null;
  return decodeUtf16(data).replaceAll('\v', '\n');
}

/** The live records of a presentation, which a later save may have written again. */
export interface Presentation {
  document: PptRecord;
  /** By their number in the directory. */
  recordOf(persistId: number): PptRecord | null;
}

/** Marks the `Current User` stream of an encrypted presentation. */
const ENCRYPTED_TOKEN = 0xf3d1c4df;

const EDITS_MAX = 10_000;

/** Errors: `corrupt_input`, `encrypted_input`. */
export function openPresentation(stream: Buffer, currentUser: Buffer | null): Presentation {
  const known = currentUser !== null && currentUser.length >= HEADER_BYTES + 12;
  if (known && currentUser.readUInt32LE(HEADER_BYTES + 4) === ENCRYPTED_TOKEN) {
    throw new QuarryError('encrypted_input', say`The presentation is password-protected: save it without a password.`);
  }
  const places = new Map<number, number>();
  let documentId: number | null = null;
  let at = known ? currentUser.readUInt32LE(HEADER_BYTES + 8) : 0;
  for (let edits = 0; edits < EDITS_MAX && at > 0; edits += 1) {
    const edit = recordAt(stream, at);
    if (edit?.type !== RECORD.userEdit || edit.data.length < 20) break;
    documentId ??= edit.data.readUInt32LE(16);
    addPlaces(recordAt(stream, edit.data.readUInt32LE(12)), places);
    at = edit.data.readUInt32LE(8);
  }
  const recordOf = (persistId: number) => recordAt(stream, places.get(persistId) ?? -1);
  const document = documentId === null ? null : recordOf(documentId);
  if (document?.type !== RECORD.document) {
    throw new QuarryError('corrupt_input', say`The presentation is damaged: open it in PowerPoint and save it again.`);
  }
  return { document, recordOf };
}

/** A place that a later edit states stays. */
function addPlaces(directory: PptRecord | null, places: Map<number, number>): void {
  if (directory?.type !== RECORD.persistDirectory) return;
  const { data } = directory;
  for (let at = 0; at + 4 <= data.length; ) {
    const head = data.readUInt32LE(at);
    const count = head >>> 20;
    at += 4;
    for (let index = 0; index < count && at + 4 <= data.length; index += 1, at += 4) {
      const id = (head & 0xfffff) + index;
      if (!places.has(id)) places.set(id, data.readUInt32LE(at));
    }
  }
}

/** A slide or notes page in the list of the document. */
export interface ListedSlide {
  persistId: number;
  /** Number by which others refer to it. */
  slideId: number;
  /** Texts that its shapes refer to, in order. */
  outline: PptRecord[][];
}

/** @param instance 0 for slides, 2 for notes */
export function listedSlides({ document }: Presentation, instance: number): ListedSlide[] {
  const slides: ListedSlide[] = [];
  for (const list of recordsIn(document.data)) {
    if (list.type !== RECORD.slideList || list.instance !== instance) continue;
    for (const record of recordsIn(list.data)) {
      if (record.type === RECORD.slidePersist && record.data.length >= 16) {
        slides.push({ persistId: record.data.readUInt32LE(0), slideId: record.data.readUInt32LE(12), outline: [] });
      } else if (record.type === RECORD.textHeader) slides.at(-1)?.outline.push([record]);
      else slides.at(-1)?.outline.at(-1)?.push(record);
    }
  }
  return slides;
}

/** Address and place of a link in the records of its texts. */
const LINK_TARGET = 1;
const LINK_PLACE = 3;

/** Addresses outside the file, by the number that texts and shapes refer to. */
export function readAddresses({ document }: Presentation): Map<number, string> {
  const addresses = new Map<number, string>();
  const list = childOf(document, RECORD.externalObjects);
  for (const link of list === null ? [] : recordsIn(list.data)) {
    const id = link.type === RECORD.hyperlink ? childOf(link, RECORD.hyperlinkId)?.data : undefined;
    if (id === undefined || id.length < 4) continue;
    const texts = new Map<number, string>();
    for (const one of recordsIn(link.data))
      if (one.type === RECORD.string) texts.set(one.instance, textOfRecord(one) ?? '');
    const [target = '', place = ''] = [texts.get(LINK_TARGET), texts.get(LINK_PLACE)];
    if (target !== '') addresses.set(id.readUInt32LE(0), place === '' ? target : `${target}#${place}`);
  }
  return addresses;
}

/** The number of the link that a click on a shape or text follows; null for other actions. */
export function linkOfClick(interactive: PptRecord): number | null {
  const facts = interactive.instance === 0 ? childOf(interactive, RECORD.interactiveFacts)?.data : undefined;
  return facts === undefined || facts.length < 8 ? null : facts.readUInt32LE(4);
}
