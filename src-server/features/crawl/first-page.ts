/** The first page of a crawl as it was fetched, kept for the picture of its site. */

import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseOwnJson } from '../../platform/own-json.ts';
import { MIB } from '../../platform/units.ts';

export interface FirstPage {
  url: string;
  /** Those that decide how a browser shows it. */
  headers: [name: string, value: string][];
  body: Buffer;
}

const HTML = 'first-page.html';

const FACTS = 'first-page.json';

/** A larger page has no picture. */
const BYTES_MAX = 2 * MIB;

export class KeptFirstPage {
  readonly #workFolder: string;
  readonly #earlierFolder: string | null;
  #written: Promise<void> | null = null;

  /** @param earlierBatches of the crawl whose unchanged pages are used again */
  constructor(workFolder: string, earlierBatches: string | null) {
    this.#workFolder = workFolder;
    this.#earlierFolder = earlierBatches === null ? null : dirname(earlierBatches);
  }

  /** Ends when the page is on the disk. Never rejects: a crawl does not fail for its picture. */
  get written(): Promise<void> {
    return this.#written ?? Promise.resolve();
  }

  /** Keeps the first one that is given. */
  keepFirstPage(page: FirstPage | 'unchanged'): void {
    this.#written ??= this.#writeFirstPage(page).catch(() => undefined);
  }

  async #writeFirstPage(page: FirstPage | 'unchanged'): Promise<void> {
    const folder = this.#workFolder;
    if (page !== 'unchanged') {
      const { body, ...facts } = page;
      if (body.length > BYTES_MAX) return;
      await writeFile(join(folder, HTML), body);
      await writeFile(join(folder, FACTS), JSON.stringify(facts));
    } else if (this.#earlierFolder !== null) {
      for (const name of [HTML, FACTS]) await copyFile(join(this.#earlierFolder, name), join(folder, name));
    }
  }
}

/** Null where none is kept. */
export async function readFirstPage(workFolder: string): Promise<(FirstPage & { path: string }) | null> {
  const path = join(workFolder, HTML);
  const facts = await readFile(join(workFolder, FACTS), 'utf8').catch(() => null);
  if (facts === null) return null;
  return { ...parseOwnJson<Omit<FirstPage, 'body'>>(facts), body: await readFile(path), path };
}
