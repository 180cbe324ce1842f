/** Counts the texts of charts and diagrams of Office files. */

import type { SourceLedger } from '../source-ledger.ts';
import { scanXml } from './scan-xml.ts';

/** Element of a chart whose text is known by its own name. */
const OWN_TEXT = new Set(['t', 'v', 'pt', 'name']);

/** What a text of a chart is. */
type ChartText = 'owed' | 'category' | 'optional' | 'unread' | null;

/**
 * Counts a chart: the categories that several series share once, as the table of the result has them. Numbers are shown
 * by their formats, so the result may hold other digits.
 */
export function countChart(xml: string, where: string, ledger: SourceLedger): void {
  const path: string[] = [];
  const seen = new Set<string>();
  const unread: string[] = [];
  let categories: string[] = [];
  const owe = (text: string) => ledger.addOwedText(where, text);
  const endCategories = () => {
    const key = categories.join('\n');
    if (!seen.has(key)) owe(key);
    seen.add(key);
    categories = [];
  };
  scanXml(xml, {
    open: (name) => void path.push(name),
    close(name) {
      path.pop();
      if ((name === 'ser' || name === 'data') && categories.length > 0) endCategories();
    },
    text(text) {
      const kind = chartText(path);
      if (kind === 'owed') owe(text);
      else if (kind === 'category') categories.push(text);
      else if (kind === 'optional') ledger.mayHold(text);
      else if (kind === 'unread') unread.push(text);
    },
  });
  const left = unread.join('\n');
  owe(left);
  ledger.recordLeftOutText({ reason: 'unsupported-part', where, text: left });
}

/** Sorts a text by the names around it. */
function chartText(path: readonly string[]): ChartText {
  const name = path.at(-1) ?? '';
  const isIn = (...names: string[]) => names.some((one) => path.includes(one));
  if (!OWN_TEXT.has(name) || isIn('fld')) return isIn('fld') ? 'optional' : null;
  if (name === 'name') return isIn('trendline') ? 'owed' : null;
  // Series that a filter hides, and labels from cells.
  if (isIn('ext')) return isIn('strCache', 'dlblRangeCache', 'rich') ? 'unread' : 'optional';
  if (name === 'pt') return isIn('strDim') ? 'category' : isIn('numDim') ? 'optional' : null;
  if (name === 't') return isIn('title', 'rich') && !isIn('txPr') ? 'owed' : null;
  if (!isIn('ser', 'series', 'title') || isIn('dLbls', 'numCache', 'numLit')) return 'optional';
  return isIn('cat', 'xVal') ? 'category' : 'owed';
}

/** Counts a SmartArt diagram. */
export function countDiagram(xml: string, where: string, ledger: SourceLedger): void {
  const lines: string[] = [];
  let isText = false;
  scanXml(xml, {
    open(name) {
      isText = name === 't';
    },
    close(name) {
      isText = false;
      if (name === 'p' || name === 'pt' || name === 'br') lines.push('\n');
    },
    text(text) {
      if (isText) lines.push(text);
    },
  });
  ledger.addOwedText(where, lines.join(''));
}
