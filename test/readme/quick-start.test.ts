import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { startWithSpeech } from '../harness/speech.ts';
import { postJson, TINY_MODEL_PATH } from '../harness/text-models.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NOT_RUN = /^ *<!-- not run: [^>]+ -->\n *```sh\n[\s\S]*?^ *```\n/gm;
const DOCUMENTS = ['README.md', 'resources/docs/examples.md'];

/** The shell blocks of a document, each with the output shown right below it. */
function examplesIn(document: string): { command: string; output: string }[] {
  const pairs = document.matchAll(/```sh\n([\s\S]*?)```\n\n```\n([\s\S]*?)```/g);
  return [...pairs].map(([, command = '', output = '']) => ({ command, output }));
}

/** Pastes examples into a shell, in a folder that `prepare` may put files into. */
async function paste(
  appliance: Appliance,
  examples: readonly { command: string }[],
  prepare: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry readme '));
  try {
    await prepare(folder);
    // What differs here: the address, where the token is read from, and the commands of the project's folder.
    const script = examples
      .map(({ command }) => command)
      .join('\n')
      .replaceAll('http://127.0.0.1:8402', appliance.url)
      .replaceAll('$(npm run --silent token)', appliance.ownerToken)
      .replaceAll(/npm run --silent (key|quarry) --/g, (_, name) => `node "$CLI"${name === 'key' ? ' key' : ''}`);
    const path = `${dirname(process.execPath)}:${process.env.PATH}`;
    const own = { URL: appliance.url, TOKEN: appliance.ownerToken, QUARRY_DATA_DIR: appliance.dataDir };
    const variables = { ...process.env, ...own, PATH: path, CLI: join(ROOT, 'src-server/cli.ts') };
    const { stdout } = await run('bash', ['-e', '-c', script], { cwd: folder, env: variables });
    // A header line of HTTP ends in a carriage return, which nobody sees.
    return stdout.replaceAll('\r', '');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test.for(DOCUMENTS)('every shell block of %s, pasted, prints what is shown below it', async (document) => {
  const text = (await readFile(join(ROOT, document), 'utf8')).replaceAll(NOT_RUN, '');
  const examples = examplesIn(text);
  expect(examples.length).toBeGreaterThan(0);
  expect(examples).toHaveLength(text.split('```sh\n').length - 1);
  await using appliance = await startWithSpeech({ knownTextServers: [] });
  await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', basename(TINY_MODEL_PATH)));
  const printed = await paste(appliance, examples, (folder) =>
    symlink(join(ROOT, 'resources'), join(folder, 'resources')),
  );
  expect(printed).toBe(examples.map(({ output }) => output).join(''));
});

test('the talk of the README, where its model cannot be fetched, says why and ends', async () => {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  const talk = examplesIn(text).filter(({ command }) => command.includes('talk.wav'));
  expect(talk).toHaveLength(1);
  const mirror = createServer((_request, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  try {
    await using appliance = await startAppliance();
    const modelMirrorUrl = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
    const setting = { ...postJson({ modelMirrorUrl }), method: 'PATCH' };
    expect((await appliance.owner('/admin/settings', setting)).status).toBe(200);
    const printed = await paste(appliance, talk, (folder) =>
      symlink(join(ROOT, 'resources'), join(folder, 'resources')),
    );
    expect(printed).toMatch(/^The host 127\.0\.0\.1:\d+ answered 404.* Install Whisper .* or cancel the job\.\n$/);
  } finally {
    mirror.close();
  }
});

/** The shell blocks of a guide that are run. */
async function commandsOf(guide: string): Promise<{ command: string }[]> {
  const text = await readFile(join(ROOT, 'resources/reference', `${guide}.md`), 'utf8');
  const blocks = text.replaceAll(NOT_RUN, '').matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm);
  return [...blocks].map(([, , command = '']) => ({ command }));
}

test('the first guides, pasted one after the other, do what they say', { tags: ['long'] }, async () => {
  const guides = await Promise.all(['getting-started', 'jobs', 'payments', 'webhooks'].map(commandsOf));
  await using appliance = await startAppliance();
  const printed = await paste(appliance, guides.flat(), (folder) =>
    symlink(join(ROOT, 'resources'), join(folder, 'resources')),
  );
  const said = [
    '^completed\\n{"jobId":"job_.*"chunks":\\[',
    '{"x402Version":1,',
    '{"chunks":\\[{"id":"chk_',
    'HTTP/1\\.1 202 Accepted\\n{"jobId":"job_',
    '}0 found, 0 can be sent\\n{"requeued":0,"skipped":0}$',
  ];
  expect(printed).toMatch(new RegExp(said.join('.*'), 's'));
});
