/** When topics follow the index: once it is quiet, or a search asks. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { TopicLearner } from '../../src-server/features/search/topic-learner.ts';
import { until } from '../harness/until.ts';

const SECOND = 1000;

function learner() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let steps = 0;
  const index = {
    topicStep: async () => {
      steps += 1;
      return 'done' as const;
    },
    sampleTerms: () => Promise.reject(new Error('Nothing is learned here.')),
    keepTopics: async () => undefined,
  };
  const runTask = () => Promise.reject(new Error('Nothing is learned here.'));
  const made = new TopicLearner({ index, runTask, log: { error: () => undefined } });
  return { made, steps: () => steps, [Symbol.asyncDispose]: () => made.closeTopicLearner() };
}

afterEach(() => void vi.useRealTimers());

describe('topics', () => {
  test('wait until the index is quiet', async () => {
    await using at = learner();
    for (let change = 0; change < 5; change += 1) {
      at.made.noteChangedChunks();
      vi.advanceTimersByTime(50 * SECOND);
    }
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(10 * SECOND);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await until(async () => at.steps() === 1);
  });

  test('follow an index that is never quiet after a while', async () => {
    await using at = learner();
    let seconds = 0;
    for (; seconds < 3600; seconds += 30) {
      at.made.noteChangedChunks();
      vi.advanceTimersByTime(30 * SECOND);
      if (vi.getTimerCount() === 0) break;
    }
    expect(seconds).toBeLessThan(11 * 60);
    expect(seconds).toBeGreaterThan(8 * 60);
    vi.useRealTimers();
    await until(async () => at.steps() === 1);
  });

  test('follow at once when a search asks, and only what has changed', async () => {
    await using at = learner();
    at.made.followChanges();
    at.made.noteChangedChunks();
    at.made.followChanges();
    at.made.followChanges();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await until(async () => at.steps() > 0);
    expect(at.steps()).toBe(1);
  });
});
