import { z } from 'zod';
import { defineOperation } from '../../src-server/operation.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { TEST_WORDS } from './words.ts';

/** Ends as its request says. */
export const picky = defineOperation({
  id: 'test/picky',
  summary: 'Ends as its request says',
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'job',
  price: null,
  idPrefix: 'job',
  queueClass: 'light',
  request: z.strictObject({ ends: z.enum(['well', 'badly', 'lacking']), sourceName: z.string().optional() }),
  result: z.object({}),
  example: { request: { ends: 'well' } },
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 60,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  run: async ({ ends }) => {
    if (ends === 'badly') throw new QuarryError('corrupt_input', say`The file is damaged.`);
    const missing = { need: 'text', language: null } as const;
    if (ends === 'lacking') throw new QuarryError('model_not_installed', say`No text model is installed.`, { missing });
    return {};
  },
});
