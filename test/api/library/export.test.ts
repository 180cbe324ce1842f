/** What is given out of a site has all its pages, whatever signs a correction brought into them. */
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Contribution } from '../../../src-server/features/contributions/schema.ts';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Item } from '../../../src-server/features/library/schema.ts';
import type { Chunk } from '../../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { postJson } from '../../harness/text-models.ts';

/** Ends a line for some readers of lines, and none of JSON. */
const SEPARATOR = '\u2028';

const PAGES: Record<string, string> = {
  '/': 'The pilots meet the ships at the outer buoy when the tide has turned. <a href="/log">Log</a>',
  '/log': 'The keeper wrote of forty lamps on the quay, and of the rain that fell all night.',
};

let appliance: Appliance;
let site: LocalSite;
beforeAll(async () => {
  appliance = await startAppliance();
  site = await serveWith((request, response) => {
    const text = PAGES[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><head><title>Harbour</title></head><body><main><p>${text}</p></main></body></html>`,
    );
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

test('every page of a site is exported, and given to clients of Firecrawl', async () => {
  const accepted = await appliance.owner('/v1/crawl', postJson({ url: `${site.url}/`, depth: 1 }));
  const { jobId, result } = await finished(appliance.owner, ((await accepted.json()) as Job).jobId);
  const chunk = (result as { chunks: Chunk[] }).chunks.find(({ text }) => text.includes('outer buoy'));
  const correction = { kind: 'correction', jobId, chunkId: chunk?.id, text: `At dawn${SEPARATOR}${chunk?.text}` };
  const sent = await (await appliance.owner('/v1/contributions', postJson(correction))).json();
  const { contributionId } = sent as Contribution;
  const approved = await appliance.owner(`/admin/contributions/${contributionId}/approve`, postJson({}));
  expect(approved.status).toBe(200);
  const { items } = (await (await appliance.owner('/v1/library/items')).json()) as { items: Item[] };
  const chosen = items.filter((item) => item.jobId === jobId).map(({ itemId }) => itemId);
  const exported = await appliance.owner('/v1/library/export', postJson({ items: chosen, as: 'markdown' }));
  const text = await exported.text();
  expect(text).toMatch(/At dawn.*outer buoy/s);
  expect(text).toContain('forty lamps');
  const given = await appliance.owner(`/firecrawl/v2/crawl/${jobId}.0`);
  expect(given.status).toBe(200);
  const { data } = (await given.json()) as { data: { markdown: string }[] };
  expect(data.map(({ markdown }) => markdown).join()).toMatch(/outer buoy.*forty lamps/s);
});

test('what has no result is named in each form, and counted', async () => {
  const read = async (bytes: Uint8Array, name: string) => {
    const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, name) });
    return finished(appliance.owner, ((await answer.json()) as Job).jobId);
  };
  const whole = await read(wordDocument(['The pilot cutter is whole.']), 'cutter.docx');
  const cut = await read(wordDocument(['The pilot cutter is cut.']).slice(0, 500), 'cut & lost.docx');
  expect([whole.status, cut.status]).toEqual(['completed', 'failed']);
  const { items } = (await (await appliance.owner('/v1/library/items')).json()) as { items: Item[] };
  const chosen = [whole, cut].map(({ jobId }) => items.find((item) => item.jobId === jobId)?.itemId);
  const exported = async (as: string) => {
    const answer = await appliance.owner('/v1/library/export', postJson({ items: chosen, as }));
    expect(answer.headers.get('x-quarry-left-out')).toBe('1');
    return new Uint8Array(await answer.arrayBuffer());
  };
  const files = unzipSync(await exported('zip'));
  const manifest = JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())) as {
    items: { itemId: string; folder: string }[];
    leftOut: object[];
  };
  expect(manifest.items.map(({ itemId }) => itemId)).toEqual([chosen[0]]);
  expect(Object.keys(files)).toContain(`${manifest.items[0]?.folder}/${manifest.items[0]?.folder}.md`);
  expect(manifest.leftOut).toEqual([{ itemId: chosen[1], title: 'cut & lost', why: 'It could not be read.' }]);
  expect(strFromU8(await exported('markdown'))).toMatch(
    /# Left out of this export\n\n- cut & lost \(cut & lost\.docx, added [-\d]+\): It could not be read\.\n$/,
  );
  const book = unzipSync(await exported('epub'));
  expect(strFromU8(book['chapter-2.xhtml'] ?? new Uint8Array())).toMatch(/cut &amp; lost.*could not be read/);
  expect(strFromU8(book['nav.xhtml'] ?? new Uint8Array())).toContain('Left out of this export');
  expect(strFromU8(book['book.opf'] ?? new Uint8Array())).toContain('<itemref idref="c2"/>');
  // Without anything left out, no form speaks of it.
  const all = await appliance.owner('/v1/library/export', postJson({ items: chosen.slice(0, 1), as: 'markdown' }));
  expect(await all.text()).not.toContain('Left out');
});

test('a ZIP holds the parts that are chosen, and the file that was sent where it is asked for', async () => {
  const bytes = Buffer.from('# Buoy\n\nThe bell buoy rings in the swell.');
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(bytes, 'bell: buoy.md') });
  const { jobId } = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  const { items } = (await (await appliance.owner('/v1/library/items')).json()) as { items: Item[] };
  const item = items.find((one) => one.jobId === jobId);
  await appliance.owner(`/v1/library/items/${item?.itemId}/notes`, postJson({ text: 'Hear it at dusk.' }));
  const exported = async (parts?: readonly string[]) => {
    const body = { items: [item?.itemId], as: 'zip', ...(parts && { parts }) };
    const given = await appliance.owner('/v1/library/export', postJson(body));
    expect(given.status, JSON.stringify(parts)).toBe(200);
    const files = unzipSync(new Uint8Array(await given.arrayBuffer()));
    return Object.fromEntries(Object.entries(files).map(([name, content]) => [name, strFromU8(content)]));
  };
  const whole = Object.entries(await exported());
  expect(whole.some(([name]) => name.includes('/original/'))).toBe(false);
  expect(whole.find(([name]) => /^[^/]+\/[^/]+\.md$/.test(name))?.[1]).toMatch(/bell buoy.*Hear it at dusk/s);
  const plain = await exported(['markdown']);
  expect(Object.values(plain).join()).not.toContain('Hear it at dusk');
  const notes = await exported(['notes']);
  expect(Object.keys(notes).filter((name) => name.endsWith('.md'))).toHaveLength(1);
  expect(Object.values(notes).join()).toContain('Hear it at dusk');
  const originals = Object.entries(await exported(['originals'])).filter(([name]) => name !== 'manifest.json');
  expect(originals).toEqual([[expect.stringMatching(/\/original\/bell_ buoy\.md$/), bytes.toString()]]);
  expect((await appliance.owner('/v1/library/export', postJson({ items: [item?.itemId], parts: [] }))).status).toBe(
    400,
  );
});
