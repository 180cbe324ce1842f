import { expect, test } from 'vitest';
import { languageOfPage } from '../../workers/pages/page-language.ts';
import { scanPage } from '../../workers/pages/scan-page.ts';

const UNHEARD = { enterTag() {}, readTagText() {}, leaveTag() {} };

function scan(head: string, { body = '', html = '', url = 'https://pier.example/tides' } = {}) {
  return scanPage(`<html ${html}><head>${head}</head><body>${body}</body></html>`, url, UNHEARD);
}

const linkedData = (date: string) =>
  `<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"${date}"}</script>`;

const tag = (date: string) => `<meta property="article:published_time" content="${date}">`;

const dated = '<article><time datetime="2026-03-05">5 March</time></article>';

test.each([
  [
    'JSON-LD and a tag',
    scan(linkedData('2026-03-01') + tag('2026-03-01')),
    '2026-03-01',
    'stated',
    ['json-ld', 'meta'],
  ],
  ['the same day in two zones', scan(linkedData('2026-03-01T23:30:00Z') + tag('2026-03-02')), undefined, 'stated', 2],
  ['a labelled time', scan('', { body: '<time pubdate datetime="2026-03-01">' }), '2026-03-01', 'stated', ['time']],
  ['a time of something else', scan(tag('2026-03-01'), { body: dated }), '2026-03-01', 'stated', ['meta']],
  ['a time without a label', scan('', { body: dated }), '2026-03-05', 'inferred', ['time']],
  ['the address', scan('', { url: 'https://pier.example/2026/03/01/tides' }), '2026-03-01', 'inferred', ['url']],
  ['German', scan(tag('1.3.2026')), '2026-03-01', 'stated', ['meta']],
  ['English', scan(tag('March 1st, 2026')), '2026-03-01', 'stated', ['meta']],
])('a date by %s', (_, { facts }, date, certainty, by) => {
  if (date !== undefined) expect(facts.published).toBe(date);
  expect(facts.evidence.published).toMatchObject({ certainty, others: [] });
  if (typeof by === 'number') expect(facts.evidence.published?.by).toHaveLength(by);
  else expect(facts.evidence.published?.by).toEqual(by);
});

test('dates that disagree are a doubt', () => {
  const { facts } = scan(linkedData('2026-03-01') + tag('2025-11-30'), {
    url: 'https://pier.example/2025/11/30/tides',
  });
  expect(facts.published).toBe('2026-03-01');
  expect(facts.evidence.published).toEqual({ certainty: 'doubtful', by: ['json-ld'], others: ['2025-11-30'] });
  expect(facts.modified).toBeNull();
  expect(facts.evidence.modified).toBeNull();
});

test.each(['03/04/2026', '2026-02-31', 'soon', '2026', '99999999'])('%s is no date', (text) => {
  expect(scan(tag(text)).facts.published).toBeNull();
});

const GERMAN =
  'Der Wind hat in der Nacht gedreht, und die Boote sind früh in den Hafen zurückgekommen. Am Morgen lag das Wasser so ' +
  'still, dass man von der Mauer aus bis auf den Grund sehen konnte. Niemand wollte noch einmal hinausfahren, weil die ' +
  'Wolken über der Bucht immer dunkler wurden und das Licht auf dem Turm nicht mehr zu erkennen war.';

const ENGLISH =
  'The wind turned during the night, and the boats came back to the harbour early. In the morning the water was so still ' +
  'that one could see the ground from the wall. Nobody wanted to go out again because of the clouds.';

test.each([
  ['stated, and the text agrees', 'lang="de_DE"', '', GERMAN, 'de-DE', 'stated', ['html'], []],
  ['stated in a tag', '', '<meta property="og:locale" content="de_AT">', GERMAN, 'de-AT', 'stated', ['meta'], []],
  ['stated, too little text', 'lang="en"', '', 'Impressum', 'en', 'stated', ['html'], []],
  ['stated, with a quotation first', 'lang="de"', '', `${ENGLISH} ${GERMAN} ${GERMAN}`, 'de', 'stated', ['html'], []],
  ['of the text, as nothing states it', '', '', GERMAN, 'de', 'inferred', ['text'], []],
  ['of the text, where none of that name exists', 'lang="xx"', '', GERMAN, 'de', 'inferred', ['text'], []],
  ['of the text, where a template states another', 'lang="en"', '', GERMAN, 'de', 'doubtful', ['text'], ['en']],
  [
    'of a tag and the text',
    'lang="en"',
    '<meta property="og:locale" content="de_DE">',
    GERMAN,
    'de-DE',
    'doubtful',
    ['meta', 'text'],
    ['en'],
  ],
])('the language is %s', (_, html, head, text, code, certainty, by, others) => {
  expect(languageOfPage(scan(head, { html }).languages, text)).toEqual({ code, evidence: { certainty, by, others } });
});

test.each(['', 'xx', 'und', 'html-page', '1234'])('a language that nothing tells is null, stated as "%s"', (lang) => {
  expect(languageOfPage(scan('', { html: `lang="${lang}"` }).languages, 'Foto 12, 13')).toBeNull();
});
