/**
 * Generates the types of the API from the OpenAPI documents: the client package's, which the dashboard shares, and the
 * owner's; the dashboard's copy of the server's tables; the types of its messages; and the schema of a new database.
 * `--check` writes nothing and fails where the generated files are stale.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { deriveOpenApi, deriveOwnerOpenApi } from '../src-server/features/reference/openapi.ts';
import { MIGRATIONS, OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES } from '../src-server/features.ts';
import { type Operation, WORK_GROUPS } from '../src-server/operation.ts';
import { openStorage } from '../src-server/platform/db/database.ts';
import { firstSchemaText } from '../src-server/platform/db/first-schema.ts';
import { ERRORS, JOB_ERRORS } from '../src-server/platform/error-codes.ts';
import { type FileKind, kindsWhere } from '../src-server/platform/files/kinds.ts';
import { type Messages, messageTypes, readMessages } from './messages.ts';
import { serverMessages, serverTemplates } from './server-texts.ts';

const ROOT = dirname(import.meta.dirname);

const INFO = { version: '0.1.0', origin: 'http://127.0.0.1:8402' };

const publicDocument = deriveOpenApi(OPERATIONS, PUBLIC_ROUTES, INFO);
const ownerDocument = deriveOwnerOpenApi(OWNER_ROUTES, INFO);

const DOCUMENTS = [
  // A program leaves out what has a default. The dashboard takes these types too: src-renderer/api/generated/public.ts.
  { file: 'resources/client/api.d.ts', document: publicDocument, defaultNonNullable: false },
  { file: 'src-renderer/api/generated/owner.ts', document: ownerDocument, defaultNonNullable: true },
];

// openapi-typescript prints types with the compiler API, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
const { astToString, default: openapiTypescript } = await import('openapi-typescript');

const stale: string[] = [];

function write(file: string, text: string): void {
  const path = join(ROOT, file);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) stale.push(path);
}

for (const { file, document, defaultNonNullable } of DOCUMENTS) {
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true, defaultNonNullable } as const;
  const types = astToString(await openapiTypescript(JSON.parse(JSON.stringify(document)), options));
  write(file, `// Generated from the OpenAPI document: npm run generate\n${types}`);
}

const pick = <Row extends object, Name extends keyof Row>(rows: Record<string, Row>, names: readonly Name[]) =>
  Object.fromEntries(
    Object.entries(rows).map(([key, row]) => [key, Object.fromEntries(names.map((name) => [name, row[name]]))]),
  );

/** The operation that reads files of a kind, also by passing them on; null for a kind that none reads. */
function operationReading(kind: FileKind): string | null {
  const reads = ({ source }: Operation) =>
    source !== undefined &&
    [...source.kinds, ...(source.fetchedKinds ?? []), ...Object.keys(source.reroutes ?? {})].includes(kind);
  return OPERATIONS.find((operation) => operation.source?.urlIsPage !== true && reads(operation))?.id ?? null;
}

/** What an operation can be given: a file, a page that it reads itself, or a site. */
function takes({ source, addressField }: Operation): 'file' | 'page' | 'site' | null {
  if (source === undefined) return addressField === undefined ? null : 'site';
  return source.urlIsPage === true ? 'page' : 'file';
}

const TABLES = {
  WORK_GROUPS,
  OPERATIONS: Object.fromEntries(
    OPERATIONS.map((operation) => [
      operation.id,
      {
        ...operation.words,
        takes: takes(operation),
        reads: operation.source?.kinds ?? [],
        // Its caller has the result.
        isAnswer: operation.mode === 'inline' || operation.receivesJobs === true,
        isRepeatable: operation.receivesJobs !== true,
        isSearched: 'chunks' in operation.result.shape,
      },
    ]),
  ),
  JOB_ERRORS: pick(JOB_ERRORS, ['fault']),
  FILE_OPERATIONS: Object.fromEntries(kindsWhere(() => true).map((kind) => [kind, operationReading(kind)])),
};

const tables = Object.entries(TABLES).map(([name, table]) => {
  return `export const ${name} = ${JSON.stringify(table, null, 2)} as const;\n`;
});
write(
  'src-renderer/api/generated/tables.ts',
  `// Generated from the tables of the server: npm run generate\n${tables.join('\n')}`,
);

/**
 * The words that an operation declares, those of errors and the texts that the server says are messages too: translators
 * find them in one place.
 */
function wordsOf(value: unknown): Messages {
  const texts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    texts
      .filter(([key, text]) => !['group', 'icon'].includes(key) && ['string', 'object'].includes(typeof text))
      .map(([key, text]) => [key, typeof text === 'string' ? text : wordsOf(text)]),
  );
}

function wordsAt(messages: Messages, part: string): Messages {
  const words = messages[part];
  return typeof words === 'object' ? words : {};
}

const ENGLISH = 'resources/languages/en.json';
const english = readMessages(join(ROOT, ENGLISH));
const start = {
  ...wordsAt(english, 'start'),
  operations: Object.fromEntries(OPERATIONS.map(({ id, words }) => [id, wordsOf(words)])),
  errors: wordsOf(
    pick<{ title: string; heading?: string; label?: string }, 'title' | 'heading' | 'label'>(ERRORS, [
      'title',
      'heading',
      'label',
    ]),
  ),
};
const pageMessages = { start, work: wordsAt(english, 'work'), service: wordsAt(english, 'service') };
const serverSources = ['src-server', 'workers'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path)),
);
/** What the catalogue of models says of each. */
const notes = readdirSync(join(ROOT, 'resources/models'))
  .sort()
  .flatMap((name): { note?: string }[] => JSON.parse(readFileSync(join(ROOT, 'resources/models', name), 'utf8')))
  .flatMap(({ note }) => note ?? []);
const said = new Set([...serverTemplates(ROOT, serverSources.sort()), ...notes]);
const server = serverMessages([...said], wordsAt(english, 'server'));
write(ENGLISH, `${JSON.stringify({ ...english, start, server }, null, 2)}\n`);
write(
  'src-renderer/api/generated/messages.ts',
  `// Generated from ${ENGLISH}: npm run generate\nexport interface Messages {\n${messageTypes(pageMessages)}}\n`,
);
write(
  'src-main/message-types.ts',
  `// Generated from ${ENGLISH}: npm run generate\nexport interface Messages {\n${messageTypes(wordsAt(english, 'desktop'))}}\n`,
);

const storage = await openStorage(':memory:', { migrations: MIGRATIONS });
write('resources/database/schema.sql', firstSchemaText(storage.db));
storage.close();

if (stale.length > 0) {
  process.stderr.write(`Stale, run npm run generate: ${stale.join(', ')}\n`);
  process.exitCode = 1;
}
