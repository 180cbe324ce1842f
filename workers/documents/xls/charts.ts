/**
 * The charts of a workbook of Excel 97 to 2003, by the values that it stores with each. Threat: places and counts from
 * the file; each record is a slice of the bytes present, and a chart has at most a bounded number of points.
 */

import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { withoutReserved } from '../revisions.ts';
import { type NumberFormat, showNumber } from '../sheets/cell-text.ts';

export interface XlsChart {
  titles: string[];
  /** The names of the series, then their values by point, each after its category. */
  rows: string[][];
}

const RECORD = {
  end: 0x0a,
  dates: 0x22,
  sheet: 0x85,
  format: 0x41e,
  label: 0x204,
  number: 0x203,
  begin: 0x809,
  series: 0x1003,
  text: 0x100d,
  data: 0x1051,
  blockBegin: 0x1033,
  blockEnd: 0x1034,
  values: 0x1065,
} as const;

/** Version and kind of a stream: only that of Excel 97 on has texts as they are read here. */
const BIFF_8 = 0x0600;
const CHART = 0x20;

/** What stored values are. */
const SERIES_VALUES = 1;
const CATEGORIES = 2;

const MAX_POINTS = 32_000;
const MAX_SERIES = 255;
const MAX_CHARTS = 1000;

/** The charts on each sheet, in the order of the workbook's sheets. */
export function readXlsCharts(stream: Buffer): XlsChart[][] {
  const starts: number[] = [];
  const formats: Formats = { codes: new Map(), isDate1904: false };
  for (const { type, data } of recordsFrom(stream, 0)) {
    if (type === RECORD.end) break;
    if (type === RECORD.sheet && data.length >= 4) starts.push(data.readUInt32LE(0));
    else if (type === RECORD.dates && data.length >= 2) formats.isDate1904 = data.readUInt16LE(0) === 1;
    else if (type === RECORD.format && data.length >= 5) {
      formats.codes.set(data.readUInt16LE(0), textOfLength(data.subarray(4), data.readUInt16LE(2)));
    }
  }
  let left = MAX_CHARTS;
  return starts.map((start) => {
    const charts = left > 0 ? chartsFrom(stream, start, left, formats) : [];
    left -= charts.length;
    return charts;
  });
}

function* recordsFrom(stream: Buffer, start: number): Generator<{ type: number; data: Buffer }> {
  for (let at = start; at + 4 <= stream.length; ) {
    const length = stream.readUInt16LE(at + 2);
    yield { type: stream.readUInt16LE(at), data: stream.subarray(at + 4, at + 4 + length) };
    at += 4 + length;
  }
}

function chartsFrom(stream: Buffer, start: number, most: number, formats: Formats): XlsChart[] {
  const charts: XlsChart[] = [];
  /** Of the open streams, which are inside each other; null for those that are no charts. */
  const open: (ChartReader | null)[] = [];
  for (const { type, data } of recordsFrom(stream, start)) {
    if (type === RECORD.begin) {
      const isChart = data.length >= 4 && data.readUInt16LE(0) === BIFF_8 && data.readUInt16LE(2) === CHART;
      open.push(isChart ? new ChartReader(formats) : null);
    } else if (type === RECORD.end) {
      const chart = open.pop()?.finishChart() ?? null;
      if (chart !== null && charts.length < most) charts.push(chart);
      if (open.length === 0) break;
    } else open.at(-1)?.readChartRecord(type, data);
  }
  return charts;
}

/** The number formats of the workbook. */
interface Formats {
  /** By the number of the format; built-in ones have no code. */
  codes: Map<number, string>;
  isDate1904: boolean;
}

