import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { runCli } from '../harness/appliance-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'resources/examples');

const MISTAKES: readonly (readonly [string, RegExp])[] = [
  ['redd a.pdf', /^There is no command "redd"\. Did you mean read\? /],
  ['jobs lst', /^There is no command "lst"\. Did you mean list\? /],
  ['jobs list --statu completed', /Did you mean --status\?/],
  ['read --formt txt a.pdf', /Did you mean --format\?/],
  ['transcribe --speaker a.wav', /Did you mean --speakers\?/],
  ['crawl --deph 2 http://127.0.0.1:9/', /Did you mean --depth\?/],
  ['say --voise clara Hi', /Did you mean --voice\?/],
  ['search --limt 3 tide', /Did you mean --limit\?/],
  ['serve --prot 8403', /^Unknown option --prot\. Did you mean --port\? /],
  ['token --data-di x', /Did you mean --data-dir\?/],
  ['doctor --models-di x', /Did you mean --models-dir\?/],
  ['key create --scop read', /Did you mean --scope\?/],
  ['mcp --alow x', /Did you mean --allow\?/],
  ['work --jion x', /Did you mean --join\?/],
  ['read --format pdf a.pdf', /Allowed choices are md, txt, chunks\./],
  ['serve --port', /^Option '--port <value>' argument missing\. See quarry --help\.$/],
  ['serve 8403', /^Unexpected argument 8403\. /],
];

test.for(MISTAKES)('%s is answered in one line', async ([command, line]) => {
  const { code, stdout, stderr } = await runCli(command.split(' '), { QUARRY_DATA_DIR: join(tmpdir(), 'none') });
  expect([code, stdout]).not.toContain(0);
  expect(stdout).toBe('');
  expect(stderr.trimEnd()).toMatch(line);
  expect(stderr).toMatch(/^[^\n]+\n$/);
});

test.for(['--help', '--version', 'completion bash', 'key --help', 'work --help', 'doctor'])(
  '%s says in a sentence that its output cannot be written',
  { skip: process.platform !== 'linux' },
  async (command) => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry full '));
    try {
      const script = `exec "$0" src-server/cli.ts ${command} > /dev/full`;
      const env = { ...process.env, QUARRY_DATA_DIR: folder };
      const ended = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
        execFile('sh', ['-c', script, process.execPath], { cwd: ROOT, env }, (error, _, stderr) =>
          resolve({ code: error?.code, stderr }),
        );
      });
      expect(ended).toEqual({ code: 1, stderr: 'The output cannot be written: no space left on device.\n' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

async function mirrored(appliance: Appliance, answer: number) {
  const mirror = createServer((_, response) => response.writeHead(answer).end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => mirror.once('listening', resolve));
  const modelMirrorUrl = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
  const request = { method: 'PATCH', body: JSON.stringify({ modelMirrorUrl }) };
  const headers = { 'content-type': 'application/json' };
  expect((await appliance.owner('/admin/settings', { ...request, headers })).status).toBe(200);
  return { [Symbol.asyncDispose]: async () => void mirror.close() };
}

test('commands name their flags and commands, not the fields and routes of the API', async () => {
  await using appliance = await startAppliance();
  await using _ = await mirrored(appliance, 404);
  const quarry = (...args: string[]) => runCli(args, { QUARRY_DATA_DIR: appliance.dataDir });
  const talk = join(EXAMPLES, 'talk.wav');
  const report = join(EXAMPLES, 'harbour-report.docx');
  const [failed, batch, missing, wrong, language, depth, scope] = await Promise.all([
    quarry('transcribe', talk, '--install'),
    quarry('transcribe', talk, '--install', '--batch', '--json'),
    quarry('transcribe', talk),
    quarry('transcribe', report),
    quarry('read', report, '--language', 'not a language'),
    quarry('crawl', 'http://127.0.0.1:9/', '--depth', '9'),
    quarry('key', 'create', '--name', 'x', '--scope', 'run:fly'),
  ]);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(/^talk\.wav: The host 127\.0\.0\.1:\d+ answered 404, not the model\. .*--install/);
  expect(batch).toMatchObject({ code: 1, stdout: expect.stringContaining('answered 404, not the model') });
  expect(missing).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/No speech model .*, or with --install\.\n$/),
  });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Send it to quarry read.') });
  expect(language).toMatchObject({ code: 1, stderr: expect.stringMatching(/^harbour-report\.docx: --language: /) });
  expect(depth).toMatchObject({ code: 1, stderr: expect.stringMatching(/: --depth: /) });
  expect(scope).toMatchObject({ code: 1, stderr: expect.stringMatching(/^--scope: Give one of /) });
  for (const { stdout, stderr } of [failed, batch, missing, wrong, language, depth, scope]) {
    expect(stdout + stderr).not.toMatch(/Prefer:|\b(?:GET|POST|PUT|PATCH|DELETE) \//);
  }
});
