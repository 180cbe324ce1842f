import { expect, test } from 'vitest';
import { systemClock } from '../../src-server/lib/clock.ts';
import { SettingsStore } from '../../src-server/storage/settings.ts';
import { temporaryStorage } from '../harness/queue.ts';

test('changes that are made at the same time all count, at once and after a restart', async () => {
  await using database = await temporaryStorage();
  const store = await SettingsStore.open(database.storage, systemClock);
  await Promise.all([store.change({ retentionHours: 50 }), store.change({ crawlMaxPages: 77 })]);
  const both = { retentionHours: 50, crawlMaxPages: 77 };
  expect(store.current).toMatchObject(both);
  expect((await SettingsStore.open(database.storage, systemClock)).current).toMatchObject(both);
});
