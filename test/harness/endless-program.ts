import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Puts a program into the data folder's tools that answers what it is asked before it is used, and then works for ever:
 * where `onlyAt` is given, only when an argument holds it; otherwise the real program does the work. Its path is in the
 * command line of its process. Needs a POSIX shell.
 */
export async function installEndless(
  dataDir: string,
  program: 'ffmpeg' | 'whisper-cli',
  onlyAt?: string,
): Promise<string> {
  const { question, answer } = {
    ffmpeg: { question: '-version', answer: 'ffmpeg version 6.1.1' },
    'whisper-cli': { question: '--help', answer: '--model' },
  }[program];
  const path = join(dataDir, 'tools', program);
  await mkdir(join(dataDir, 'tools'), { recursive: true });
  const lines = [
    '#!/bin/sh',
    `case "$*" in *${question}*) echo "${answer}"; exit 0;; esac`,
    ...(onlyAt === undefined ? [] : [`case "$*" in *"${onlyAt}"*) ;; *) exec ${program} "$@";; esac`]),
    // Itself, so that a kill leaves nothing of it.
    'exec tail -f "$0"',
  ];
  await writeFile(path, `${lines.join('\n')}\n`);
  await chmod(path, 0o755);
  return path;
}
