import { expect, test } from 'vitest';
import { SettingsStore } from '../../src-server/config.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import { temporaryStorage } from '../harness/queue.ts';

test('changes of different settings all count, at once and after a restart', async () => {
  await using database = await temporaryStorage();
  const store = SettingsStore.openSettingsStore(database.storage, systemClock);
  store.changeStoredSettings({ retentionHours: 50 });
  store.changeStoredSettings({ crawlMaxPages: 77 });
  const both = { retentionHours: 50, crawlMaxPages: 77 };
  expect(store.currentValues).toMatchObject(both);
  expect(SettingsStore.openSettingsStore(database.storage, systemClock).currentValues).toMatchObject(both);
});

test('a row that somebody wrote by hand and that says nothing counts as not set, and no other with it', async () => {
  await using database = await temporaryStorage();
  const rows = { crawlMaxPages: '77', retentionHours: '{seventy-two', documentLimitMb: '"many"', unknown: '1' };
  const values = Object.entries(rows).map(([name, value]) => ({ name, value, updated_at: 1 }));
  database.storage.transaction((tx) => tx.runStatement(tx.insertInto('settings').values(values)));
  const { currentValues: current } = SettingsStore.openSettingsStore(database.storage, systemClock);
  expect(current).toMatchObject({ crawlMaxPages: 77, retentionHours: 72, documentLimitMb: 100 });
});
