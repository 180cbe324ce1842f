import type { NewBlock } from '../document-builder.ts';
import { type PptRecord, RECORD, textOfRecord } from './records.ts';

/** What a text is for, as its header states it. */
export const TEXT_TYPE = { title: 0, body: 1, notes: 2, other: 4, centerBody: 5, centerTitle: 6, half: 7, quarter: 8 };

/** Their paragraphs have bullets unless they say otherwise. */
const BULLETED: ReadonlySet<number> = new Set([TEXT_TYPE.body, TEXT_TYPE.half, TEXT_TYPE.quarter]);

const DEPTH_MAX = 4;

export interface PptText {
  type: number;
  paragraphs: { text: string; depth: number; isItem: boolean }[];
}

/** The text of the records of a box: a header, characters and their style. */
export function readText(records: Iterable<PptRecord>): PptText {
  let type = TEXT_TYPE.other;
  let written = '';
  let style: Buffer | null = null;
  for (const record of records) {
    if (record.type === RECORD.textHeader && record.data.length >= 4) type = record.data.readUInt32LE(0);
    if (record.type === RECORD.textStyle) style = record.data;
    if (record.type !== RECORD.string) written += textOfRecord(record) ?? '';
  }
  const levels = style === null ? [] : paragraphStyles(style, written.length + 1);
  let at = 0;
  const paragraphs = written.split('\r').map((text) => {
    const own = levels.find(({ end }) => at < end);
    at += text.length + 1;
    return { text, depth: own?.depth ?? 0, isItem: own?.hasBullet ?? BULLETED.has(type) };
  });
  return { type, paragraphs };
}

export function plainText({ paragraphs }: PptText): string {
  return paragraphs.map(({ text }) => text).join('\n');
}

export function blocksOfText({ paragraphs }: PptText): NewBlock[] {
  return paragraphs.map(({ text, depth, isItem }) =>
    isItem ? { kind: 'list-item', depth, marker: '•', text } : { kind: 'paragraph', text },
  );
}

interface ParagraphStyle {
  /** Offset of the next paragraph in this style. */
  end: number;
  depth: number;
  /** Null if the placeholder decides. */
  hasBullet: boolean | null;
}

/** Sizes of the properties of a paragraph in their order, by the bit that says whether they are there. */
const PROPERTY_SIZES: readonly (readonly [mask: number, bytes: number])[] = [
  [0x000f, 2],
  [0x0080, 2],
  [0x0010, 2],
  [0x0040, 2],
  [0x0020, 4],
  [0x0800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x0100, 2],
  [0x0400, 2],
  [0x8000, 2],
];

const HAS_BULLET = 0x0001;

const TAB_STOPS = 0x100000;

const LAST_PROPERTIES: readonly number[] = [0x10000, 0xe0000, 0x200000];

/** What is known until the style ends or is damaged. */
function paragraphStyles(style: Buffer, length: number): ParagraphStyle[] {
  const styles: ParagraphStyle[] = [];
  let at = 0;
  for (let end = 0; end < length && at + 10 <= style.length; ) {
    end += style.readUInt32LE(at);
    const depth = Math.min(DEPTH_MAX, style.readUInt16LE(at + 4));
    const mask = style.readUInt32LE(at + 6);
    at += 10;
    let hasBullet: boolean | null = null;
    if ((mask & HAS_BULLET) !== 0 && at + 2 <= style.length) hasBullet = (style.readUInt16LE(at) & HAS_BULLET) !== 0;
    for (const [bits, bytes] of PROPERTY_SIZES) if ((mask & bits) !== 0) at += bytes;
    if ((mask & TAB_STOPS) !== 0 && at + 2 <= style.length) at += 2 + 4 * style.readUInt16LE(at);
    for (const bits of LAST_PROPERTIES) if ((mask & bits) !== 0) at += 2;
    styles.push({ end, depth, hasBullet });
  }
  return styles;
}
