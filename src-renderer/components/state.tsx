import type { ReactNode } from 'react';
import type { Job } from '../api/generated/public.ts';
import { serverText } from '../language/server-texts.ts';
import { texts } from '../texts.ts';
import { Icon, type IconName } from './icon.tsx';

/** `good` is plain ink: the usual case needs no colour. */
export type Tone = 'good' | 'bad' | 'busy' | 'idle' | 'warn';

/** The colour of a tone where a style needs it, such as a bar of a timeline. */
export const TONE_COLOURS: Readonly<Record<Tone, string>> = {
  good: 'var(--q-ok)',
  bad: 'var(--q-bad)',
  busy: 'var(--q-run)',
  idle: 'var(--q-line-control)',
  warn: 'var(--q-wait)',
};

const TONE_ICONS: Readonly<Record<Tone, IconName>> = {
  good: 'check',
  bad: 'circle-alert',
  busy: 'loader-circle',
  idle: 'circle-dashed',
  warn: 'clock',
};

/** A state as icon, word and colour. */
export function State({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`state state-${tone}`}>
      <Icon name={TONE_ICONS[tone]} size={14} />
      <span>{children}</span>
    </span>
  );
}

/** What a job's state needs of it. A job that waits says so in `waitingFor`; one that waits for its turn is queued. */
type StatedJob = Pick<Job, 'status'> & {
  error?: { code: string } | undefined;
  waitingFor?: { kind: string; reason: string } | null | undefined;
};

const TONES: Readonly<Record<Job['status'], Tone>> = {
  queued: 'idle',
  processing: 'busy',
  completed: 'good',
  failed: 'bad',
};

/** The tone of a job's state. */
export function jobStateTone({ status, error, waitingFor }: StatedJob): Tone {
  if (error?.code === 'cancelled') return 'idle';
  return lacksSomething({ status, waitingFor }) ? 'warn' : TONES[status];
}

function lacksSomething({ status, waitingFor }: StatedJob): boolean {
  return status === 'queued' && waitingFor != null && waitingFor.kind !== 'thread';
}

/** The state of a job in plain words: Queued, Waiting (with the reason on hover), Running, Done, Failed, Cancelled. */
export function JobState({ job }: { job: StatedJob }) {
  const waiting = lacksSomething(job) ? job.waitingFor : null;
  const word = job.error?.code === 'cancelled' ? texts.jobs.cancelled : texts.jobs.statuses[job.status];
  if (waiting == null) return <State tone={jobStateTone(job)}>{word}</State>;
  return (
    <State tone="warn">
      <span title={serverText(waiting.reason)}>{texts.jobs.waits}</span>
    </State>
  );
}
