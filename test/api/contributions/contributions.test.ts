import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Contribution } from '../../../src-server/features/contributions/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, type Client, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { until } from '../../harness/until.ts';

type ChunkedJob = Job & { result: { chunks: { id: string; text: string; originalText?: string }[] } };
const WRONG = 'The lighthouse was built in eighteen hundred and two.';
const RIGHT = 'The lighthouse was built in eighteen hundred and twenty.';

let appliance: Appliance;
let jobId: string;
let chunkId: string;

const json = { 'content-type': 'application/json' };

function post(client: Client, path: string, body: object): Promise<Response> {
  return client(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

async function contribute(client: Client, body: object): Promise<Contribution> {
  const answer = await post(client, '/v1/contributions', body);
  expect(answer.status, await answer.clone().text()).toBe(202);
  return (await answer.json()) as Contribution;
}

function decide(id: string, how: 'approve' | 'reject', body: object = {}): Promise<Response> {
  return post(appliance.owner, `/admin/contributions/${id}/${how}`, body);
}

async function find(query: string): Promise<SearchAnswer['results']> {
  const answer = await post(appliance.owner, '/v1/search', { query });
  return ((await answer.json()) as SearchAnswer).results;
}

/** The lines of a file of chunks; null where the job has no such file. */
async function chunksIn(name: string): Promise<ChunkedJob['result']['chunks'] | null> {
  const answer = await appliance.anonymous(`/v1/jobs/${jobId}/files/${name}`);
  if (answer.status === 404) return null;
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ChunkedJob['result']['chunks'][number]);
}

async function chunkText(): Promise<ChunkedJob['result']['chunks'][number] | undefined> {
  const job = (await (await appliance.anonymous(`/v1/jobs/${jobId}`)).json()) as ChunkedJob;
  return job.result.chunks.find(({ id }) => id === chunkId);
}

beforeAll(async () => {
  appliance = await startAppliance();
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(WRONG, 'light.txt') });
  const job = (await finished(appliance.owner, ((await answer.json()) as Job).jobId)) as ChunkedJob;
  ({ jobId } = job);
  chunkId = job.result.chunks[0]?.id ?? '';
  await until(async () => (await find('lighthouse')).length > 0);
});
afterAll(() => appliance.close());

