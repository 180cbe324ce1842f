/** Where whisper.cpp's own program is, which listens with models in ggml format. */
import { join } from 'node:path';
import { QuarryError } from '../../contract/index.ts';
import { askTool } from '../../platform/process/run-tool.ts';
import { SharedWork } from '../../platform/shared-work.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { type BuildProgress, buildWhisperCli, canBuildWhisperCli } from './build-whisper-cli.ts';

const PROBE_LIMIT_MS = 20 * SECOND_MS;

export interface WhisperCli {
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
