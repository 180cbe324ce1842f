import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineOperation } from '../../src-server/operation.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { TEST_WORDS } from './words.ts';

const POLL_MS = 20;

/**
 * An operation that travels. A run notes its begin in the file `runs` of a folder that all processes share, keeps a
 * checkpoint, and ends when the folder has a file `go-<label>`, or, for `wait<milliseconds>-…`, by itself. This machine
 * lacks what `only-…` needs; `light-…` is a light job, all others are heavy.
 */
export function farOperation(folder: string) {
  return defineOperation({
    id: 'test/far',
    summary: 'May run elsewhere',
    description: 'For tests.',
    words: TEST_WORDS,
    mode: 'job',
    price: { amount: 1000, timeoutSeconds: 60 },
    idPrefix: 'job',
    queueClass: 'light',
    isHeavy: ({ label }) => !label.startsWith('light-'),
    request: z.strictObject({ label: z.string(), model: z.string().optional(), webhookUrl: z.string().optional() }),
    result: z.object({ label: z.string(), pid: z.number(), began: z.string(), chose: z.string() }),
    example: { request: { label: 'one' }, result: { label: 'one', pid: 1, began: '', chose: '' } },
    retry: { attempts: 3, baseDelaySeconds: 1 },
    timeLimitSeconds: 3600,
    firstRun: { seconds: 1, secondsPerMegabyte: 0 },
    checkpoints: /^begun\.txt$/,
    travels: async ({ label, model }) => ({
      models: model === undefined ? [] : [model],
      request: { label, model: 'chosen' },
      ...(label.startsWith('only-') ? { lacks: { need: 'text', language: null } } : {}),
    }),
    run: async ({ label, model }, ports, signal) => {
      appendFileSync(join(folder, 'runs'), `${label} ${process.pid} ${Date.now()}\n`);
      await mkdir(ports.workFolder, { recursive: true });
      const begun = join(ports.workFolder, 'begun.txt');
      const began = existsSync(begun) ? readFileSync(begun, 'utf8') : String(process.pid);
      await writeFile(begun, began);
      ports.progress({ percent: 10, stage: 'holding', message: say`Waiting for the test.` });
      const waits = /^wait(\d+)-/.exec(label);
      if (waits !== null) await sleep(Number(waits[1]), undefined, { signal });
      else while (!existsSync(join(folder, `go-${label}`))) await sleep(POLL_MS, undefined, { signal });
      // Two of the same content, as documents without text have.
      for (const name of ['made.txt', 'same.txt']) await writeFile(ports.files.pathOf(name), `made by ${process.pid}`);
      return { label, pid: process.pid, began, chose: model ?? '' };
    },
  });
}
