/**
 * Writes items into a folder, in one direction, and keeps it in step. A list in the folder names the files that were
 * written, with the hash of their bytes: only these are changed or removed, and only while they are unchanged.
 */

import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { systemCodeOf } from '../../platform/errors.ts';

/** Names the files of this folder. Its dot hides it from Obsidian and Logseq. */
export const LIST_NAME = '.quarry-mirror.json';

const WrittenFile = z.object({ sha256: z.string() });

const WrittenItem = z.object({
  /** What the files were made from. */
  stamp: z.string(),
  /** Name without an ending. */
  base: z.string(),
  files: z.record(z.string(), WrittenFile),
});

const List = z.object({ version: z.literal(1), items: z.record(z.string(), WrittenItem) });

type List = z.infer<typeof List>;

type WrittenFiles = List['items'][string]['files'];

export interface MirroredItem {
  itemId: string;
  /** Equal for equal content. */
  stamp: string;
  /** A file name without an ending. */
  base: string;
  /** The files, when they have to be written; paths are relative and begin with `base`. */
  files(base: string): AsyncIterable<{ path: string; bytes: Uint8Array }>;
}

export interface MirrorOutcome {
  written: number;
  removed: number;
  /** Files that somebody else made or changed, and that stay as they are. */
  kept: string[];
}

/** The folder cannot be used. */
export class MirrorFolderError extends Error {
  readonly code: 'missing' | 'link' | 'no-folder' | 'damaged-list' | 'unwritable' | 'full';

  constructor(code: MirrorFolderError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Errors: MirrorFolderError; what is written until then stays listed. The signal's reason between items. */
export async function mirrorItems(
  folder: string,
  items: Iterable<MirroredItem>,
  signal: AbortSignal,
): Promise<MirrorOutcome> {
  await checkFolder(folder);
  const list = await readList(folder);
  const outcome: MirrorOutcome = { written: 0, removed: 0, kept: [] };
  const wanted = new Set<string>();
  const taken = new Set(Object.values(list.items).map(({ base }) => base.toLowerCase()));
  try {
    for (const item of items) {
      signal.throwIfAborted();
      wanted.add(item.itemId);
      await mirrorItem(folder, list, item, taken, outcome);
    }
    for (const [itemId, { files }] of Object.entries(list.items)) {
      if (wanted.has(itemId)) continue;
      for (const path of Object.keys(files)) await removeOwn(folder, path, files[path]?.sha256 ?? '', outcome);
      delete list.items[itemId];
    }
  } catch (error) {
    throw folderError(error);
  } finally {
    await writeWhole(folder, LIST_NAME, Buffer.from(JSON.stringify(list, null, 1))).catch((error: unknown) => {
      throw folderError(error);
    });
  }
  return outcome;
}

async function mirrorItem(
  folder: string,
  list: List,
  item: MirroredItem,
  taken: Set<string>,
  outcome: MirrorOutcome,
): Promise<void> {
  const before = list.items[item.itemId];
  if (before?.stamp === item.stamp && (await areThere(folder, Object.keys(before.files)))) return;
  const isSameName = before !== undefined && isNumbered(before.base, item.base);
  const base = isSameName ? before.base : await unusedBase(folder, item, taken);
  taken.add(base.toLowerCase());
  const files: WrittenFiles = {};
  // Until all is written the item has no stamp: the next run goes on with it.
  list.items[item.itemId] = { stamp: '', base, files: { ...before?.files } };
  for await (const { path, bytes } of item.files(base)) {
    const known = before?.files[path];
    const sha256 = hashOf(bytes);
    if (await isForeign(folder, path, [known?.sha256, sha256])) {
      outcome.kept.push(path);
      // It stays listed with the bytes that were written: if they come back, the file is in step again.
      if (known !== undefined) files[path] = known;
      continue;
    }
    if (known?.sha256 !== sha256 || !(await areThere(folder, [path]))) {
      await writeWhole(folder, path, bytes);
      outcome.written += 1;
    }
    files[path] = { sha256 };
    list.items[item.itemId] = { stamp: '', base, files: { ...before?.files, ...files } };
  }
  for (const [path, { sha256 }] of Object.entries(before?.files ?? {})) {
    if (files[path] === undefined) await removeOwn(folder, path, sha256, outcome);
  }
  list.items[item.itemId] = { stamp: item.stamp, base, files };
}

/** `Tides 2` stands for `Tides` where another file had that name. */
function isNumbered(base: string, wanted: string): boolean {
  return base === wanted || (base.startsWith(`${wanted} `) && /^\d+$/.test(base.slice(wanted.length + 1)));
}

/** A name that nothing has, or whose file a killed run has written: its bytes tell. */
async function unusedBase(folder: string, item: MirroredItem, taken: ReadonlySet<string>): Promise<string> {
  let first: string | null = null;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? item.base : `${item.base} ${number}`;
    if (taken.has(name.toLowerCase())) continue;
    const [text, beside] = await Promise.all([lstatOf(join(folder, `${name}.md`)), lstatOf(join(folder, name))]);
    if (text === null && beside === null) return name;
    if (text?.isFile() !== true) continue;
    first ??= await hashOfFirst(item);
    if ((await hashOfFile(join(folder, `${name}.md`))) === first) return name;
  }
}

async function hashOfFirst({ base, files }: MirroredItem): Promise<string> {
  for await (const { bytes } of files(base)) return hashOf(bytes);
  return '';
}

/** Whether a file is there that has none of the bytes written here. Threat: a link leads out of the folder. */
async function isForeign(folder: string, path: string, own: readonly (string | undefined)[]): Promise<boolean> {
  const parent = dirname(path);
  if (parent !== '.') {
    const above = await lstatOf(join(folder, parent));
    if (above !== null && !above.isDirectory()) return true;
  }
  const found = await lstatOf(join(folder, path));
  if (found === null) return false;
  return !found.isFile() || !own.includes(await hashOfFile(join(folder, path)));
}

async function removeOwn(folder: string, path: string, sha256: string, outcome: MirrorOutcome): Promise<void> {
  if ((await lstatOf(join(folder, path))) === null) return;
  if (await isForeign(folder, path, [sha256])) {
    outcome.kept.push(path);
    return;
  }
  await rm(join(folder, path));
  outcome.removed += 1;
  // A folder with files of somebody else stays.
  if (dirname(path) !== '.') await rmdir(join(folder, dirname(path))).catch(() => undefined);
}

async function areThere(folder: string, paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => lstatOf(join(folder, path))));
  return found.every((one) => one !== null);
}

