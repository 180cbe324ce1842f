/**
 * yt-dlp as this appliance keeps it: fetched from its newest release, compared with the checksum published beside it,
 * tried out, and only then put in the place of the one before. Sites change within weeks, so it is made to be replaced.
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

/** What the largest of the release's programs takes; a body of twice that is refused. */
const ABOUT_BYTES = 48 * MIB;

const EXECUTABLE = 0o755;

/** The release's file for a machine. They bring their own Python, but for the last, which needs one. */
export function releaseFileFor(platform: NodeJS.Platform, arch: string): string {
  if (platform === 'win32') return arch === 'arm64' ? 'yt-dlp_arm64.exe' : 'yt-dlp.exe';
  if (platform === 'darwin') return 'yt-dlp_macos';
  if (platform === 'linux' && arch === 'x64') return 'yt-dlp_linux';
  if (platform === 'linux' && arch === 'arm64') return 'yt-dlp_linux_aarch64';
  return 'yt-dlp';
}

const NOTHING_KNOWN = { installed: null, lastSuccessAt: null };

const Kept = z.object({
  /** What was fetched; null where another program found the videos. */
  installed: z.object({ version: z.string(), sha256: z.string(), installedAt: z.number() }).nullable(),
  lastSuccessAt: z.number().nullable(),
});

interface YtDlpReleaseDeps
  extends Pick<ModelsDeps, 'client' | 'clock' | 'mirrorUrl' | 'freeBytes' | 'retryDelayMs' | 'idleLimitMs'> {
  /** Where tools of the data folder are looked for. */
  folder: string;
  /** The release's file for this machine. */
  file: string;
  /** Runs a program and gives its version. Rejects when it does not run here. */
  tryOut(path: string): Promise<string>;
  /** There is another program than before, or none. */
  onReplaced(): void;
  /** What is noted of it could not be read or written. */
  onNoteLost(error: unknown): void;
}

/** Times are ISO 8601; null where it has not happened. */
interface YtDlpReleaseView {
  /** The version that this appliance fetched; null where it fetched none. */
  fetchedVersion: string | null;
  fetchedAt: string | null;
  /** When yt-dlp last found or fetched a video, whichever copy of it did. */
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

  /** Where the program lies once it is fetched. */
  get path(): string {
    return join(this.#deps.folder, this.#deps.file.endsWith('.exe') ? 'yt-dlp.exe' : 'yt-dlp');
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

  /** Begins to fetch the newest release, or gives the progress of the download under way. */
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

  /** Null when none was begun since the process started. */
  progress(): DownloadProgress | null {
    return this.#progress === null ? null : { ...this.#progress };
  }

  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange);
    return () => this.#watchers.delete(onChange);
  }

  /** Takes the fetched program away; one on PATH is used again. Errors: `not_found` where none was fetched. */
  async remove(): Promise<void> {
    if ((await this.#note.read()).installed === null) {
      throw new QuarryError('not_found', 'No yt-dlp was fetched by this appliance, so there is none to remove.');
    }
    await rm(this.path, { force: true });
    this.#deps.onReplaced();
    await this.#note.change((kept) => ({ ...kept, installed: null }));
  }

  /** A video was found or fetched. Never rejects: a note that cannot be written takes no result away. */
  async noteSuccess(): Promise<void> {
    const lastSuccessAt = this.#deps.clock.now();
    await this.#note.change((kept) => ({ ...kept, lastSuccessAt })).catch((error) => this.#deps.onNoteLost(error));
  }

  /** Stops a download, which goes on where it was when it is begun again. */
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
    // Also where it cannot be noted: what is used next is what lies there now.
    this.#deps.onReplaced();
    const installed = { version, sha256, installedAt: clock.now() };
    await this.#note.change((kept) => ({ ...kept, installed }));
  }

  /** What does not run here never takes the place of what does. */
  async #tryOut(path: string): Promise<string> {
    try {
      return await this.#deps.tryOut(path);
    } catch (cause) {
      await rm(path, { force: true });
      const message = 'The newest yt-dlp does not run on this machine; what was there before stays in use.';
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
 * A few facts in a file that is small enough to be written anew with each change. Changes are made one after the other,
 * each to what the one before it left, and the file appears whole or not at all.
 */
export class KeptNote<Facts> {
  readonly #path: string;
  readonly #shape: z.ZodType<Facts>;
  readonly #nothing: Facts;
  readonly #turns = new Mutex();

  /** `nothing` is what is known where the file is not there, or holds something else. */
  constructor(path: string, shape: z.ZodType<Facts>, nothing: Facts) {
    this.#path = path;
    this.#shape = shape;
    this.#nothing = nothing;
  }

  /** What the last change that is done has left. Errors: those of reading, but for a file that is not there. */
  async read(): Promise<Facts> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return text === null ? this.#nothing : this.#understand(text);
  }

  /** Errors: those of reading and writing; then what was there before is still there. */
  change(next: (facts: Facts) => Facts): Promise<void> {
    return this.#turns.pass(async () => this.#write(next(await this.read())));
  }

  #understand(text: string): Facts {
    try {
      return this.#shape.parse(JSON.parse(text));
    } catch {
      // Written by hand: nothing is known, and the next change writes it anew.
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
