import { chmod, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface StandIn {
  path: string;
  /** A program that it starts where it works for ever: its path is in the command line of its process. */
  helperPath: string;
}

/** What makes the description of a video on a large site a line of half a megabyte, or more. */
const TRANSLATED = {
  automatic_captions: Object.fromEntries(
    Array.from({ length: 150 }, (_, number) => [
      `x-${number}`,
      ['json3', 'srv1', 'srv2', 'srv3', 'ttml', 'srt', 'vtt'].map((ext) => ({
        ext,
        url: `https://a.example/captions?${'signed'.repeat(80)}`,
      })),
    ]),
  ),
};

/**
 * Puts a program into the data folder's tools that answers as yt-dlp does for a video that `mediaPath` holds. At the
 * step of `endless` it starts a program of its own that nothing but a kill ends, and waits for it. Needs a POSIX shell.
 */
export async function installStandInYtDlp(
  dataDir: string,
  mediaPath: string,
  endless: 'never' | 'describing' | 'fetching' = 'never',
): Promise<StandIn> {
  const folder = join(dataDir, 'tools');
  await mkdir(folder, { recursive: true });
  const [path, helperPath] = [join(folder, 'yt-dlp'), join(folder, 'yt-dlp-helper')];
  await copyFile(mediaPath, join(folder, 'stand-in-media'));
  const endlessAt = (step: 'describing' | 'fetching') => (endless === step ? ['"$0-helper" &', 'wait'] : []);
  const about = { title: 'Stand-in', is_live: false, duration: 4, formats: [{ protocol: 'https' }] };
  await writeFile(join(folder, 'stand-in-description'), JSON.stringify({ ...about, ...TRANSLATED }));
  await writeProgram(path, [
    'case "$*" in *--version*) echo 2023.03.04; exit 0;; esac',
    'case "$*" in *" -J "*)',
    ...endlessAt('describing'),
    'cat "$(dirname "$0")/stand-in-description"; echo; exit 0;;',
    'esac',
    // As it was told to tell: received, in all, and what it does not know.
    'echo "PROG 3145728 6291456 NA NA NA"',
    ...endlessAt('fetching'),
    'while [ "$1" != -o ]; do shift; done',
    // What a run that was killed leaves of a stream.
    ': > "$(dirname "$2")/media.ts.part-Frag7"',
    'cp "$(dirname "$0")/stand-in-media" "$(dirname "$2")/media.mp4"',
  ]);
  await writeProgram(helperPath, ["trap '' TERM HUP INT ALRM", 'while :; do sleep 1; done']);
  return { path, helperPath };
}

async function writeProgram(path: string, lines: readonly string[]): Promise<void> {
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
}
