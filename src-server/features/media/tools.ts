import { join } from 'node:path';
import { type AppContext, perContext } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { createModelClient, type ModelClient } from '../../platform/net/download.ts';
import { VERSION } from '../../platform/version.ts';
import type { Tool } from '../models/schema.ts';
import { createFfmpegLocator, type FfmpegLocator } from './ffmpeg.ts';
import { createWhisperCliLocator, type WhisperCliLocator } from './whisper-cli.ts';
import { createYtDlpLocator, tryOutYtDlp, type YtDlpLocator } from './yt-dlp.ts';
import { releaseFileFor, YtDlpRelease } from './yt-dlp-release.ts';

/** Third-party programs for media work, from the user's system or the data folder. */
export interface MediaTools {
  ffmpeg: FfmpegLocator;
  whisperCli: WhisperCliLocator;
  ytDlp: YtDlpLocator;
  ytDlpRelease: YtDlpRelease;
}

export interface ToolFacts {
  name: 'ffmpeg' | 'whisper-cli' | 'yt-dlp';
  /** `buildable`: missing, and built from source on first use. */
  state: 'ready' | 'buildable' | 'missing';
  purpose: string;
  version: string | null;
  /** Source of the program, never a path: `setting`, `data-folder`, `ffmpeg-static` (bundled) or `path`. */
  from: string | null;
  /** Install instructions when it is missing. */
  advice: string | null;
}

interface MediaToolDeps {
  dataDir: string;
  clock: Clock;
  client: ModelClient;
  mirrorUrl(): string | null;
  /** The record about yt-dlp could not be read or written. No job fails for it. */
  onNoteLost(error: unknown): void;
}

export function openMediaTools({ dataDir, clock, client, mirrorUrl, onNoteLost }: MediaToolDeps): MediaTools {
  const ytDlp = createYtDlpLocator({ setting: process.env.QUARRY_YT_DLP, dataDir });
  return {
    ffmpeg: createFfmpegLocator({ setting: process.env.QUARRY_FFMPEG, dataDir }),
    whisperCli: createWhisperCliLocator({ setting: process.env.QUARRY_WHISPER_CLI, dataDir }),
    ytDlp,
    ytDlpRelease: new YtDlpRelease({
      folder: join(dataDir, 'tools'),
      file: releaseFileFor(process.platform, process.arch),
      client,
      clock,
      mirrorUrl,
      tryOut: tryOutYtDlp,
      onReplaced: () => ytDlp.forget(),
      onNoteLost,
    }),
  };
}

/** Looks up each program in the same way as jobs do. */
export async function describeTools({ ffmpeg, whisperCli, ytDlp }: MediaTools): Promise<ToolFacts[]> {
  return Promise.all([
    facts('ffmpeg', 'Reads video and audio files', () => ffmpeg.locate()),
    facts('whisper-cli', 'Runs speech models in ggml format', async () => {
      await whisperCli.check();
      return whisperCli.locate().catch(() => null);
    }),
    facts('yt-dlp', 'Finds videos that a page does not name itself', () => ytDlp.locate()),
  ]);
}

async function facts(
  name: ToolFacts['name'],
  purpose: string,
  look: () => Promise<{ version?: string; from: string } | null>,
): Promise<ToolFacts> {
  const nothing = { name, purpose, version: null, from: null, advice: null };
  try {
    const found = await look();
    if (found === null) return { ...nothing, state: 'buildable' };
    return { ...nothing, state: 'ready', version: found.version ?? null, from: found.from };
  } catch (error) {
    return { ...nothing, state: 'missing', advice: (error as Error).message };
  }
}

/** The programs as needs of work, and how Quarry installs them. */
export function mediaNeeds({ ffmpeg, whisperCli, ytDlp, ytDlpRelease }: MediaTools): Tool[] {
  return [
    { need: 'ffmpeg', installed: () => foundBy(() => ffmpeg.locate()), installable: null },
    { need: 'whisper-cli', installed: () => foundBy(() => whisperCli.locate()), installable: null },
    {
      need: 'yt-dlp',
      installed: () => foundBy(() => ytDlp.locate()),
      installable: {
        ...{ name: 'yt-dlp', kind: 'tool', title: 'yt-dlp', licence: 'Unlicense' },
        sizeBytes: ytDlpRelease.aboutBytes,
        source: ytDlpRelease.source,
        install: async () => ytDlpRelease.install(),
        progress: () => ytDlpRelease.progress(),
        watch: (onChange) => ytDlpRelease.watch(onChange),
      },
    },
  ];
}

/** `2026.01.02 (path)`; null when the program is missing. */
async function foundBy(look: () => Promise<{ version?: string; from: string }>): Promise<string | null> {
  try {
    const { version, from } = await look();
    return [version, `(${from})`].filter(Boolean).join(' ');
  } catch {
    // A missing program is an answer here. Jobs get the error.
    return null;
  }
}

export const toolsOf = perContext((context): MediaTools => {
  const tools = openMediaTools({
    dataDir: context.dataDir,
    clock: context.clock,
    mirrorUrl: () => context.settings().modelMirrorUrl,
    client: createModelClient(`Quarry/${VERSION}`),
    onNoteLost: noteLost(context),
  });
  context.onClose(() => tools.ytDlpRelease.close());
  return tools;
});

/** Logs that the record about yt-dlp could not be read or written. No job fails for it. */
export function noteLost({ log }: Pick<AppContext, 'log'>): (error: unknown) => void {
  return (error) => log.warn({ err: error }, 'The record about yt-dlp could not be read or written. Jobs continue.');
}
