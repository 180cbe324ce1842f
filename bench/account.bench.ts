/**
 * `npm run bench -- account <folder>…`: posts every file of a folder to a server of its own, as documents or recordings,
 * and prints what the account of each says: letters, cells or seconds that are delivered, left out or without
 * explanation, outputs that disagree, and warnings. Playlists (.m3u8, .mpd) are served from their folder. Speech is
 * recognised by the small model of the tests, which knows few words: seconds count, not words. Fails if something is
 * unexplained without a warning.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sniffFile } from '../src-server/platform/files/sniff.ts';
import type { SourceAccount } from '../src-server/platform/source-account.ts';
import { type ApplianceProcess, startApplianceProcess } from '../test/harness/appliance-process.ts';
import { fileForm, finished } from '../test/harness/jobs.ts';
import { serveFolder } from '../test/harness/local-site.ts';
import { installSpeechModel, ONNX_MODEL } from '../test/harness/speech.ts';
import { postJson } from '../test/harness/text-models.ts';
import { PARSERS } from '../workers/documents/extract-document.ts';
import { expectTarget, printTable } from './figures.ts';

interface Result {
  account?: SourceAccount;
  warnings: string[];
}

const PLAYLIST = /\.(?:m3u8|mpd)$/i;

const UNITS = ['letters', 'cells', 'seconds'] as const;

/** Of a unit, what may stay unexplained without a warning. */
const SILENT_MAX = { share: 0.01, count: 20 };

/** The operation for a file; null for kinds that none reads. */
async function operationFor(path: string): Promise<string | null> {
  const { kind } = await sniffFile(path, basename(path));
  if (kind === 'pdf') return 'extract/pdf';
  if (kind === 'playlist' || PLAYLIST.test(path)) return 'extract/video';
  if (PARSERS[kind] !== undefined) return 'extract/doc';
  return kind === 'audio' || kind === 'video' ? 'extract/video' : null;
}

function* filesIn(path: string): Generator<string> {
  if (!statSync(path).isDirectory()) yield path;
  else for (const name of readdirSync(path).sort()) yield* filesIn(join(path, name));
}

async function read(server: ApplianceProcess, path: string, operation: string): Promise<Result | string> {
  await using site = PLAYLIST.test(path) ? await serveFolder(dirname(path)) : null;
  const call =
    site === null
      ? { method: 'POST', body: fileForm(readFileSync(path), basename(path)) }
      : postJson({ sourceUrl: `${site.url}/${encodeURIComponent(basename(path))}` });
  const answer = await server.owner(`/v1/${operation}`, call);
  const accepted = (await answer.json()) as { jobId?: string; detail?: string };
  if (accepted.jobId === undefined) return accepted.detail ?? `Status ${answer.status}`;
  const job = await finished(server.owner, accepted.jobId);
  return job.status === 'completed' ? (job.result as unknown as Result) : (job.error?.message ?? 'failed');
}

function rowOf(path: string, result: Result | string): Record<string, string | number> {
  const file = basename(path);
  if (typeof result === 'string')
    return { file, source: '', delivered: '', 'left out': '', unexplained: '', outputs: '', says: result };
  const { account, warnings } = result;
  const left = sum((account?.leftOut ?? []).map(({ count }) => count));
  return {
    file,
    source: account === undefined ? 'no account' : `${rounded(account.source)} ${account.unit}`,
    delivered: rounded(account?.delivered ?? 0),
    'left out': left,
    unexplained: rounded(account?.unexplained ?? 0),
    outputs: warnings.filter((sentence) => / lacks \d+ letters? that other files /.test(sentence)).length,
    says: warnings.join(' ').slice(0, 120),
  };
}

/** Whether a gap is larger than what needs no warning, and has none. */
function isSilent({ account, warnings }: Result): boolean {
  if (account === undefined) return true;
  const { source, unexplained } = account;
  const isLarge = unexplained > SILENT_MAX.count && unexplained > source * SILENT_MAX.share;
  return isLarge && warnings.length === 0;
}

const folders = process.argv.slice(2);
const server = await startApplianceProcess();
await installSpeechModel(server, ONNX_MODEL);
try {
  const rows: Record<string, string | number>[] = [];
  const results: Result[] = [];
  for (const path of folders.flatMap((folder) => [...filesIn(folder)])) {
    const operation = await operationFor(path).catch(() => null);
    if (operation === null) continue;
    const result = await read(server, path, operation);
    if (typeof result !== 'string') results.push(result);
    rows.push(rowOf(path, result));
  }
  printTable(rows);
  for (const unit of UNITS) {
    const own = results.flatMap(({ account }) => (account?.unit === unit ? [account] : []));
    const [source, unexplained] = [sum(own.map((one) => one.source)), sum(own.map((one) => one.unexplained))];
    process.stdout.write(`${own.length} files with ${source} ${unit}, ${unexplained} unexplained\n`);
  }
  expectTarget('Nothing unexplained without a warning', !results.some(isSilent));
} finally {
  await server[Symbol.asyncDispose]();
}

function sum(values: readonly number[]): number {
  return rounded(values.reduce((all, value) => all + value, 0));
}

/** To tenths, for seconds. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
