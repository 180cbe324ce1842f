/**
 * Clients that orval and @hey-api/openapi-ts generate from the document of the running server: they compile in strict
 * mode, search with JSON and upload a file as a form.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

const run = promisify(execFile);
const GENERATORS = join(import.meta.dirname, 'generators');
const IS_INSTALLED = existsSync(join(GENERATORS, 'node_modules/orval/package.json'));

const UPLOAD = `{
  file: new Blob(['The harbour office closes at noon.'], { type: 'text/plain' }),
  sourceName: 'Hours',
  options: { segmentLength: 200 },
}`;

const PRINT = `declare const process: { stdout: { write(text: string): void } };
const print = (text: string): void => process.stdout.write(text);
`;

/** What a program prints that uses the client of each generator. */
const PROGRAMS: Readonly<Record<string, (baseUrl: string, token: string) => string>> = {
  'hey-api': (baseUrl, token) => `
import { client } from './client.gen';
import { extractDoc, search } from './sdk.gen';
client.setConfig({ baseUrl: '${baseUrl}', auth: '${token}' });
${PRINT}async function main(): Promise<void> {
  const made = await extractDoc({ body: ${UPLOAD}, headers: { Prefer: 'wait=60' } });
  const found = await search({ body: { query: 'harbour' } });
  print(JSON.stringify([made.response?.status, made.data, found.response?.status, found.data]));
}
void main();
`,
  orval: (_, token) => `
import { extractDoc, search } from './api';
const headers = { Authorization: 'Bearer ${token}' };
${PRINT}async function main(): Promise<void> {
  const made = await extractDoc(${UPLOAD}, { headers: { ...headers, Prefer: 'wait=60' } });
  const found = await search({ query: 'harbour' }, {}, { headers: { ...headers, 'Content-Type': 'application/json' } });
  print(JSON.stringify([made.status, made.data, found.status, found.data]));
}
void main();
`,
};

let appliance: Appliance;
let folder: string;
beforeAll(async () => {
  appliance = await startAppliance();
  folder = await mkdtemp(join(tmpdir(), 'quarry-generated-'));
});
afterAll(async () => {
  await appliance.close();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(!IS_INSTALLED)('a generated client', () => {
  test.each(Object.entries(PROGRAMS))(
    'of %s compiles in strict mode, and calls the server',
    async (name, programOf) => {
      const document = join(folder, `${name}.json`);
      await writeFile(document, await (await appliance.anonymous('/openapi.json?uploads=form')).text());
      const place = join(folder, name);
      const node = (...args: string[]) => run(process.execPath, args, { cwd: GENERATORS, maxBuffer: 64 * 1024 * 1024 });
      await node(`${name}.mjs`, document, place, appliance.baseUrl);
      await writeFile(join(place, 'use.ts'), programOf(appliance.baseUrl, appliance.ownerToken));
      const built = join(folder, `${name}-built`);
      const compilerOptions = {
        ...{ target: 'es2022', module: 'commonjs', moduleResolution: 'node10', strict: true, types: [], outDir: built },
        lib: ['es2023', 'dom', 'dom.iterable'],
      };
      await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      await node('node_modules/typescript/bin/tsc', '-p', place).catch(({ stdout }: { stdout: string }) =>
        expect(stdout).toBe(''),
      );
      const { stdout } = await node(join(built, 'use.js'));
      const [madeStatus, made, foundStatus, found] = JSON.parse(stdout) as [number, object, number, object];
      expect([madeStatus, foundStatus]).toEqual([202, 200]);
      expect(made).toMatchObject({
        status: 'completed',
        result: { chunks: [{ text: expect.stringContaining('noon') }] },
      });
      expect(found).toMatchObject({ results: expect.any(Array) });
    },
  );
});
