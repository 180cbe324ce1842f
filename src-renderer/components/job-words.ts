import type { Job } from '../api/generated/public.ts';
import { serverText } from '../language/server-texts.ts';
import { messages } from '../language/start-messages.ts';
import { texts } from '../texts.ts';
import { formatByteCount, formatElapsedTime, formatWholeNumber, humanizeName, joinTexts, shortId } from './format.ts';
import { wordsBy } from './literals.ts';

const SECOND_MS = 1000;

const MINUTE_S = 60;

/** Display name of a job: label, source name, or shortened ID. */
export function jobName(job: Pick<Job, 'jobId' | 'sourceName'> & { label?: string | undefined }): string {
  return job.label || job.sourceName || shortId(job.jobId);
}

/** `Extracting audio`: what a job does, in the reader's language. */
export function stageWord(stage: string): string {
  return wordsBy(messages.stages)[stage] ?? humanizeName(stage);
}

/** What serves a task, as the server lists it: what is built in first, and titles of models, which are names. */
export function installedText(installed: string): string {
  const [first = '', ...others] = installed.split(', ');
  const known = serverText(first);
  return known === first ? installed : joinTexts([known, ...(others.length === 0 ? [] : [others.join(', ')])]);
}

type Progressing = Pick<Job, 'progress' | 'etaSeconds' | 'waitingFor'>;

/** `Transcribing · 38 % · about 20 s left`, or what the job waits for. */
export function progressWords(job: Progressing): string {
  return job.waitingFor === undefined
    ? [stageWord(job.progress.stage), progressMeasure(job)].join(' · ')
    : waitWords(job);
}

/** `38 % · about 20 s left` while the job works. What it waits for otherwise. */
export function measureWords(job: Progressing): string {
  return job.waitingFor === undefined ? progressMeasure(job) : waitWords(job);
}

function progressMeasure(job: Progressing): string {
  return [`${formatWholeNumber(Math.round(job.progress.percent))} %`, timeLeft(job)]
    .filter((part) => part !== '')
    .join(' · ');
}

/** `Waiting for Whisper base (149 MB, 38 % downloaded)`. */
export function waitWords({ waitingFor }: { waitingFor?: Job['waitingFor'] | undefined }): string {
  if (waitingFor === undefined) return '';
  const { kind, sizeBytes, percent } = waitingFor;
  const title = serverText(waitingFor.title);
  const t = texts.jobs;
  if (kind === 'thread') return t.waitsForThread;
  const size = sizeBytes === undefined ? [] : [formatByteCount(sizeBytes)];
  const share = percent === undefined ? [] : [t.downloaded({ percent: formatWholeNumber(Math.round(percent)) })];
  const facts = joinTexts([...size, ...share]);
  const named = kind === 'node' ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : title;
  return facts === '' ? t.waitsFor({ title: named }) : t.waitsForSome({ title: named, facts });
}

/** The remaining time; empty without an estimate. */
function timeLeft({ etaSeconds }: Pick<Job, 'etaSeconds'>): string {
  if (etaSeconds === undefined) return '';
  return texts.jobs.remaining({
    time: etaSeconds < MINUTE_S ? `${etaSeconds} s` : formatElapsedTime(etaSeconds * SECOND_MS),
  });
}
