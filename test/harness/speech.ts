import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { MediaFileFacts, Speaker } from '../../src-server/features/media/schema.ts';
import type { Doubt, SourceAccount } from '../../src-server/platform/source-account.ts';
import { type Appliance, type ApplianceOptions, startAppliance } from './appliance.ts';
import { fileForm, finished } from './jobs.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
export const CLIPS = join(FIXTURES, 'media/clips');
export const ONNX_MODEL = 'tiny-closed-vocab.en-onnx';
export const GGML_MODEL = 'tiny-closed-vocab.en';

export interface Clip {
  file: string;
  text: string;
  duration: number;
  segments: { text: string; start: number; end: number }[];
}

export interface TranscriptJob extends Job {
  result: {
    chunks: {
      id: string;
      text: string;
      kind: string;
      page: number;
      startSeconds: number;
      endSeconds: number;
      speaker?: string;
    }[];
    segments: {
      start: number;
      end: number;
      text: string;
      speaker?: string;
      words?: { start: number; end: number; text: string; speaker?: string; confidence?: number }[];
    }[];
    speakers?: Speaker[];
    captions: { srt: { url: string }; vtt: { url: string } };
    frames?: { seconds: number; text: string; image: { name: string; url: string } }[];
    media: {
      durationSeconds: number;
      speechSeconds: number;
      speechFoundBy: string | null;
      audioTrack: { number: number; of: number; language: string | null; chosenBy: string } | null;
      audioCodec: string | null;
      videoCodec: string | null;
      width: number | null;
      height: number | null;
    };
    file: MediaFileFacts;
    transcript: {
      model: string | null;
      engine: string | null;
      language: string | null;
      languageConfidence: number | null;
      words: number;
      wordTimes: boolean;
      wordTimesEstimated: boolean;
      confidence: number | null;
    };
    covered: { startSeconds: number; endSeconds: number; durationSeconds: number };
    files: { name: string; url: string }[];
    account?: SourceAccount;
    doubts?: Doubt[];
    warnings: string[];
  } | null;
}

export async function clips(): Promise<Clip[]> {
  return JSON.parse(await readFile(join(CLIPS, 'truth.json'), 'utf8')) as Clip[];
}

/** An appliance with the small recogniser put into its models folder by hand. */
export async function startWithSpeech(options: ApplianceOptions = {}, models = [ONNX_MODEL]): Promise<Appliance> {
  const appliance = await startAppliance(options);
  for (const model of models) await installSpeechModel(appliance, model);
  return appliance;
}

export async function installSpeechModel(
  appliance: Pick<Appliance, 'dataDir'>,
  model: string,
  as = model,
): Promise<void> {
  const folder = join(appliance.dataDir, 'models');
  await mkdir(folder, { recursive: true });
  const ending = model === ONNX_MODEL ? '' : '.ggml.bin';
  await cp(join(FIXTURES, 'models', model + ending), join(folder, as + ending), { recursive: true });
}

/** Puts the small speaker model into the models folder by hand. */
export async function installSpeakerModel({ dataDir }: Pick<Appliance, 'dataDir'>): Promise<void> {
  await cp(join(FIXTURES, 'models/tiny-speakers'), join(dataDir, 'models/tiny-speakers'), { recursive: true });
}

export async function submit(
  appliance: Pick<Appliance, 'owner'>,
  content: Uint8Array,
  name: string,
  options: object = {},
): Promise<Response> {
  const body = fileForm(content, name, { options: JSON.stringify(options) });
  return appliance.owner('/v1/extract/video', { method: 'POST', body });
}

/** Sends a file and waits for its job to end. */
export async function transcribed(
  appliance: Appliance,
  content: Uint8Array,
  name: string,
  options: object = {},
): Promise<TranscriptJob> {
  const answer = await submit(appliance, content, name, options);
  if (answer.status !== 202) throw new Error(`${answer.status}: ${await answer.text()}`);
  const { jobId } = (await answer.json()) as { jobId: string };
  return (await finished(appliance.owner, jobId)) as TranscriptJob;
}

/** Share of words that are wrong: substitutions, insertions and deletions over the words of the truth. */
export function wordErrorRate(truth: string, heard: string): number {
  const wordsOf = (text: string) => text.toLowerCase().match(/[a-z0-9']+/g) ?? [];
  const [right, given] = [wordsOf(truth), wordsOf(heard)];
  let row = Array.from({ length: given.length + 1 }, (_, index) => index);
  for (const [i, word] of right.entries()) {
    const next = [i + 1];
    for (const [j, other] of given.entries()) {
      const substituted = (row[j] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(1, right.length);
}
