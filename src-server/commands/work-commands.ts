import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { kindOfName } from '../platform/files/kinds.ts';
import { itemAt, knownValue } from '../platform/item-at.ts';
import { omitUndefined } from '../platform/omit-undefined.ts';
import { byName } from '../platform/records.ts';
import { accountLines } from './account-line.ts';
import { SentBatches } from './batch.ts';
import { CommandError, EXIT } from './connection.ts';
import { nameFlags } from './flag-names.ts';
import {
  checkOpens,
  downloadFileStream,
  OutputFolder,
  resultText,
  stripTerminalControls,
  withLineEnd,
  writeAll,
  writeTo,
} from './print.ts';
import { type Outcome, printJson, type RunDeps, requestTask, runTasks, sayFailure, type Task } from './run-jobs.ts';
import { extractionBody, type Input, readingOperation, resolveSources, type Source } from './sources.ts';

/** `read`, `transcribe`, `crawl`, `say`, `search`, `ask`: each returns the exit code. */
export interface WorkDeps extends RunDeps {
  input: Input;
  /** JSON instead of text. */
  json: boolean;
  /** Tags of the jobs. */
  tags: readonly string[];
}

/** Value of an option that takes JSON. */
export function jsonObject(text: string): Record<string, unknown> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(parsedOrNull(text));
  if (!parsed.success) throw new InvalidArgumentError('Give a JSON object.');
  return parsed.data;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = byName({
  chunks: 'jsonl',
  pages: 'jsonl',
  addresses: 'jsonl',
  digest: 'txt',
});

interface OutputOptions {
  format: string;
  /** Folder that gets one file per source. */
  output?: string | undefined;
}

export interface ReadOptions extends OutputOptions {
  options: Record<string, unknown>;
  install: boolean;
  /** Sends all sources in one request, by operation. */
  batch: boolean;
}

/** @param operationOf the operation for each source */
async function extractCommand(
  deps: WorkDeps,
  given: readonly string[],
  how: ReadOptions,
  operationOf: (source: Source) => Promise<string>,
): Promise<number> {
  const sources = await resolveSources(given, deps.input);
  const prefer = how.install ? 'install' : undefined;
  const parts = await Promise.all(
    sources.map(async (source) => ({ source, operationId: await operationOf(source), prefer })),
  );
  if (how.batch) return extractBatches(deps, parts, how);
  const tasks = parts.map(({ source, ...request }) =>
    requestTask(deps, source.name, { ...request, body: () => extractionBody(source, how.options) }),
  );
  return runAndPrint(deps, tasks, how);
}

/** A batch for each operation. Its items are followed and printed in the order of the sources. */
async function extractBatches(
  deps: WorkDeps,
  parts: readonly { source: Source; operationId: string; prefer: string | undefined }[],
  how: ReadOptions,
): Promise<number> {
  const { connection, signal, tags } = deps;
  const batches = new SentBatches(connection);
  const starts = new Map<Source, Task['start']>();
  for (const [operationId, some] of Map.groupBy(parts, (part) => part.operationId)) {
    const sources = some.map(({ source }) => source);
    const request = { operationId, options: how.options, prefer: some[0]?.prefer, tags };
    const begun = await batches.sendBatches(sources, request, signal);
    for (const [index, start] of begun.entries()) starts.set(itemAt(sources, index), start);
  }
  const tasks = parts.map(({ source }) => ({ name: source.name, start: knownValue(starts, source) }));
  return runAndPrint(deps, tasks, how, () => batches.cancelSentBatches());
}

export function readCommand(deps: WorkDeps, given: readonly string[], how: ReadOptions): Promise<number> {
  return extractCommand(deps, given, how, readingOperation);
}

export function transcribeCommand(deps: WorkDeps, given: readonly string[], how: ReadOptions): Promise<number> {
  // A page needs the operation that finds the video on it. The other reads streams.
  return extractCommand(deps, given, how, async ({ address }) =>
    address === null || kindOfName(URL.parse(address)?.pathname ?? '') === 'playlist'
      ? 'extract/video'
      : 'extract/hosted-video',
  );
}

