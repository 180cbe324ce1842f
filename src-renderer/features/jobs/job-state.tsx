import type { JobStatus } from '../../api/types.ts';
import { State, type Tone } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';

const TONES: Record<JobStatus, Tone> = { queued: 'idle', processing: 'busy', completed: 'good', failed: 'bad' };

export function JobState({ status, cancelled = false }: { status: JobStatus; cancelled?: boolean }) {
  if (cancelled) return <State tone="warn">{texts.jobs.cancelled}</State>;
  return <State tone={TONES[status]}>{texts.jobs.statuses[status]}</State>;
}