describe('contributions', () => {
  test('a correction waits, is approved with evidence, stands in the chunk and in search, and can be taken back', async () => {
    const sent = await contribute(appliance.anonymous, {
      kind: 'correction',
      jobId,
      chunkId,
      text: RIGHT,
      author: 'Ann',
    });
    expect(sent).toMatchObject({ status: 'pending', jobId, chunkId, author: 'Ann' });
    expect((await chunkText())?.text).toBe(WRONG);

    const queue = (await (await appliance.owner('/admin/contributions')).json()) as {
      contributions: (Contribution & { chunk: { text: string } })[];
    };
    expect(queue.contributions.find(({ contributionId }) => contributionId === sent.contributionId)).toMatchObject({
      chunk: { text: WRONG },
      contributor: { pending: 1, approved: 0, rejected: 0 },
      history: [{ action: 'submitted' }],
    });

    expect((await decide(sent.contributionId, 'approve')).status).toBe(200);
    expect(await chunkText()).toMatchObject({ text: RIGHT, originalText: WRONG });
    expect(await chunksIn('chunks.jsonl')).toMatchObject([{ id: chunkId, text: RIGHT, originalText: WRONG }]);
    expect(await chunksIn('chunks.original.jsonl')).toMatchObject([{ id: chunkId, text: WRONG }]);
    expect(await find('twenty')).toMatchObject([{ chunkId, text: RIGHT, originalText: WRONG }]);
    expect((await decide(sent.contributionId, 'approve')).status).toBe(409);

    const back = await decide(sent.contributionId, 'reject', { reason: 'The archive says otherwise.' });
    expect(back.status).toBe(200);
    const { history } = (await back.json()) as { history: { action: string; reason: string | null }[] };
    expect(history.map(({ action }) => action)).toEqual(['submitted', 'approved', 'rejected']);
    const chunk = await chunkText();
    expect(chunk?.text).toBe(WRONG);
    expect(chunk).not.toHaveProperty('originalText');
    expect(await chunksIn('chunks.jsonl')).toEqual([chunk]);
    expect(await chunksIn('chunks.original.jsonl')).toBeNull();
    expect(await find('twenty')).toEqual([]);
  });

  test('of two approved corrections the later decided one is shown, and the first original is kept', async () => {
    const one = await contribute(appliance.owner, { kind: 'correction', jobId, chunkId, text: `${RIGHT} One.` });
    const two = await contribute(appliance.owner, { kind: 'correction', jobId, chunkId, text: `${RIGHT} Two.` });
    await decide(two.contributionId, 'approve');
    appliance.clock.advance(1000);
    await decide(one.contributionId, 'approve');
    expect(await chunkText()).toMatchObject({ text: `${RIGHT} One.`, originalText: WRONG });
    await decide(one.contributionId, 'reject', { reason: 'Two is better.' });
    expect(await chunkText()).toMatchObject({ text: `${RIGHT} Two.`, originalText: WRONG });
    await decide(two.contributionId, 'reject', { reason: 'Enough.' });
    expect((await chunkText())?.text).toBe(WRONG);
  });

  test('an approved source is found by everybody, and its job is shown to its contributor only', async () => {
    const text = 'The archive of lamps keeps the keeper diaries.';
    const sent = await contribute(appliance.owner, { kind: 'source', jobId, text, url: 'https://example.com/lamps' });
    expect((await appliance.anonymous(`/v1/contributions/${sent.contributionId}`)).status).toBe(404);
    await decide(sent.contributionId, 'approve');
    const seen = (await (await appliance.anonymous(`/v1/contributions/${sent.contributionId}`)).json()) as Contribution;
    expect(seen).toMatchObject({ status: 'approved', text, jobId: null });
    expect(await find('keeper diaries')).toMatchObject([
      { kind: 'source', jobId: null, url: 'https://example.com/lamps' },
    ]);
    const listed = (await (await appliance.anonymous('/v1/contributions')).json()) as { contributions: Contribution[] };
    expect(listed.contributions.map(({ contributionId }) => contributionId)).toContain(sent.contributionId);

    const notes = async () =>
      (await (await appliance.owner(`/admin/jobs/${jobId}/notes`)).json()) as { notes: Contribution[] };
    expect(await notes()).toMatchObject({ notes: [{ contributionId: sent.contributionId, status: 'approved' }] });

    const path = `/v1/contributions/${sent.contributionId}/report`;
    expect((await post(appliance.anonymous, path, { reason: 'The link is dead.' })).status).toBe(204);
    expect((await post(appliance.anonymous, path, { reason: 'Still dead.' })).status).toBe(204);
    const queue = (await (await appliance.owner('/admin/contributions?status=approved')).json()) as {
      contributions: { reports: number }[];
    };
    expect(queue.contributions[0]?.reports).toBe(1);
    await decide(sent.contributionId, 'reject', { reason: 'The link is dead.' });
    expect(await find('keeper diaries')).toEqual([]);
    expect(await notes()).toEqual({ notes: [] });
  });

  test('the same contribution again is the one that waits', async () => {
    const body = { kind: 'annotation', text: 'Nice lamp.' };
    const [one, two] = [await contribute(appliance.owner, body), await contribute(appliance.owner, body)];
    expect(two.contributionId).toBe(one.contributionId);
  });

  test.each([
    [{ kind: 'correction', text: 'x' }, ['jobId', 'chunkId']],
    [{ kind: 'source', text: 'x' }, ['url']],
    [{ kind: 'annotation', text: 'x', chunkId: 'c' }, ['jobId']],
    [{ kind: 'annotation', text: ' ' }, ['text']],
    [{ kind: 'annotation', text: '\0\0' }, ['text']],
    [
      { kind: 'annotation', text: '\u200b\u2060\u3164', author: '\u2800', license: '\u202e' },
      ['text', 'author', 'license'],
    ],
    [{ kind: 'source', text: 'x', url: 'javascript:alert(1)' }, ['url']],
    [{ kind: 'praise', text: 'x' }, ['kind']],
  ])('refuses %j by its fields', async (body, paths) => {
    const answer = await post(appliance.anonymous, '/v1/contributions', body);
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path)).toEqual(paths);
  });

  test('a chunk that is not there cannot be corrected', async () => {
    const body = { kind: 'correction', jobId, chunkId: 'chk_none', text: 'x' };
    expect((await post(appliance.owner, '/v1/contributions', body)).status).toBe(404);
  });

  test('a job that is not there cannot be remarked on', async () => {
    const body = { kind: 'annotation', jobId: 'job_none', text: 'x' };
    const answer = await post(appliance.owner, '/v1/contributions', body);
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('jobId') },
    });
  });

  test('only the owner moderates', async () => {
    expect((await appliance.anonymous('/admin/contributions')).status).toBe(401);
    expect((await post(appliance.anonymous, '/admin/contributions/ctb_x/approve', {})).status).toBe(401);
    expect((await decide('ctb_x', 'approve')).status).toBe(404);
    expect((await decide('ctb_x', 'reject')).status).toBe(400);
  });

  test('of an address that proved nothing, five may wait', async () => {
    let last: Response | null = null;
    for (let number = 0; number < 6; number += 1) {
      last = await post(appliance.anonymous, '/v1/contributions', { kind: 'annotation', text: `Remark ${number}` });
    }
    expect(last?.status).toBe(429);
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('a removed job takes the corrections of its text with it', async () => {
    const sent = await contribute(appliance.owner, { kind: 'correction', jobId, chunkId, text: 'Gone soon.' });
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    expect((await appliance.owner(`/v1/contributions/${sent.contributionId}`)).status).toBe(404);
  });
});
