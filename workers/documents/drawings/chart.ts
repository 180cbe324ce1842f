/** Charts of Office files: their titles, and the stored values as tables. */

import { byName } from '../../../src-server/platform/records.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { CellSpan } from '../blocks.ts';
import type { DocumentBuilder } from '../document-builder.ts';
import { showNumber } from '../sheets/cell-text.ts';
import { spansWithin } from '../table-spans.ts';
import { walkXml, type XmlBudget, type XmlElement } from '../xml.ts';

/** Larger tables are no chart that a person reads. */
const MAX_CELLS = 50_000;

/** Values by their place on the axis. */
type Points = Map<number, string>;

interface Series {
  name: string;
  /** The innermost first; the labels of outer ones hold for the places up to their next label. */
  levels: Points[];
  /** Values, then the sizes of bubbles. */
  values: Points[];
}

interface Chart {
  /** The title, then those of value axes. */
  titles: string[];
  categoryTitle: string;
  series: Series[];
  /** Texts at single points and lines. */
  labels: string[];
}

/**
 * Adds a chart: its title and those of its value axes as a caption, a table with a row for each category and a column
 * for each series, then texts of labels. Series with categories of their own have tables of their own.
 */
export function readChart(bytes: Buffer, builder: DocumentBuilder, budget: XmlBudget): void {
  const reader = new ChartReader(builder);
  walkXml(bytes, budget, reader);
  const { titles, categoryTitle, series, labels } = reader.finishChart();
  builder.addDocumentBlock({ kind: 'caption', text: titles.filter((title) => title.trim() !== '').join('\n') });
  if (series.length > 0 && series.every(({ values }) => values.every(({ size }) => size === 0)))
    builder.addWarning(say`A chart has no stored values. Open and save the document again.`);
  const groups = Map.groupBy(series, ({ levels }) => JSON.stringify(levels.map((level) => [...level])));
  for (const group of groups.values()) addSeriesTable(group, categoryTitle, builder);
  for (const text of labels) builder.addDocumentBlock({ kind: 'paragraph', text });
}

/** A table of series with the same categories. */
function addSeriesTable(series: readonly Series[], categoryTitle: string, builder: DocumentBuilder): void {
  const levels = series[0]?.levels ?? [];
  const points = [...levels.slice(0, 1), ...series.flatMap(({ values }) => values)];
  const places = [...new Set(points.flatMap((values) => [...values.keys()]))].sort((one, other) => one - other);
  if (places.length === 0) return;
  const columns = series.flatMap(({ name, values }) => values.map((own, at) => ({ name: at === 0 ? name : '', own })));
  const outer = levels.slice(1).toReversed();
  if (places.length * (columns.length + outer.length) > MAX_CELLS) {
    builder.addWarning(say`The values of a chart are left out: it has too many points.`);
    const text = [...levels.flatMap((level) => [...level.values()]), ...series.map(({ name }) => name)].join('\n');
    builder.sourceLedger.recordLeftOutText({ reason: 'over-limit', where: 'chart', text });
    return;
  }
  const rows = places.map((place) => {
    const labels = [...outer, levels[0]].map((level) => level?.get(place) ?? '');
    return [...labels, ...columns.map(({ own }) => own.get(place) ?? '')];
  });
  const head = [...outer.map(() => ''), categoryTitle, ...columns.map(({ name }) => name)];
  const spans = spansWithin(
    outer.flatMap((level, column) => labelSpans(level, column, places)),
    rows.length + 1,
    head.length,
  );
  builder.addDocumentBlock({ kind: 'table', rows: [head, ...rows], spans });
}

/** An outer label spans the rows up to the next one. */
function labelSpans(level: Points, column: number, places: readonly number[]): CellSpan[] {
  const begins = places.flatMap((place, row) => (level.has(place) ? [row] : []));
  return begins.map((row, at) => {
    const end = begins[at + 1] ?? places.length;
    return { row: row + 1, column, rows: end - row, columns: 1 };
  });
}

