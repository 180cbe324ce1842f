import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { JobNotifier, type Notice } from '../../src-main/notifications.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';

const START = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-01T00:00:01.000Z';
const HOUR_MS = 3_600_000;

let notices: Notice[];
let news: JobNotifier;

beforeEach(() => {
  vi.useFakeTimers();
  notices = [];
  news = new JobNotifier((notice) => notices.push(notice));
  news.startAt(START);
});

afterEach(() => {
  news.stopJobNotices();
  vi.useRealTimers();
});

function job(jobId: string, fields: Partial<Job> = {}): Job {
  return {
    jobId,
    jobType: 'extract/doc',
    status: 'completed',
    createdAt: START,
    updatedAt: LATER,
    statusUrl: `http://127.0.0.1/v1/jobs/${jobId}`,
    result: null,
    events: [],
    progress: { percent: 100, stage: 'done', message: '' },
    expiresAt: null,
    ...fields,
  };
}

function take(jobs: Job[], environment: 'production' | 'staging' = 'production', more = false): void {
  news.takeJobsMessage({ environment, jobs, removed: [], more });
}

describe('news of ended jobs', () => {
  test('one job is told by its name, and leads to its page', () => {
    take([job('job_a', { sourceName: 'Report.docx' })]);
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices).toEqual([{ title: 'Job finished', body: 'Report.docx', path: '/items/of/job_a' }]);
  });

  test('a failure says what to do', () => {
    const error = { code: 'timeout', message: 'Send it again.', retryable: true, attempts: 3 } as const;
    take([job('job_a', { status: 'failed', error })], 'staging');
    vi.advanceTimersByTime(HOUR_MS);
    const path = '/items/of/job_a?environment=staging';
    expect(notices).toEqual([{ title: 'Job failed', body: 'Document: Send it again.', path }]);
  });

  test('of a watched site its changes are told, and the first of several failures', () => {
    const error = { code: 'source_unreachable', message: 'No answer.', retryable: true, attempts: 3 } as const;
    const run = (jobId: string, fields: object) => {
      const watched = { jobType: 'crawl', watchId: 'wch_a', label: 'https://site.example/', siteChanged: false };
      take([{ ...job(jobId), ...watched, ...fields }]);
      vi.advanceTimersByTime(HOUR_MS);
    };
    run('crl_a', {});
    run('crl_b', { siteChanged: true });
    run('crl_c', { status: 'failed', error });
    run('crl_d', { status: 'failed', error });
    run('crl_e', {});
    run('crl_f', { status: 'failed', error });
    const changed = { title: 'Watched site changed', body: 'https://site.example/', path: '/items/of/crl_b' };
    const failed = (jobId: string) => ({ title: 'Job failed', body: 'Crawl: No answer.', path: `/items/of/${jobId}` });
    expect(notices).toEqual([changed, failed('crl_c'), failed('crl_f')]);
  });

  test('jobs that end together are one notice', () => {
    take([job('job_a'), job('job_b')]);
    take([job('job_c', { status: 'failed' })]);
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices).toEqual([{ title: '3 jobs ended', body: '2 finished, 1 failed', path: '/library' }]);
  });

  test('a thousand jobs, ending one each second, are a handful of notices, and none is lost', () => {
    for (let number = 0; number < 1000; number += 1) {
      take([job(`job_${number}`)]);
      vi.advanceTimersByTime(1000);
    }
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices.length).toBeGreaterThan(2);
    expect(notices.length).toBeLessThan(10);
    const told = notices.map(({ title }) => Number(/^\d+/.exec(title)?.[0] ?? 1));
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(1000);
  });

  test('after a quiet time news is prompt again', () => {
    for (let number = 0; number < 100; number += 1) {
      take([job(`job_${number}`)]);
      vi.advanceTimersByTime(1000);
    }
    vi.advanceTimersByTime(HOUR_MS);
    const before = notices.length;
    take([job('job_late')]);
    vi.advanceTimersByTime(2000);
    expect(notices).toHaveLength(before + 1);
  });

  test('nothing is told of jobs that run, ended before, were told, or were answered at once', () => {
    take([
      job('job_running', { status: 'processing' }),
      job('job_old', { updatedAt: '2025-12-31T23:59:59.999Z' }),
      job('txt_a', { jobType: 'generate/text' }),
      job('job_webhook', { jobType: 'webhooks' }),
    ]);
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices).toEqual([]);
    take([job('job_a')]);
    vi.advanceTimersByTime(HOUR_MS);
    take([job('job_a')]);
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices).toHaveLength(1);
  });

  test('of what ended while nobody wanted to be told nothing is told, though word of it comes later', () => {
    news.stopJobNotices();
    vi.advanceTimersByTime(2000);
    news.restartJobNotices();
    take([job('job_meanwhile'), job('job_after', { updatedAt: '2026-01-01T00:00:03.000Z' })]);
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices.map(({ path }) => path)).toEqual(['/items/of/job_after']);
  });

  test('when too many ended to be named, the notice does not pretend to a number', () => {
    take([job('job_a'), job('job_b')], 'production', true);
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices[0]?.title).toBe('More than 2 jobs ended');
  });

  test('what was gathered when it is stopped is not told', () => {
    take([job('job_a')]);
    news.stopJobNotices();
    vi.advanceTimersByTime(HOUR_MS);
    expect(notices).toEqual([]);
  });
});
