/**
 * Generates the dashboard's types of the API from the OpenAPI documents. `--check` writes nothing and fails where the
 * generated files are stale.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { dirname, join } from 'node:path';
import { deriveOpenApi, deriveOwnerOpenApi } from '../src-server/features/reference/openapi.ts';
import { OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES } from '../src-server/registry.ts';

const FOLDER = join(dirname(import.meta.dirname), 'src-renderer/api/generated');

const INFO = { version: '0.1.0', origin: 'http://127.0.0.1:8402' };

const DOCUMENTS = {
  public: deriveOpenApi(OPERATIONS, PUBLIC_ROUTES, INFO),
  owner: deriveOwnerOpenApi(OWNER_ROUTES, INFO),
};

// openapi-typescript prints types with the compiler API, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
const { astToString, default: openapiTypescript } = await import('openapi-typescript');

const stale: string[] = [];
for (const [name, document] of Object.entries(DOCUMENTS)) {
  const options = { rootTypes: true, rootTypesNoSchemaPrefix: true } as const;
  const types = astToString(await openapiTypescript(JSON.parse(JSON.stringify(document)), options));
  const text = `// Generated from the OpenAPI document: npm run generate\n${types}`;
  const path = join(FOLDER, `${name}.ts`);
  if (!process.argv.includes('--check')) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, text);
  } else if (readFileSync(path, 'utf8') !== text) stale.push(path);
}
if (stale.length > 0) {
  process.stderr.write(`Stale, run npm run generate: ${stale.join(', ')}\n`);
  process.exitCode = 1;
}
