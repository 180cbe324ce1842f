/**
 * Installs yt-dlp: fetches the newest release, verifies the published checksum, runs it once, and only then replaces
 * the previous copy. Sites change within weeks, so updates are routine.
 */

import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { toIsoTime } from '../../platform/clock.ts';
import { Mutex } from '../../platform/concurrency.ts';
import { QuarryError } from '../../platform/errors.ts';
import { type DownloadProgress, downloadFile, isUnderWay, readText } from '../../platform/net/download.ts';
import { KIB, MIB } from '../../platform/units.ts';
import { type ModelsDeps, publicError } from '../models/service.ts';

const RELEASE_URL = 'https://github.com/yt-dlp/yt-dlp/releases/latest/download';

const SUMS_FILE = 'SHA2-256SUMS';

const SUMS_BYTES_MAX = 256 * KIB;

/** Approximate size of the largest release file. A body of twice that is refused. */
const ABOUT_BYTES = 48 * MIB;

const EXECUTABLE = 0o755;

/** Name of the release file for a platform. All but the last contain their own Python. */
export function releaseFileFor(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'win32') return arch === 'arm64' ? 'yt-dlp_arm64.exe' : 'yt-dlp.exe';
  if (platform === 'darwin') return 'yt-dlp_macos';
  if (platform === 'linux' && arch === 'x64') return 'yt-dlp_linux';
  if (platform === 'linux' && arch === 'arm64') return 'yt-dlp_linux_aarch64';
  return 'yt-dlp';
}

const NOTHING_KNOWN = { installed: null, lastSuccessAt: null };

const Kept = z.object({
  /** The installed release; null when another program found the videos. */
  installed: z.object({ version: z.string(), sha256: z.string(), installedAt: z.number() }).nullable(),
  lastSuccessAt: z.number().nullable(),
});

interface YtDlpReleaseDeps
  extends Pick<ModelsDeps, 'client' | 'clock' | 'mirrorUrl' | 'freeBytes' | 'retryDelayMs' | 'idleLimitMs'> {
  /** The tools folder inside the data folder. */
  folder: string;
  /** Name of the release file for this machine. */
  file: string;
  /** Runs a program and returns its version. Rejects when it does not run here. */
  tryOut(path: string): Promise<string>;
  /** Called when the program was replaced or removed. */
  onReplaced(): void;
  /** The record could not be read or written. */
  onNoteLost(error: unknown): void;
}

/** Times are ISO 8601; null when it has not happened. */
interface YtDlpReleaseView {
  /** Version that this server installed; null when it installed none. */
  fetchedVersion: string | null;
  fetchedAt: string | null;
  /** When any copy of yt-dlp last found or fetched a video. */
  lastSuccessAt: string | null;
  download: DownloadProgress | null;
}

export class YtDlpRelease {
  readonly #deps: YtDlpReleaseDeps;
  readonly #watchers = new Set<() => void>();
  #progress: DownloadProgress | null = null;
  #abort = new AbortController();
  #done: Promise<void> = Promise.resolve();
  readonly #note: KeptNote<z.infer<typeof Kept>>;

  constructor(deps: YtDlpReleaseDeps) {
    this.#deps = deps;
    this.#note = new KeptNote(join(deps.folder, 'yt-dlp.json'), Kept, NOTHING_KNOWN);
  }

