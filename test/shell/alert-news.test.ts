import { expect, test } from 'vitest';
import { AlertNotifier, type Notice } from '../../src-main/notifications.ts';

const START = '2026-01-01T00:00:00.000Z';
const LATER = '2026-01-01T00:00:01.000Z';

const alert = (alertId: string, fields: object = {}) => ({
  ...{ alertId, kind: 'disk-low', title: 'Disk space is low', message: 'Delete models.', page: '/settings' },
  ...{ raisedAt: LATER, ...fields },
});

function opened() {
  const notices: Notice[] = [];
  return { notices, news: new AlertNotifier((notice) => notices.push(notice), START) };
}

test('an alert is shown once, and leads to the page that mends it', () => {
  const { notices, news } = opened();
  news.takeOpenAlerts([alert('alr_a')], false);
  news.takeOpenAlerts([alert('alr_a')], false);
  expect(notices).toEqual([{ title: 'Disk space is low', body: 'Delete models.', path: '/settings' }]);
  news.takeOpenAlerts([], false);
  news.takeOpenAlerts([alert('alr_b'), alert('alr_c')], false);
  expect(notices).toHaveLength(3);
});

test('nothing is shown of alerts from before the start, of failed jobs, or while notifications are paused', () => {
  const { notices, news } = opened();
  news.takeOpenAlerts([alert('alr_old', { raisedAt: '2025-12-31T23:59:59.999Z' })], false);
  news.takeOpenAlerts([alert('alr_jobs', { kind: 'jobs-failing' })], false);
  news.takeOpenAlerts([alert('alr_paused')], true);
  news.takeOpenAlerts([alert('alr_paused')], false);
  expect(notices).toEqual([]);
});
