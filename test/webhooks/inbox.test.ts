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
  const { name } = inboxes.create({ behaviour: { mode: 'status', status: 500, times: 3 } });
  inboxes.change(name, { label: 'renamed' });
  inboxes.receive(name, {}, Buffer.from('{}'));
  expect(inboxes.get(name)).toMatchObject({ label: 'renamed', behaviour: { mode: 'status', times: 2 } });
});

test('a change that names nothing leaves an inbox as it is', async () => {
  await using database = await temporaryStorage();
  const inboxes = new Inboxes({
    storage: database.storage,
    clock: systemClock,
    baseUrl: () => 'http://127.0.0.1/inbox',
  });
  const made = inboxes.create({ label: 'first', secret: 'a secret' });
  expect(inboxes.change(made.name, {})).toEqual(made);
  expect(() => inboxes.change('inb_none', { label: 'x' })).toThrow(expect.objectContaining({ code: 'not_found' }));
});
