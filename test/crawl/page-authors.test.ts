import { expect, test } from 'vitest';
import { scanPage } from '../../workers/pages/scan-page.ts';

const UNHEARD = { enterTag() {}, readTagText() {}, leaveTag() {} };

function authorOf(body: string, head = ''): string | null {
  const html = `<html><head><title>Tides - The Pier Post</title>${head}</head><body>${body}</body></html>`;
  return scanPage(html, 'https://pierpost.example/tides', UNHEARD).facts.author;
}

const SITE = '<meta property="og:site_name" content="The Pier Post">';

test.each([
  ['a link to the author', '<a rel="author" href="/ada">Ada Quay</a>', 'Ada Quay'],
  ['a hCard', '<span class="author vcard"><a class="url fn n" href="/?author=1">Ada Quay</a></span>', 'Ada Quay'],
  ['microdata', '<span itemprop="author">by <b itemprop="name">Ada Quay</b>, editor</span>', 'Ada Quay'],
  ['the address of a profile', '<p><a href="/author/ada/">Ada Quay</a></p>', 'Ada Quay'],
  ['a byline with its date', '<p class="byline">By Ada Quay | 12/10/2026</p>', 'Ada Quay'],
  ['a byline of two', '<p class="article-authors">Von Ada Quay und Ben van der Pier</p>', 'Ada Quay, Ben van der Pier'],
  [
    'links side by side',
    '<i class="byline"><a rel="author">Ada Quay</a> and <a rel="author">Ben Pier</a></i>',
    'Ada Quay, Ben Pier',
  ],
  ['words before the text', '<h4>Text von Ada Quay</h4>', 'Ada Quay'],
  ['a word and an element', '<p>par <em>Adèle du Quai</em></p>', 'Adèle du Quai'],
  [
    'what was written, before a byline in words',
    '<p>By Cy Buoy</p><i>Ein Artikel von <b>Ada Quay</b> | 2026</i>',
    'Ada Quay',
  ],
  ['a word for screen readers', '<p><i>| By </i><i>Ada Quay</i> | <time>May</time></p>', 'Ada Quay'],
  ['a name in quotes', `<i itemprop="author">'Ada Quay, Ben Pier'</i>`, 'Ada Quay, Ben Pier'],
  ['Chinese', '<span class="author">孔德明</span>', '孔德明'],
  ['a byline whose names are elements', '<p>Von <b>Ada Quay</b> und <b>Ben Pier</b></p>', 'Ada Quay, Ben Pier'],
  ['a name right before its date', '<p class="byline"><span>Ada Quay</span><span>Dec 7</span></p>', 'Ada Quay'],
  ['a label in an element of its own', '<h4>Autorin</h4><p><a href="/p/7">Ada Quay</a></p>', 'Ada Quay'],
  ['a box that is named as the sidebar', '<div id="sidebar"><h1>Tides</h1><p>By Ada Quay</p></div>', 'Ada Quay'],
  ['a nickname that is stated', '<a rel="author">tide_7</a>', 'tide_7'],
])('the author is a person, by %s', (_, body, author) => {
  expect(authorOf(`<article>${body}<p>The tide is low.</p></article>`, SITE)).toBe(author);
});

test.each([
  ['the site', '<a rel="author">The Pier Post</a>'],
  ['the address of the site', '<span class="author">pierpost</span>'],
  ['an office', '<p class="byline">Von Redaktion</p>'],
  ['an agency', '<p class="byline">dpa/AFP</p>'],
  ['nobody', '<meta name="author" content="No Author">'],
  ['a team', '<p class="byline">By Support Team</p>'],
  ['a company', '<span class="author">Quay Shipping GmbH</span>'],
  ['one who comments', '<ol class="comment-list"><li><b class="author fn">Cy Buoy</b></li></ol>'],
  ['whose picture it is', '<a rel="author">Cy Buoy/Reuters</a>'],
  ['one of a comment', '<p class="comment-author">Cy Buoy</p>'],
  ['several of teasers', '<b class="author">Cy Buoy</b><p>Harbour walls</p><b class="author">Di Crane</b>'],
  ['one named within a sentence', `<p>${'The tide is low. '.repeat(40)}It was drawn <a>by Cy Buoy</a>.</p>`],
  ['one of other texts', '<div class="related-posts"><span class="author">Cy Buoy</span></div>'],
])('no author is %s', (_, body) => {
  expect(authorOf(body, SITE)).toBeNull();
});

const linkedData = (...objects: object[]) =>
  `<script type="application/ld+json">${JSON.stringify({ '@graph': objects })}</script>`;

test('an author that JSON-LD states by its identifier is looked up', () => {
  const person = { '@type': 'Person', '@id': '/#ada', name: 'Ada Quay' };
  expect(authorOf('', linkedData({ '@type': 'Article', author: { '@id': '/#ada' } }, person))).toBe('Ada Quay');
  expect(authorOf('', linkedData({ '@type': 'Article', author: { '@id': '/#ben' } }, person))).toBeNull();
  // An object without an identifier is nobody's.
  expect(authorOf('', linkedData({ '@type': 'Article', name: 'Low Tide' }))).toBeNull();
});

test('the byline at the headline goes before what the page states and before other bylines', () => {
  const stated = linkedData({ '@type': 'Article', author: { '@type': 'Person', name: 'Eve Tor' } });
  const teaser = '<b class="author">Cy Buoy</b>';
  const text = `<p>${'The tide is low. '.repeat(40)}</p>`;
  expect(authorOf(`<h1>Tides</h1><p>von Ada Quay</p>${text}${teaser}`, stated)).toBe('Ada Quay');
  expect(authorOf(`<h1>Tides</h1>${text}${teaser}`, stated)).toBe('Eve Tor');
  // Where the byline names an office, the next one is that of another text.
  expect(authorOf(`<h1>Tides</h1><a rel="author">Redaktion</a>${text}${teaser}`)).toBeNull();
});

test('the list with the same author and more goes before the shorter one', () => {
  const stated = linkedData({ '@type': 'Article', author: { '@type': 'Person', name: 'Ada Quay' } });
  expect(authorOf('', `${stated}<meta name="author" content="Ada Quay, Ben Pier">`)).toBe('Ada Quay, Ben Pier');
});

test('the label of a card says that its value is the author', () => {
  const card = (label: string) =>
    `<meta name="twitter:label1" content="${label}"><meta name="twitter:data1" content="Ada Quay">`;
  expect(authorOf('', card('Verfasst von'))).toBe('Ada Quay');
  expect(authorOf('', card('Ort'))).toBeNull();
});

test('what is stated as a person goes before a byline, and one that is stated as an organisation is none', () => {
  const stated = (author: object) =>
    `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', author })}</script>`;
  const byline = '<p class="byline">By Ada Quay</p>';
  expect(authorOf(byline, stated({ '@type': 'Person', name: 'Ben Pier' }))).toBe('Ben Pier');
  expect(authorOf(byline, stated({ '@type': 'Organization', name: 'Sea Board' }))).toBe('Ada Quay');
});
