import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { WORK_GROUPS } from '../../src-server/operation.ts';
import { committedPaths, isWithin, ROOT } from './source-files.ts';

/**
 * Code outside the feature of an operation does not name its id: it reads what the operation declares, or the window's
 * copy of it. Released migrations never change. These files are about one operation, or show examples of requests.
 */
const ABOUT_ONE: readonly string[] = [
  // Commands and views of other tools, each in front of one operation.
  'src-server/commands/sources.ts',
  'src-server/commands/work-commands.ts',
  'src-server/features/loaders/docling.ts',
  'src-server/features/loaders/firecrawl.ts',
  'src-server/features/loaders/load.ts',
  'src-server/features/openai/audio.ts',
  'src-server/features/openai/speech.ts',
  'src-server/features/openai/text-call.ts',
  // A watched site is a crawl.
  'src-server/features/watches/service.ts',
  // The owner's own searches are in no list.
  'src-server/features/jobs/store.ts',
  // Examples of the OpenAPI document.
  'src-server/features/batches/routes.ts',
  'src-server/features/batches/schema.ts',
  'src-server/features/feeds/routes.ts',
  'src-server/features/folders/routes.ts',
  'src-server/features/jobs/schema.ts',
  'src-server/features/payments/routes.ts',
];

const GENERATED = 'src-renderer/api/generated';

const PRODUCT = ['src-main', 'src-renderer', 'src-server', 'workers'];

/** Where an id that is also a plain word stands for an operation. */
const PLACES = String.raw`(?:(?:jobType|operationId|operation_id|operation)['"]?\s*(?:[=!]==|:|,\s*'=',)\s*|\bid\s*[=!]==\s*)`;

const NAMED = new RegExp(OPERATIONS.map(({ id }) => (id.includes('/') ? `'${id}'` : `${PLACES}'${id}'`)).join('|'));

describe('the id of an operation', () => {
  const files = committedPaths().filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      PRODUCT.some((place) => isWithin(path, place)) &&
      !isWithin(path, GENERATED) &&
      !/\/migrations\.ts$/.test(path),
  );
  const declaring = new Set(
    files
      .filter((path) => /^src-server\/features\/.*\/operation\.ts$/.test(path))
      .map((path) => path.slice(0, path.lastIndexOf('/') + 1)),
  );
  const naming = files.filter(
    (path) =>
      ![...declaring].some((folder) => path.startsWith(folder)) && NAMED.test(readFileSync(join(ROOT, path), 'utf8')),
  );

  test('is named by no shared code', () => {
    expect(naming.filter((path) => !ABOUT_ONE.includes(path))).toEqual([]);
  });

  test('has no exception that is not needed', () => {
    expect(ABOUT_ONE.filter((path) => !naming.includes(path))).toEqual([]);
  });

  test.each(["job.jobType === 'crawl'", "const { operationId: 'search' }", "['extract/doc', 'Documents']"])(
    'is found in %s',
    (code) => {
      expect(code).toMatch(NAMED);
    },
  );
});

interface Words {
  noun: string;
  plural: string;
  icon: string;
}

/** The window's reader of words. Its types are those of a browser, so they are named here. */
interface WindowWords {
  operationName(id: string): string;
  workOf(job: { jobType: string; variant?: string }): Words;
  workOfOperation(id: string): Words;
  tileOf(group: string): { label: string };
  sumOf(id: string): { key: string; label: string };
}

const WINDOW = pathToFileURL(join(ROOT, 'src-renderer/components/work.ts')).href;
const { operationName, sumOf, tileOf, workOf, workOfOperation } = (await import(WINDOW)) as WindowWords;

describe('the words of operations', () => {
  test.each(OPERATIONS)('$id goes by its own name in the window', ({ id, words }) => {
    expect(operationName(id)).toBe(words.name);
    expect(workOf({ jobType: id })).toMatchObject({ noun: words.noun, plural: words.plural, icon: words.icon });
    expect(OPERATIONS.filter((other) => other.words.name === words.name)).toHaveLength(1);
    expect(OPERATIONS.filter((other) => other.words.plural === words.plural)).toHaveLength(1);
  });

  test.each(
    OPERATIONS.flatMap(({ id, words }) => Object.entries(words.variants ?? {}).map((one) => [id, ...one] as const)),
  )('jobs of %s that make %s have words of their own', (jobType, variant, { noun }) => {
    expect(workOf({ jobType, variant }).noun).toBe(noun);
  });

  test.each(WORK_GROUPS.filter((group) => group !== 'other'))('%s has one that stands for it', (group) => {
    const all = OPERATIONS.flatMap(({ words }) => [words, ...new Set(Object.values(words.variants ?? {}))]);
    const [leader, ...others] = all.filter((one) => one.group === group && one.leads !== undefined);
    expect(others).toEqual([]);
    expect(tileOf(group).label).toBe(leader?.leads?.label);
  });

  test('one that belongs to no group has its own sum, and an unknown one goes by its id', () => {
    expect(sumOf('webhooks').label).toBe('Webhooks');
    expect(sumOf('lost/one')).toMatchObject({ key: 'lost/one', label: 'lost/one' });
    expect(workOfOperation('lost/one').noun).toBe('lost/one');
  });
});
