/** The account of a result in words: what its source held and where it went. */

import { z } from 'zod';
import { SourceAccount } from '../platform/source-account.ts';
import { accountSentence, countedPages, UNCOUNTED, unexplainedSentence } from '../platform/text/account-words.ts';
import type { SeenJob } from './follow.ts';
import { stripTerminalControls } from './print.ts';

const Accounted = z.object({
  account: SourceAccount,
  letters: SourceAccount.optional(),
  document: z.object({ format: z.string(), pages: z.number() }).optional(),
});

/** One sentence, and one for what is not explained; none where the result has no account. */
export function accountLines({ result }: SeenJob): string[] {
  if (result?.account === null) return [UNCOUNTED];
  const { data } = Accounted.safeParse(result);
  if (data === undefined) return [];
  const { account, letters = null, document } = data;
  const warnings = z.array(z.string()).safeParse(result?.warnings).data ?? [];
  const places = warnings.length === 0 ? '' : ` ${warnings.map(stripTerminalControls).join(' ')}`;
  return [
    `${accountSentence(account, letters, countedPages(document))}.`,
    ...[account, ...(letters === null ? [] : [letters])].flatMap((one) => {
      const sentence = unexplainedSentence(one);
      return sentence === null ? [] : [`${sentence}${places}`];
    }),
  ];
}
