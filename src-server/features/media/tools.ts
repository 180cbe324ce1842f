import { join } from 'node:path';
import { type AppContext, perContext } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { createModelClient, type ModelClient } from '../../platform/net/download.ts';
import type { StartChildProgram } from '../../platform/rpc/child-process.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { VERSION } from '../../platform/version.ts';
import type { Tool } from '../models/schema.ts';
import { createFfmpegLocator, type FfmpegLocator, tryOutFfmpeg } from './ffmpeg.ts';
import { createMediaReader, type MediaReader } from './media-reader.ts';
import { ffmpegSource, ToolRelease, type ToolSource, ytDlpSource } from './tool-release.ts';
import { createWhisperCliLocator, type WhisperCliLocator } from './whisper-cli.ts';
import { WhisperCliInstall } from './whisper-cli-install.ts';
import { createYtDlpLocator, tryOutYtDlp, type YtDlpLocator } from './yt-dlp.ts';

/** FFmpeg's libraries, and third-party programs for media work from the user's system or the data folder. */
export interface MediaTools {
  media: MediaReader;
  ffmpeg: FfmpegLocator;
  whisperCli: WhisperCliLocator;
  whisperCliInstall: WhisperCliInstall;
  ytDlp: YtDlpLocator;
  ytDlpRelease: ToolRelease;
  ffmpegRelease: ToolRelease;
}

export interface ToolFacts {
  name: 'node-av' | 'ffmpeg' | 'whisper-cli' | 'yt-dlp';
  /** `installable`: missing, and Quarry can install it. */
  state: 'ready' | 'installable' | 'missing';
  purpose: string;
  version: string | null;
  /** Source of the program, never a path: `included`, `setting`, `data-folder`, `ffmpeg-static` or `path`. */
  from: string | null;
  /** Install instructions when it is missing. */
  advice: string | null;
}

interface MediaToolDeps {
  dataDir: string;
  resourcesFolder: URL;
  clock: Clock;
  startChild: StartChildProgram;
  client: ModelClient;
  mirrorUrl(): string | null;
  /** The record about an installed program could not be read or written. No job fails for it. */
  onNoteLost(error: unknown): void;
}

export function openMediaTools(deps: MediaToolDeps): MediaTools {
  const { dataDir, resourcesFolder, clock, client, mirrorUrl, onNoteLost } = deps;
  const ffmpeg = createFfmpegLocator({ setting: process.env.QUARRY_FFMPEG, dataDir });
  const ytDlp = createYtDlpLocator({ setting: process.env.QUARRY_YT_DLP, dataDir });
  const whisperCli = createWhisperCliLocator({ setting: process.env.QUARRY_WHISPER_CLI, dataDir });
  const onCliReplaced = () => whisperCli.forget();
  const cliDeps = { dataDir, resourcesFolder, client, clock, mirrorUrl, onReplaced: onCliReplaced };
  const { platform, arch } = process;
  const createToolRelease = (
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
    whisperCli,
    whisperCliInstall: new WhisperCliInstall(cliDeps),
    ytDlp,
    ytDlpRelease: createToolRelease(ytDlpSource(platform, arch), ytDlp, tryOutYtDlp),
    ffmpegRelease: createToolRelease(
      ffmpegSource(platform, arch, process.env.FFMPEG_BINARIES_URL),
      ffmpeg,
      tryOutFfmpeg,
    ),
  };
}

/** Looks up each program in the same way as jobs do. */
export async function describeTools(tools: MediaTools): Promise<ToolFacts[]> {
  const { media, ffmpeg, whisperCli, whisperCliInstall, ytDlp } = tools;
  return Promise.all([
    describeTool('node-av', say`Reads video and audio files`, async () => ({
      version: `FFmpeg ${await media.version()}`,
      from: 'included',
    })),
    describeTool('ffmpeg', say`Converts the few streams that yt-dlp cannot save by itself`, () => ffmpeg.locate()),
    describeTool(
      'whisper-cli',
      say`Runs speech models in ggml format`,
      () => whisperCli.locate(),
      whisperCliInstall.publishedProgram !== null,
    ),
    describeTool('yt-dlp', say`Finds videos that a page does not name itself`, () => ytDlp.locate()),
  ]);
}

async function describeTool(
  name: ToolFacts['name'],
  purpose: Said,
  look: () => Promise<{ version?: string; from: string }>,
  isInstallable = false,
): Promise<ToolFacts> {
  const nothing = { name, purpose, version: null, from: null, advice: null };
  try {
    const found = await look();
    return { ...nothing, state: 'ready', version: found.version ?? null, from: found.from };
  } catch (error) {
    return { ...nothing, state: isInstallable ? 'installable' : 'missing', advice: messageOf(error) };
  }
}

/** The programs as needs of work, and how Quarry installs them. */
export function mediaNeeds(tools: MediaTools): Tool[] {
  const { ffmpeg, ffmpegRelease, whisperCli, whisperCliInstall, ytDlp, ytDlpRelease } = tools;
  const { publishedProgram: published } = whisperCliInstall;
  return [
    {
      need: 'ffmpeg',
      installed: () => foundBy(() => ffmpeg.locate()),
      installable: { ...programOf('ffmpeg', 'GPL-3.0-or-later'), ...releaseOf(ffmpegRelease) },
    },
    {
      need: 'whisper-cli',
      installed: () => foundBy(() => whisperCli.locate()),
      installable: published && {
        ...programOf('whisper-cli', 'MIT'),
        ...published,
        install: () => whisperCliInstall.startWhisperCliInstall(),
        progress: () => whisperCliInstall.whisperCliProgress(),
        watch: (onChange) => whisperCliInstall.watchWhisperCli(onChange),
      },
    },
    {
      need: 'yt-dlp',
      installed: () => foundBy(() => ytDlp.locate()),
      installable: { ...programOf('yt-dlp', 'Unlicense'), ...releaseOf(ytDlpRelease) },
    },
  ];
}

function programOf(name: string, licence: string) {
  return { name, kind: 'tool', title: name, licence } as const;
}

function releaseOf(release: ToolRelease) {
  return {
    sizeBytes: release.aboutBytes,
    source: release.releaseHost,
    install: async () => release.installRelease(),
    progress: () => release.releaseProgress(),
    watch: (onChange: () => void) => release.watchRelease(onChange),
  };
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
    resourcesFolder: context.resourcesFolder,
    clock: context.clock,
    startChild: context.startChild,
    mirrorUrl: () => context.settings().modelMirrorUrl,
    client: createModelClient(`Quarry/${VERSION}`),
    onNoteLost: noteLost(context),
  });
  context.onClose(async () => {
    await Promise.all([
      tools.ytDlpRelease.closeRelease(),
      tools.ffmpegRelease.closeRelease(),
      tools.whisperCliInstall.closeWhisperCli(),
    ]);
  });
  return tools;
});

/** Logs that the record about a program could not be read or written. No job fails for it. */
export function noteLost({ log }: Pick<AppContext, 'log'>): (error: unknown) => void {
  return (error) => log.warn({ err: error }, 'The record about a program could not be read or written. Jobs continue.');
}
