/**
 * Which ffmpeg works here. It is asked for its version once, so that a file which is there and does not run is passed
 * over rather than failing the first job.
 */
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { QuarryError } from '../../contract/index.ts';
import { askTool } from '../../platform/process/run-tool.ts';
import { SECOND_MS } from '../../platform/units.ts';

const PROBE_LIMIT_MS = 20 * SECOND_MS;
/** Older ones lack options that untrusted files are read with. */
const VERSION_MIN: readonly [number, number] = [4, 3];
const ADVICE =
  'Install ffmpeg 4.3 or newer (apt install ffmpeg, brew install ffmpeg), fetch it with npm run ffmpeg, or set ' +
  'QUARRY_FFMPEG.';

export interface Ffmpeg {
  path: string;
  version: string;
  from: 'setting' | 'data-folder' | 'ffmpeg-static' | 'path';
}

export interface FfmpegLocator {
  /** Errors: `engine_unavailable`, which says how to install it. */
  locate(): Promise<Ffmpeg>;
}

/** `setting` (QUARRY_FFMPEG) goes before a copy in the data folder, the bundled one, and the one on PATH. */
export function createFfmpegLocator(parts: { setting: string | undefined; dataDir: string }): FfmpegLocator {
  let found: Promise<Ffmpeg> | null = null;
  return {
    locate() {
      found ??= firstThatWorks(candidates(parts));
      // What was not there may be installed by the time of the next job.
      found.catch(() => {
        found = null;
      });
      return found;
    },
  };
}

type Candidate = Pick<Ffmpeg, 'path' | 'from'>;

function candidates({ setting, dataDir }: { setting: string | undefined; dataDir: string }): Candidate[] {
  // A setting that does not work must be seen, not silently replaced by another program.
  if (setting !== undefined && setting !== '') return [{ path: setting, from: 'setting' }];
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const bundled = bundledPath();
  return [
    { path: join(dataDir, 'tools', name), from: 'data-folder' },
    ...(bundled === null ? [] : [{ path: bundled, from: 'ffmpeg-static' } as const]),
    { path: name, from: 'path' },
  ];
}

/**
 * The package names a path whether or not its binary was fetched. In the packaged app a program runs only from the
 * unpacked folder beside the archive; this process may already run from there.
 */
function bundledPath(): string | null {
  try {
    const path = createRequire(import.meta.url)('ffmpeg-static') as unknown;
    return typeof path === 'string' ? path.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`) : null;
  } catch {
    // An optional dependency: where it is missing, the next candidate is tried.
    return null;
  }
}

async function firstThatWorks(all: readonly Candidate[]): Promise<Ffmpeg> {
  const reasons: string[] = [];
  for (const candidate of all) {
    try {
      const said = await askTool(candidate.path, ['-hide_banner', '-version'], PROBE_LIMIT_MS);
      const version = /^ffmpeg version (\S+)/m.exec(said)?.[1];
      if (version !== undefined && isRecent(version)) return { ...candidate, version };
      reasons.push(`${candidate.from}: ${version ?? 'no version'}`);
    } catch (error) {
      reasons.push(`${candidate.from}: ${(error as Error).message}`);
    }
  }
  throw new QuarryError('engine_unavailable', `ffmpeg is not on this machine. ${ADVICE}`, {
    cause: reasons.join('\n'),
  });
}

/** Builds from git carry no number; they are newer than any release asked for. */
function isRecent(version: string): boolean {
  const match = /^n?(\d+)\.(\d+)/.exec(version);
  if (match === null) return true;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);
}