/** A reader sees the old bytes or the new ones. */
async function writeWhole(folder: string, path: string, bytes: Uint8Array): Promise<void> {
  if (dirname(path) !== '.') await mkdir(join(folder, dirname(path)), { recursive: true });
  const draft = join(folder, `.quarry-${randomBytes(8).toString('hex')}.tmp`);
  let file: FileHandle | null = null;
  try {
    file = await open(draft, 'wx', 0o644);
    await file.writeFile(bytes);
    await file.close();
    file = null;
    await rename(draft, join(folder, path));
  } catch (error) {
    await file?.close().catch(() => undefined);
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function checkFolder(folder: string): Promise<void> {
  const found = await lstatOf(folder);
  if (found === null) throw new MirrorFolderError('missing', 'The folder is not there. Connect its disk, or make it.');
  if (found.isSymbolicLink()) {
    throw new MirrorFolderError('link', 'The folder is a link now. Give the folder that it leads to.');
  }
  if (!found.isDirectory()) throw new MirrorFolderError('no-folder', 'There is a file at the place of the folder.');
}

async function readList(folder: string): Promise<List> {
  const path = join(folder, LIST_NAME);
  const found = await lstatOf(path);
  if (found === null) return { version: 1, items: {} };
  const damaged =
    `${LIST_NAME} in the folder is damaged: without it no file is known as Quarry's. ` +
    'Restore it, or take another folder.';
  if (!found.isFile()) throw new MirrorFolderError('damaged-list', damaged);
  let file: FileHandle | null = null;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    return List.parse(JSON.parse(await file.readFile('utf8')));
  } catch (cause) {
    throw new MirrorFolderError('damaged-list', damaged, cause);
  } finally {
    await file?.close();
  }
}

function folderError(error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new MirrorFolderError('full', 'The disk of the folder is full. Make room; the rest is written then.', error);
  }
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') {
    return new MirrorFolderError('unwritable', 'The folder cannot be written. Change its permissions.', error);
  }
  return error;
}

async function lstatOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

async function hashOfFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const hash = createHash('sha256');
    for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece);
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
