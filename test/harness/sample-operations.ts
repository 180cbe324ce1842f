import { z } from 'zod';
import { defineOperation, type Operation, WAITING_STAGE } from '../../src-server/operation.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { reviveTaskError, toTaskError } from '../../src-server/platform/rpc/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { TEST_WORDS } from './words.ts';

/** Operations whose runs a test steers, to show what the queue guarantees whatever an operation does. */
export interface SteeredOperations {
  operations: readonly Operation[];
  /** Calls of `run`, in order, by the request's label. */
  runs: string[];
  /** Lets the runs waiting under this label end. */
  release(label: string): void;
}

const Request = z.strictObject({
  label: z.string(),
  priority: z.enum(['low', 'normal', 'high']).optional(),
  webhookUrl: z.string().optional(),
});

const COMMON = {
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'job',
  price: { amount: 1000, timeoutSeconds: 60 },
  idPrefix: 'job',
  queueClass: 'network',
  request: Request,
  result: z.object({ label: z.string(), attempt: z.number() }),
  example: { request: { label: 'one' }, result: { label: 'one', attempt: 1 } },
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 3600,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
} as const;

export function steeredOperations(): SteeredOperations {
  const runs: string[] = [];
  const waiting = new Map<string, (() => void)[]>();
  const attempt = (label: string) => runs.filter((run) => run === label).length;

  /** Never listens: what a native engine does when it hangs. */
  const deaf = defineOperation({
    ...COMMON,
    id: 'test/deaf',
    summary: 'Never ends and never listens',
    run: async ({ label }) => {
      runs.push(label);
      return new Promise<never>(() => {});
    },
  });

  /** Ends when released, or when it is told to stop. */
  const held = defineOperation({
    ...COMMON,
    id: 'test/held',
    summary: 'Runs until a test lets it end',
    retry: { attempts: 3, baseDelaySeconds: 1 },
    run: async ({ label }, ports, signal) => {
      runs.push(label);
      const stage = label === 'without a thread' ? WAITING_STAGE : 'holding';
      ports.progress({ percent: 10, stage, message: say`Waiting for the test.` });
      await new Promise<void>((resolve, reject) => {
        waiting.set(label, [...(waiting.get(label) ?? []), resolve]);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return { label, attempt: attempt(label) };
    },
  });

  /** Ends when released, and holds its 202 until then: what a small document does for a second and a half. */
  const prompt = defineOperation({
    ...COMMON,
    id: 'test/prompt',
    summary: 'Holds its answer',
    inlineWait: { milliseconds: 3_600_000, belowBytes: 1 },
    run: async ({ label }) => {
      runs.push(label);
      await new Promise<void>((resolve) => waiting.set(label, [resolve]));
      return { label, attempt: 1 };
    },
  });

  /** Fails twice in a way that a retry can mend, then ends. Waits in between until a test moves the clock. */
  const patient = defineOperation({
    ...COMMON,
    id: 'test/patient',
    summary: 'Fails twice',
    retry: { attempts: 3, baseDelaySeconds: 3600 },
    run: async ({ label }) => {
      runs.push(label);
      if (attempt(label) < 3) throw new QuarryError('engine_failed', say`The engine hiccuped.`, { retryable: true });
      return { label, attempt: attempt(label) };
    },
  });

  /** Answers at once, word by word. */
  const echo = defineOperation({
    ...COMMON,
    id: 'test/echo',
    summary: 'Says its label again',
    mode: 'inline',
    idPrefix: 'txt',
    inline: { jobId: 'deterministic', streams: true, body: (result, jobId) => ({ result, jobId }) },
    run: async ({ label }, ports, signal) => {
      runs.push(label);
      for (const word of label.split(' ')) ports.emit('token', { text: word });
      if (label.startsWith('hold')) {
        await new Promise<void>((resolve, reject) => {
          waiting.set(label, [...(waiting.get(label) ?? []), resolve]);
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      }
      if (label === 'fail') throw new QuarryError('model_not_installed', say`Install the model first.`);
      return { label, attempt: attempt(label) };
    },
  });

  /** Fails for good, with an error that must not reach anybody. */
  const broken = defineOperation({
    ...COMMON,
    id: 'test/broken',
    summary: 'Fails',
    run: async ({ label }) => {
      runs.push(label);
      throw new TypeError('secret detail in /home/somebody');
    },
  });

  /** Its worker meets a full disk: what it throws has crossed the boundary between threads. */
  const full = defineOperation({
    ...COMMON,
    id: 'test/full',
    summary: 'Finds the disk full',
    retry: { attempts: 2, baseDelaySeconds: 60 },
    run: async ({ label }) => {
      runs.push(label);
      const met = Object.assign(new Error('ENOSPC: no space left on device, /home/somebody'), { code: 'ENOSPC' });
      throw reviveTaskError(toTaskError(met)) ?? met;
    },
  });

  return {
    operations: [held, prompt, echo, patient, broken, deaf, full],
    runs,
    release: (label) => {
      for (const resolve of waiting.get(label) ?? []) resolve();
      waiting.delete(label);
    },
  };
}
