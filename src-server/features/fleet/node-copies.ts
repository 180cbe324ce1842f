/** Models that a node fetches from its control node. Copies resume, and only verified files are put in place. */

import { existsSync } from 'node:fs';
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import { itemAt } from '../../platform/item-at.ts';
import { DISK_RESERVE_BYTES } from '../../platform/net/download.ts';
import { tell } from '../../platform/text/say.ts';
import { describeBytes } from '../../platform/units.ts';
import type { CopyState, ModelFile, Wanted } from './messages.ts';
import { type NodeClient, RunOverError } from './node-client.ts';
import { fileDigestOf, fleetFileSizeOf } from './run-files.ts';

/** Beside the downloads that `features/models` makes. Hidden from the list of models. */
const COPIES = '.downloads';

interface NodeCopiesDeps {
  client: Pick<NodeClient, 'copy'>;
  modelsFolder: string;
  /** A copy has begun or ended. */
  onChange(): void;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  freeBytes?: ((folder: string) => Promise<number>) | undefined;
}

interface Copy {
  state: CopyState;
  abort: AbortController;
}

type WantedCopy = Wanted['copies'][number];

export class NodeCopies {
  readonly #deps: NodeCopiesDeps;
  readonly #copies = new Map<string, Copy>();
  /** One after the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(deps: NodeCopiesDeps) {
    this.#deps = deps;
  }

  get modelCopyStates(): CopyState[] {
    return [...this.#copies.values()].map(({ state }) => ({ ...state }));
  }

  /** The list is now this one. A copy that is not in it is cancelled; what is there of it is kept. */
  setWantedCopies({ copies }: Wanted): void {
    for (const [model, { abort }] of this.#copies) {
      if (copies.some((wanted) => wanted.model === model)) continue;
      abort.abort(new RunOverError());
      this.#copies.delete(model);
    }
    for (const wanted of copies.filter(({ model }) => !this.#copies.has(model))) this.#beginModelCopy(wanted);
    this.#deps.onChange();
  }

  closeNodeCopies(): void {
    for (const { abort } of this.#copies.values()) abort.abort(new RunOverError());
  }

  #beginModelCopy(wanted: WantedCopy): void {
    const totalBytes = wanted.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const state: CopyState = { model: wanted.model, state: 'waiting', receivedBytes: 0, totalBytes, error: null };
    const copy: Copy = { state, abort: new AbortController() };
    this.#copies.set(wanted.model, copy);
    this.#last = this.#last.then(() => this.#runModelCopy(wanted, copy));
  }

  async #runModelCopy(wanted: WantedCopy, copy: Copy): Promise<void> {
    const { onChange, log } = this.#deps;
    const { model } = wanted;
    try {
      await this.#fetchModelCopy(wanted, copy);
      copy.state.state = 'installed';
      log.info({ model }, 'A model was copied.');
    } catch (error) {
      if (error instanceof RunOverError || copy.abort.signal.aborted) return;
      log.warn({ err: error, model }, 'A model could not be copied.');
      const known = error instanceof QuarryError;
      copy.state.error = known ? error.message : `The node could not write the model (${(error as Error).name}).`;
      copy.state.state = 'failed';
    } finally {
      onChange();
    }
  }

  async #fetchModelCopy({ model, files, token }: WantedCopy, { state, abort }: Copy): Promise<void> {
    const { modelsFolder, client } = this.#deps;
    const { signal } = abort;
    signal.throwIfAborted();
    const folder = join(modelsFolder, COPIES, model, 'copy');
    const tops = [...new Set(files.map(({ name }) => itemAt(name.split('/'), 0)))];
    const taken = tops.find((top) => existsSync(join(modelsFolder, top)));
    if (taken !== undefined) throw new QuarryError('conflict', `The node has ${taken} in its models folder already.`);
    await mkdir(folder, { recursive: true });
    await this.#checkDisk(folder, files);
    const transfers = client.copy(token, signal);
    state.state = 'downloading';
    let before = 0;
    for (const file of files) {
      const path = join(folder, ...file.name.split('/'));
      const begin = before;
      const onSize = (bytes: number) => {
        state.receivedBytes = begin + bytes;
      };
      await fetchVerified(transfers, file, path, onSize);
      before += file.sizeBytes;
      state.receivedBytes = before;
    }
    signal.throwIfAborted();
    state.state = 'verifying';
    for (const top of tops) await rename(join(folder, top), join(modelsFolder, top));
    await rm(dirname(folder), { recursive: true, force: true });
  }

  async #checkDisk(folder: string, files: readonly ModelFile[]): Promise<void> {
    let needed = DISK_RESERVE_BYTES;
    for (const { name, sizeBytes } of files) {
      needed += Math.max(0, sizeBytes - ((await fleetFileSizeOf(join(folder, ...name.split('/')))) ?? 0));
    }
    const free = await (this.#deps.freeBytes ?? freeBytesAt)(folder);
    if (free >= needed) return;
    const figures = `${describeBytes(needed)} are needed, ${describeBytes(Math.max(0, free))} are free`;
    throw new QuarryError('storage_full', `The disk of the node has too little space: ${figures}.`);
  }
}

/** Bytes of an earlier copy may be of another version of the model: then they are fetched once more. */
async function fetchVerified(
  transfers: ReturnType<NodeClient['copy']>,
  { name, sha256, sizeBytes }: ModelFile,
  path: string,
  onSize: (bytes: number) => void,
): Promise<void> {
  const had = (await fleetFileSizeOf(path)) ?? 0;
  if (had > sizeBytes) await rm(path);
  for (const isLast of had > 0 ? [false, true] : [true]) {
    await transfers.download(sha256, path, sizeBytes, onSize);
    if ((await fileDigestOf(path)) === sha256) return;
    await rm(path);
    if (isLast) throw new QuarryError('corrupt_input', tell`The file ${name} arrived with another checksum.`);
  }
}

async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
