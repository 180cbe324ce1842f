import { mkdirSync, renameSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upload, Uploads } from '../../platform/files/uploads.ts';

/** An uploaded file as its item stores it. */
export type StoredUpload = Omit<Upload, 'path'>;

/** Files of batches. Each is kept until the job of its item has it. */
export class BatchFiles {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Moves uploads into the folder of a batch, by the numbers of their items. */
  async keepBatchUploads(batchId: string, files: readonly { number: number; upload: Upload }[]): Promise<void> {
    if (files.length === 0) return;
    await mkdir(join(this.#root, batchId), { recursive: true, mode: 0o700 });
    for (const { number, upload } of files) await rename(upload.path, this.#batchFilePath(batchId, number));
  }

  /** A second name of a file, which a job may move away: the first one stays if the process dies before the commit. */
  async lendBatchUpload(batchId: string, number: number, stored: StoredUpload, uploads: Uploads): Promise<Upload> {
    const kept = this.#batchFilePath(batchId, number);
    const path = uploads.reserve();
    // Some file systems have no links.
    await link(kept, path).catch(() => copyFile(kept, path));
    return { ...stored, path };
  }

  /** Gives a file of one batch to another. */
  moveBatchFile(fromId: string, toId: string, number: number): void {
    mkdirSync(join(this.#root, toId), { recursive: true, mode: 0o700 });
    renameSync(this.#batchFilePath(fromId, number), this.#batchFilePath(toId, number));
  }

  async dropBatchFile(batchId: string, number: number): Promise<void> {
    await rm(this.#batchFilePath(batchId, number), { force: true });
  }

  async dropAll(batchId: string): Promise<void> {
    await rm(join(this.#root, batchId), { recursive: true, force: true });
  }

  /** Removes what a killed process left: files that no item waits for. Call it before batches are made. */
  async recoverBatchFiles(isWaitedFor: (batchId: string, number: number) => boolean): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    for (const batchId of await readdir(this.#root)) {
      const names = await readdir(join(this.#root, batchId));
      const unneeded = names.filter((name) => !isWaitedFor(batchId, Number(name)));
      if (unneeded.length === names.length) await this.dropAll(batchId);
      else for (const name of unneeded) await this.dropBatchFile(batchId, Number(name));
    }
  }

  #batchFilePath(batchId: string, number: number): string {
    return join(this.#root, batchId, String(number));
  }
}
