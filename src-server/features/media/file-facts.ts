/** What a media file states about itself, and its subtitle tracks as caption files. */

import { QuarryError } from '../../platform/errors.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { keepCheckpoint, type MediaJob } from './checkpoint.ts';
import type { MediaReader } from './media-reader.ts';
import type { Probe } from './probe.ts';
import type { MediaFileFacts } from './schema.ts';

/** A file of many gigabytes is read once, from end to end. */
const SUBTITLES_LIMIT_MS = 10 * MINUTE_MS;

const WRITE_LIMIT_MS = MINUTE_MS;

const CHAPTERS_MAX = 1000;

interface Deps {
  media: MediaReader;
  runTask: RunTask;
}

interface FoundFile {
  path: string;
  probe: Probe;
}

interface DescribedFile {
  facts: MediaFileFacts;
  /** Caption files of the subtitle tracks. */
  files: { name: string; url: string }[];
  warnings: Said[];
}

/** Errors: the signal's reason. A subtitle track that cannot be read is a warning. */
export async function describeFile(
  deps: Deps,
  { path, probe }: FoundFile,
  job: MediaJob,
  signal: AbortSignal,
): Promise<DescribedFile> {
  const { format, bitRate, tags, chapters, subtitleTracks } = probe;
  const warnings: Said[] = [];
  const read = subtitleTracks.some(({ isText }) => isText)
    ? await keepCheckpoint(job.workFolder, 'subtitles', () => readSubtitles(deps, path, probe, job, signal))
    : { cues: [], leftOut: [], failure: null };
  if (read.failure !== null) warnings.push(say`The subtitles in the file could not be read: ${read.failure}`);
  const subtitleFileLink = (name: string) => ({ name, url: job.urlOf(name) });
  const subtitles = subtitleTracks.map(({ codec, language, title, isText }, index) => {
    const cues = isText ? (read.cues[index] ?? null) : null;
    const name = subtitleFileName(index + 1, language);
    const has = (cues ?? 0) > 0;
    const [srt, vtt] = has ? [subtitleFileLink(`${name}.srt`), subtitleFileLink(`${name}.vtt`)] : [null, null];
    return { number: index + 1, codec, language, title, cues, srt, vtt };
  });
  const empty = subtitles.filter(({ cues }) => cues === 0).map(({ number }) => number);
  if (empty.length > 0) warnings.push(say`Subtitle tracks without text that could be read: ${empty.join(', ')}.`);
  for (const { number, cues } of subtitles) {
    const leftOut = read.leftOut[number - 1] ?? 0;
    if (leftOut > 0) {
      warnings.push(
        say`Subtitle track ${number}: only the first ${cues ?? 0} of ${(cues ?? 0) + leftOut} cues were kept.`,
      );
    }
  }
  if (chapters.length > CHAPTERS_MAX)
    warnings.push(say`Only the first ${CHAPTERS_MAX} chapters of the file are listed.`);
  return {
    facts: { container: format, bitRate, ...tags, chapters: chapters.slice(0, CHAPTERS_MAX), subtitles },
    files: subtitles.flatMap(({ srt, vtt }) => (srt === null || vtt === null ? [] : [srt, vtt])),
    warnings,
  };
}

/** Cues of each track, written to caption files. */
async function readSubtitles(
  { media, runTask }: Deps,
  path: string,
  { subtitleTracks }: Probe,
  job: MediaJob,
  signal: AbortSignal,
): Promise<{ cues: number[]; leftOut: number[]; failure: string | null }> {
  try {
    const limits = { signal, timeLimitMs: SUBTITLES_LIMIT_MS, what: 'Reading the subtitles' };
    const tracks = await media.use((program) => program.readSubtitles(path), limits);
    const names = subtitleTracks.map(({ language }, index) => subtitleFileName(index + 1, language));
    const input = {
      outputFolder: job.filesFolder,
      tracks: tracks.map(({ cues }, index) => ({ name: names[index] ?? '', cues })),
    };
    await runTask('write-subtitles', input, { signal, accountId: job.accountId, timeLimitMs: WRITE_LIMIT_MS });
    return {
      cues: tracks.map(({ cues }) => cues.length),
      leftOut: tracks.map(({ leftOut }) => leftOut),
      failure: null,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof QuarryError)) throw error;
    return { cues: [], leftOut: [], failure: error.message };
  }
}

/** Such as `subtitles-1.eng`. */
function subtitleFileName(number: number, language: string | null): string {
  const suffix = language !== null && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(language) ? `.${language}` : '';
  return `subtitles-${number}${suffix}`;
}
