/**
 * Installs programs for media into the data folder: fetches a release, verifies it, runs it once, and only then
 * replaces the previous copy. Downloads resume.
 */

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { Mutex } from '../../platform/concurrency.ts';
import { isDiskFull, QuarryError } from '../../platform/errors.ts';
import { type DownloadProgress, downloadFile, fetchSmallText } from '../../platform/net/download.ts';
import { ToolDownload } from '../../platform/net/tool-download.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { say } from '../../platform/text/say.ts';
import { KIB, MIB } from '../../platform/units.ts';
import type { ModelsDeps } from '../models/service.ts';

const SUMS_BYTES_MAX = 256 * KIB;

const EXECUTABLE = 0o755;

/** Where a program is published. */
export interface ToolSource {
  name: 'yt-dlp' | 'ffmpeg';
  /** Name of the release file for this machine. */
  file: string;
  /** Folder of the release on the publisher's site. */
  url: string;
  /** Approximate size. A body of twice that is refused. */
  aboutBytes: number;
  /** File with the SHA-256 sums of the release; null for a gzip file, which has a checksum of its own. */
  sumsFile: string | null;
}

/** The newest yt-dlp. Sites change within weeks, so updates are routine. */
export function ytDlpSource(platform: NodeJS.Platform, arch: string): ToolSource {
  return {
    name: 'yt-dlp',
    file: releaseFileFor(platform, arch),
    url: 'https://github.com/yt-dlp/yt-dlp/releases/latest/download',
    aboutBytes: 48 * MIB,
    sumsFile: 'SHA2-256SUMS',
  };
}

/** Name of yt-dlp's release file for a platform. All but the last contain their own Python. */
export function releaseFileFor(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'win32') return arch === 'arm64' ? 'yt-dlp_arm64.exe' : 'yt-dlp.exe';
  if (platform === 'darwin') return 'yt-dlp_macos';
  if (platform === 'linux' && arch === 'x64') return 'yt-dlp_linux';
  if (platform === 'linux' && arch === 'arm64') return 'yt-dlp_linux_aarch64';
  return 'yt-dlp';
}

/** The ffmpeg 6.1.1 that the package ffmpeg-static names. Its publisher states no checksums. */
export function ffmpegSource(platform: NodeJS.Platform, arch: string, mirror: string | undefined): ToolSource {
  const publisher = 'https://github.com/eugeneware/ffmpeg-static/releases/download';
  return {
    name: 'ffmpeg',
    file: `ffmpeg-${platform}-${arch}.gz`,
    url: `${(mirror ?? publisher).replace(/\/+$/, '')}/b6.1.1`,
    aboutBytes: 30 * MIB,
    sumsFile: null,
  };
}

const NOTHING_KNOWN = { installed: null, lastSuccessAt: null };

const Kept = z.object({
  /** The installed release; null when another program found the videos. */
  installed: z.object({ version: z.string(), sha256: z.string(), installedAt: z.number() }).nullable(),
  lastSuccessAt: z.number().nullable(),
});

interface ToolReleaseDeps
  extends Pick<ModelsDeps, 'client' | 'clock' | 'mirrorUrl' | 'freeBytes' | 'retryDelayMs' | 'idleLimitMs'> {
  source: ToolSource;
  /** The tools folder inside the data folder. */
  folder: string;
  /** Runs a program and returns its version. Rejects when it does not run here. */
  tryOut(path: string): Promise<string>;
  /** Called when the program was replaced or removed. */
  onReplaced(): void;
  /** The record could not be read or written. */
  onNoteLost(error: unknown): void;
}

/** Times are ISO 8601; null when it has not happened. */
interface ToolReleaseView {
  /** Version that this server installed; null when it installed none. */
  fetchedVersion: string | null;
  fetchedAt: string | null;
  /** When any copy of the program last did its work. */
  lastSuccessAt: string | null;
  download: DownloadProgress | null;
}

export class ToolRelease {
  readonly #deps: ToolReleaseDeps;
  readonly #download: ToolDownload;
  readonly #note: KeptNote<z.infer<typeof Kept>>;

