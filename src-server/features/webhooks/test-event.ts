import { toIsoTime } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/units.ts';
import type { DueDelivery } from './delivery-store.ts';

/** Where the job of a test event would be; the name cannot be resolved, so nobody polls it by mistake. */
const TEST_STATUS_URL = 'https://quarry.invalid/v1/jobs';

/** The job object of a test event: of the true shape, the same at every attempt, and marked in `result` or `error`. */
export function testPayload(delivery: Pick<DueDelivery, 'job_id' | 'event' | 'created_at'>): Record<string, unknown> {
  const at = toIsoTime(delivery.created_at);
  const completed = delivery.event === 'job.completed';
  const message = 'This is a test event from Quarry.';
  return {
    jobId: delivery.job_id,
    jobType: 'webhooks',
    status: completed ? 'completed' : 'failed',
    createdAt: at,
    updatedAt: at,
    statusUrl: `${TEST_STATUS_URL}/${delivery.job_id}`,
    result: completed ? { test: true, message } : null,
    events: ['job.completed', 'job.failed'],
    progress: { percent: completed ? 100 : 0, stage: completed ? 'completed' : 'failed', message },
    expiresAt: toIsoTime(delivery.created_at + DAY_MS),
    ...(completed ? {} : { error: { code: 'cancelled', message, retryable: false, attempts: 0 } }),
  };
}