type Role = 'name' | 'levels' | 'values';

/** The child of a series that a value is in. */
const ROLES: Readonly<Record<string, Role>> = byName({
  'c:tx': 'name',
  'c:cat': 'levels',
  'c:xVal': 'levels',
  'c:val': 'values',
  'c:yVal': 'values',
  'c:bubbleSize': 'values',
});

/** Data of a chart of Office 2016 (`cx`), which its series name. */
interface NamedData {
  levels: Points[];
  values: Points[];
}

class ChartReader {
  readonly #chart: Chart = { titles: [''], categoryTitle: '', series: [], labels: [] };
  readonly #builder: DocumentBuilder;
  readonly #path: string[] = [];
  readonly #data = new Map<string, NamedData>();
  readonly #dataIds: string[] = [];
  #openData: NamedData | null = null;
  #series: Series | null = null;
  #seriesDepth = 0;
  #role: Role | null = null;
  #points: Points = new Map();
  #place = 0;
  #text = '';
  #isNumber = false;
  #format = 'General';
  #pointFormat: string | null = null;
  #isDate1904 = false;
  #isCategoryAxis = false;
  #hasCategoryAxis = false;
  /** Lines of the open title or label. */
  #lines: string[] | null = null;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  open(element: XmlElement): void {
    this.#text = '';
    const { name } = element;
    this.#path.push(name);
    if (name.startsWith('cx:')) this.#openExtended(element);
    else if (name === 'c:ser') this.#openSeries();
    else if (this.#series !== null && this.#path.length === this.#seriesDepth + 1) this.#openRole(ROLES[name] ?? null);
    else this.#openPart(element);
  }

  text(text: string): void {
    this.#text += text;
  }

  close(element: XmlElement): void {
    const { name } = element;
    this.#closeText(name);
    this.#closePoint(name);
    if (this.#series !== null && this.#path.length === this.#seriesDepth + 1) this.#role = null;
    this.#path.pop();
    if (name === 'c:ser' || name === 'cx:series') this.#series = null;
    else if (name === 'cx:data') this.#openData = null;
    this.#text = '';
  }

  finishChart(): Chart {
    for (const [at, series] of this.#chart.series.entries()) {
      const data = this.#data.get(this.#dataIds[at] ?? '');
      if (data !== undefined) Object.assign(series, data);
      if (series.name === '' && this.#chart.series.length > 1) {
        // Its name in Office.
        series.name = `Series ${at + 1}`;
        this.#builder.sourceLedger.mayHold(series.name);
      }
    }
    return this.#chart;
  }

  #openSeries(): void {
    this.#series = { name: '', levels: [], values: [] };
    this.#seriesDepth = this.#path.length;
    this.#chart.series.push(this.#series);
  }

