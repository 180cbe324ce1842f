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
  /** Arguments for everything but the output; the bytes of what was made. The same call is not worked on twice. */
  make(name: string, args: readonly string[]): Promise<Buffer>;
}

export async function openMediaMaker(): Promise<MediaMaker> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry media '));
  const made = new Map<string, Promise<Buffer>>();
  const make = async (name: string, args: readonly string[]) => {
    const path = join(folder, name);
    const options = { maxBuffer: OUTPUT_BYTES };
    await run('ffmpeg', ['-hide_banner', '-nostdin', '-v', 'error', ...args, '-y', path], options);
    return readFile(path);
  };
  return {
    folder,
    make(name, args) {
      const call = JSON.stringify([name, args]);
      const bytes = made.get(call) ?? make(name, args);
      made.set(call, bytes);
      return bytes;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Inputs: moving pictures of a size, and a sound file. */
export function picturesAnd(soundPath: string, size = '160x90', rate = 10): string[] {
  return ['-f', 'lavfi', '-i', `testsrc=size=${size}:rate=${rate}`, '-i', soundPath, '-shortest'];
}
