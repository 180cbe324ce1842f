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
  ['one of other texts', '<div class="related-posts"><span class="author">Cy Buoy</span></div>'],
])('no author is %s', (_, body) => {
  expect(authorOf(body, SITE)).toBeNull();
});

test('what is stated as a person goes before a byline, and one that is stated as an organisation is none', () => {
  const stated = (author: object) =>
    `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', author })}</script>`;
  const byline = '<p class="byline">By Ada Quay</p>';
  expect(authorOf(byline, stated({ '@type': 'Person', name: 'Ben Pier' }))).toBe('Ben Pier');
  expect(authorOf(byline, stated({ '@type': 'Organization', name: 'Sea Board' }))).toBe('Ada Quay');
});
