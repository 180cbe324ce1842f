import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentBuilder } from '../document-builder.ts';
import { showNumber } from '../sheets/cell-text.ts';
import { walkXml, type XmlBudget, type XmlElement } from '../xml.ts';

/** Larger tables are no chart that a person reads. */
const MAX_CELLS = 50_000;

/** Values by their place on the axis. */
type Points = Map<number, string>;

interface Series {
  name: string;
  categories: Points;
  values: Points;
}

interface Chart {
  title: string;
  series: Series[];
}

/** Adds a chart as its title and a table: a row for each category, a column for each series. */
export function readChart(bytes: Buffer, builder: DocumentBuilder, budget: XmlBudget): void {
  const { title, series } = readSeries(bytes, builder, budget);
  builder.addDocumentBlock({ kind: 'caption', text: title });
  const places = [...new Set(series.flatMap(({ values }) => [...values.keys()]))].sort((one, other) => one - other);
  if (places.length === 0) return;
  if (places.length * series.length > MAX_CELLS) {
    builder.addWarning(say`The values of a chart are left out: it has too many points.`);
    return;
  }
  const rows = places.map((place) => {
    const category = series.find(({ categories }) => categories.has(place))?.categories.get(place) ?? '';
    return [category, ...series.map(({ values }) => values.get(place) ?? '')];
  });
  builder.addDocumentBlock({ kind: 'table', rows: [['', ...series.map(({ name }) => name)], ...rows] });
}

/** The element of a series that a value is in. */
const ROLES: Readonly<Record<string, 'name' | 'categories' | 'values'>> = {
  'c:tx': 'name',
  'c:cat': 'categories',
  'c:xVal': 'categories',
  'c:val': 'values',
  'c:yVal': 'values',
};

function readSeries(bytes: Buffer, builder: DocumentBuilder, budget: XmlBudget): Chart {
  const chart: Chart = { title: '', series: [] };
  let open: Series | null = null;
  let role: 'name' | 'categories' | 'values' | null = null;
  let place = 0;
  let text = '';
  let isNumber = false;
  let format = '';
  let isTitle = false;
  let isPlot = false;
  const readChartElement = ({ name }: XmlElement) => {
    if (name === 'a:t' && isTitle) chart.title += text;
    if (name === 'c:formatCode') format = text;
    if (name !== 'c:v' || open === null || role === null) return;
    const shown = isNumber ? shownNumber(text, format) : text;
    if (isNumber) builder.sourceLedger.mayHold(shown);
    if (role === 'name') open.name = shown;
    else open[role].set(place, shown);
  };
  walkXml(bytes, budget, {
    open(element) {
      text = '';
      if (element.name === 'c:ser') {
        open = { name: '', categories: new Map(), values: new Map() };
        chart.series.push(open);
      } else if (element.name === 'c:numCache' || element.name === 'c:strCache') {
        isNumber = element.name === 'c:numCache';
        format = 'General';
      } else if (element.name === 'c:pt') place = Number(element.attributeValue('idx') ?? 0);
      else if (element.name === 'c:plotArea') isPlot = true;
      // The plot area has the titles of its axes.
      else if (element.name === 'c:title') isTitle = !isPlot;
      else if (element.name === 'a:p' && isTitle && chart.title !== '') chart.title += ' ';
      role = ROLES[element.name] ?? role;
    },
    text(part) {
      text += part;
    },
    close(element) {
      readChartElement(element);
      if (element.name === 'c:ser') open = null;
      else if (element.name === 'c:title') isTitle = false;
      else if (element.name in ROLES) role = null;
    },
  });
  return chart;
}

function shownNumber(text: string, format: string): string {
  const value = Number(text);
  return text.trim() !== '' && Number.isFinite(value) ? showNumber(value, format, false).text : text;
}
