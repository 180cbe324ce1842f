import type { RecognizedLine, RecognizedWord } from '../../tasks.ts';
import type { Reading } from './orientation.ts';

/** Columns of its TSV: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
const COLUMNS = 12;
const WORD_LEVEL = '5';

/** Tesseract's table of words to lines. Words without text (drawings that looked like words) are left out. */
export function parseTsv(tsv: string): Reading {
  const lines: RecognizedLine[] = [];
  let openKey = '';
  for (const row of tsv.split('\n')) {
    const fields = row.split('\t');
    if (fields.length < COLUMNS || fields[0] !== WORD_LEVEL) continue;
    const [, , block, paragraph, line, , left, top, width, height, confidence] = fields.map(Number) as number[];
    const text = fields
      .slice(COLUMNS - 1)
      .join(' ')
      .normalize('NFC')
      .trim();
    if (text === '') continue;
    const box = boxOf(left, top, width, height);
    const word: RecognizedWord = { text, confidence: confidence ?? 0, box };
    const key = `${block}|${paragraph}|${line}`;
    const open = lines.at(-1);
    if (open !== undefined && key === openKey) open.words.push(word);
    else lines.push({ ...word, block: block ?? 0, paragraph: paragraph ?? 0, words: [word] });
    openKey = key;
  }
  for (const line of lines) finishLine(line);
  const words = lines.flatMap((line) => line.words);
  return { text: textOf(lines), confidence: words.length === 0 ? null : mean(words), lines };
}

function boxOf(left = 0, top = 0, width = 0, height = 0): RecognizedWord['box'] {
  return [left, top, left + width, top + height];
}

function finishLine(line: RecognizedLine): void {
  line.text = line.words.map((word) => word.text).join(' ');
  line.confidence = mean(line.words);
  for (const { box } of line.words) {
    line.box = [
      Math.min(line.box[0], box[0]),
      Math.min(line.box[1], box[1]),
      Math.max(line.box[2], box[2]),
      Math.max(line.box[3], box[3]),
    ];
  }
}

function mean(words: readonly RecognizedWord[]): number {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  return Math.round((sum / words.length) * 10) / 10;
}

function textOf(lines: readonly RecognizedLine[]): string {
  let text = '';
  let before: RecognizedLine | null = null;
  for (const line of lines) {
    if (before !== null) text += before.block === line.block && before.paragraph === line.paragraph ? '\n' : '\n\n';
    text += line.text;
    before = line;
  }
  return text;
}