  #openRole(role: Role | null): void {
    this.#role = role;
    this.#isNumber = false;
    if (role === 'levels' || role === 'values') this.#addPoints(this.#series?.[role]);
  }

  #addPoints(list: Points[] | undefined): void {
    this.#points = new Map();
    list?.push(this.#points);
  }

  #openPart(element: XmlElement): void {
    switch (element.name) {
      case 'c:numCache':
      case 'c:numLit':
      case 'c:strCache':
      case 'c:strLit':
      case 'c:multiLvlStrCache':
        this.#isNumber = element.name.startsWith('c:num');
        this.#format = 'General';
        break;
      case 'c:lvl':
        // The first level has its points already.
        if (this.#role === 'levels' && this.#points.size > 0) this.#addPoints(this.#series?.levels);
        break;
      case 'c:pt':
        this.#place = Number(element.attributeValue('idx') ?? 0);
        this.#pointFormat = element.attributeValue('formatCode');
        break;
      case 'c:date1904':
        this.#isDate1904 = ['1', 'true', null].includes(element.attributeValue('val'));
        break;
      case 'c:catAx':
      case 'c:dateAx':
        this.#isCategoryAxis = true;
        this.#hasCategoryAxis = true;
        break;
      case 'c:valAx':
      case 'c:serAx':
        this.#isCategoryAxis = false;
        break;
      case 'c:axPos':
        // Of two axes of values, the horizontal one has the categories.
        if (!this.#hasCategoryAxis && this.#path.includes('c:valAx'))
          this.#isCategoryAxis = ['b', 't'].includes(element.attributeValue('val') ?? '');
        break;
      case 'c:title':
      case 'c:rich':
        this.#lines ??= [''];
        break;
      case 'a:p':
        if (this.#lines !== null && this.#lines.at(-1) !== '') this.#lines.push('');
        break;
    }
  }

  #openExtended(element: XmlElement): void {
    switch (element.name) {
      case 'cx:data':
        this.#openData = { levels: [], values: [] };
        this.#data.set(element.attributeValue('id') ?? '', this.#openData);
        break;
      case 'cx:lvl':
        this.#isNumber = this.#path.includes('cx:numDim');
        this.#format = element.attributeValue('formatCode') ?? 'General';
        this.#addPoints(this.#isNumber ? this.#openData?.values : this.#openData?.levels);
        break;
      case 'cx:pt':
        this.#place = Number(element.attributeValue('idx') ?? 0);
        this.#pointFormat = null;
        break;
      case 'cx:series':
        this.#openSeries();
        break;
      case 'cx:dataId':
        this.#dataIds[this.#chart.series.length - 1] = element.attributeValue('val') ?? '';
        break;
      case 'cx:catScaling':
      case 'cx:valScaling':
        this.#isCategoryAxis = element.name === 'cx:catScaling';
        break;
      case 'cx:title':
        this.#lines ??= [''];
        break;
    }
  }

  /** Text of a title, a label or a series. */
  #closeText(name: string): void {
    const text = this.#text;
    const lines = this.#lines;
    if (name === 'a:t' || (name === 'cx:v' && lines !== null)) {
      // A field of a label repeats what the table has, and the format of a title its text.
      if (lines !== null && !this.#path.includes('a:fld') && !this.#path.includes('cx:txPr'))
        lines[lines.length - 1] += text;
    } else if (name === 'cx:v' && this.#series !== null) this.#series.name = text;
    else if (name === 'c:name' && this.#path.includes('c:trendline')) this.#chart.labels.push(text);
    else if (name === 'c:title' || name === 'cx:title' || (name === 'c:rich' && !this.#path.includes('c:title'))) {
      this.#lines = null;
      this.#putText(name, (lines ?? []).join(' ').trim());
    }
  }

  #putText(name: string, text: string): void {
    const { titles, labels } = this.#chart;
    if (text === '') return;
    if (name === 'c:rich') labels.push(text);
    else if (!this.#path.includes('c:plotArea') && !this.#path.includes('cx:plotArea')) titles[0] = text;
    else if (this.#isCategoryAxis && this.#chart.categoryTitle === '') this.#chart.categoryTitle = text;
    else titles.push(text);
  }

  #closePoint(name: string): void {
    if (name === 'c:formatCode') this.#format = this.#text;
    if (name !== 'c:v' && name !== 'cx:pt') return;
    const shown = this.#isNumber ? this.#shownNumber(this.#text) : this.#text;
    if (this.#isNumber) this.#builder.sourceLedger.mayHold(shown);
    if (name === 'cx:pt') this.#points.set(this.#place, shown);
    else if (this.#lines !== null) this.#lines[this.#lines.length - 1] += shown;
    else if (this.#series === null || this.#role === null) return;
    else if (this.#role === 'name') this.#series.name += this.#series.name === '' ? shown : ` ${shown}`;
    else this.#points.set(this.#place, shown);
  }

  #shownNumber(text: string): string {
    const value = Number(text);
    const isNumeric = text.trim() !== '' && Number.isFinite(value);
    return isNumeric ? showNumber(value, this.#pointFormat ?? this.#format, this.#isDate1904).text : text;
  }
}
