/** Features stand by their declarations alone: the list is checked at the start, and each leaf of it can go. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { endInTime } from '../../src-server/context.ts';
import { type AnyFeature, defineFeature } from '../../src-server/feature.ts';
import { JobEvents } from '../../src-server/features/jobs/events.ts';
import { checkFeatures, FEATURES, OPERATIONS } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';

let appliance: Appliance | null = null;
afterEach(async () => {
  await appliance?.[Symbol.asyncDispose]();
  appliance = null;
});

const used = new Set(FEATURES.flatMap(({ uses }) => Object.values(uses)));
/** Features that no other uses, but those that a request for a document needs. */
const LEAVES = FEATURES.filter((feature) => !used.has(feature) && feature.name !== 'documents');

async function readsADocument(features: readonly AnyFeature[]): Promise<void> {
  appliance = await startAppliance({ features });
  const answer = await appliance.owner('/v1/extract/doc', {
    method: 'POST',
    body: fileForm('Words of a note.', 'note.txt'),
  });
  expect(answer.status).toBe(202);
  const { jobId } = (await answer.json()) as { jobId: string };
  const job = await finished(appliance.owner, jobId);
  expect(job).toMatchObject({ status: 'completed', result: { chunks: [{ text: 'Words of a note.' }] } });
}

test('a part of the server that does not end is left behind, and named', async () => {
  vi.useFakeTimers();
  try {
    const ended = endInTime('The feature talks', () => new Promise(() => undefined));
    const refused = expect(ended).rejects.toThrow('The feature talks does not end.');
    await vi.runAllTimersAsync();
    await refused;
    await expect(endInTime('The feature talks', () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    expect(await endInTime('The feature talks', () => undefined)).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

describe('a feature that no other uses', () => {
  test('there are such features', () => {
    expect(LEAVES.length).toBeGreaterThan(5);
  });

  test.for(LEAVES.map((leaf) => [leaf.name, leaf] as const))(
    '%s can be removed',
    { tags: ['long'] },
    async ([, leaf]) => {
      await readsADocument(FEATURES.filter((feature) => feature !== leaf));
    },
  );
});

test('the routes of the owner stay closed without the guard of a feature', async () => {
  const open = new Map<AnyFeature, AnyFeature>();
  for (const feature of FEATURES) {
    const uses = Object.entries(feature.uses).map(([name, used]) => [name, open.get(used) ?? used]);
    open.set(feature, { ...feature, uses: Object.fromEntries(uses), guard: () => undefined });
  }
  appliance = await startAppliance({ features: [...open.values()] });
  for (const path of ['/admin/keys', '/admin/jobs']) {
    expect((await appliance.anonymous(path)).status).toBe(401);
  }
});

describe('the list of features is checked at the start', () => {
  const first = defineFeature({ name: 'first' });
  const second = defineFeature({ name: 'second', uses: { first } });

  test('a feature stands after those that it uses, so that there is no circle', () => {
    expect(() => checkFeatures([first, second], [])).not.toThrow();
    expect(() => checkFeatures([second, first], [])).toThrow('The feature second uses first');
  });

  test('names of features and ids of operations are unique', () => {
    expect(() => checkFeatures([first, first], [])).toThrow('Two features are called first');
    expect(() => checkFeatures([], [...OPERATIONS, ...OPERATIONS])).toThrow('Two operations are called');
  });
});

test('a listener that fails undoes what is told: its error reaches the transaction', () => {
  const events = new JobEvents();
  events.on('retried', () => {
    throw new Error('The listener failed.');
  });
  expect(() => events.emit('retried', null as never, 'job_1')).toThrow('The listener failed.');
});
