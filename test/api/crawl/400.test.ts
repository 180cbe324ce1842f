import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

describe('POST /crawl refuses', () => {
  test.each<[object, string]>([
    [{}, 'url'],
    [{ url: 'not a url' }, 'url'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    // The host is missing, and a path must not be taken for it.
    [{ url: 'https:///a.example/page' }, 'url'],
    [{ url: 'HTTP:///a.example/page' }, 'url'],
    [{ url: ' https://\t\\a.example/page' }, 'url'],
    [{ url: 'https://a.example/', webhookUrl: 'https:///a.example/hook' }, 'webhookUrl'],
    [{ url: 'https://a.example/', depth: 4 }, 'depth'],
    [{ url: 'https://a.example/', depth: -1 }, 'depth'],
    [{ url: 'https://a.example/', depth: 1.5 }, 'depth'],
    [{ url: 'https://a.example/', priority: 'urgent' }, 'priority'],
    [{ url: 'https://a.example/', notify: { url: 'https://a.example/', events: ['begun'] } }, 'notify.events.0'],
    [{ url: 'https://a.example/', notify: {} }, 'notify.url'],
    [{ url: 'https://a.example/', webhookUrl: 'nowhere' }, 'webhookUrl'],
    [{ url: 'https://a.example/', dept: 1 }, 'dept'],
    [{ url: 'https://a.example/', include: ['docs/**'] }, 'include.0'],
    [{ url: 'https://a.example/', exclude: ['/docs**'] }, 'exclude.0'],
    [{ url: 'https://a.example/', exclude: [`${'/*'.repeat(90)}`] }, 'exclude.0'],
    [{ url: 'https://a.example/', include: Array.from({ length: 21 }, () => '/a') }, 'include'],
    [{ url: 'https://a.example/', maxPages: 0 }, 'maxPages'],
    [{ url: 'https://a.example/', sitemap: 'all' }, 'sitemap'],
  ])('%j by its field', async (body, path) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await appliance.owner('/v1/crawl', { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { errors: { path: string }[] };
    expect(errors[0]?.path).toBe(path);
  });

  test('nobody is told anything before paying', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await appliance.anonymous('/v1/crawl', { method: 'POST', headers, body: '{"url":1}' });
    expect(answer.status).toBe(402);
    expect(await answer.json()).toMatchObject({
      x402Version: 1,
      error: null,
      accepts: [{ resource: 'POST /crawl', maxAmountRequired: '300000', maxTimeoutSeconds: 300 }],
    });
  });
});
