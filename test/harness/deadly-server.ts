/**
 * `cli.ts serve` with one more operation, whose runs may end the whole process. Takes `--data-dir`, whose parent folder
 * gets the file `runs`, a line for each run that begins or ends, and holds all runs until it has a file `armed`.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { startServer } from '../../src-server/app.ts';
import { deriveLocations, readConfig } from '../../src-server/config.ts';
import { defineOperation } from '../../src-server/operation.ts';
import { TEST_WORDS } from './words.ts';

const POLL_MS = 20;
const INNOCENT_MS = 300;

const config = readConfig(process.argv.slice(3), process.env);
const folder = dirname(config.dataDir);
const note = (line: string) => appendFileSync(join(folder, 'runs'), `${line}\n`);

const deadly = defineOperation({
  id: 'test/deadly',
  summary: 'May end the process',
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'job',
  price: { amount: 1000, timeoutSeconds: 60 },
  idPrefix: 'job',
  queueClass: 'light',
  request: z.strictObject({ label: z.string(), kills: z.boolean() }),
  result: z.object({ label: z.string() }),
  example: { request: { label: 'one', kills: false }, result: { label: 'one' } },
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 3600,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  run: async ({ label, kills }, _ports, signal) => {
    note(`begin ${label}`);
    while (!existsSync(join(folder, 'armed'))) await sleep(POLL_MS, undefined, { signal });
    if (kills) process.kill(process.pid, 'SIGKILL');
    await sleep(INNOCENT_MS, undefined, { signal });
    note(`end ${label}`);
    return { label };
  },
});

note('start');
const cli = new URL('../../src-server/cli.ts', import.meta.url).href;
const { url } = await startServer({ ...config, ...deriveLocations(cli), operations: [deadly] });
process.stdout.write(`Quarry is listening on ${url}\n`);
