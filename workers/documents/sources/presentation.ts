import { posix } from 'node:path';
import type { SourceLedger } from '../source-ledger.ts';
import { countChart, countDiagram } from './drawings.ts';
import { decodePart, type OfficeSource, relationsOf } from './office.ts';
import { attributeOf, scanXml } from './scan-xml.ts';

/** Placeholders with text about the slide, which the result leaves out. */
const FURNITURE = new Set(['dt', 'ftr', 'sldNum', 'hdr']);

/** Counts a .pptx from the text runs of its slides, notes and drawings. */
export function countPresentation({ source, main, ledger, includeComments }: OfficeSource): void {
  const parts = new Map(relationsOf(source, main).map((one) => [one.id, one]));
  const layouts = new Set<string>();
  let number = 0;
  for (const [, id = ''] of decodePart(source.read(main)).matchAll(/<(?:\w+:)?sldId\s[^>]*?\br:id="([^"]*)"/g)) {
    number += 1;
    const part = parts.get(id)?.target;
    if (part === undefined) continue;
    const where = `slide ${number}`;
    // The headings of the result.
    ledger.mayHold(`Slide ${number}\nNotes`);
    const addSlideTexts = (texts: SlideTexts, isNotes: boolean) => {
      ledger.addOwedText(where, (isNotes ? [...texts.body, ...texts.free] : texts.shown).join(''));
      ledger.mayHold(texts.optional.join('\n'));
      const furniture = (isNotes ? [...texts.other, ...texts.furniture] : texts.furniture).join('');
      ledger.addOwedText(where, furniture);
      ledger.recordLeftOutText({ reason: 'repeated-header-or-footer', where, text: furniture });
      const hidden = texts.hidden.join('');
      ledger.addOwedText(where, hidden);
      ledger.recordLeftOutText({ reason: 'hidden', where, text: hidden });
    };
    addSlideTexts(readTexts(decodePart(source.read(part))), false);
    for (const { type, target } of relationsOf(source, part)) {
      const readPartXml = () => decodePart(source.read(target));
      if (type === 'slideLayout') layouts.add(target);
      else if (type === 'notesSlide') addSlideTexts(readTexts(readPartXml()), true);
      else if (type === 'diagramData') countDiagram(readPartXml(), where, ledger);
      else if (type === 'chart' || type === 'chartEx') countChart(readPartXml(), where, ledger);
      else if (type === 'comments' && includeComments)
        ledger.addOwedText(where, namedElementRuns(readPartXml(), new Set(['text', 't'])));
    }
  }
  countFixedTexts(layouts, source, ledger);
}

/** Texts of layouts and their masters, which each of their slides shows. */
function countFixedTexts(layouts: ReadonlySet<string>, source: OfficeSource['source'], ledger: SourceLedger): void {
  const shown = new Set(layouts);
  for (const layout of layouts) {
    for (const { type, target } of relationsOf(source, layout)) if (type === 'slideMaster') shown.add(target);
  }
  for (const part of shown) {
    const text = readTexts(decodePart(source.read(part))).free.join('');
    const where = posix.basename(part, '.xml');
    ledger.addOwedText(where, text);
    ledger.recordLeftOutText({ reason: 'repeated-header-or-footer', where, text });
  }
}

interface SlideTexts {
  shown: string[];
  /** Of placeholders for text, and outside placeholders: what a notes page says itself. */
  body: string[];
  free: string[];
  other: string[];
  furniture: string[];
  /** In cells that a merged cell covers. */
  hidden: string[];
  optional: string[];
}

function readTexts(xml: string): SlideTexts {
  const texts: SlideTexts = { shown: [], body: [], free: [], other: [], furniture: [], hidden: [], optional: [] };
  let isText = 0;
  let skipped = 0;
  let placeholder: string | null = null;
  let isCovered = false;
  const putSlideText = (text: string) => {
    if (skipped > 0) texts.optional.push(text);
    else if (isCovered) texts.hidden.push(text);
    else if (placeholder !== null && FURNITURE.has(placeholder)) texts.furniture.push(text);
    else {
      texts.shown.push(text);
      (placeholder === 'body' ? texts.body : placeholder === null ? texts.free : texts.other).push(text);
    }
  };
  scanXml(xml, {
    open(name, tag) {
      if (name === 't') isText += 1;
      else if (name === 'Fallback') skipped += 1;
      else if (name === 'sp' || name === 'graphicFrame') placeholder = null;
      else if (name === 'ph') placeholder = attributeOf(tag, 'type') ?? 'obj';
      else if (name === 'tc') isCovered = /\s[hv]Merge\s*=\s*["'](?:1|true)/.test(tag);
      else if (name === 'cNvPr') texts.optional.push(attributeOf(tag, 'descr') ?? '', attributeOf(tag, 'title') ?? '');
    },
    close(name) {
      if (name === 't') isText -= 1;
      else if (name === 'Fallback') skipped -= 1;
      else if (name === 'sp') placeholder = null;
      else if (name === 'tc') isCovered = false;
      if (name === 'p' || name === 'br') putSlideText('\n');
    },
    text(text) {
      if (isText > 0) putSlideText(text);
    },
  });
  return texts;
}

/** Text inside elements of these names, in lines. */
function namedElementRuns(xml: string, names: ReadonlySet<string>): string {
  const lines: string[] = [];
  let open = 0;
  scanXml(xml, {
    open(name) {
      if (names.has(name)) open += 1;
    },
    close(name) {
      if (names.has(name)) open -= 1;
      if (name === 'p' || name === 'pt' || name === 'text') lines.push('\n');
    },
    text(text) {
      if (open > 0) lines.push(text);
    },
  });
  return lines.join('');
}
