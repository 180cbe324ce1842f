/**
 * Fetches ffmpeg to the place where the package ffmpeg-static expects it and the server and the packaged app use it.
 * FFMPEG_BINARIES_URL names a mirror. A download that was cut off resumes. With `--optional` a failure is no error: only
 * a few videos that yt-dlp fetches need ffmpeg.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import process from 'node:process';
import { tryOutFfmpeg } from '../src-server/features/media/ffmpeg.ts';
import { ffmpegSource, ToolRelease } from '../src-server/features/media/tool-release.ts';
import { systemClock } from '../src-server/platform/clock.ts';
import { createModelClient, isDownloadUnderWay } from '../src-server/platform/net/download.ts';
import { describeBytes } from '../src-server/platform/units.ts';
import { VERSION } from '../src-server/platform/version.ts';

const LINE_INTERVAL_MS = 2000;

// A string also where the binary is missing; null on a platform without one. FFMPEG_BIN changes it.
const target = createRequire(import.meta.url)('ffmpeg-static') as string | null;
if (target === null) throw new Error('ffmpeg-static has no ffmpeg for this platform. Install ffmpeg from your system.');
const release = new ToolRelease({
  source: ffmpegSource(process.platform, process.arch, process.env.FFMPEG_BINARIES_URL),
  folder: dirname(target),
  client: createModelClient(`Quarry/${VERSION}`),
  clock: systemClock,
  mirrorUrl: () => null,
  tryOut: tryOutFfmpeg,
  onReplaced: () => undefined,
  onNoteLost: (error) => {
    throw error;
  },
});
const lines = setInterval(say, LINE_INTERVAL_MS);
await new Promise<void>((resolve) => {
  release.watchRelease(() => {
    const progress = release.releaseProgress();
    if (progress !== null && !isDownloadUnderWay(progress)) resolve();
  });
  release.installRelease();
});
clearInterval(lines);
say();
if (release.releaseProgress()?.status !== 'installed' && !process.argv.includes('--optional')) process.exitCode = 1;

function say(): void {
  const { status, receivedBytes, totalBytes, error } = release.releaseProgress() ?? {};
  const sizes = `${describeBytes(receivedBytes ?? 0)} of ${describeBytes(totalBytes ?? 0)}`;
  const line = status === 'installed' ? 'ffmpeg is installed.' : (error?.message ?? `Fetching ffmpeg: ${sizes}`);
  process.stderr.write(`${line}\n`);
}
