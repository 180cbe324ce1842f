/**
 * Locates a working ffmpeg. Each candidate is run once for its version, so a broken binary is skipped before it fails a
 * job.
 */

import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { messageOf, QuarryError } from '../../platform/errors.ts';
import { askTool } from '../../platform/process/run-tool.ts';
import { say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';

const PROBE_LIMIT_MS = 20 * SECOND_MS;

/** Older versions are not tested with yt-dlp. */
const VERSION_MIN: readonly [number, number] = [4, 3];

const ADVICE = say`Most videos do not need it. If one does, fetch it with npm run ffmpeg or on the Models page,
  install ffmpeg 4.3
    or newer, or set QUARRY_FFMPEG.`;

export interface Ffmpeg {
  path: string;
  version: string;
  from: 'setting' | 'data-folder' | 'ffmpeg-static' | 'path';
}

export interface FfmpegLocator {
  /** Errors: `engine_unavailable`, with install instructions. */
  locate(): Promise<Ffmpeg>;
  /** Null when there is none. Errors: `engine_unavailable` when the setting names a program that does not work. */
  find(): Promise<Ffmpeg | null>;
  /** Looks again at the next call. */
  forget(): void;
}

/** Order: `setting` (QUARRY_FFMPEG), the data folder, the bundled binary, PATH. */
export function createFfmpegLocator(parts: { setting: string | undefined; dataDir: string }): FfmpegLocator {
  let found: Promise<Ffmpeg> | null = null;
  const locateFfmpeg = () => {
    found ??= firstWorkingFfmpeg(ffmpegCandidates(parts));
    // Do not cache a failure: the program may be installed before the next job.
    found.catch(() => {
      found = null;
    });
    return found;
  };
  return {
    locate: locateFfmpeg,
    find: () =>
      locateFfmpeg().catch((error: unknown) => {
        if (isSet(parts.setting)) throw error;
        return null;
      }),
    forget: () => {
      found = null;
    },
  };
}

type Candidate = Pick<Ffmpeg, 'path' | 'from'>;

function isSet(setting: string | undefined): setting is string {
  return setting !== undefined && setting !== '';
}

function ffmpegCandidates({ setting, dataDir }: { setting: string | undefined; dataDir: string }): Candidate[] {
  // A broken setting is reported. It is not silently replaced by another program.
  if (isSet(setting)) return [{ path: setting, from: 'setting' }];
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const bundled = bundledPath();
  return [
    { path: join(dataDir, 'tools', name), from: 'data-folder' },
    ...(bundled === null ? [] : [{ path: bundled, from: 'ffmpeg-static' } as const]),
    { path: name, from: 'path' },
  ];
}

/**
 * The package names a path even when its binary was not downloaded. In the packaged app, programs run only from the
 * unpacked folder beside the archive. This process may already run from there.
 */
function bundledPath(): string | null {
  try {
    const path = createRequire(import.meta.url)('ffmpeg-static') as unknown;
    return typeof path === 'string' ? path.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`) : null;
  } catch {
    // An optional dependency. When it is missing, the next candidate is tried.
    return null;
  }
}

async function firstWorkingFfmpeg(all: readonly Candidate[]): Promise<Ffmpeg> {
  const reasons: string[] = [];
  for (const candidate of all) {
    try {
      return { ...candidate, version: await tryOutFfmpeg(candidate.path) };
    } catch (error) {
      reasons.push(`${candidate.from}: ${messageOf(error)}`);
    }
  }
  throw new QuarryError('engine_unavailable', say`ffmpeg is not on this machine. ${ADVICE}`, {
    cause: reasons.join('\n'),
    missing: { need: 'ffmpeg', language: null },
  });
}

/** Runs a program for its version. Errors: any, when it does not run or is too old. */
export async function tryOutFfmpeg(path: string): Promise<string> {
  const said = await askTool(path, ['-hide_banner', '-version'], PROBE_LIMIT_MS);
  const version = /^ffmpeg version (\S+)/m.exec(said)?.[1];
  if (version !== undefined && isRecent(version)) return version;
  throw new Error(`Its version is ${version ?? 'unknown'}.`);
}

/** Git builds carry no version number and count as newer than any required release. */
function isRecent(version: string): boolean {
  const match = /^n?(\d+)\.(\d+)/.exec(version);
  if (match === null) return true;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);
}
