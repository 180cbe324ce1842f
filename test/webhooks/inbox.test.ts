import { expect, test } from 'vitest';
import { Inboxes } from '../../src-server/features/webhooks/inbox.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import { temporaryStorage } from '../harness/queue.ts';

test('renaming an inbox while a message comes in takes nothing back of what the message has counted down', async () => {
  await using database = await temporaryStorage();
  const inboxes = new Inboxes({
    storage: database.storage,
    clock: systemClock,
    baseUrl: () => 'http://127.0.0.1/inbox',
  });
  const { name } = inboxes.createNamedInbox({ behaviour: { mode: 'status', status: 500, times: 3 } });
  inboxes.changeInboxSettings(name, { label: 'renamed' });
  inboxes.receiveInboxMessage(name, {}, Buffer.from('{}'));
  expect(inboxes.viewInboxByName(name)).toMatchObject({ label: 'renamed', behaviour: { mode: 'status', times: 2 } });
});

test('a change that names nothing leaves an inbox as it is', async () => {
  await using database = await temporaryStorage();
  const inboxes = new Inboxes({
    storage: database.storage,
    clock: systemClock,
    baseUrl: () => 'http://127.0.0.1/inbox',
  });
  const made = inboxes.createNamedInbox({ label: 'first', secret: 'a secret' });
  expect(inboxes.changeInboxSettings(made.name, {})).toEqual(made);
  expect(() => inboxes.changeInboxSettings('inb_none', { label: 'x' })).toThrow(
    expect.objectContaining({ code: 'not_found' }),
  );
});
