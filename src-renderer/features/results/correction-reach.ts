import type { ModeratedContribution } from '../../api/generated/owner.ts';
import { serverText } from '../../language/server-texts.ts';
import { results as texts } from './texts.ts';

/** Where a correction or a note is after its approval, in a sentence. */
export function correctionReachText({ kind, correction }: Pick<ModeratedContribution, 'kind' | 'correction'>): string {
  const t = texts.selection;
  const [all, but, later] =
    kind === 'correction'
      ? [t.corrected, t.correctedBut, t.correctedLater]
      : [t.published, t.publishedBut, t.publishedLater];
  if (correction?.isWritten !== true) return later;
  const { notCorrected } = correction;
  return notCorrected.length === 0
    ? all
    : but({ parts: notCorrected.map(({ name, reason }) => `${name}. ${serverText(reason)}`).join(' ') });
}
