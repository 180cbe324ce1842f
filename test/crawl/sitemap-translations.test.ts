import { expect, test } from 'vitest';
import { readSiteFile } from '../../workers/pages/read-site-file.ts';

test('a sitemap also lists the translations of its pages, each once', () => {
  const link = (language: string) => `<xhtml:link rel="alternate" hreflang="${language}" href="/${language}"/>`;
  const page = (path: string) => `<url><loc>/${path}</loc>${link('de')}${link('fr')}${link('en')}</url>`;
  const xml = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns:xhtml="http://www.w3.org/1999/xhtml">${page('de')}${page('fr')}<url><loc>/x</loc><xhtml:link
    rel="stylesheet" hreflang="it" href="/it"/></url></urlset>`;
  const input = {
    kind: 'sitemap',
    url: 'https://pier.example/sitemap.xml',
    body: Buffer.from(xml),
    maxUrls: 100,
  } as const;
  const read = readSiteFile(input);
  const urls = ['de', 'fr', 'en', 'x'].map((path) => `https://pier.example/${path}`);
  expect(read).toEqual({ kind: 'sitemap', urls, sitemaps: [], dropped: 0 });
  expect(readSiteFile({ ...input, maxUrls: 2 })).toMatchObject({ urls: urls.slice(0, 2), dropped: 2 });
});
