/**
 * Models that the owner copies to nodes. What is wanted is stored; a node gets the list when its heartbeat shows
 * another one, so a restart of either side loses nothing. The node says in its heartbeats how far it is.
 */

import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { CopyState, ModelFile, Presence, Wanted } from './messages.ts';
import { fileDigestOf } from './run-files.ts';
import type { NodeCopy } from './schema.ts';
import { changeCopy, deleteCopy, insertCopy, listCopies } from './store.ts';

/** A file of a model on this machine. */
interface LocalModelFile {
  /** In the models folder, with slashes. */
  name: string;
  path: string;
  sizeBytes: number;
}

export interface ModelFiles {
  /** Changes when the model does. Errors: `not_found`. */
  files(model: string): Promise<{ revision: string; files: LocalModelFile[] }>;
}

/** Where lists are sent; null while the fleet is off. */
interface CopyLink {
  want(node: string, wanted: Wanted): void;
  tokenFor(node: string, model: string): string;
}

interface CopiesDeps {
  storage: Storage;
  clock: Clock;
  models: ModelFiles;
  log: { warn(fields: object, message: string): void };
}

interface Checked {
  revision: string;
  files: (ModelFile & { path: string })[];
}

export class Copies {
  readonly #deps: CopiesDeps;
  readonly #states = new Map<string, readonly CopyState[]>();
  readonly #checked = new Map<string, Checked>();
  readonly #sending = new Set<string>();
  link: CopyLink | null = null;

  constructor(deps: CopiesDeps) {
    this.#deps = deps;
  }

  /** The copies of a node that have not ended well. */
  modelCopiesOfNode(node: string): NodeCopy[] {
    const states = this.#states.get(node) ?? [];
    return listCopies(this.#deps.storage.db, node).map(({ model, error }) => {
      if (error !== null) return { model, state: 'failed', receivedBytes: 0, totalBytes: 0, error };
      const known = states.find((state) => state.model === model);
      const { state = 'waiting', receivedBytes = 0, totalBytes = 0 } = known ?? {};
      return { model, state: state === 'installed' ? 'verifying' : state, receivedBytes, totalBytes, error: null };
    });
  }

  /** Errors: `not_found` for a model that is not installed here. */
  async addModelCopy(node: string, model: string): Promise<void> {
    const { storage, clock, models } = this.#deps;
    await models.files(model);
    storage.transaction((tx) => insertCopy(tx, { node_id: node, model, created_at: clock.now(), error: null }));
    void this.#sendWantedCopies(node);
  }

  /** What the node has of it is kept for the next try. Errors: `not_found`. */
  cancelCopyToNode(node: string, model: string): void {
    const wasThere = this.#deps.storage.transaction((tx) => deleteCopy(tx, node, model));
    if (!wasThere) throw new QuarryError('not_found', 'This model is not being copied to the node.');
    void this.#sendWantedCopies(node);
  }

  onPresence(node: string, { copies }: Presence): void {
    const { storage } = this.#deps;
    this.#states.set(node, copies);
    const wanted = this.#wantedModelsOf(node);
    storage.transaction((tx) => {
      for (const { model, state, error } of copies.filter((copy) => wanted.includes(copy.model))) {
        if (state === 'installed') deleteCopy(tx, node, model);
        else if (state === 'failed') changeCopy(tx, node, model, error ?? 'The node could not copy the model.');
      }
    });
    const [listed, left] = [copies.map(({ model }) => model).sort(), this.#wantedModelsOf(node).sort()];
    if (listed.join('\n') !== left.join('\n')) void this.#sendWantedCopies(node);
  }

  /** Path of a file that a node may fetch; null for any other. */
  async copyFilePath(node: string, model: string, sha256: string): Promise<string | null> {
    if (!this.isWanted(node, model)) return null;
    return (await this.#checkModelFiles(model)).files.find((file) => file.sha256 === sha256)?.path ?? null;
  }

  isWanted(node: string, model: string): boolean {
    return this.#wantedModelsOf(node).includes(model);
  }

  #wantedModelsOf(node: string): string[] {
    const rows = listCopies(this.#deps.storage.db, node);
    return rows.filter(({ error }) => error === null).map(({ model }) => model);
  }

  /** Sends the list of a node. Never rejects. Checksums of large models take seconds, so one list at a time is made. */
  async #sendWantedCopies(node: string): Promise<void> {
    if (this.link === null || this.#sending.has(node)) return;
    this.#sending.add(node);
    try {
      const copies: Wanted['copies'] = [];
      for (const model of this.#wantedModelsOf(node)) {
        const checked = await this.#checkModelFiles(model).catch((error: unknown) =>
          this.#failModelCopy(node, model, error),
        );
        if (checked === null) continue;
        const files = checked.files.map(({ name, sha256, sizeBytes }) => ({ name, sha256, sizeBytes }));
        copies.push({ model, files, token: this.link?.tokenFor(node, model) ?? '' });
      }
      this.link?.want(node, { copies });
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'The list of models for a node was not sent; its next heartbeat repeats it.');
    } finally {
      this.#sending.delete(node);
    }
  }

  #failModelCopy(node: string, model: string, error: unknown): null {
    const { storage, log } = this.#deps;
    log.warn({ err: error, model }, 'A model could not be read to be copied.');
    const message = error instanceof QuarryError ? error.message : 'The files of the model cannot be read here.';
    storage.transaction((tx) => changeCopy(tx, node, model, message));
    return null;
  }

  async #checkModelFiles(model: string): Promise<Checked> {
    const { revision, files } = await this.#deps.models.files(model);
    const known = this.#checked.get(model);
    if (known?.revision === revision) return known;
    const checked: Checked = { revision, files: [] };
    for (const file of files) checked.files.push({ ...file, sha256: await fileDigestOf(file.path) });
    this.#checked.set(model, checked);
    return checked;
  }
}
