import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWhisperCli } from '../../src-server/features/media/whisper-cli.ts';

const PATH = join(import.meta.dirname, '../../node_modules/.cache/quarry/whisper-cli');
/** Half a minute on an idle machine, and machines are not idle. */
export const BUILD_TIMEOUT_MS = 1_800_000;

/** whisper-cli built as the product builds it; kept, since it takes half a minute. */
export async function builtWhisperCli(): Promise<string> {
  await access(PATH).catch(() => buildWhisperCli(PATH, new AbortController().signal));
  return PATH;
}
