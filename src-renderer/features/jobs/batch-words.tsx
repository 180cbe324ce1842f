import type { ReactNode } from 'react';
import type { Batch } from '../../api/generated/public.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { State, type Tone } from '../../components/state.tsx';
import { workOfOperation } from '../../components/work.ts';
import { batches as texts } from './texts.ts';

const TONES: Readonly<Record<Batch['status'], Tone>> = { processing: 'busy', completed: 'good', cancelled: 'idle' };

export function BatchState({ batch }: { batch: Batch }): ReactNode {
  const hasFailed = batch.status === 'completed' && batch.counts.failed > 0;
  return <State tone={hasFailed ? 'bad' : TONES[batch.status]}>{texts.states[batch.status]}</State>;
}

export function batchJobCount({ counts }: Batch): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** `Documents, 12 items`. */
export function batchName(batch: Batch): string {
  return texts.name(workOfOperation(batch.operation).plural, formatWholeNumber(batchJobCount(batch)));
}

/** `8 of 12 done, 1 failed`. */
export function progressOf(batch: Batch): string {
  const { completed, failed, cancelled } = batch.counts;
  return [
    texts.done(formatWholeNumber(completed), formatWholeNumber(batchJobCount(batch))),
    ...(failed > 0 ? [texts.failed(formatWholeNumber(failed))] : []),
    ...(cancelled > 0 ? [texts.cancelled(formatWholeNumber(cancelled))] : []),
  ].join(', ');
}
