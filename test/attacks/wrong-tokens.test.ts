/** Guesses of the owner's token end in 429 wherever they are made, and lock the owner out nowhere. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

const GUESSES = 650;
const AT_ONCE = 25;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  appliance.clock.stand();
});
afterEach(() => appliance.close());

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const DOORS: Record<string, (token: string) => Promise<Response>> = {
  '/login': (token) => appliance.anonymous('/login', postJson({ token })),
  '/admin': (token) => appliance.anonymous('/admin/overview', bearer(token)),
  '/openai': (token) => appliance.anonymous('/openai/v1/models', bearer(token)),
  '/facilitator': (token) => appliance.anonymous('/facilitator/faucet', { method: 'POST', ...bearer(token) }),
};

async function guess(door: (token: string) => Promise<Response>, times: number): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let sent = 0; sent < times; sent += AT_ONCE) {
    const length = Math.min(AT_ONCE, times - sent);
    const answers = await Promise.all(Array.from({ length }, (_, index) => door(`guess-${sent + index}`)));
    for (const answer of answers) {
      await answer.arrayBuffer();
      seen[answer.status] = (seen[answer.status] ?? 0) + 1;
    }
  }
  return seen;
}

test.each(Object.entries(DOORS))('%s: 600 guesses a minute are answered, the rest gets 429', async (_name, door) => {
  expect(await guess(door, GUESSES)).toEqual({ 401: 600, 429: GUESSES - 600 });
  const refused = await door('one more');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // Right tokens are taken while the address is refused, everywhere.
  for (const open of [DOORS['/login'], DOORS['/admin'], DOORS['/openai']]) {
    expect((await open?.(appliance.ownerToken))?.ok).toBe(true);
  }
  expect((await appliance.owner('/v1/jobs')).status).toBe(200);
});

test('guesses at all of them count in one window, and after Retry-After they are answered again', async () => {
  const doors = Object.values(DOORS);
  for (const door of doors) expect(await guess(door, 150)).toEqual({ 401: 150 });
  for (const door of doors) expect(await guess(door, 1)).toEqual({ 429: 1 });
  const refused = await appliance.anonymous('/v1/jobs', bearer('guess'));
  expect(refused.status).toBe(429);
  appliance.clock.advance(Number(refused.headers.get('retry-after')) * 1000);
  for (const door of doors) expect(await guess(door, 1)).toEqual({ 401: 1 });
});
