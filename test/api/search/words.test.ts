/** What a word of a query finds: its forms in many languages, other spellings, beginnings, parts, codes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

/** One document each. */
const TEXTS = {
  de: 'Die Schiffe liegen im Hafen, und die Häuser am Ufer sind alt.',
  deInsurance: 'Die Haftpflichtversicherung zahlt den Schaden am Dampfschifffahrtsweg.',
  fr: 'Les chevaux sont dans la prairie et les journaux sur la table.',
  es: 'Las canciones de los pescadores son muy antiguas.',
  it: 'Le navi della compagnia sono nel porto con i marinai.',
  pt: 'Os navios não chegaram ao porto com as mercadorias.',
  nl: 'De schepen liggen in de haven en de boeken zijn van het museum.',
  pl: 'W porcie stoją statki, a kapitan mówi o książkach dla rybaków.',
  ru: 'Таблица приливов для гавани и расписание кораблей.',
  ar: 'وصلت السفينة إلى الميناء في الصباح.',
  sv: 'Fartygen ligger i hamnen och det är inte en av båtarna som saknas.',
  mail: 'Write an e-mail to the office.',
  email: 'The email address of the office has changed.',
  spaced: 'Send it by e mail or in a letter.',
  version: 'The parser of v2.1.3 reads more.',
  nextVersion: 'The parser of v2.1.4 reads less.',
  longVersion: 'The parser of v2.1.3.1 was a mistake.',
  part: 'Order the valve AB-1234 today.',
  otherPart: 'Valve AB-99 costs 1234 crowns.',
  cplus: 'The library is written in C++ and has no garbage collector.',
  clang: 'The library is written in C and is small.',
  harbour: 'The harbourmaster keeps the tide tables of the harbour.',
} as const;

let appliance: Appliance;
const jobs = new Map<string, string>();

async function search(body: object): Promise<SearchAnswer> {
  const answer = await appliance.owner('/v1/search', postJson({ mode: 'lexical', limit: 50, ...body }));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as SearchAnswer;
}

/** Names of the documents that a query finds, the best first. */
async function found(query: string, filter: object = {}): Promise<string[]> {
  const { results } = await search({ query, filter });
  return results.map(({ jobId }) => jobs.get(jobId ?? '') ?? 'another');
}

async function read(name: string, text: string): Promise<void> {
  const form = fileForm(text, `${name}.txt`);
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  expect(job.status).toBe('completed');
  jobs.set(job.jobId, name);
}

beforeAll(async () => {
  appliance = await startAppliance();
  for (const [name, text] of Object.entries(TEXTS)) await read(name, text);
  await until(async () => (await search({ query: 'harbour' })).warnings.length === 0);
});
afterAll(() => appliance.close());

describe('a word is found in its other forms', () => {
  test.each([
    ['German', 'Schiffen', 'de'],
    ['German', 'haus', 'de'],
    ['French', 'cheval', 'fr'],
    ['French', 'journal', 'fr'],
    ['Spanish', 'canción', 'es'],
    ['Spanish without accents', 'cancion', 'es'],
    ['Italian', 'nave', 'it'],
    ['Italian', 'marinaio', 'it'],
    ['Portuguese', 'navio', 'pt'],
    ['Dutch', 'havens', 'nl'],
    ['Dutch', 'boek', 'nl'],
    ['Polish', 'statek', 'pl'],
    ['Polish', 'książka', 'pl'],
    ['Russian', 'прилив', 'ru'],
    ['Russian', 'корабль', 'ru'],
    ['Arabic', 'ميناء', 'ar'],
    ['Arabic', 'سفينة', 'ar'],
    ['Swedish', 'båt', 'sv'],
  ])('%s: %s', async (_, query, name) => {
    expect((await found(query))[0]).toBe(name);
  });

  test('and is marked in them', async () => {
    const [hit] = (await search({ query: 'cheval' })).results;
    expect(hit?.highlights.map(({ start, end }) => hit.snippet.slice(start, end))).toEqual(['chevaux']);
  });
});

describe('parts of compounds find them', () => {
  test.each(['Haftpflicht', 'Versicherung', 'Versicherungen', 'Dampfschiff', 'Schifffahrt', 'Dampf'])(
    '%s',
    async (query) => {
      expect(await found(query)).toContain('deInsurance');
    },
  );

  test('after chunks with the word itself', async () => {
    expect(await found('Schiff')).toEqual(['de', 'deInsurance']);
  });

  test('and letters within a word are no part', async () => {
    expect(await found('pflic')).toEqual([]);
    expect(await found('aftpflicht')).toEqual([]);
  });
});

