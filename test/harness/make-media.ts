import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const OUTPUT_BYTES = 10_000_000;

/** Makes media with the machine's own ffmpeg, in a folder that goes with it. */
export interface MediaMaker extends AsyncDisposable {
  folder: string;
  /** Arguments for everything but the output; the bytes of what was made. */
  make(name: string, args: readonly string[]): Promise<Buffer>;
}

export async function openMediaMaker(): Promise<MediaMaker> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry media '));
  return {
    folder,
    async make(name, args) {
      const path = join(folder, name);
      await run('ffmpeg', ['-hide_banner', '-nostdin', '-v', 'error', ...args, '-y', path], {
        maxBuffer: OUTPUT_BYTES,
      });
      return readFile(path);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Inputs: moving pictures of a size, and a sound file. */
export function picturesAnd(soundPath: string, size = '160x90', rate = 10): string[] {
  return ['-f', 'lavfi', '-i', `testsrc=size=${size}:rate=${rate}`, '-i', soundPath, '-shortest'];
}