class ChartReader {
  readonly #formats: Formats;
  readonly #titles: string[] = [];
  readonly #names: string[] = [];
  /** Numbers of the formats of the values and of the categories of each series. */
  readonly #formatOf: Record<number, number>[] = [];
  readonly #categories = new Map<number, string>();
  /** Values of the points, by the place of their series. */
  readonly #series = new Map<number, Map<number, string>>();
  #depth = 0;
  /** Depth outside the open series; null outside one. */
  #outside: number | null = null;
  #kind = 0;
  #points = 0;

  constructor(formats: Formats) {
    this.#formats = formats;
  }

  readChartRecord(type: number, data: Buffer): void {
    if (type === RECORD.blockBegin) this.#depth += 1;
    else if (type === RECORD.blockEnd) {
      this.#depth -= 1;
      if (this.#outside !== null && this.#depth <= this.#outside) this.#outside = null;
    } else if (type === RECORD.series) {
      this.#outside = this.#depth;
      if (this.#names.length < MAX_SERIES) {
        this.#names.push('');
        this.#formatOf.push({});
      }
    } else if (type === RECORD.text && data.length >= 4) this.#addChartText(shortText(data.subarray(2)));
    else if (type === RECORD.data && data.length >= 6 && this.#outside !== null) {
      const own = this.#formatOf.at(-1);
      if (own !== undefined) own[data[0] ?? 0] = data.readUInt16LE(4);
    } else if (type === RECORD.values && data.length >= 2) this.#kind = data.readUInt16LE(0);
    else if (type === RECORD.number && data.length >= 14) {
      this.#addPoint(data, this.#shownNumber(data.readDoubleLE(6), data.readUInt16LE(2)));
    } else if (type === RECORD.label && data.length >= 9) {
      this.#addPoint(data, textOfLength(data.subarray(8), data.readUInt16LE(6)));
    }
  }

  /** The chart as a table; null without a value. */
  finishChart(): XlsChart | null {
    const places = [...this.#series.keys()].sort((one, other) => one - other);
    const points = new Set(places.flatMap((place) => [...(this.#series.get(place)?.keys() ?? [])]));
    if (points.size === 0) return null;
    const rows = [...points]
      .sort((one, other) => one - other)
      .map((point) => {
        const values = places.map((place) => this.#series.get(place)?.get(point) ?? '');
        return [this.#categories.get(point) ?? '', ...values];
      });
    return { titles: this.#titles, rows: [['', ...places.map((place) => this.#names[place] ?? '')], ...rows] };
  }

  #shownNumber(value: number, series: number): string {
    // A point without a value is stored as no number.
    if (!Number.isFinite(value)) return '';
    const { codes, isDate1904 } = this.#formats;
    const number = this.#formatOf[series]?.[this.#kind] ?? 0;
    const format: NumberFormat = codes.get(number) ?? number;
    return showNumber(value, format, isDate1904).text;
  }

  #addChartText(text: string): void {
    if (this.#outside === null) this.#titles.push(text);
    else if (this.#names.length > 0) this.#names[this.#names.length - 1] = text;
  }

  #addPoint(data: Buffer, text: string): void {
    const [point, series] = [data.readUInt16LE(0), data.readUInt16LE(2)];
    this.#points += 1;
    if (this.#points > MAX_POINTS || series >= MAX_SERIES) return;
    if (this.#kind === CATEGORIES && !this.#categories.has(point)) this.#categories.set(point, text);
    if (this.#kind !== SERIES_VALUES) return;
    const values = this.#series.get(series) ?? new Map<number, string>();
    this.#series.set(series, values);
    values.set(point, text);
  }
}

/** A text after its length in one byte. */
function shortText(bytes: Buffer): string {
  return textOfLength(bytes.subarray(1), bytes[0] ?? 0);
}

/** A text of so many characters after a byte that says whether they are wide. */
function textOfLength(bytes: Buffer, length: number): string {
  const isWide = ((bytes[0] ?? 0) & 1) === 1;
  const own = bytes.subarray(1, 1 + (isWide ? length * 2 : length));
  return withoutReserved(isWide ? decodeUtf16(own) : own.toString('latin1'));
}