describe('one word in several spellings', () => {
  test.each(['email', 'e-mail', 'e mail', 'E-Mail', 'e‑mail'])('%s', async (query) => {
    expect((await found(query)).toSorted()).toEqual(['email', 'mail', 'spaced']);
  });
});

describe('versions and codes stay whole', () => {
  test.each([
    ['v2.1.3', 'version'],
    ['2.1.3', 'version'],
    ['V2.1.4', 'nextVersion'],
    ['2.1.3.1', 'longVersion'],
    ['parser 2.1.4', 'nextVersion'],
    ['AB-1234', 'part'],
    ['ab1234', 'part'],
    ['AB 1234', 'part'],
    ['valve AB-99', 'otherPart'],
    ['C++', 'cplus'],
    ['library C++', 'cplus'],
    ['C', 'clang'],
    ['library in C', 'clang'],
  ])('%s', async (query, name) => {
    expect((await found(query))[0]).toBe(name);
  });

  test('and are left out whole', async () => {
    expect(await found('library -C++')).toEqual(['clang']);
    expect(await found('library -C')).toEqual(['cplus']);
    expect(await found('valve -AB-1234')).toEqual(['otherPart']);
    expect(await found('3.9.9')).toEqual([]);
  });
});

describe('the last word may be unfinished', () => {
  test.each(['har', 'harbo', 'tide tab', 'tables of the harbourm', 'the offi', 'lib'])('%s', async (query) => {
    expect((await found(query)).length).toBeGreaterThan(0);
  });

  test('also where chunks have it as a word', async () => {
    await read('short', 'The har is an old word.');
    await read('longer', 'An old harpoon is here.');
    const names = await found('old har');
    expect(names[0]).toBe('short');
    expect(names).toContain('longer');
  });
});

test('a misspelt word is corrected by words of the chunks that the filter leaves', async () => {
  await read('spring', 'The harbor was dredged in spring.');
  const jobOf = (name: string) => [...jobs].find(([, one]) => one === name)?.[0];
  // "harbor" is a word of another document.
  const inHarbour = await search({ query: 'harbor', filter: { jobId: jobOf('harbour') } });
  expect(inHarbour.corrected).toEqual([{ from: 'harbor', to: 'harbour' }]);
  expect(inHarbour.results.map(({ jobId }) => jobs.get(jobId ?? ''))).toEqual(['harbour']);
  const inSpring = await search({ query: 'harbpur', filter: { source: 'spring.txt' } });
  expect(inSpring).toMatchObject({ corrected: [], results: [] });
});

test('the same text is one result at its newest place, and counts once', async () => {
  const copies = ['first', 'second', 'third'];
  for (const name of copies) await read(name, 'A zeppelin was moored at the pier.\n\nIt left on Monday.');
  await read('other', 'The zeppelin came back.');
  const { results, facets } = await search({ query: 'zeppelin', facets: true });
  expect(results.map(({ jobId }) => jobs.get(jobId ?? ''))).toEqual(expect.arrayContaining(['other', 'third']));
  expect(results).toHaveLength(2);
  expect(facets).toMatchObject({ counted: 2, isComplete: true });
  const jobId = [...jobs].find(([, name]) => name === 'first')?.[0];
  expect(await found('zeppelin', { jobId })).toEqual(['first']);
});

test('what is counted is what paging comes to', async () => {
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await read(`oak${number}`, `An oak stands on hill number ${number}.`);
  await read('both', 'An oak and a beech stand on one hill.');
  const query = 'beech oak';
  const { facets } = await search({ query, facets: true, limit: 2 });
  const pages: string[] = [];
  for (let offset = 0; offset < 20; offset += 2) {
    pages.push(...(await search({ query, offset, limit: 2 })).results.map(({ jobId }) => jobId ?? ''));
  }
  expect(facets?.counted).toBe(8);
  expect(new Set(pages).size).toBe(8);
  expect(pages).toHaveLength(8);
});

test('a query of 10,000 words in ten scripts is refused by its length, one that just fits is answered', async () => {
  const words = ['harbour', 'гавань', 'λιμάνι', 'الميناء', 'נמל', '港口', 'みなと', '항구', 'ท่าเรือ', 'बंदरगाह'];
  const query = Array.from({ length: 10_000 }, (_, at) => `${words[at % words.length]}${at}`).join(' ');
  const refused = await appliance.owner('/v1/search', postJson({ query }));
  expect(refused.status).toBe(400);
  for (const mode of ['lexical', 'hybrid', 'semantic'] as const) {
    const answer = await appliance.owner('/v1/search', postJson({ query: query.slice(0, 1000).trim(), mode }));
    expect(answer.status).toBe(200);
  }
});
