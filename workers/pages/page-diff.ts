/** Compares two versions of a page's Markdown, in time that is bounded for any two texts. */

import { structuredPatch } from 'diff';
import { KIB } from '../../src-server/platform/units.ts';

/** Lines that the search for the shortest diff may add and remove. Its time grows with the square. */
const MAX_EDITS = 1500;

const CONTEXT_LINES = 3;

const MAX_DIFF_CHARS = 64 * KIB;

const MAX_LINE_CHARS = 1000;

/** Lines shown of each side where two versions have too little in common. */
const REPLACED_LINES = 200;

/** The line without what changes by itself. Quantifiers are bounded: texts are hostile. */
const NOISE: readonly RegExp[] = [
  // Times with seconds, which events for people do not have.
  /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d)?/g,
  /\b\d{1,2}:\d\d:\d\d\b/g,
  /\b(?:a|an|\d{1,4}) (?:second|minute|hour|day|week|month|year)s? ago\b/gi,
  /\b\d{1,3}[\d.,' ]{0,14} (?:views?|visits?|visitors?|hits?|reads?|likes?|shares?|downloads?|followers?|online)\b/gi,
  /\b(?:views|visits|visitors|hits|reads|likes|shares|downloads|followers|online):? {0,2}\d{1,3}[\d.,']{0,14}/gi,
  /(?:©|\(c\)|\bcopyright) {0,2}\d{4}(?: ?[-–] ?\d{4})?/gi,
];

/** A line of its own that states when the page was made. */
const STAMP = /^[\W_]{0,8}(?:(?:page )?(?:last )?(?:updated|modified|changed|generated|rendered|edited))\b.{0,100}$/i;

export interface PageComparison {
  /** Lines in only one version, not counting lines that moved. */
  addedLines: number;
  removedLines: number;
  /** Characters of those lines, of all characters of both versions: 0 to 1. */
  changedShare: number;
}

/** Unified hunks without a header. */
export interface PageDiff {
  text: string;
  /** Lines are missing at its end, or were cut. */
  truncated: boolean;
}

/** Both versions with numbers for lines: equal ones have the same number. */
interface NumberedLines {
  before: { lines: string[]; ids: number[] };
  after: { lines: string[]; ids: number[] };
}

export class PageVersions {
  readonly #numbered: NumberedLines;
  /** By number. */
  readonly #plain: string[] = [];

  constructor(before: string, after: string) {
    const numbers = new Map<string, number>();
    const diffLineNumber = (line: string) => {
      const plain = plainLine(line);
      const known = numbers.get(plain);
      if (known !== undefined) return known;
      numbers.set(plain, this.#plain.length);
      return this.#plain.push(plain) - 1;
    };
    const numberDiffLines = (text: string) => {
      const lines = text.split('\n');
      return { lines, ids: lines.map(diffLineNumber) };
    };
    this.#numbered = { before: numberDiffLines(before), after: numberDiffLines(after) };
  }

  /** Null when the versions have the same lines, in any order. */
  comparePageVersions(): PageComparison | null {
    const { before, after } = this.#numbered;
    const surplus = new Int32Array(this.#plain.length);
    for (const id of after.ids) surplus[id] = (surplus[id] ?? 0) + 1;
    for (const id of before.ids) surplus[id] = (surplus[id] ?? 0) - 1;
    const found = { addedLines: 0, removedLines: 0 };
    let chars = 0;
    this.#plain.forEach((line, id) => {
      const times = line === '' ? 0 : (surplus[id] ?? 0);
      if (times > 0) found.addedLines += times;
      else found.removedLines -= times;
      chars += Math.abs(times) * line.length;
    });
    if (found.addedLines + found.removedLines === 0) return null;
    const all = [...before.ids, ...after.ids].reduce((sum, id) => sum + (this.#plain[id]?.length ?? 0), 0);
    return { ...found, changedShare: Math.round((chars / all) * 10_000) / 10_000 };
  }

  diffPageVersions(): PageDiff {
    const { before, after } = this.#numbered;
    const idLines = ({ ids }: { ids: readonly number[] }) => `${ids.join('\n')}\n`;
    const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDITS };
    // Undefined above the limit, which the types leave out.
    const patch = structuredPatch('', '', idLines(before), idLines(after), '', '', options) as
      | { hunks: Hunk[] }
      | undefined;
    return patch === undefined ? this.#singleReplacementDiff() : this.#writeDiffHunks(patch.hunks);
  }

  #writeDiffHunks(hunks: readonly Hunk[]): PageDiff {
    const { before, after } = this.#numbered;
    const text = new DiffText();
    for (const hunk of hunks) {
      text.addDiffLine(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
      let old = hunk.oldStart - 1;
      let now = hunk.newStart - 1;
      for (const { 0: sign = ' ' } of hunk.lines) {
        text.addDiffLine(sign + ((sign === '-' ? before.lines[old] : after.lines[now]) ?? ''));
        if (sign !== '+') old += 1;
        if (sign !== '-') now += 1;
      }
    }
    return text.endDiffText(false);
  }

  /** One hunk for all between the equal beginning and end. */
  #singleReplacementDiff(): PageDiff {
    const { before, after } = this.#numbered;
    const shorter = Math.min(before.ids.length, after.ids.length);
    let start = 0;
    while (start < shorter && before.ids[start] === after.ids[start]) start += 1;
    let end = 0;
    while (end < shorter - start && before.ids.at(-1 - end) === after.ids.at(-1 - end)) end += 1;
    const old = before.lines.slice(start, before.lines.length - end);
    const now = after.lines.slice(start, after.lines.length - end);
    const text = new DiffText();
    text.addDiffLine(`@@ -${start + 1},${old.length} +${start + 1},${now.length} @@`);
    for (const line of old.slice(0, REPLACED_LINES)) text.addDiffLine(`-${line}`);
    for (const line of now.slice(0, REPLACED_LINES)) text.addDiffLine(`+${line}`);
    return text.endDiffText(Math.max(old.length, now.length) > REPLACED_LINES);
  }
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

class DiffText {
  readonly #lines: string[] = [];
  #chars = 0;
  #truncated = false;
  /** A line was shortened. */
  #cut = false;

  addDiffLine(line: string): void {
    const shown = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
    if (this.#chars + shown.length > MAX_DIFF_CHARS) this.#truncated = true;
    if (this.#truncated) return;
    this.#chars += shown.length + 1;
    this.#lines.push(shown);
    if (shown !== line) this.#cut = true;
  }

  endDiffText(isCut: boolean): PageDiff {
    return { text: this.#lines.join('\n'), truncated: this.#truncated || this.#cut || isCut };
  }
}

function plainLine(line: string): string {
  const plain = line.replace(/\s+/g, ' ').trim();
  if (STAMP.test(plain)) return '';
  return NOISE.reduce((text, noise) => text.replace(noise, ''), plain).trim();
}
