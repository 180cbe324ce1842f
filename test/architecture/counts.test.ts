import { expect, test } from 'vitest';
import { sourceFiles } from './source-files.ts';

/** Nouns that messages count. A count of one takes the other form: `counted` of `units.ts` or `format.ts`. */
const NOUNS = [
  ...['addresses', 'attempts', 'characters', 'chunks', 'contributions', 'cores', 'cues', 'dimensions', 'entries'],
  ...['files', 'items', 'jobs', 'links', 'matches', 'minutes', 'models', 'pages', 'payments', 'pictures'],
  ...['repetitions', 'requests', 'sitemaps', 'speakers', 'tokens', 'words'],
];

/** A value in a message, then a noun in the plural. Constants are never one. */
const COUNT = new RegExp(`\\$\\{(?![A-Z_]+[ }/])(?!counted)[^{}]+\\} (?:more |new |other )?(?:${NOUNS.join('|')})\\b`);

/** The same line, or one shortly before it, treats one apart. */
const GUARD = /=== '?1\b|> 1\b/;

const GUARD_LINES = 4;

/** Counts that are more than one wherever their message is made. `#{` stands for the start of a value. */
const NEVER_ONE = [
  '`Quarry accepts #{most} files at once.',
  '`Quarry reads #{most} files of a folder.',
  '`More than #{jobs} jobs have these tags;',
  'of the #{requests} requests in the last minute`',
  'All pages have about #{tokens} tokens.`',
  '`All #{pages} pages read`',
  '`Text was read in the #{read} pictures that changed most;',
  '`A text has #{one.tokens} tokens;',
  '`The vectors of #{model} have #{length} dimensions.',
  '`Only #{wanted} addresses are fetched',
  '`The script has #{script.speakers.length} speakers.',
  '`The PDF has #{pages} pages, more than',
  'more than #{charsPerSecond} characters per second',
  'longer than #{lineChars} characters:',
  'only the first #{cues ?? 0} of #{(cues ?? 0) + leftOut} cues were kept.',
  '`This is longer than #{max} characters.`',
].map(withValues);

function withValues(text: string): string {
  return text.replaceAll('#{', '$'.concat('{'));
}

function unguarded(lines: readonly string[]): number[] {
  return lines.flatMap((line, index) => {
    const before = lines.slice(Math.max(0, index - GUARD_LINES), index + 1).join('\n');
    const isFine = !COUNT.test(line) || GUARD.test(before) || NEVER_ONE.some((text) => line.includes(text));
    return isFine ? [] : [index + 1];
  });
}

test('no message counts one thing in the plural', () => {
  const files = sourceFiles(['src-main', 'src-renderer', 'src-server', 'workers']);
  const product = files.filter(({ path }) => !path.startsWith('src-renderer/api/generated/'));
  expect(product.flatMap(({ path, lines }) => unguarded(lines).map((line) => `${path}:${line}`))).toEqual([]);
});

test('a count without its singular is found', () => {
  const found = (line: string) => unguarded([withValues(line)]);
  expect(found('say(`#{count} pages read.`)')).toEqual([1]);
  expect(found("say(`#{counted(count, 'page')} read.`)")).toEqual([]);
  expect(found("count === 1 ? '1 page' : `#{count} pages`")).toEqual([]);
  expect(found('say(`At most #{PAGES_MAX} pages.`)')).toEqual([]);
});
