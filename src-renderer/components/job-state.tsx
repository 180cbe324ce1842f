import type { JobStatus } from '../api/types.ts';
import { texts } from '../texts.ts';
import { State, type Tone } from './parts.tsx';

const TONES: Record<JobStatus, Tone> = { queued: 'idle', processing: 'busy', completed: 'good', failed: 'bad' };

export function JobState({ status, cancelled = false }: { status: JobStatus; cancelled?: boolean }) {
  if (cancelled) return <State tone="warn">{texts.jobs.cancelled}</State>;
  return <State tone={TONES[status]}>{texts.jobs.statuses[status]}</State>;
}