  /** Path of the program once installed. */
  get path(): string {
    return join(this.#deps.folder, this.#deps.file.endsWith('.exe') ? 'yt-dlp.exe' : 'yt-dlp');
  }

  /** Size of a download, as far as it is known before. */
  get aboutBytes(): number {
    return ABOUT_BYTES;
  }

  /** Host of the publisher. */
  get source(): string {
    return new URL(RELEASE_URL).host;
  }

  async view(): Promise<YtDlpReleaseView> {
    const { installed, lastSuccessAt } = await this.#note.read().catch((error: unknown) => {
      this.#deps.onNoteLost(error);
      return NOTHING_KNOWN;
    });
    const time = (at: number | null | undefined) => (at == null ? null : toIsoTime(at));
    return {
      fetchedVersion: installed?.version ?? null,
      fetchedAt: time(installed?.installedAt),
      lastSuccessAt: time(lastSuccessAt),
      download: this.progress(),
    };
  }

  /** Starts fetching the newest release, or returns the progress of the running download. */
  install(): DownloadProgress {
    if (this.#progress !== null && isUnderWay(this.#progress)) return { ...this.#progress };
    const startedAt = toIsoTime(this.#deps.clock.now());
    this.#progress = {
      name: 'yt-dlp',
      status: 'downloading',
      receivedBytes: 0,
      totalBytes: ABOUT_BYTES,
      startedAt,
      error: null,
    };
    this.#abort = new AbortController();
    this.#done = this.#run();
    return { ...this.#progress };
  }

  /** Null when no download was started in this process. */
  progress(): DownloadProgress | null {
    return this.#progress === null ? null : { ...this.#progress };
  }

  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  /** Removes the installed program. The one on PATH is used again. Errors: `not_found` when none is installed. */
  async remove(): Promise<void> {
    if ((await this.#note.read()).installed === null) {
      throw new QuarryError('not_found', 'Quarry has not installed yt-dlp, so there is nothing to remove.');
    }
    await rm(this.path, { force: true });
    this.#deps.onReplaced();
    await this.#note.change((kept) => ({ ...kept, installed: null }));
  }

  /** Records that a video was found or fetched. Never rejects: a failed write fails no job. */
  async noteSuccess(): Promise<void> {
    const lastSuccessAt = this.#deps.clock.now();
    await this.#note.change((kept) => ({ ...kept, lastSuccessAt })).catch((error) => this.#deps.onNoteLost(error));
  }

  /** Stops a running download. The next start resumes it. */
  async close(): Promise<void> {
    this.#abort.abort(new QuarryError('shutting_down', 'Quarry is stopping.'));
    await this.#done;
  }

  async #run(): Promise<void> {
    try {
      await this.#replace();
      this.#say({ status: 'installed' });
    } catch (error) {
      if (this.#abort.signal.aborted) this.#say({ status: 'cancelled' });
      else this.#say({ status: 'failed', error: publicError(error) });
    }
  }

  async #replace(): Promise<void> {
    const { file, folder, clock, client, freeBytes, retryDelayMs, idleLimitMs } = this.#deps;
    const downloads = join(folder, '.downloads');
    const staged = join(downloads, `new-${file}`);
    const { sha256 } = await downloadFile({
      client,
      file: {
        name: file,
        url: this.#urlOf(file),
        sizeBytes: null,
        aboutBytes: ABOUT_BYTES,
        checksum: { algorithm: 'sha256', hex: await this.#publishedSum() },
      },
      url: this.#urlOf(file),
      path: staged,
      partPath: join(downloads, `${file}.part`),
      signal: this.#abort.signal,
      onProgress: (receivedBytes, totalBytes) =>
        this.#say({ receivedBytes, ...(totalBytes === null ? {} : { totalBytes }) }),
      onVerify: () => this.#say({ status: 'verifying' }),
      ...(freeBytes === undefined ? {} : { freeBytes }),
      ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
      ...(idleLimitMs === undefined ? {} : { idleLimitMs }),
    });
    await chmod(staged, EXECUTABLE);
    const version = await this.#tryOut(staged);
    await rename(staged, this.path);
    await rm(downloads, { recursive: true, force: true });
    // Also when the record cannot be written: the program file has changed.
    this.#deps.onReplaced();
    const installed = { version, sha256, installedAt: clock.now() };
    await this.#note.change((kept) => ({ ...kept, installed }));
  }

  /** A program that does not run here never replaces one that does. */
  async #tryOut(path: string): Promise<string> {
    try {
      return await this.#deps.tryOut(path);
    } catch (cause) {
      await rm(path, { force: true });
      const message = 'The newest yt-dlp does not run on this machine. The previous version stays in use.';
      throw new QuarryError('engine_unavailable', message, { cause });
    }
  }

  async #publishedSum(): Promise<string> {
    const url = this.#urlOf(SUMS_FILE);
    const text = await readText(this.#deps.client, url, {
      mostBytes: SUMS_BYTES_MAX,
      limitMs: this.#deps.idleLimitMs,
      signal: this.#abort.signal,
    });
    for (const line of text.split('\n')) {
      const [, hex, name] = /^([0-9a-f]{64}) [ *](\S+)\s*$/i.exec(line) ?? [];
      if (name === this.#deps.file && hex !== undefined) return hex.toLowerCase();
    }
    const message = `The release states no checksum for ${this.#deps.file}. Try later, or check the mirror.`;
    throw new QuarryError('corrupt_input', message);
  }

  #urlOf(file: string): string {
    const mirror = this.#deps.mirrorUrl();
    return mirror === null ? `${RELEASE_URL}/${file}` : `${mirror.replace(/\/+$/, '')}/yt-dlp/${file}`;
  }

  #say(change: Partial<DownloadProgress>): void {
    if (this.#progress !== null) Object.assign(this.#progress, change);
    for (const onChange of this.#watchers) onChange();
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
  async read(): Promise<Facts> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? this.#nothing : this.#understand(text);
  }

  /** Errors: those of reading and writing. The previous facts then remain. */
  change(next: (facts: Facts) => Facts): Promise<void> {
    return this.#turns.pass(async () => this.#write(next(await this.read())));
  }

  #understand(text: string): Facts {
    try {
      return this.#shape.parse(JSON.parse(text));
    } catch {
      // Invalid content, perhaps edited by hand. The next change replaces it.
      return this.#nothing;
    }
  }

  async #write(facts: Facts): Promise<void> {
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
