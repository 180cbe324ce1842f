/** Runs of characters that share a look, as office formats store text, and their signs of `inline-marks.ts`. */

import {
  closeSign,
  type InlineValues,
  RUN_STRIKE,
  sharedEmphasis,
  signsBetween,
  withoutEmphasis,
} from './inline-marks.ts';

/** Text without noncharacters, its emphasis as flags of `inline-marks.ts`, and the address that it links to. */
export interface MarkedRun {
  text: string;
  flags: number;
  url: string | null;
}

/** The text of the runs with their signs; white space has the look of the text before it. */
export function signedRuns(runs: readonly MarkedRun[], inline: InlineValues): string {
  let written = '';
  let flags = 0;
  let url: string | null = null;
  let isLink = false;
  for (const run of runs) {
    if (run.text.trim() !== '') {
      if (run.url !== url) {
        written += signsBetween(flags, 0) + (isLink ? closeSign('link') : '');
        const open = inline.openLink(run.url);
        written += open ?? '';
        isLink = open !== null;
        url = run.url;
        flags = 0;
      }
      written += signsBetween(flags, run.flags);
      flags = run.flags;
    }
    written += run.text;
  }
  return written + signsBetween(flags, 0) + (isLink ? closeSign('link') : '');
}

/**
 * The look of a whole box, cell or title, which emphasises no words in it. Struck text is not part of it, because its
 * words say the opposite without the stroke.
 */
function lookOfAll(texts: readonly string[]): number {
  return sharedEmphasis(texts) & ~RUN_STRIKE;
}

/** The texts of one box without the look of all of them. */
export function withoutLook(texts: readonly string[]): string[] {
  const look = lookOfAll(texts);
  return texts.map((text) => withoutEmphasis(text, look));
}

/** The cells of a table without the look of its first row, of its first column below it, and of all below it. */
export function withoutTableLook(rows: readonly (readonly string[])[]): string[][] {
  const [head = [], ...body] = rows;
  const ofHead = lookOfAll(head);
  const ofFirst = lookOfAll(body.map(([first = '']) => first));
  const ofBody = lookOfAll(body.flat());
  if ((ofHead | ofFirst | ofBody) === 0) return rows.map((row) => [...row]);
  return rows.map((row, at) =>
    row.map((cell, column) => withoutEmphasis(cell, at === 0 ? ofHead : column === 0 ? ofFirst : ofBody)),
  );
}
