/** The changes of a watched site as files of the job, and as much of them as its result holds. */

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { SiteChange, SiteChanges } from '../../src-server/features/crawl/schema.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { writingFiles } from './page-files.ts';
import { readJsonLinesSync } from './site-parts.ts';
import type { CompareSiteInput, SiteVersionLine } from './tasks.ts';

/** The result is posted to webhooks; changes.json has everything. */
const MAX_RESULT_CHANGES = 500;

const MAX_RESULT_DIFF_CHARS = 256 * KIB;

const FILES = ['changes.json', 'changes.md', 'changes.diff'] as const;

interface ReportInput extends CompareSiteInput, Pick<SiteChanges, 'counts' | 'notRead'> {
  versionsPath: string;
  diffsPath: string;
}

/** Writes changes.json, changes.md and changes.diff. Returns the list of the result. */
export function writeChangeReports(input: ReportInput): Pick<SiteChanges, 'pages' | 'notInResult'> {
  const { comparedWith, counts, notRead } = input;
  const pages: SiteChange[] = [];
  let diffChars = 0;
  let total = 0;
  writingFiles(
    FILES.map((name) => join(input.outputFolder, name)),
    (all, readable, patch) => {
      const head = JSON.stringify({ comparedWith, counts, notRead });
      all?.writeText(`${head.slice(0, -1)},"pages":[`);
      readable?.writeText(`${changeReportOpening(input)}\n`);
      for (const change of readSiteChanges(input)) {
        all?.writeText(`${total === 0 ? '' : ','}\n${JSON.stringify(change)}`);
        readable?.writeText(`\n${describeSiteChange(change)}\n`);
        if (change.diff !== null) patch?.writeText(`--- ${change.url}\n+++ ${change.url}\n${change.diff}\n`);
        total += 1;
        if (pages.length >= MAX_RESULT_CHANGES) continue;
        diffChars += change.diff?.length ?? 0;
        pages.push(diffChars <= MAX_RESULT_DIFF_CHARS ? change : { ...change, diff: null, diffTruncated: true });
      }
      all?.writeText('\n]}\n');
    },
  );
  return { pages, notInResult: total - pages.length };
}

function* readSiteChanges({ versionsPath, diffsPath }: ReportInput): Generator<SiteChange> {
  const diffs = openSync(diffsPath, 'r');
  try {
    for (const { change, diffAt, diffBytes, ...version } of readJsonLinesSync<SiteVersionLine>(versionsPath)) {
      if (change === 'first') continue;
      const bytes = Buffer.alloc(diffBytes);
      readSync(diffs, bytes, 0, diffBytes, diffAt);
      yield { ...version, change, diff: diffBytes === 0 ? null : bytes.toString() };
    }
  } finally {
    closeSync(diffs);
  }
}

function changeReportOpening({ rootUrl, comparedWith, counts }: ReportInput): string {
  const title = `# Changes of ${rootUrl}`;
  if (comparedWith === null) return `${title}\n\nFirst crawl: its pages are what the next crawl is compared with.`;
  const { added, changed, removed, gone, moved, unchanged, notRead } = counts;
  return `${title}

Since ${comparedWith.crawledAt}: ${added} added, ${changed} changed, ${removed} removed, ${gone} gone, ${moved} moved,
${unchanged} unchanged, ${notRead} not read this time.`;
}

const NAMES = {
  added: 'Added',
  changed: 'Changed',
  removed: 'No longer linked',
  gone: 'Gone',
  moved: 'Moved',
} as const;

function describeSiteChange({ url, title, change, movedTo, changedShare, diff, diffTruncated }: SiteChange): string {
  const share = changedShare === null ? '' : `, ${Math.round(changedShare * 1000) / 10} %`;
  const to = movedTo === null ? '' : ` to <${movedTo}>`;
  const name = title === null ? '' : `\n\n${title.replace(/[\\`*_<>[\]]/g, '\\$&')}`;
  const cut = diffTruncated ? '\n\nThe diff is incomplete.' : '';
  return `## ${NAMES[change]}${share}: <${url}>${to}${name}${diff === null ? '' : `\n\n${fenceDiffText(diff)}`}${cut}`;
}

/** With a fence that the text does not contain. */
function fenceDiffText(text: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${text}\n${fence}`;
}
