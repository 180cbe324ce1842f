/** Where whisper.cpp's own program is, which listens with models in ggml format. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { QuarryError } from '../../contract/index.ts';
import { SECOND_MS } from '../../lib/units.ts';

const run = promisify(execFile);
const PROBE_LIMIT_MS = 20 * SECOND_MS;
const PROBE_OUTPUT_BYTES = 1_000_000;

export interface WhisperCli {
  path: string;
  from: 'setting' | 'data-folder' | 'path';
}

export interface WhisperCliLocator {
  /** Errors: `engine_unavailable`, which says how to install it. */
  locate(): Promise<WhisperCli>;
  isThere(): Promise<boolean>;
}

/** `setting` (QUARRY_WHISPER_CLI) goes before a copy in the data folder and the one on PATH. */
export function createWhisperCliLocator(parts: { setting: string | undefined; dataDir: string }): WhisperCliLocator {
  let found: Promise<WhisperCli> | null = null;
  const locate = () => {
    found ??= firstThatWorks(candidates(parts));
    found.catch(() => {
      found = null;
    });
    return found;
  };
  return {
    locate,
    isThere: () =>
      locate().then(
        () => true,
        () => false,
      ),
  };
}

function candidates({ setting, dataDir }: { setting: string | undefined; dataDir: string }): WhisperCli[] {
  if (setting !== undefined && setting !== '') return [{ path: setting, from: 'setting' }];
  const name = process.platform === 'win32' ? 'whisper-cli.exe' : 'whisper-cli';
  return [
    { path: join(dataDir, 'tools', name), from: 'data-folder' },
    { path: name, from: 'path' },
  ];
}

async function firstThatWorks(all: readonly WhisperCli[]): Promise<WhisperCli> {
  const reasons: string[] = [];
  for (const candidate of all) {
    try {
      const options = { timeout: PROBE_LIMIT_MS, maxBuffer: PROBE_OUTPUT_BYTES };
      const { stdout, stderr } = await run(candidate.path, ['--help'], options);
      if (/--model/.test(stdout + stderr)) return candidate;
      reasons.push(`${candidate.from}: no help`);
    } catch (error) {
      reasons.push(`${candidate.from}: ${(error as Error).message}`);
    }
  }
  const message =
    'Models in ggml format need whisper-cli. Run npm run whisper-cli once, install whisper.cpp ' +
    '(brew install whisper-cpp), or set QUARRY_WHISPER_CLI.';
  throw new QuarryError('engine_unavailable', message, { cause: reasons.join('\n') });
}