  constructor(deps: ToolReleaseDeps) {
    this.#deps = deps;
    this.#download = new ToolDownload(deps.source.name, deps.clock);
    this.#note = new KeptNote(join(deps.folder, `${deps.source.name}.json`), Kept, NOTHING_KNOWN);
  }

  /** Path of the program once installed. */
  get installedPath(): string {
    const { folder, source } = this.#deps;
    return join(folder, process.platform === 'win32' ? `${source.name}.exe` : source.name);
  }

  /** Size of a download, as far as it is known before. */
  get aboutBytes(): number {
    return this.#deps.source.aboutBytes;
  }

  /** Host that the download comes from. */
  get releaseHost(): string {
    return new URL(this.#deps.source.url).host;
  }

  async viewToolRelease(): Promise<ToolReleaseView> {
    const { installed, lastSuccessAt } = await this.#note.readKeptNote().catch((error: unknown) => {
      this.#deps.onNoteLost(error);
      return NOTHING_KNOWN;
    });
    const isoTimeOrNull = (at: number | null | undefined) => (at == null ? null : toIsoTime(at));
    return {
      fetchedVersion: installed?.version ?? null,
      fetchedAt: isoTimeOrNull(installed?.installedAt),
      lastSuccessAt: isoTimeOrNull(lastSuccessAt),
      download: this.releaseProgress(),
    };
  }

  /** Starts fetching the newest release, or returns the progress of the running download. */
  installRelease(): DownloadProgress {
    return this.#download.startToolDownload(this.aboutBytes, (signal, say) => this.#replaceProgram(signal, say));
  }

  /** Null when no download was started in this process. */
  releaseProgress(): DownloadProgress | null {
    return this.#download.toolDownloadProgress();
  }

  watchRelease(onChange: () => void): () => void {
    return this.#download.watchToolDownload(onChange);
  }

  /** Removes the installed program. The one on PATH is used again. Errors: `not_found` when none is installed. */
  async removeRelease(): Promise<void> {
    if ((await this.#note.readKeptNote()).installed === null) {
      throw new QuarryError(
        'not_found',
        `Quarry has not installed ${this.#deps.source.name}, so there is nothing to remove.`,
      );
    }
    await rm(this.installedPath, { force: true });
    this.#deps.onReplaced();
    await this.#note.changeNote((kept) => ({ ...kept, installed: null }));
  }

  /** Records that the program did its work. Never rejects: a failed write fails no job. */
  async noteSuccess(): Promise<void> {
    const lastSuccessAt = this.#deps.clock.now();
    await this.#note.changeNote((kept) => ({ ...kept, lastSuccessAt })).catch((error) => this.#deps.onNoteLost(error));
  }

  /** Stops a running download. The next start resumes it. */
  closeRelease(): Promise<void> {
    return this.#download.closeToolDownload();
  }

  async #replaceProgram(signal: AbortSignal, say: (change: Partial<DownloadProgress>) => void): Promise<void> {
    const { source, folder, clock, client, freeBytes, retryDelayMs, idleLimitMs } = this.#deps;
    const { file, sumsFile, aboutBytes } = source;
    const downloads = join(folder, '.downloads');
    const staged = join(downloads, `new-${file}`);
    const { sha256 } = await downloadFile({
      client,
      file: {
        name: file,
        url: this.#releaseFileUrl(file),
        sizeBytes: null,
        aboutBytes,
        checksum: sumsFile === null ? null : { algorithm: 'sha256', hex: await this.#publishedSum(sumsFile, signal) },
      },
      url: this.#releaseFileUrl(file),
      path: staged,
      partPath: join(downloads, `${file}.part`),
      signal,
      onProgress: (receivedBytes, totalBytes) =>
        say({ receivedBytes, ...omitUndefined({ totalBytes: totalBytes ?? undefined }) }),
      onVerify: () => say({ status: 'verifying' }),
      ...omitUndefined({ freeBytes, retryDelayMs, idleLimitMs }),
    });
    const program = file.endsWith('.gz') ? await this.#unpackProgram(staged) : staged;
    await chmod(program, EXECUTABLE);
    const version = await this.#tryOut(program);
    await rename(program, this.installedPath);
    await rm(downloads, { recursive: true, force: true });
    // Also when the record cannot be written: the program file has changed.
    this.#deps.onReplaced();
    const installed = { version, sha256, installedAt: clock.now() };
    await this.#note.changeNote((kept) => ({ ...kept, installed }));
  }

  /** Errors: `corrupt_input`. The damaged file is deleted, so that the next attempt fetches it again. */
  async #unpackProgram(path: string): Promise<string> {
    const unpacked = path.replace(/\.gz$/, process.platform === 'win32' ? '.exe' : '');
    try {
      await pipeline(createReadStream(path), createGunzip(), createWriteStream(unpacked));
      return unpacked;
    } catch (cause) {
      if (isDiskFull(cause)) throw cause;
      await rm(unpacked, { force: true });
      const message = say`What arrived for ${this.#deps.source.name} is damaged. Try again, or check the mirror.`;
      throw new QuarryError('corrupt_input', message, { cause });
    } finally {
      await rm(path, { force: true });
    }
  }

  /** A program that does not run here never replaces one that does. */
  async #tryOut(path: string): Promise<string> {
    try {
      return await this.#deps.tryOut(path);
    } catch (cause) {
      await rm(path, { force: true });
      const { name } = this.#deps.source;
      const message = say`The fetched ${name} does not run on this machine. The previous version stays in use.`;
      throw new QuarryError('engine_unavailable', message, { cause });
    }
  }

  async #publishedSum(sumsFile: string, signal: AbortSignal): Promise<string> {
    const { file } = this.#deps.source;
    const url = this.#releaseFileUrl(sumsFile);
    const text = await fetchSmallText(this.#deps.client, url, {
      mostBytes: SUMS_BYTES_MAX,
      limitMs: this.#deps.idleLimitMs,
      signal,
    });
    for (const line of text.split('\n')) {
      const [, hex, name] = /^([0-9a-f]{64}) [ *](\S+)\s*$/i.exec(line) ?? [];
      if (name === file && hex !== undefined) return hex.toLowerCase();
    }
    const message = say`The release states no checksum for ${file}. Try later, or check the mirror.`;
    throw new QuarryError('corrupt_input', message);
  }

  #releaseFileUrl(file: string): string {
    const mirror = this.#deps.mirrorUrl();
    const { name, url } = this.#deps.source;
    return mirror === null ? `${url}/${file}` : `${mirror.replace(/\/+$/, '')}/${name}/${file}`;
  }
}

