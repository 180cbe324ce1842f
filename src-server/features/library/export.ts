/** Takes items out of the library: as Markdown with front matter, as one text, or as a ZIP with their files. */

import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { streamZip, ZIP_MAX_BYTES, type ZipEntry } from '../../platform/files/zip.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { jsonLines } from '../../platform/text/json.ts';
import { epubOfItems } from './epub.ts';
import type { ReadResult } from './facts.ts';
import { EXPORT_PARTS, type ExportPart } from './kind.ts';
import type { Collection, Item, Note } from './schema.ts';

const FILE_NAME_CHARS = 80;

/** Files that hold the whole text of a result, the best first. */
const TEXT_FILES = ['document.md', 'transcript.txt'];

/** One page of a crawl a line. */
const PAGES_FILE = 'pages.jsonl';

export interface ExportedFiles {
  fileNamesOf(jobId: string): Promise<string[]>;
  filePathOf(jobId: string, name: string): string | null;
  /** The stored result as JSON; null without one. */
  resultText(jobId: string): Promise<string | null>;
  notesOf(itemId: string): Note[];
  collections(): Collection[];
  /** The file that was sent; null where there is none any more. */
  originalOf(jobId: string): Promise<{ path: string; name: string } | null>;
  now(): number;
}

/** What is taken out, and what of it has no result. */
export interface Exported {
  items: readonly Item[];
  /** Named in every form: nothing is left out in silence. */
  leftOut: readonly Item[];
  /** Of a ZIP. */
  parts?: readonly ExportPart[] | undefined;
}

/** What a ZIP holds where nothing is chosen. */
const USUAL_PARTS = EXPORT_PARTS.filter((part) => part !== 'originals');

/** Files of results by their ending. */
const PART_OF_FILE: readonly [ending: RegExp, part: ExportPart][] = [
  [/\.(?:srt|vtt)$/i, 'subtitles'],
  [/\.(?:png|jpe?g|webp|gif|svg)$/i, 'pictures'],
  [/\.(?:wav|mp3|flac|ogg|opus|m4a|aac)$/i, 'sounds'],
  [/\.(?:jsonl?|csv)$/i, 'data'],
  [/\.txt$/i, 'plain'],
  [/\.md$/i, 'markdown'],
];

function partOfFile(name: string): ExportPart {
  return PART_OF_FILE.find(([ending]) => ending.test(name))?.[1] ?? 'others';
}

export const LEFT_OUT_TITLE = 'Left out of this export';

const MANIFEST_NAME = 'manifest.json';

/**
 * A folder for each item, with the chosen parts; a manifest names the folders, the parts and what is left out. Errors:
 * `conflict` when it would be too large.
 */
export async function zipOfItems(exported: Exported, files: ExportedFiles): Promise<AsyncIterable<Uint8Array>> {
  const parts = new Set(exported.parts ?? USUAL_PARTS);
  let bytes = 0;
  for (const { jobId } of exported.items) {
    for (const { path } of await filesOfParts(jobId, parts, files)) {
      bytes += (await stat(path).catch(() => ({ size: 0 }))).size;
    }
  }
  if (bytes > ZIP_MAX_BYTES) {
    throw new QuarryError('conflict', 'The files are larger than a ZIP may be: export fewer items at once.');
  }
  return streamZip(zipEntries(exported, parts, files));
}

/** Files of a result that belong to the parts, and the file that was sent. */
async function filesOfParts(jobId: string, parts: ReadonlySet<ExportPart>, files: ExportedFiles) {
  const names = (await files.fileNamesOf(jobId)).filter((name) => parts.has(partOfFile(name)));
  const found = names.map((name) => ({ name: `files/${name}`, path: files.filePathOf(jobId, name) ?? '' }));
  const original = parts.has('originals') ? await files.originalOf(jobId) : null;
  if (original === null) return found;
  return [...found, { name: `original/${safeName(original.name)}`, path: original.path }];
}

async function* zipEntries(
  { items, leftOut }: Exported,
  parts: ReadonlySet<ExportPart>,
  files: ExportedFiles,
): AsyncGenerator<ZipEntry> {
  const taken = new Set([MANIFEST_NAME]);
  const folders = new Map(items.map((item) => [item, unusedName(safeName(item.title), taken)]));
  const manifest = {
    exportedAt: toIsoTime(files.now()),
    parts: [...parts],
    items: items.map((item) => ({ itemId: item.itemId, title: item.title, folder: folders.get(item) })),
    leftOut: leftOut.map((item) => ({ itemId: item.itemId, title: item.title, why: whyLeftOut(item) })),
  };
  yield { name: MANIFEST_NAME, content: [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)] };
  for (const [item, folder] of folders) {
    if (parts.has('markdown')) {
      const text = await markdownWithFront(item, files, parts.has('notes'));
      yield { name: `${folder}/${folder}.md`, content: [Buffer.from(text)] };
    } else if (parts.has('notes')) {
      const notes = notesText(files.notesOf(item.itemId));
      if (notes !== '') yield { name: `${folder}/notes.md`, content: [Buffer.from(`${notes}\n`)] };
    }
    for (const { name, path } of await filesOfParts(item.jobId, parts, files)) {
      yield { name: `${folder}/${name}`, content: createReadStream(path) };
    }
  }
}

