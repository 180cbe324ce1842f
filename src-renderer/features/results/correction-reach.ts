import type { ModeratedContribution } from '../../api/generated/owner.ts';
import { results as texts } from './texts.ts';

/** Where a correction is after the decision about it, in a sentence. */
export function reachOf({ correction }: Pick<ModeratedContribution, 'correction'>): string {
  const t = texts.selection;
  if (correction?.isWritten !== true) return t.correctedLater;
  const { notCorrected } = correction;
  return notCorrected.length === 0
    ? t.corrected
    : t.correctedBut(notCorrected.map(({ name, reason }) => `${name}. ${reason}`));
}
