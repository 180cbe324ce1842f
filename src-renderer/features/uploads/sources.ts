/** What can be dropped, pasted or chosen, and the operation that fits it. The server checks the bytes. */
import { kindOfName, kindsWhere } from '../../../src-server/platform/files/kinds.ts';
import { operationForKind, operationForName } from '../../components/file-kinds.ts';
import { compareTexts } from '../../components/format.ts';
import { OPERATION_IDS, operationOf, type Work, workOfOperation } from '../../components/work.ts';
import { texts } from '../../texts.ts';

export interface Place {
  tags: readonly string[];
  /** Identifier of a collection. */
  collection: string | null;
}

export type Source = {
  name: string;
  operationId: string;
  work: Work;
  /** How it is read; absent: as sources of its kind are. */
  options?: object | null;
  /** Where its item goes. */
  place?: Place;
  /** The library has it, and its owner wants it read again. */
  isAgain?: boolean;
  /** Its owner wants it read aloud. */
  listens?: boolean;
} & ({ file: File; address: null } | { file: null; address: string });

const PASTED_NAME_CHARS = 60;

/** Sites of hosted videos. */
const VIDEO_HOSTS = /(^|\.)(youtube\.com|youtu\.be|vimeo\.com|dailymotion\.com|twitch\.tv|ted\.com)$/;

/** Kinds of addresses that are files, and no pages. */
const FILES = new Set(kindsWhere(({ opened, reader }) => opened === true || reader === 'stream'));
FILES.delete('html');

/** Files and folders that systems and programs keep in folders: hidden ones, and locks of open documents. */
const LEFT_BEHIND = /^(\.|~\$|Thumbs\.db$|desktop\.ini$)/i;

/** The operation that reads a file. Of an unknown kind the server learns from its bytes. */
function operationForFile({ name, type }: Pick<File, 'name' | 'type'>): string {
  const recorded = /^(audio|video)\//.exec(type)?.[1] as 'audio' | 'video' | undefined;
  return recorded === undefined ? operationForName(name) : operationForKind(recorded);
}

/** An address of a file is that file; a video site's is a hosted video; any other is a site to crawl. */
function operationForAddress({ hostname, pathname }: URL): string {
  if (VIDEO_HOSTS.test(hostname))
    return OPERATION_IDS.find((id) => workOfOperation(id).takes === 'page') ?? operationOf('crawl');
  const kind = kindOfName(pathname);
  // Pages, and lists of them such as sitemaps, are what a crawl begins with.
  return kind !== null && FILES.has(kind) ? operationForKind(kind) : operationOf('crawl');
}

/** Whether name or type of a file tell its kind. */
export function isKnownFile({ name, type }: Pick<File, 'name' | 'type'>): boolean {
  return kindOfName(name) !== null || /^(audio|video)\//.test(type);
}

export function fileSource(file: File): Source {
  const operationId = operationForFile(file);
  return { name: file.name, operationId, work: workOfOperation(operationId), file, address: null };
}

/** The addresses in a dropped or pasted text: one on each line. Null if the text has anything else. */
export function addressSources(text: string): Source[] | null {
  const lines = text.split(/\s*\n\s*/).filter((line) => line !== '' && !line.startsWith('#'));
  const urls = lines.map((line) => (/^https?:\/\/\S+$/i.test(line) && URL.canParse(line) ? new URL(line) : null));
  if (urls.length === 0 || urls.includes(null)) return null;
  return urls.flatMap((url) => {
    if (url === null) return [];
    const operationId = operationForAddress(url);
    const name =
      workOfOperation(operationId).takes === 'site'
        ? url.hostname
        : (url.pathname.split('/').at(-1) ?? '') || url.hostname;
    return [{ name, operationId, work: workOfOperation(operationId), file: null, address: url.href }];
  });
}

/** A pasted text becomes a file with its first words as name. */
export function textSource(text: string): Source {
  const [first = ''] = text.trim().split('\n');
  const name =
    first
      .replace(/[\\/:*?"<>|#\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, PASTED_NAME_CHARS)
      .trim() || texts.add.pasted;
  return fileSource(new File([text], `${name}.txt`, { type: 'text/plain' }));
}

/** What is typed or pasted: its addresses, else the text itself; nothing of blanks. */
export function typedSources(typed: string): Source[] {
  return typed.trim() === '' ? [] : (addressSources(typed.trim()) ?? [textSource(typed)]);
}

/** Whether people listen to what is read of it: to documents and pages. A recording is heard as it is. */
export function canBeRead({ operationId }: Source): boolean {
  const { group } = workOfOperation(operationId);
  return group === 'read' || group === 'crawl';
}

/** Whether a recording has no picture. */
export function isSoundSource({ name, file }: Source): boolean {
  return file?.type.startsWith('audio/') === true || kindOfName(name) === 'audio';
}

/** The request body of a source: a form for a file, JSON for an address. */
export function sourceForm(source: Source, options: object | null): FormData | string {
  if (source.file !== null) {
    const form = new FormData();
    form.append('file', source.file, source.file.name);
    if (options !== null) form.append('options', JSON.stringify(options));
    return form;
  }
  if (workOfOperation(source.operationId).takes === 'site') {
    // Without an age, a crawl that was made lately would be the answer.
    return JSON.stringify({ url: source.address, ...options, maxAge: source.isAgain === true ? 0 : undefined });
  }
  return JSON.stringify({ sourceUrl: source.address, ...(options === null ? {} : { options }) });
}

export interface Dropped {
  sources: Source[];
  /** Names of what was left out of folders. */
  leftOut: string[];
}

/** Everything that was dropped, folders included, in the order of their names. */
export async function droppedSources(data: DataTransfer): Promise<Dropped> {
  // The browser empties the object after the event, so read all entries first.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const files = [...data.files];
  const text = data.getData('text/uri-list') || data.getData('text/plain');
  if (files.length === 0 && entries.length === 0) return { sources: addressSources(text) ?? [], leftOut: [] };
  const leftOut: string[] = [];
  const lists = entries.length > 0 ? await Promise.all(entries.map((entry) => filesIn(entry, leftOut))) : [files];
  return { sources: lists.flat().map(fileSource), leftOut };
}

async function filesIn(entry: FileSystemEntry, leftOut: string[]): Promise<File[]> {
  if (isFile(entry)) return [await new Promise<File>((resolve, reject) => entry.file(resolve, reject))];
  if (!isFolderEntry(entry)) return [];
  const entries = await entriesIn(entry.createReader());
  const isLeft = Map.groupBy(entries, ({ name }) => LEFT_BEHIND.test(name));
  leftOut.push(...(isLeft.get(true) ?? []).map(({ name }) => name));
  const kept = isLeft.get(false) ?? [];
  kept.sort((one, other) => compareTexts(one.name, other.name));
  return (await Promise.all(kept.map((one) => filesIn(one, leftOut)))).flat();
}

/** A reader gives at most a hundred entries at a time. */
async function entriesIn(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  return some.length === 0 ? [] : [...some, ...(await entriesIn(reader))];
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolderEntry(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
