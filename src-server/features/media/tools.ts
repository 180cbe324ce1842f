import { join } from 'node:path';
import { type AppContext, perContext } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { createModelClient, type ModelClient } from '../../platform/net/download.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { VERSION } from '../../platform/version.ts';
import { createFfmpegLocator, type FfmpegLocator, tryOutFfmpeg } from './ffmpeg.ts';
import { createMediaReader, type MediaReader } from './media-reader.ts';
import { ffmpegSource, ToolRelease, type ToolSource, ytDlpSource } from './tool-release.ts';
import { createWhisperCliLocator, type WhisperCliLocator } from './whisper-cli.ts';
import { createYtDlpLocator, tryOutYtDlp, type YtDlpLocator } from './yt-dlp.ts';

/** FFmpeg's libraries, and third-party programs for media work from the user's system or the data folder. */
export interface MediaTools {
  media: MediaReader;
  ffmpeg: FfmpegLocator;
  whisperCli: WhisperCliLocator;
  ytDlp: YtDlpLocator;
  ytDlpRelease: ToolRelease;
  ffmpegRelease: ToolRelease;
}

export interface ToolFacts {
  name: 'node-av' | 'ffmpeg' | 'whisper-cli' | 'yt-dlp';
  /** `buildable`: missing, and built from source on first use. */
  state: 'ready' | 'buildable' | 'missing';
  purpose: string;
  version: string | null;
  /** Source of the program, never a path: `included`, `setting`, `data-folder`, `ffmpeg-static` or `path`. */
  from: string | null;
  /** Install instructions when it is missing. */
  advice: string | null;
}

interface MediaToolDeps {
  dataDir: string;
  clock: Clock;
  startChild: StartChildProgram;
  client: ModelClient;
  mirrorUrl(): string | null;
  /** The record about an installed program could not be read or written. No job fails for it. */
  onNoteLost(error: unknown): void;
}

export function openMediaTools(deps: MediaToolDeps): MediaTools {
  const { dataDir, clock, client, mirrorUrl, onNoteLost } = deps;
  const ffmpeg = createFfmpegLocator({ setting: process.env.QUARRY_FFMPEG, dataDir });
  const ytDlp = createYtDlpLocator({ setting: process.env.QUARRY_YT_DLP, dataDir });
  const { platform, arch } = process;
  const release = (
    source: ToolSource,
    locator: { forget(): void },
    tryOut: (path: string) => Promise<string>,
  ): ToolRelease => {
    const onReplaced = () => locator.forget();
    return new ToolRelease({
      source,
      folder: join(dataDir, 'tools'),
      client,
      clock,
      mirrorUrl,
      tryOut,
      onReplaced,
      onNoteLost,
    });
  };
  return {
    media: createMediaReader(deps.startChild),
    ffmpeg,
    whisperCli: createWhisperCliLocator({ setting: process.env.QUARRY_WHISPER_CLI, dataDir }),
    ytDlp,
    ytDlpRelease: release(ytDlpSource(platform, arch), ytDlp, tryOutYtDlp),
    ffmpegRelease: release(ffmpegSource(platform, arch, process.env.FFMPEG_BINARIES_URL), ffmpeg, tryOutFfmpeg),
  };
}

/** Looks up each program in the same way as jobs do. */
export async function describeTools({ media, ffmpeg, whisperCli, ytDlp }: MediaTools): Promise<ToolFacts[]> {
  return Promise.all([
    facts('node-av', 'Reads video and audio files', async () => ({
      version: `FFmpeg ${await media.version()}`,
      from: 'included',
    })),
    facts('ffmpeg', 'Converts the few streams that yt-dlp cannot save by itself', () => ffmpeg.locate()),
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

export const toolsOf = perContext((context): MediaTools => {
  const tools = openMediaTools({
    dataDir: context.dataDir,
    clock: context.clock,
    startChild: context.startChild,
    mirrorUrl: () => context.settings().modelMirrorUrl,
    client: createModelClient(`Quarry/${VERSION}`),
    onNoteLost: noteLost(context),
  });
  context.onClose(() => tools.ytDlpRelease.close());
  context.onClose(() => tools.ffmpegRelease.close());
  return tools;
});

/** Logs that the record about a program could not be read or written. No job fails for it. */
export function noteLost({ log }: Pick<AppContext, 'log'>): (error: unknown) => void {
  return (error) => log.warn({ err: error }, 'The record about a program could not be read or written. Jobs continue.');
}
