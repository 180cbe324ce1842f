import { describe, expect, test } from 'vitest';
import { UrlIndex } from '../../src-server/platform/net/url-index.ts';
import { CountSketch, hashText } from '../../src-server/platform/text/hash.ts';
import type { Block } from '../../workers/documents/blocks.ts';
import { PageWords } from '../../workers/pages/page-words.ts';
import { DigestPages, writeDigest } from '../../workers/pages/site-digest.ts';
import { BlocksSoFar, comparedBlockText, printsOf, SiteSurvey } from '../../workers/pages/site-survey.ts';

const heading = (text: string, level: number): Block => ({ kind: 'heading', text, level, page: 1 });
const paragraph = (text: string): Block => ({ kind: 'paragraph', text, page: 1 });

function surveyOf(pages: Block[][]): SiteSurvey {
  const memory = () => CountSketch.memoryFor(100);
  const survey = new SiteSurvey({ totalPages: pages.length, counts: { blocks: memory(), words: memory() } });
  for (const blocks of pages) {
    survey.surveyPage(printsOf(blocks), new PageWords(blocks.map(comparedBlockText).join('\n')).listPageWords());
  }
  return survey;
}

function ownBlocks(survey: Pick<SiteSurvey, 'ownOf'>, blocks: Block[]): Block[] {
  const own = survey.ownOf(printsOf(blocks));
  return blocks.filter((_, number) => own[number] === 1);
}

describe('what repeats across the pages of a site', () => {
  const page = (number: number) => [
    heading(`git-${number}`, 1),
    heading('Description', 2),
    paragraph(`What command ${number} does.`),
    heading('Git', 2),
    paragraph('Part of the suite.'),
    heading('Options', 2),
    heading('Common', 3),
    paragraph(`Option ${number}.`),
  ];
  const survey = surveyOf(Array.from({ length: 10 }, (_, number) => page(number)));
  const own = ownBlocks(survey, page(3));

  test('is left out, but for the headings above what is the page’s own', () => {
    expect(own.map((block) => ('text' in block ? block.text : ''))).toEqual([
      'git-3',
      'Description',
      'What command 3 does.',
      'Options',
      'Common',
      'Option 3.',
    ]);
  });

  test('is not what pages say amid their own text: labels, turns of phrase', () => {
    const reference = (number: number) => [
      ...[paragraph('Site name'), paragraph('Contents'), heading(`module-${number}`, 1), paragraph('Experimental')],
      ...[paragraph(`Opens ${number}.`), paragraph('Returns: <boolean>'), paragraph('History')],
      ...[paragraph(`Closes ${number}.`), paragraph('Returns: <boolean>'), paragraph('History')],
      ...[paragraph('Join our letter'), paragraph('Your address'), paragraph(`End of ${number}.`)],
      ...[paragraph('Helpful?'), paragraph(`Also see ${number}.`), paragraph('All rights reserved')],
    ];
    // Half of the pages are experimental; all ask whether they were helpful.
    const pages = Array.from({ length: 10 }, (_, number) => reference(number));
    for (const blocks of pages.slice(5)) blocks[3] = paragraph('Stable since long ago');
    const own = ownBlocks(surveyOf(pages), pages[2] ?? []).map((block) => ('text' in block ? block.text : ''));
    expect(own.join('; ')).toBe(
      'module-2; Experimental; Opens 2.; Returns: <boolean>; History; Closes 2.; Returns: <boolean>; History; ' +
        'End of 2.; Also see 2.',
    );
  });

  test('is never what stands on a few pages of many', () => {
    const few = Array.from({ length: 40 }, (_, number) => [paragraph(number < 8 ? 'Said again.' : `Text ${number}.`)]);
    expect(ownBlocks(surveyOf(few), [paragraph('Said again.')])).toHaveLength(1);
  });

  test('is guessed right while the pages are read, once some were', () => {
    const blocks = CountSketch.memoryFor(100);
    const soFar = new BlocksSoFar({ pages: new SharedArrayBuffer(4), blocks });
    const guesses = Array.from({ length: 10 }, (_, number) => ownBlocks(soFar, page(number)).length);
    expect(guesses).toEqual([8, 8, 8, 8, 6, 6, 6, 6, 6, 6]);
  });

  test('makes a word the less telling, the more pages have it', () => {
    const pages = Array.from({ length: 20 }, (_, number) => [paragraph(number === 7 ? 'Rare harbour' : 'harbour')]);
    const words = surveyOf(pages);
    expect(words.rarityOf(hashText('rare'))).toBeGreaterThan(10 * words.rarityOf(hashText('harbour')));
  });
});

test('a digest says the name of the site once, where titles end with it', () => {
  const pages = new DigestPages('https://a.example/');
  const titles = ['Tide — Harbour Office', 'Ebb and flow — Harbour Office', 'Moon — Harbour Office', 'Ebb — and flow'];
  for (const [at, title] of titles.entries()) {
    pages.addDigestPage({
      url: `https://a.example/${at === 0 ? '' : at}`,
      title,
      description: null,
      rank: 1 - at / 10,
    });
  }
  expect(writeDigest(pages)).toContain('# Tide — Harbour Office\n');
  expect(writeDigest(pages).match(/- \[.*\]/g)).toEqual([
    '- [Tide]',
    '- [Ebb and flow]',
    '- [Moon]',
    '- [Ebb — and flow]',
  ]);
});

describe('counts of fixed size', () => {
  test('are never too low, and right while there is room', () => {
    const sketch = new CountSketch(CountSketch.memoryFor(1000));
    for (let thing = 0; thing < 1000; thing += 1) {
      for (let times = 0; times <= thing % 7; times += 1) sketch.addHashCount(hashText(`thing ${thing}`));
    }
    const wrong = Array.from(
      { length: 1000 },
      (_, thing) => sketch.countHash(hashText(`thing ${thing}`)) - (thing % 7) - 1,
    );
    expect(Math.min(...wrong)).toBe(0);
    expect(wrong.filter((by) => by > 0).length).toBeLessThan(10);
  });

  test('take no more memory for a hundred times the things', () => {
    expect(CountSketch.memoryFor(1e9).byteLength).toBe(CountSketch.memoryFor(1e7).byteLength);
  });
});

test('pages are found by their address and by every name that leads to them, and by nothing else', () => {
  const urls = Array.from({ length: 5000 }, (_, page) => `https://a.example/page/${page}`);
  const room = { pages: urls.length, aliases: 1, chars: urls.join('').length };
  const index = UrlIndex.withRoom(room);
  for (const [page, url] of urls.entries()) index.addPage(page, url);
  index.addAlias(42, 'https://a.example/old');
  const shared = new UrlIndex(index.data);
  expect(urls.every((url, page) => shared.findUrlPage(url) === page && shared.urlOfPage(page) === url)).toBe(true);
  expect(shared.findUrlPage('https://a.example/old')).toBe(42);
  expect(shared.findUrlPage('https://a.example/page/5000')).toBeNull();
});