/**
 * A few facts in a small file that is rewritten on each change. Changes run one after the other, each on the result of
 * the one before. Writes are atomic.
 */
export class KeptNote<Facts> {
  readonly #path: string;
  readonly #shape: z.ZodType<Facts>;
  readonly #nothing: Facts;
  readonly #turns = new Mutex();

  /** `nothing` is the value when the file is missing or invalid. */
  constructor(path: string, shape: z.ZodType<Facts>, nothing: Facts) {
    this.#path = path;
    this.#shape = shape;
    this.#nothing = nothing;
  }

  /** The facts after the last finished change. Errors: those of reading, except for a missing file. */
  async readKeptNote(): Promise<Facts> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? this.#nothing : this.#parseNote(text);
  }

  /** Errors: those of reading and writing. The previous facts then remain. */
  changeNote(next: (facts: Facts) => Facts): Promise<void> {
    return this.#turns.runExclusive(async () => this.#writeNote(next(await this.readKeptNote())));
  }

  #parseNote(text: string): Facts {
    try {
      return this.#shape.parse(JSON.parse(text));
    } catch {
      // Invalid content, perhaps edited by hand. The next change replaces it.
      return this.#nothing;
    }
  }

  async #writeNote(facts: Facts): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const part = `${this.#path}.${randomUUID()}.part`;
    try {
      await writeFile(part, JSON.stringify(facts));
      await rename(part, this.#path);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }
}
