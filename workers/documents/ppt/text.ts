import type { NewBlock } from '../document-builder.ts';
import { type InlineValues, RUN_EMPHASIS, RUN_STRONG } from '../inline-marks.ts';
import { type MarkedRun, signedRuns, withoutLook } from '../marked-runs.ts';
import { raisedText } from '../raised-text.ts';
import { linkOfClick, type PptRecord, RECORD, textOfRecord } from './records.ts';

/** What a text is for, as its header states it. */
export const TEXT_TYPE = { title: 0, body: 1, notes: 2, other: 4, centerBody: 5, centerTitle: 6, half: 7, quarter: 8 };

/** Their paragraphs have bullets unless they say otherwise. */
const BULLETED: ReadonlySet<number> = new Set([TEXT_TYPE.body, TEXT_TYPE.half, TEXT_TYPE.quarter]);

const DEPTH_MAX = 4;

export interface PptText {
  type: number;
  paragraphs: { text: string; depth: number; isItem: boolean }[];
}

/** What the texts of a presentation refer to. */
export interface TextContext {
  inline: InlineValues;
  /** By the number of the link. */
  addresses: ReadonlyMap<number, string>;
}

/** Characters that must not be taken for signs; another one in place of each keeps the offsets. */
const RESERVED = /[\uFDD0-\uFDEF]/g;

/**
 * The text of the records of a box: a header, characters, their style and links.
 *
 * @param url address that the whole box links to
 */
export function readText(records: Iterable<PptRecord>, context: TextContext, url: string | null = null): PptText {
  let type = TEXT_TYPE.other;
  let written = '';
  let style: Buffer | null = null;
  let link: number | null = null;
  const links: LinkedText[] = [];
  for (const record of records) {
    if (record.type === RECORD.textHeader && record.data.length >= 4) type = record.data.readUInt32LE(0);
    if (record.type === RECORD.textStyle) style = record.data;
    if (record.type === RECORD.interactive) link = linkOfClick(record);
    if (record.type === RECORD.linkedText && record.data.length >= 8 && link !== null) {
      const [from, end] = [record.data.readUInt32LE(0), record.data.readUInt32LE(4)];
      links.push({ from, end, url: context.addresses.get(link) ?? null });
    }
    if (record.type !== RECORD.string) written += textOfRecord(record) ?? '';
  }
  written = written.replace(RESERVED, '\0');
  const { paragraphs: levels, end } = paragraphStyles(style, written.length + 1);
  const looks = characterStyles(style, end, written.length + 1);
  const cutter = new RunCutter(written, looks, links, url);
  let at = 0;
  let level = 0;
  const paragraphs = written.split('\r').map((text) => {
    while ((levels[level]?.end ?? Number.POSITIVE_INFINITY) <= at) level += 1;
    const own = levels[level];
    const runs = cutter.takeRuns(at, at + text.length);
    at += text.length + 1;
    return {
      text: signedRuns(runs, context.inline),
      depth: own?.depth ?? 0,
      isItem: own?.hasBullet ?? BULLETED.has(type),
    };
  });
  const texts = withoutLook(paragraphs.map(({ text }) => text));
  return { type, paragraphs: paragraphs.map((paragraph, index) => ({ ...paragraph, text: texts[index] ?? '' })) };
}

interface LinkedText {
  from: number;
  end: number;
  url: string | null;
}

/** Cuts a text where its look or link changes. Places are taken in order, so that long texts are passed once. */
class RunCutter {
  readonly #text: string;
  readonly #looks: readonly CharacterStyle[];
  readonly #links: readonly LinkedText[];
  readonly #url: string | null;
  #look = 0;
  #link = 0;

  constructor(text: string, looks: readonly CharacterStyle[], links: readonly LinkedText[], url: string | null) {
    this.#text = text;
    this.#looks = looks;
    this.#links = links.toSorted((one, other) => one.from - other.from);
    this.#url = url;
  }

  takeRuns(start: number, stop: number): MarkedRun[] {
    const runs: MarkedRun[] = [];
    for (let from = start; from < stop; ) {
      while ((this.#looks[this.#look]?.end ?? Number.POSITIVE_INFINITY) <= from) this.#look += 1;
      while ((this.#links[this.#link]?.end ?? Number.POSITIVE_INFINITY) <= from) this.#link += 1;
      const look = this.#looks[this.#look];
      const link = this.#links[this.#link];
      const isLinked = link !== undefined && link.from <= from;
      const change = isLinked ? link.end : Math.max(from + 1, link?.from ?? stop);
      const end = Math.min(stop, look?.end ?? stop, change);
      const own = this.#text.slice(from, end);
      const isRaised = look?.isRaised === true;
      const flags = isRaised ? 0 : (look?.flags ?? 0);
      const url = isLinked ? (link.url ?? this.#url) : this.#url;
      runs.push({ text: isRaised ? raisedText(own) : own, flags, url });
      from = end;
    }
    return runs;
  }
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

/** What is known until the style ends or is damaged, and where the styles of characters begin. */
function paragraphStyles(style: Buffer | null, length: number): { paragraphs: ParagraphStyle[]; end: number } {
  const styles: ParagraphStyle[] = [];
  let at = 0;
  if (style === null) return { paragraphs: styles, end: at };
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
  return { paragraphs: styles, end: at };
}

interface CharacterStyle {
  /** Offset of the next character in this style. */
  end: number;
  flags: number;
  isRaised: boolean;
}

/** Bits of the mask that stand for one field of flags. */
const CHARACTER_FLAGS = 0xffff;

/** Sizes of the properties of characters between their flags and their rise above the line. */
const CHARACTER_SIZES: readonly (readonly [mask: number, bytes: number])[] = [
  [0x10000, 2],
  [0x200000, 2],
  [0x400000, 2],
  [0x800000, 2],
  [0x20000, 2],
  [0x40000, 4],
];

const RISE = 0x80000;

function characterStyles(style: Buffer | null, start: number, length: number): CharacterStyle[] {
  const styles: CharacterStyle[] = [];
  let at = start;
  if (style === null) return styles;
  for (let end = 0; end < length && at + 8 <= style.length; ) {
    end += style.readUInt32LE(at);
    const mask = style.readUInt32LE(at + 4);
    at += 8;
    const hasFlags = (mask & CHARACTER_FLAGS) !== 0;
    const stated = hasFlags && at + 2 <= style.length ? style.readUInt16LE(at) & mask : 0;
    if (hasFlags) at += 2;
    for (const [bits, bytes] of CHARACTER_SIZES) if ((mask & bits) !== 0) at += bytes;
    const isRaised = (mask & RISE) !== 0 && at + 2 <= style.length && style.readInt16LE(at) > 0;
    if ((mask & RISE) !== 0) at += 2;
    const flags = ((stated & 1) !== 0 ? RUN_STRONG : 0) | ((stated & 2) !== 0 ? RUN_EMPHASIS : 0);
    styles.push({ end, flags, isRaised });
  }
  return styles;
}
