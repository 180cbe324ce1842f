import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusals, SlidingWindow } from '../../src-server/features/limits/window.ts';

const WINDOW_MS = 60_000;
const START = 1_700_000_000_000;

describe('a sliding window', () => {
  test('lets exactly the limit pass and tells the true wait, wherever in the minute the requests fell', () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let sent = 0; sent < 600; sent += 1) expect(window.takeWindowSlot(START + sent * 90, 600)).toBe(true);
    const now = START + 600 * 90;
    expect(window.takeWindowSlot(now, 600)).toBe(false);
    const wait = window.waitMs(now, 600);
    expect(wait).toBe(WINDOW_MS - 600 * 90);
    expect(window.takeWindowSlot(now + wait - 1, 600)).toBe(false);
    expect(window.takeWindowSlot(now + wait, 600)).toBe(true);
  });

  test('never lets more than the limit pass in any span of one window, and refuses only when it must', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 12 }), (gaps, limit) => {
        const window = new SlidingWindow(1000);
        const passed: number[] = [];
        let now = START;
        for (const gap of gaps) {
          now += gap;
          const inWindow = passed.filter((at) => now - at < 1000).length;
          expect(window.waitMs(now, limit) === 0).toBe(inWindow < limit);
          const took = window.takeWindowSlot(now, limit);
          expect(took).toBe(inWindow < limit);
          if (took) passed.push(now);
        }
      }),
    );
  });

  test('a limit that was lowered counts what passed before', () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let sent = 0; sent < 10; sent += 1) window.takeWindowSlot(START + sent, 10);
    expect(window.takeWindowSlot(START + 10, 4)).toBe(false);
    expect(window.waitMs(START + 10, 4)).toBe(WINDOW_MS + 6 - 10);
    expect(window.takeWindowSlot(START + WINDOW_MS + 6, 4)).toBe(true);
  });

  test('a clock that is set back an hour does not lock the account out for an hour', () => {
    const window = new SlidingWindow(WINDOW_MS);
    for (let sent = 0; sent < 5; sent += 1) window.takeWindowSlot(START, 5);
    const back = START - 3_600_000;
    expect(window.takeWindowSlot(back, 5)).toBe(false);
    expect(window.waitMs(back, 5)).toBeLessThanOrEqual(WINDOW_MS);
    expect(window.takeWindowSlot(back + WINDOW_MS, 5)).toBe(true);
  });
});

test('refusals of the last minute are counted, older ones are not', () => {
  const refusals = new Refusals(WINDOW_MS);
  for (let tries = 0; tries < 1000; tries += 1) refusals.addRefusal(START);
  refusals.addRefusal(START + 30_000);
  expect(refusals.countRefusals(START + 30_000)).toBe(1001);
  expect(refusals.countRefusals(START + 61_000)).toBe(1);
  refusals.addRefusal(START + 61_000);
  expect(refusals.countRefusals(START + 61_000)).toBe(2);
  expect(refusals.countRefusals(START + 3_600_000)).toBe(0);
});
