/** The pages that users read, and their fenced blocks. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Block {
  page: string;
  /** The word after the fence; empty for outputs. */
  language: string;
  text: string;
  /** The reason of a comment `not run: …` above the block. */
  notRun: string | null;
}

const FENCED = /(?:<!-- not run: ([^>]+) -->\n)?^( *)```(\w*)\n([\s\S]*?)^\2```$/gm;

/** README, docs and guides, as paths below the root. */
export function pagesOf(): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`);
  return ['README.md', ...inFolder('resources/docs'), ...inFolder('resources/reference')];
}

export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

export function blocksOf(page: string): Block[] {
  return [...textOf(page).matchAll(FENCED)].map(([, notRun, , language = '', text = '']) => ({
    ...{ page, language, text },
    notRun: notRun ?? null,
  }));
}

export function isShell({ language }: Block): boolean {
  return language === 'sh';
}
