import { rename } from 'node:fs/promises';
import { QuarryError } from '../../contract/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../lib/units.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { DURATION_MAX_SECONDS, type Probe } from './probe.ts';
import { runTool } from './run-tool.ts';
import { QUIET, untrustedInput } from './untrusted-input.ts';

/** What the recognisers hear: one channel of 16-bit samples. */
export const SAMPLE_RATE = 16_000;
const LIMIT_MIN_MS = 5 * MINUTE_MS;
/** Decoding is a thousand times faster than listening; a file that takes half its own time is made to burn time. */
const LIMIT_SHARE = 0.5;
/** Containers round their duration; a gap in the time stamps must not become hours of silence. */
const SLACK_SECONDS = 30;

/**
 * Writes a sound track as samples, in step with the file's own clock. Errors: `corrupt_input`, `timeout`, and
 * the signal's reason. The file appears whole or not at all.
 */
export async function extractAudio(
  ffmpeg: Ffmpeg,
  source: { path: string; probe: Probe; trackNumber: number },
  targetPath: string,
  watch: { signal: AbortSignal; onProgress(share: number): void },
): Promise<void> {
  const { durationSeconds: stated, durationIsGuessed, videoCodec } = source.probe;
  const mostSeconds = stated === null || durationIsGuessed ? DURATION_MAX_SECONDS : stated + SLACK_SECONDS;
  const part = `${targetPath}.part`;
  const args = [
    ...QUIET,
    ...['-v', 'error', '-nostats', '-progress', 'pipe:1'],
    ...untrustedInput(source.path),
    ...['-map', `0:a:${source.trackNumber - 1}`, '-vn', '-sn', '-dn', '-af', 'aresample=async=1:first_pts=0'],
    ...['-ac', '1', '-ar', String(SAMPLE_RATE), '-t', String(mostSeconds), '-f', 's16le', '-y', `file:${part}`],
    // ffmpeg lets a transport stream begin with the first track that is asked for. So pictures are, and go nowhere.
    ...(videoCodec === null ? [] : ['-map', '0:v:0', '-c', 'copy', '-t', String(mostSeconds), '-f', 'null', '-']),
  ];
  const { code, said, timedOut } = await runTool({
    path: ffmpeg.path,
    args,
    signal: watch.signal,
    timeLimitMs: Math.max(LIMIT_MIN_MS, mostSeconds * LIMIT_SHARE * SECOND_MS),
    onLine: (line) => {
      const micros = /^out_time_us=(\d+)/.exec(line);
      if (micros !== null && stated !== null && stated > 0)
        watch.onProgress(Math.min(1, Number(micros[1]) / 1e6 / stated));
    },
  });
  if (timedOut) throw new QuarryError('timeout', 'The sound could not be read in time. Send a simpler file.');
  if (code !== 0) {
    const message = 'The sound of the file could not be read: it is damaged. Send an intact copy.';
    throw new QuarryError('corrupt_input', message, { cause: said });
  }
  await rename(part, targetPath);
}
