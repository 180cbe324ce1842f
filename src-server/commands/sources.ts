import { createWriteStream } from 'node:fs';
import { glob, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type FileKind, kindOfName, kindsReadAs } from '../platform/files/kinds.ts';
import { sniffFile } from '../platform/files/sniff.ts';
import { CommandError, EXIT } from './connection.ts';
import type { RequestContent } from './follow.ts';
import { openDiskFile } from './multipart-body.ts';

/** What a command reads: a file, or an address. */
export type Source = { name: string; path: string; address: null } | { name: string; path: null; address: string };

const STDIN = '-';

const ADDRESS = /^https?:\/\//i;

const PATTERN = /[*?[{]/;

const RECORDED: readonly (FileKind | null)[] = kindsReadAs('recording', 'stream');

/** Files and addresses of the arguments. A pattern that the shell has not expanded is expanded here, sorted by name. */
export async function resolveSources(given: readonly string[], input: Input): Promise<Source[]> {
  const asked = given.length === 0 && input.isPiped ? [STDIN] : given;
  if (asked.length === 0) throw new CommandError('Give files or addresses, or - for standard input.', EXIT.usage);
  const sources: Source[] = [];
  for (const one of asked) {
    if (one === STDIN) sources.push(await input.save());
    else if (ADDRESS.test(one)) sources.push({ name: one, path: null, address: one });
    else sources.push(...(await readSourceFiles(one)));
  }
  return sources;
}

async function readSourceFiles(given: string): Promise<Source[]> {
  const found = await stat(given).catch(() => null);
  if (found?.isDirectory()) {
    throw new CommandError(`${given} is a folder. Give its files, such as "${join(given, '*')}".`, EXIT.usage);
  }
  if (found !== null) return [fileSource(given)];
  if (!PATTERN.test(given)) throw new CommandError(`${given} does not exist.`, EXIT.usage);
  const paths: string[] = [];
  for await (const path of glob(given)) if ((await stat(path)).isFile()) paths.push(path);
  if (paths.length === 0) throw new CommandError(`No file matches ${given}.`, EXIT.usage);
  return paths.toSorted().map(fileSource);
}

function fileSource(path: string): Source {
  return { name: basename(path), path: resolve(path), address: null };
}

/** The operation that reads a source as text: files by their bytes, addresses by their ending. */
export async function readingOperation({ name, path, address }: Source): Promise<string> {
  const kind = address === null ? (await sniffFile(path, name)).kind : kindOfName(URL.parse(address)?.pathname ?? '');
  return RECORDED.includes(kind) ? 'extract/video' : 'extract/doc';
}

/** The body for an extraction. The file is read while it is sent. */
export async function extractionBody(source: Source, options: Record<string, unknown>): Promise<() => RequestContent> {
  if (source.address !== null) {
    const body = JSON.stringify({ sourceUrl: source.address, options });
    return () => body;
  }
  const file = await openDiskFile(source.path, source.name);
  return () => {
    const form = new FormData();
    form.append('options', JSON.stringify(options));
    form.append('sourceName', source.name);
    form.append('file', file);
    return form;
  };
}

/** Standard input. */
export interface Input {
  /** Whether it comes from a file or a program. */
  isPiped: boolean;
  /** Saves it to a temporary file. It can be read once. */
  save(): Promise<Source>;
  text(): Promise<string>;
  /** Removes the temporary file. */
  clear(): Promise<void>;
}

/** @param name shown for it, and the hint for formats with similar bytes */
export function standardInput(stream: NodeJS.ReadStream, name = 'stdin'): Input {
  let folder: string | null = null;
  return {
    isPiped: stream.isTTY !== true,
    save: async () => {
      if (folder !== null) throw new CommandError('Standard input can be read once: give - once.', EXIT.usage);
      folder = await mkdtemp(join(tmpdir(), 'quarry-'));
      const path = join(folder, 'input');
      await pipeline(stream, createWriteStream(path, { mode: 0o600 }));
      return { name: basename(name), path, address: null };
    },
    text: async () => {
      stream.setEncoding('utf8');
      let text = '';
      for await (const part of stream) text += part;
      return text;
    },
    clear: async () => {
      if (folder !== null) await rm(folder, { recursive: true, force: true });
    },
  };
}