export interface CrawlOptions extends OutputOptions {
  request: Record<string, unknown>;
}

export function crawlCommand(deps: WorkDeps, addresses: readonly string[], how: CrawlOptions): Promise<number> {
  const tasks = addresses.map((url): Task => {
    const body = JSON.stringify({ ...how.request, url });
    return requestTask(deps, url, { operationId: 'crawl', body: async () => () => body });
  });
  return runAndPrint(deps, tasks, how);
}

async function runAndPrint(
  deps: WorkDeps,
  tasks: readonly Task[],
  how: OutputOptions,
  cancel?: () => Promise<string[]>,
): Promise<number> {
  const { connection, terminal, json } = deps;
  const folder = how.output === undefined ? null : new OutputFolder(how.output);
  folder?.makeOutputFolder();
  const hasTitles = tasks.length > 1 && folder === null;
  let failures = 0;
  const reportCrawlOutcome = async (outcome: Outcome) => {
    const { name, job, failure } = outcome;
    if (failure !== null) failures += 1;
    if (json) return printJson(deps.terminal, outcome);
    if (job === null || failure !== null) return sayFailure(deps.terminal, outcome);
    const content = await resultText(connection, job, how.format);
    const sayAccount = () => {
      for (const line of accountLines(job)) terminal.messages.write(`${stripTerminalControls(name)}: ${line}\n`);
    };
    if (folder !== null) {
      const path = await folder.writeResultFile(name, EXTENSIONS[how.format] ?? how.format, content);
      terminal.messages.write(`${stripTerminalControls(name)}: ${path}\n`);
      return sayAccount();
    }
    if (hasTitles) terminal.results.write(`==> ${stripTerminalControls(name)} <==\n`);
    await writeAll(Readable.from(withLineEnd(content)), terminal.results);
    sayAccount();
  };
  await runTasks(deps, tasks, reportCrawlOutcome, cancel);
  return failures === 0 ? EXIT.done : EXIT.failed;
}

export interface SayOptions {
  request: Record<string, unknown>;
  /** File of the sound; `-` for standard output. */
  output?: string | undefined;
}

const Sounds = z.record(z.string(), z.object({ url: z.string() }));

export async function sayCommand(deps: WorkDeps, words: readonly string[], how: SayOptions): Promise<number> {
  const { input, terminal, json, connection } = deps;
  const isAsked = words.length > 0 && !(words.length === 1 && words[0] === '-');
  if (!isAsked && words.length === 0 && !input.isPiped) throw new CommandError('Give the text.', EXIT.usage);
  const prompt = isAsked ? words.join(' ') : await input.text();
  const output = how.output ?? (terminal.results.isTTY === true || json ? 'speech.mp3' : '-');
  const format = output === '-' ? 'mp3' : extname(output).slice(1).toLowerCase();
  const extra = ['opus', 'flac', 'm4b'].includes(format);
  if (!extra && !['mp3', 'wav'].includes(format)) {
    throw new CommandError('--output: End the name with .mp3, .wav, .opus, .flac or .m4b.', EXIT.usage);
  }
  if (json && output === '-') throw new CommandError('--output: Give a file beside --json.', EXIT.usage);
  if (output !== '-') await checkOpens(output);
  const body = JSON.stringify({ ...how.request, ...omitUndefined({ formats: extra ? [format] : undefined }), prompt });
  const task = requestTask(deps, output, { operationId: 'generate/audio', body: async () => () => body });
  let code: number = EXIT.done;
  await runTasks(deps, [task], async (outcome) => {
    const { job, failure } = outcome;
    const url = Sounds.safeParse(job?.result?.audio).data?.[format]?.url;
    if (failure !== null || url === undefined) code = EXIT.failed;
    else if (output === '-') await writeAll(await downloadFileStream(connection, url), terminal.results);
    else await writeTo(output, await downloadFileStream(connection, url));
    if (json) printJson(terminal, outcome);
    else if (failure !== null) sayFailure(terminal, outcome);
    else sayMade(terminal, job, output);
  });
  return code;
}

