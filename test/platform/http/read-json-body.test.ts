import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ReadJsonBodyOutput } from '../../../src-server/platform/http/json-body.ts';
import { openPool, type TaskPool } from '../../workers/run-task.ts';

let folder: string;
let pool: TaskPool;
let filePath: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry bodies '));
  filePath = join(folder, 'file');
  pool = openPool();
});
beforeEach(() => rmSync(filePath, { force: true }));
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

async function read(body: string | Buffer, limits = {}): Promise<ReadJsonBodyOutput> {
  const bodyPath = join(folder, 'body');
  writeFileSync(bodyPath, body);
  return await pool.run('read-json-body', {
    ...{ bodyPath, filePath, maxFileBytes: 50_000_000, maxRestBytes: 10_000 },
    ...limits,
  });
}

describe('a body with a file', () => {
  test('the file goes to disk byte for byte, and the rest comes back', async () => {
    const content = randomBytes(20_000_000);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const body = { a: 1, file: `data:application/pdf;base64,${content.toString('base64')}`, options: { x: [true] } };
    const output = await read(JSON.stringify(body));
    expect(output).toEqual({
      value: { a: 1, file: `upload:${sha256}`, options: { x: [true] } },
      file: { sizeBytes: content.length, sha256, mediaType: 'application/pdf' },
    });
    expect(readFileSync(filePath).equals(content)).toBe(true);
  });

  test.each([
    ['parameters', 'data:text/plain;charset=utf-8;base64,aGk=', 'text/plain', 'hi'],
    ['capitals', 'DATA:TEXT/HTML;BASE64,aGk=', 'text/html', 'hi'],
    ['nothing', 'data:text/html;base64,', 'text/html', ''],
  ])('a data URI with %s is read', async (_, uri, mediaType, content) => {
    const { file } = await read(`{"file":"${uri}"}`);
    expect(file).toMatchObject({ mediaType, sizeBytes: content.length });
    expect(readFileSync(filePath, 'utf8')).toBe(content);
  });

  test.each([
    ['a stranger in the base64', 'data:a/b;base64,aG*k'],
    ['the alphabet of URLs', 'data:a/b;base64,-_-_'],
    ['padding in the middle', 'data:a/b;base64,aG==aGk='],
    ['no type', 'data:;base64,aGk='],
    ['no padding', 'data:a/b;base64,aGk'],
    ['lines', 'data:a/b;base64,aG\\nk='],
    ['a single character', 'data:a/b;base64,aGkaa'],
    ['no base64', 'data:text/plain,hi'],
    ['no comma', 'data:text/plain;base64'],
  ])('%s is refused, naming the field', async (_, uri) => {
    const failure = read(`{"file":"${uri}"}`);
    await expect(failure).rejects.toMatchObject({ code: 'invalid_request', fields: [{ path: 'file' }] });
    expect(existsSync(filePath)).toBe(false);
  });

  test('a file past the limit is refused before it is written', async () => {
    const failure = read(`{"file":"data:a/b;base64,${'A'.repeat(4000)}"}`, { maxFileBytes: 2999 });
    await expect(failure).rejects.toMatchObject({ code: 'body_too_large', fields: [{ path: 'file' }] });
    expect(existsSync(filePath)).toBe(false);
  });
});

describe('a body without a file', () => {
  test.each([
    ['an object', '{"b":"\\ud83d\\ude00 \\" \\\\","n":-1.5e3}', { b: '😀 " \\', n: -1500 }],
    ['a string under file that is no data URI', '{"file":"upload:x"}', { file: 'upload:x' }],
    ['a number under file', '{"file":7}', { file: 7 }],
    ['no object at all', '[null]', [null]],
  ])('%s comes back as it was', async (_, body, value) => {
    expect(await read(body)).toEqual({ value, file: null });
    expect(existsSync(filePath)).toBe(false);
  });

  test.each([
    ['broken JSON', '{"a":'],
    ['nothing', ''],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['nesting without end', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['a raw control character', '"\u0001"'],
  ])('%s is refused as the body itself', async (_, body) => {
    await expect(read(body)).rejects.toMatchObject({ code: 'invalid_request', fields: [{ path: '$' }] });
  });

  test('a body with a mistake in it is told where', async () => {
    await expect(read('{"a":1,\n}')).rejects.toThrow('line 2, column 1');
  });

  test('brackets in strings do not count as nesting', async () => {
    const text = `\\"${'[{'.repeat(500)}\\\\`;
    expect(await read(`{"a":"${text}"}`)).toMatchObject({ value: { a: `"${'[{'.repeat(500)}\\` } });
  });

  test('more than the rest of a body may have is refused', async () => {
    await expect(read(`{"a":"${'x'.repeat(10_000)}"}`)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  // What breaks them off at the end would be what is wrong, had anybody parsed as far.
  test.each([
    ['empty lists', `{"file":[${'[],'.repeat(4000)}`],
    ['names', `{${Array.from({ length: 2000 }, (_, n) => `"k${n}":1`).join(',')}`],
    ['strings around a file', `{"file":"data:a/b;base64,${'A'.repeat(20_000)}","x":[${'"xxxx",'.repeat(2000)}`],
    ['white space', `{"file":"data:a/b;base64,${'A'.repeat(20_000)}"${' '.repeat(11_000)}`],
  ])('megabytes of %s are refused before they are parsed', async (_, body) => {
    await expect(read(body)).rejects.toMatchObject({ code: 'body_too_large' });
  });

  test('what just fits beside a file is taken, whichever string comes first', async () => {
    const note = 'x'.repeat(9_900);
    const uri = `data:a/b;base64,${'A'.repeat(40_000)}`;
    expect((await read(JSON.stringify({ note, file: uri }))).file).toMatchObject({ sizeBytes: 30_000 });
    expect((await read(JSON.stringify({ file: uri, note }))).value).toMatchObject({ note });
  });
});
