import type { ReactNode } from 'react';
import type { Batch } from '../../api/generated/public.ts';
import { serverNow } from '../../api/server-time.ts';
import { clockOfDay, formatWholeNumber, joinTexts, shortDate } from '../../components/format.ts';
import { State, type Tone } from '../../components/state.tsx';
import { workOfOperation } from '../../components/work.ts';
import { inSentence } from '../../language/locale.ts';
import { batches as texts } from './batch-texts.ts';

const TONES: Readonly<Record<Batch['status'], Tone>> = { processing: 'busy', completed: 'good', cancelled: 'idle' };

export function BatchState({ batch }: { batch: Batch }): ReactNode {
  const hasFailed = batch.status === 'completed' && batch.counts.failed > 0;
  if (hasFailed)
    return <State tone="warn">{texts.doneFailed({ count: formatWholeNumber(batch.counts.failed) })}</State>;
  return <State tone={TONES[batch.status]}>{texts.states[batch.status]}</State>;
}

export function batchJobCount({ counts }: Batch): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** `Archive: 12 documents`; without tags by its day: `12 documents of 28 Nov, 14:05`. */
export function batchName({ operation, counts, tags = [], createdAt }: BatchFacts): string {
  const { noun, plural } = workOfOperation(operation);
  const count = Object.values(counts).reduce((sum, one) => sum + one, 0);
  const items = texts.counted({ count, noun: inSentence(noun), plural: inSentence(plural) });
  if (tags.length > 0) return `${joinTexts(tags)}: ${items}`;
  return texts.nameOfDay({ items, day: shortDate(createdAt, serverNow()), time: clockOfDay(createdAt) });
}

type BatchFacts = Pick<Batch, 'operation' | 'counts' | 'tags' | 'createdAt'>;

/** `8 of 12 done, 1 failed`. */
export function progressOf(batch: Batch): string {
  const { completed, failed, cancelled } = batch.counts;
  return joinTexts([
    texts.done({ count: formatWholeNumber(completed), all: formatWholeNumber(batchJobCount(batch)) }),
    ...(failed > 0 ? [texts.failed({ count: formatWholeNumber(failed) })] : []),
    ...(cancelled > 0 ? [texts.cancelled({ count: formatWholeNumber(cancelled) })] : []),
  ]);
}