/** Where the sound is, and what to know about it. */
function sayMade({ messages }: WorkDeps['terminal'], job: Outcome['job'], output: string): void {
  if (output !== '-') messages.write(`${output}\n`);
  const warnings = z.array(z.string()).safeParse(job?.result?.warnings).data ?? [];
  for (const warning of warnings) messages.write(`${stripTerminalControls(nameFlags(warning))}\n`);
}

const Place = z.object({
  jobId: z.string().nullable(),
  page: z.number(),
  startSeconds: z.number().optional(),
  sourceName: z.string().nullable(),
  url: z.string().nullable(),
});

const Found = z.object({
  results: z.array(Place.extend({ snippet: z.string() })),
  warnings: z.array(z.string()),
});

const Answered = z.object({
  answer: z.object({ isFound: z.boolean(), citations: z.array(Place.extend({ quote: z.string() })) }).nullable(),
  answerNeeds: z.object({ reason: z.string() }).optional(),
  warnings: z.array(z.string()),
});

export async function searchCommand(deps: WorkDeps, words: readonly string[], request: object): Promise<number> {
  const answer = await requestSearch(deps, words, request);
  if (answer === null) return EXIT.done;
  const { results, warnings } = Found.parse(answer);
  const { results: output, messages } = deps.terminal;
  for (const warning of warnings) messages.write(`${stripTerminalControls(nameFlags(warning))}\n`);
  if (results.length === 0) messages.write('Nothing was found.\n');
  for (const hit of results) output.write(`${placeOf(hit)}\n    ${stripTerminalControls(hit.snippet)}\n`);
  return EXIT.done;
}

/** Answers a question by quotations with their places. Fails where no text model can answer. */
export async function askCommand(deps: WorkDeps, words: readonly string[], request: object): Promise<number> {
  const answered = await requestSearch(deps, words, { ...request, answer: true });
  if (answered === null) return EXIT.done;
  const { answer, answerNeeds, warnings } = Answered.parse(answered);
  const { results: output, messages } = deps.terminal;
  for (const warning of warnings) messages.write(`${stripTerminalControls(nameFlags(warning))}\n`);
  if (answer === null) {
    if (answerNeeds !== undefined) messages.write(`${stripTerminalControls(answerNeeds.reason)}\n`);
    return EXIT.failed;
  }
  if (!answer.isFound) messages.write('Your library does not say.\n');
  for (const citation of answer.citations) {
    output.write(`${stripTerminalControls(citation.quote)}\n    ${placeOf(citation)}\n`);
  }
  return EXIT.done;
}

/** Null where the answer is printed as JSON. */
async function requestSearch(deps: WorkDeps, words: readonly string[], request: object): Promise<unknown> {
  const { connection, terminal, json, signal } = deps;
  const body = JSON.stringify({ ...request, query: words.join(' ') });
  const headers = { 'content-type': 'application/json' };
  const answer = await connection.json('/v1/search', { method: 'POST', headers, body, signal });
  if (!json) return answer;
  terminal.results.write(`${JSON.stringify(answer)}\n`);
  return null;
}

function placeOf({ url, sourceName, jobId, page, startSeconds }: z.output<typeof Place>): string {
  const place = startSeconds === undefined ? `page ${page}` : clockOf(startSeconds);
  const where = stripTerminalControls(url ?? sourceName ?? jobId ?? 'contribution');
  return `${where}, ${place}${jobId === null ? '' : ` (${jobId})`}`;
}

function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return [hours, minutes, rest].map((part) => String(part).padStart(2, '0')).join(':');
}