/** All texts in one file, each below its title. What is left out is named at the end. */
export async function* markdownOfItems({ items, leftOut }: Exported, files: ExportedFiles): AsyncGenerator<Uint8Array> {
  for (const item of items) {
    yield Buffer.from(`# ${item.title}\n\n${sourceLine(item)}\n\n${await markdownOf(item, files)}\n\n`);
  }
  if (leftOut.length > 0) yield Buffer.from(`# ${LEFT_OUT_TITLE}\n\n${leftOutLines(leftOut)}\n`);
}

/** A line for each item, with the reason. */
function leftOutLines(leftOut: readonly Item[]): string {
  return leftOut.map((item) => `- ${item.title} (${sourceLine(item)}): ${whyLeftOut(item)}`).join('\n');
}

function whyLeftOut({ state }: Item): string {
  return state === 'failed' ? 'It could not be read.' : 'It is still being read.';
}

/** The text of an item as a notes program reads it. */
export async function markdownWithFront(item: Item, files: ExportedFiles, withNotes = true): Promise<string> {
  return `${frontMatter(item, files.collections())}${await markdownOf(item, files, withNotes)}`;
}

/** Names of the pictures and subtitles of an item. */
export async function besideFiles({ jobId }: Item, files: ExportedFiles): Promise<string[]> {
  return (await files.fileNamesOf(jobId)).filter((name) => /\.(?:srt|vtt|png|jpe?g|webp|gif|svg)$/i.test(name));
}

/** A book with a chapter for each, and a last one that names what is left out. */
export function bookOfItems({ items, leftOut }: Exported, files: ExportedFiles): AsyncIterable<Uint8Array> {
  return epubOfItems(items, {
    textOf: (item) => markdownOf(item, files),
    changedAt: toIsoTime(files.now()),
    last: leftOut.length === 0 ? null : { title: LEFT_OUT_TITLE, text: leftOutLines(leftOut) },
  });
}

async function markdownOf(item: Item, files: ExportedFiles, withNotes = true): Promise<string> {
  const parts = [(await textOf(item, files)).trim(), withNotes ? notesText(files.notesOf(item.itemId)) : ''];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** The text of an item without its notes, as Markdown. */
export async function textOf({ jobId }: Pick<Item, 'jobId'>, files: ExportedFiles): Promise<string> {
  const names = await files.fileNamesOf(jobId);
  const name = TEXT_FILES.find((one) => names.includes(one));
  if (name !== undefined) return readFile(files.filePathOf(jobId, name) ?? '', 'utf8');
  if (names.includes(PAGES_FILE)) return textOfPages(files.filePathOf(jobId, PAGES_FILE) ?? '');
  const result = parseOwnJson<ReadResult>((await files.resultText(jobId)) ?? '{}');
  return result.content ?? (result.chunks ?? []).map(({ text = '' }) => text).join('\n\n');
}

interface ExportedPage {
  url: string;
  title?: string | null;
  markdown?: string;
}

/** The pages of a site, each below its title and address. */
async function textOfPages(path: string): Promise<string> {
  const texts: string[] = [];
  for await (const line of jsonLines(createReadStream(path, 'utf8'))) {
    const { url, title, markdown = '' } = parseOwnJson<ExportedPage>(line);
    texts.push(`## ${title ?? url}\n\n${url}\n\n${markdown.trim()}`);
  }
  return texts.join('\n\n');
}

function notesText(notes: readonly Note[]): string {
  if (notes.length === 0) return '';
  const lines = notes.map(({ quote, text }) => {
    const quoted = quote === null ? '' : quote.replaceAll(/^/gm, '> ');
    return [quoted, text.trim()].filter((part) => part !== '').join('\n\n');
  });
  return `## Notes\n\n${lines.join('\n\n')}`;
}

/** YAML, with each text as JSON, which YAML reads too. */
function frontMatter(item: Item, collections: readonly Collection[]): string {
  const names = item.collections.map((id) => collections.find(({ collectionId }) => collectionId === id)?.name ?? id);
  const fields: Record<string, unknown> = {
    title: item.title,
    kind: item.kind,
    source: item.source.url ?? item.source.name,
    added: item.addedAt,
    dated: item.datedAt,
    language: item.language,
    tags: item.tags,
    collections: names,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null || (Array.isArray(value) && value.length === 0) ? [] : [`${name}: ${JSON.stringify(value)}`],
  );
  return `---\n${lines.join('\n')}\n---\n\n`;
}

function sourceLine({ source, addedAt }: Item): string {
  const from = source.url ?? source.name;
  return from === null ? `Added ${addedAt.slice(0, 10)}` : `${from}, added ${addedAt.slice(0, 10)}`;
}

/** A file name that every system takes; reserved characters become `_`. */
export function safeName(title: string): string {
  const safe = title
    .replaceAll(/[<>:"|?*/\\\p{Cc}]/gu, '_')
    .slice(0, FILE_NAME_CHARS)
    .toWellFormed()
    .replace(/^\.+/, '_')
    .replace(/[. ]+$/, '');
  return safe === '' || /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(safe) ? `_${safe}` : safe;
}

/** Case does not tell names apart on every system. */
function unusedName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} ${number}`;
  taken.add(free.toLowerCase());
  return free;
}
