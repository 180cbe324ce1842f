import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src-server/engines/crawl/fetch-page.ts';
import { HostLane } from '../../src-server/engines/crawl/host-lane.ts';
import type { HostRules } from '../../src-server/engines/crawl/site-robots.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 30);

describe('Retry-After', () => {
  test.each<[string, string, string | undefined, number | null]>([
    ['in seconds', '7', undefined, 7000],
    ['of no seconds', '0', undefined, 0],
    ['longer than a crawl waits', '86400', undefined, 60_000],
    ['as a date, by the date the server put on its answer', at(12), at(2), 10_000],
    ['as a date, where the server’s clock is years behind', at(-1e8 + 5), at(-1e8), 5000],
    ['as a date, by our clock where the server states none', at(9), undefined, 9000],
    ['as a date that has passed', at(-60), at(0), 0],
    ['that is neither', 'soon', undefined, null],
    ['that is negative', '-5', undefined, null],
  ])('%s', (_, header, date, wait) => {
    const headers = { 'retry-after': header, ...(date === undefined ? {} : { date }) };
    expect(retryAfterMs(headers, NOW)).toBe(wait);
  });

  test('is not needed', () => {
    expect(retryAfterMs({}, NOW)).toBeNull();
  });
});

function at(seconds: number): string {
  return new Date(NOW + seconds * 1000).toUTCString();
}

describe('a host', () => {
  const rules = (delayMs: number): HostRules => ({ delayMs, refusal: () => null, aiAgents: () => [] });
  function laneWith(delayMs: number): HostLane {
    const lane = new HostLane('a.example');
    lane.rules = rules(delayMs);
    return lane;
  }

  test('that asks for a delay is asked once at a time, and not before the delay is over', () => {
    const lane = laneWith(2500);
    expect(lane.waitMs(0)).toBe(0);
    lane.begin(0, 100);
    expect(lane.waitMs(1000)).toBeNull();
    lane.active -= 1;
    expect(lane.waitMs(1000)).toBe(1500);
    expect(lane.waitMs(2499)).toBe(1);
    expect(lane.waitMs(2500)).toBe(0);
  });

  test('that asks for none is asked by the setting’s delay, and for a few pages at once', () => {
    const lane = laneWith(0);
    for (let request = 0; request < 6; request += 1) {
      expect(lane.waitMs(request * 100)).toBe(0);
      lane.begin(request * 100, 100);
      expect(lane.waitMs(request * 100 + 40)).toBe(request === 5 ? null : 60);
    }
  });

  test('that asks for a pause is left alone for as long, whatever else it allows', () => {
    const lane = laneWith(0);
    lane.pause(1000, 30_000);
    expect(lane.waitMs(2000)).toBe(29_000);
    lane.pause(2000, 10);
    expect(lane.waitMs(2000)).toBe(29_000);
  });
});
