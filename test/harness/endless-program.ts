import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts a whisper-cli into the data folder's tools that answers the question of its options, and then works forever. Its
 * path is in the command line of its process. Needs a POSIX shell.
 */
export async function installEndless(dataDir: string): Promise<string> {
  const path = join(dataDir, 'tools', 'whisper-cli');
  await mkdir(join(dataDir, 'tools'), { recursive: true });
  // The program follows itself, so that a kill leaves nothing of it.
  const lines = ['#!/bin/sh', 'case "$*" in *--help*) echo "--model"; exit 0;; esac', 'exec tail -f "$0"'];
  await writeFile(path, `${lines.join('\n')}\n`);
  await chmod(path, 0o755);
  return path;
}
