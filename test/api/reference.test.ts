import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src-server/features/reference/openapi-types.ts';
import { referenceRoutes } from '../../src-server/features/reference/routes.ts';
import { OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES } from '../../src-server/features.ts';
import { ERROR_CODES, ERRORS, errorFaultOf } from '../../src-server/platform/error-codes.ts';

const GUIDES = join(import.meta.dirname, '../../resources/reference');

const RENDERER: URL | null = new URL('../../src-renderer/', import.meta.url);

function siteWith(guidesFolder: string, origin = () => 'http://127.0.0.1:8402', rendererFolder = RENDERER) {
  return referenceRoutes({
    operations: OPERATIONS,
    publicRoutes: PUBLIC_ROUTES,
    ownerRoutes: OWNER_ROUTES,
    version: '0.1.0',
    origin,
    guidesFolder,
    rendererFolder,
  });
}

const site = siteWith(GUIDES);

async function textOf(path: string): Promise<string> {
  const answer = await site.request(path);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '');
const linksOf = (html: string) => [...html.matchAll(/ href="([^"]+)"/g)].map(([, href]) => href ?? '');

/** Every rendered page that can be reached from the guides by links. */
async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const open = ['/reference/guides/getting-started'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const html = await textOf(path);
    pages.set(path, html);
    const local = linksOf(html).map((href) => href.split('#')[0] ?? '');
    open.push(...local.filter((href) => /^\/(reference\/guides|problems)/.test(href)));
  }
  return pages;
}

describe('the pages beside the reference', () => {
  test('has no broken link, no repeated anchor and nothing that is loaded from elsewhere', async () => {
    const pages = await crawl();
    expect(pages.size).toBeGreaterThan(30);
    for (const [path, html] of pages) {
      const ids = idsOf(html);
      expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []]);
      for (const href of linksOf(html)) {
        const [target = '', anchor] = href.split('#');
        const page = target === '' ? html : pages.get(target);
        if (anchor !== undefined) expect([path, href, idsOf(page ?? '').includes(anchor)]).toEqual([path, href, true]);
        expect(href).toMatch(/^(\/|#|data:,$|https:\/\/)/);
      }
      expect(html).not.toMatch(/<script| src=|style=|@import|url\(/);
    }
  });

  test('answers under a policy that allows its own stylesheet and nothing else', async () => {
    for (const path of ['/reference/guides/errors', '/problems', '/problems/internal']) {
      const policy = (await site.request(path)).headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'; style-src 'self';");
    }
    expect((await site.request('/reference/style.css')).headers.get('content-type')).toContain('text/css');
  });

  test('can be used by keyboard and screen reader: language, title, skip link, one h1, no skipped heading', async () => {
    for (const [path, html] of await crawl()) {
      expect(html).toContain('<html lang="en">');
      expect(html).toMatch(/<title>[^<]+<\/title>/);
      expect(html).toContain('<a class="skip" href="#main">');
      const levels = [...html.matchAll(/<h(\d)[ >]/g)].map(([, level]) => Number(level));
      expect([path, levels.filter((level) => level === 1).length, levels[0]]).toEqual([path, 1, 1]);
      levels.forEach((level, index) => {
        expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
      });
    }
  });
});

describe('the reference', () => {
  test('answers under a policy that allows own scripts and this server alone', async () => {
    const answer = await site.request('/reference');
    expect(answer.status).toBe(200);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe-eval|https?:/);
  });

  test('says how to build it where it was not built', async () => {
    const bare = siteWith(GUIDES, undefined, null);
    expect((await bare.request('/reference')).status).toBe(503);
  });
});

describe('guides', () => {
  test('are picked up from their folder, and raw HTML in them is shown, not run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry guides '));
    writeFileSync(
      join(folder, 'zebra.md'),
      '# Zebras\n\n## Stripes\n\n<script>alert(1)</script> a `data:<mime>` b <img>\n',
    );
    writeFileSync(join(folder, 'getting-started.md'), '# Begin\n');
    writeFileSync(join(folder, 'notes.txt'), 'no guide');
    const other = siteWith(folder);
    const guide = await (await other.request('/reference/guides/zebra')).text();
    expect(guide.indexOf('>Endpoints</a>')).toBeGreaterThan(0);
    expect(guide.indexOf('>Begin</a>')).toBeGreaterThan(guide.indexOf('>Endpoints</a>'));
    expect(guide.indexOf('>Zebras</a>')).toBeGreaterThan(guide.indexOf('>Begin</a>'));
    expect(guide).toContain('<h2 id="stripes">Stripes</h2>');
    expect(guide).toContain('&lt;script&gt;');
    expect(guide).not.toContain('<script>');
    expect(guide).not.toContain('<img>');
    expect((await other.request('/reference/guides/notes')).status).toBe(404);
    rmSync(folder, { recursive: true });
  });
});

describe('problem pages', () => {
  test.each(ERROR_CODES)('%s has a page with meaning and advice', async (code) => {
    const html = await textOf(`/problems/${code}`);
    expect(html).toContain('What it means');
    expect(html).toContain('What to do');
    expect(await textOf('/problems')).toContain(`href="/problems/${code}"`);
  });

  test.each(ERROR_CODES)('%s offers a free re-run only for a fault of the appliance', async (code) => {
    const offers = (await textOf(`/problems/${code}`)).includes('free re-run');
    expect(offers).toBe(errorFaultOf(code) === 'appliance');
  });

  test('the guide on errors tells of each status of the table when to try again', () => {
    const guide = readFileSync(join(GUIDES, 'errors.md'), 'utf8');
    const rows = guide.matchAll(/^\| (\d{3}(?:, \d{3})*) \| (.*) \|$/gm);
    const adviceOf = new Map(
      [...rows].flatMap(([, statuses = '', advice = '']) => statuses.split(', ').map((one) => [one, advice])),
    );
    for (const code of ERROR_CODES) {
      const { status, fault, retryable } = ERRORS[code];
      const advice = adviceOf.get(String(status));
      expect(advice, code).toBeDefined();
      if (retryable) expect(advice, code).toContain('Retry-After');
      if (fault === 'file' || fault === 'address') expect(advice, code).toMatch(/^no: change the request/);
    }
  });

  test('what is no code has none', async () => {
    expect((await site.request('/problems/nonsense')).status).toBe(404);
    expect((await site.request('/problems/__proto__')).status).toBe(404);
  });

  test('the index is found with and without a slash at the end', async () => {
    const answer = await site.request('/problems/');
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/problems']);
  });
});

test('addresses in the document follow the origin when it changes', async () => {
  let origin = 'http://127.0.0.1:1';
  const moving = siteWith(GUIDES, () => origin);
  await moving.request('/openapi.json');
  origin = 'https://quarry.example';
  const document = (await (await moving.request('/openapi.json')).json()) as OpenApiDocument;
  expect(document.servers.map(({ url }) => url)).toEqual([
    'https://quarry.example/v1',
    'https://quarry.example/staging/v1',
  ]);
  expect(await (await moving.request('/reference/guides/getting-started')).text()).toContain(
    'URL=https://quarry.example\n',
  );
});
