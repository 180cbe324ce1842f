import { describe, expect, test } from 'vitest';
import { judgeByRobots, parseRobots, rulesFor } from '../../../src-server/platform/net/robots-txt.ts';

function allows(robots: string, agent: string, path: string): boolean {
  return judgeByRobots(rulesFor(parseRobots(robots), agent).rules, `http://foo.bar${path}`).allowed;
}

/** The cases of RFC 9309 and of the reference parser's own tests, by what they show. */
describe('robots.txt is read as RFC 9309 says', () => {
  test.each<[string, string, string, string, boolean]>([
    ['no rules allow all', '', 'foo', '/x', true],
    ['an empty Disallow allows all', 'User-agent: *\nDisallow:', 'foo', '/x', true],
    ['a slash disallows all', 'User-agent: *\nDisallow: /', 'foo', '/x', false],
    ['robots.txt itself is always allowed', 'User-agent: *\nDisallow: /', 'foo', '/robots.txt', true],
    ['rules before any group count for nobody', 'Disallow: /\nUser-agent: foo\nAllow: /x', 'foo', '/y', true],
    [
      'the group of the product is taken',
      'User-agent: *\nDisallow: /\nUser-agent: foo\nDisallow: /y',
      'foo',
      '/x',
      true,
    ],
    ['names differ by case alone', 'USER-AGENT: FoO\nDISALLOW: /x', 'foo', '/x', false],
    ['a version after the name is no part of it', 'User-agent: foo/2.1\nDisallow: /x', 'foo', '/x', false],
    ['words after the name are no part of it', 'User-agent: Foo Bar\nDisallow: /x', 'foo', '/x', false],
    ['a longer name is another product', 'User-agent: foobar\nDisallow: /x', 'foo', '/x', true],
    ['two names share a group', 'User-agent: a\nUser-agent: foo\nDisallow: /x', 'foo', '/x', false],
    ['groups of one name are one', 'User-agent: foo\nDisallow: /x\nUser-agent: foo\nDisallow: /y', 'foo', '/x', false],
    ['a star with words is everybody', 'User-agent: * bots\nDisallow: /x', 'foo', '/x', false],
    ['other lines do not end a group', 'User-agent: foo\nSitemap: /s\nDisallow: /x', 'foo', '/x', false],
    ['paths differ by case', 'User-agent: foo\nDisallow: /X', 'foo', '/x', true],
    ['the longest rule wins', 'User-agent: foo\nDisallow: /x\nAllow: /x/page', 'foo', '/x/page.html', true],
    ['order does not matter', 'User-agent: foo\nAllow: /x/page\nDisallow: /x', 'foo', '/x/page.html', true],
    ['of equal rules the allowing one wins', 'User-agent: foo\nDisallow: /p\nAllow: /p', 'foo', '/p', true],
    ['a star matches any characters', 'User-agent: foo\nDisallow: /*.php', 'foo', '/a/b.php?x', false],
    ['a star may match none', 'User-agent: foo\nDisallow: /a*/b', 'foo', '/a/b', false],
    ['a dollar matches the end', 'User-agent: foo\nDisallow: /*.php$', 'foo', '/a.php', false],
    ['a dollar matches the end only', 'User-agent: foo\nDisallow: /*.php$', 'foo', '/a.php?x', true],
    ['a dollar inside is a character', 'User-agent: foo\nDisallow: /a$b', 'foo', '/a$b', false],
    ['encodings are compared, not spellings', 'User-agent: foo\nDisallow: /foo/%62%61%72', 'foo', '/foo/bar', false],
    ['text beyond ASCII is encoded', 'User-agent: foo\nDisallow: /foo/ツ', 'foo', '/foo/%E3%83%84', false],
    ['what an address has encoded is', 'User-agent: foo\nDisallow: /*{q}"', 'foo', '/x{q}"', false],
    ['reserved characters stay encoded', 'User-agent: foo\nDisallow: /a%2Fb', 'foo', '/a/b', true],
    ['comments end a line', 'User-agent: foo # me\nDisallow: /x # that', 'foo', '/x', false],
    ['any line end ends a line', 'User-agent: foo\rDisallow: /x\r\nAllow: /y', 'foo', '/x', false],
    ['a mark of byte order is passed over', '\ufeffUser-agent: foo\nDisallow: /x', 'foo', '/x', false],
    ['a missing colon is read over', 'User-agent foo\nDisallow /x', 'foo', '/x', false],
    ['the misspellings of Google’s parser count', 'Useragent: foo\nDissallow: /a\ndiasllow: /x', 'foo', '/x', false],
    ['a missing colon before a path with one', 'User-agent foo\nDisallow /wiki/a:b', 'foo', '/wiki/a:b', false],
    ['a sentence is no rule', 'User-agent: foo\nDisallow / for all of you', 'foo', '/x', true],
    [
      'to allow an index page allows its folder',
      'User-agent: foo\nDisallow: /\nAllow: /a/index.html',
      'foo',
      '/a/',
      true,
    ],
    ['and nothing below it', 'User-agent: foo\nDisallow: /\nAllow: /a/index.htm', 'foo', '/a/b', false],
    ['to disallow one does not', 'User-agent: foo\nDisallow: /a/index.html', 'foo', '/a/', true],
    ['a quote that addresses encode in a query', "User-agent: foo\nDisallow: /x?a='b'", 'foo', "/x?a='b'", false],
    ['an address in a query', 'User-agent: foo\nDisallow: /x?a=http://b', 'foo', '/x?a=http%3A%2F%2Fb', false],
    ['a colon is its octet', 'User-agent: foo\nDisallow: /wiki/Special%3AAll', 'foo', '/wiki/Special:All', false],
    ['an octet of a star is a star', 'User-agent: foo\nDisallow: /a-%2A.html', 'foo', '/a-*.html', false],
    ['and nothing else', 'User-agent: foo\nDisallow: /a-%2A.html', 'foo', '/a-b.html', true],
    ['brackets and bars', 'User-agent: foo\nDisallow: /x?a[]=b|c', 'foo', '/x?a%5b%5d=b%7Cc', false],
    ['the query belongs to the path', 'User-agent: foo\nDisallow: /x?a', 'foo', '/x?a=1', false],
  ])('%s', (_, robots, agent, path, allowed) => {
    expect(allows(robots, agent, path)).toBe(allowed);
  });

  test.each(['useragent', 'user agent', 'USER AGENT'])('%s is a user-agent', (key) => {
    expect(allows(`${key}: foo\nDisallow: /x`, 'foo', '/x')).toBe(false);
  });

  test.each(['dissallow', 'dissalow', 'disalow', 'diasllow', 'disallaw'])('%s is a disallow', (key) => {
    expect(allows(`User-agent: foo\n${key}: /x`, 'foo', '/x')).toBe(false);
    expect(allows(`User-agent: foo\n${key} /x`, 'foo', '/x')).toBe(false);
  });

  test('an empty address is that of the front page', () => {
    const { rules } = rulesFor(parseRobots('User-agent: *\nDisallow: /'), 'foo');
    expect(judgeByRobots(rules, '').allowed).toBe(false);
  });

  test.each([
    ['Disallow: ', '/x/', false],
    ['Disallow: ', '/ツ/', false],
  ])('%s%s… counts up to 16,663 bytes of its line', (key, start, allowed) => {
    const path = start + 'a'.repeat(16_663 - Buffer.byteLength(key + start) - 1);
    const robots = `User-agent: foo\n${key}${path}/qux`;
    expect(allows(robots, 'foo', `${path}/fux`)).toBe(allowed);
    expect(allows(robots, 'foo', '/fux')).toBe(true);
    expect(allows(robots.replace('/qux', 'qux'), 'foo', `${path}/fux`)).toBe(true);
  });

  test('a verdict names its line', () => {
    const { rules } = rulesFor(parseRobots('# one\nUser-agent: *\n\nDisallow: /x'), 'foo');
    expect(judgeByRobots(rules, 'http://h/x').rule).toEqual({ allow: false, pattern: '/x', line: 4 });
  });

  test('crawl-delay is read, and bounded', () => {
    expect(rulesFor(parseRobots('User-agent: *\nCrawl-delay: 2.5'), 'foo').crawlDelaySeconds).toBe(2.5);
    expect(rulesFor(parseRobots('User-agent: *\nCrawl-delay: 86400'), 'foo').crawlDelaySeconds).toBe(30);
    expect(rulesFor(parseRobots('User-agent: *\nCrawl-delay: soon'), 'foo').crawlDelaySeconds).toBeNull();
  });

  test('a pattern of stars costs no more than its length', () => {
    const pattern = `/${'*a'.repeat(5000)}b$`;
    const { rules } = rulesFor(parseRobots(`User-agent: *\nDisallow: ${pattern}`), 'foo');
    const path = `/${'a'.repeat(2000)}`;
    expect(judgeByRobots(rules, `http://h${path}`).allowed).toBe(true);
  });
});
