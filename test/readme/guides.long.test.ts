import { spawn } from 'node:child_process';
import { chmod, copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { machineLoad } from '../../src-server/platform/process/work-limit.ts';
import { SECOND_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { installSpeakerModel, installSpeechModel, ONNX_MODEL } from '../harness/speech.ts';
import { postJson, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { blocksOf, isShell, pagesOf, ROOT } from './pages.ts';

/** Ends a page whose commands never end. Seconds of a busy machine count less. No guarantee rests on it. */
const PAGE_LIMIT_MS = 400_000;

/** The answers that a guide shows on purpose: the price of a call. */
const SHOWN = [402];

/** Pasted a second time: what is there already, or has ended meanwhile. */
const AGAIN = [409];

/** Where no model can be fetched, a request that needs one is refused, and what it should have made is missing. */
const WITHOUT_MODELS = [404, 409, 503];

const pages = pagesOf().filter((page) => blocksOf(page).some((block) => isShell(block) && block.notRun === null));

let site: LocalSite;
let mirror: LocalSite;
/** With models, and without. Both fetch from a mirror that fails. */
let ready: Appliance;
let bare: Appliance;

beforeAll(async () => {
  const page = '<!doctype html><title>Guide</title><main><p>The tide turns at noon.</p></main>';
  site = await serveWith((request, response) => {
    const isFile = /\.(?:pdf|xml)$/.test(request.url ?? '');
    response.writeHead(isFile ? 404 : 200, { 'content-type': 'text/html' }).end(isFile ? '' : page);
  });
  mirror = await serveWith((_, response) => response.writeHead(404).end());
  [ready, bare] = await Promise.all([
    startAppliance({ knownTextServers: [] }),
    startAppliance({ knownTextServers: [] }),
  ]);
  for (const appliance of [ready, bare]) {
    const setting = { ...postJson({ modelMirrorUrl: mirror.url }), method: 'PATCH' };
    expect((await appliance.owner('/admin/settings', setting)).status).toBe(200);
  }
  await installSpeechModel(ready, ONNX_MODEL);
  await installSpeakerModel(ready);
  await copyFile(TINY_MODEL_PATH, join(ready.dataDir, 'models', basename(TINY_MODEL_PATH)));
});

afterAll(async () => {
  await Promise.all([ready.close(), bare.close()]);
  await Promise.all([site, mirror].map((one) => one[Symbol.asyncDispose]()));
});

interface Pasted {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Status of each answer to curl, with its address. */
  answers: string[];
}

/** Programs in front of PATH: curl notes each status, npm and quarry run the command line of this checkout. */
async function programsIn(folder: string): Promise<void> {
  const cli = `exec '${process.execPath}' '${join(ROOT, 'src-server/cli.ts')}'`;
  const programs = {
    curl: `exec "$REAL_CURL" -w '%{stderr}answer %{http_code} %{url}\\n' "$@"`,
    quarry: `${cli} "$@"`,
    npm: `[ "$1 $2" = 'run --silent' ] || exit 9
script=$3; shift 3; [ "\${1:-}" != -- ] || shift
[ "$script" = quarry ] && ${cli} "$@"
${cli} "$script" "$@"`,
  };
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
}

/** Pastes all blocks of a page, one after the other, in a folder with what the project's folder has for a reader. */
async function paste(page: string, appliance: Appliance, times: number): Promise<Pasted> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry guide '));
  try {
    await cp(join(ROOT, 'resources/examples'), join(folder, 'resources/examples'), { recursive: true });
    await copyFile(join(ROOT, 'README.md'), join(folder, 'README.md'));
    const programs = await mkdtemp(join(folder, '.programs-'));
    await programsIn(programs);
    const commands = blocksOf(page).filter((block) => isShell(block) && block.notRun === null);
    // The only differences: where the server is, and that hosts of examples are on loopback.
    const script = Array.from({ length: times }, () => commands.map(({ text }) => text).join('\n'))
      .join('\n')
      .replaceAll('http://127.0.0.1:8402', appliance.url)
      .replaceAll(/https:\/\/[a-z]+\.example/g, site.url);
    const path = [programs, dirname(process.execPath), process.env.PATH].join(':');
    const env = {
      ...process.env,
      PATH: path,
      HOME: folder,
      QUARRY_DATA_DIR: appliance.dataDir,
      REAL_CURL: await realCurl(),
    };
    return await shell(script, folder, env);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function realCurl(): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const path = join(folder, 'curl');
    if ((await readFile(path).catch(() => null)) !== null) return path;
  }
  throw new Error('The guides need curl.');
}

function shell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Pasted> {
  const child = spawn('bash', ['-eu', '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  let leftMs = PAGE_LIMIT_MS;
  const limit = setInterval(() => {
    leftMs -= SECOND_MS / machineLoad();
    if (leftMs < 0) child.kill('SIGKILL');
  }, SECOND_MS);
  return new Promise((resolve) =>
    child.once('close', (code) => {
      clearInterval(limit);
      const answers = [...said.stderr.matchAll(/^answer (\d+ .*)$/gm)].map(([, answer = '']) => answer);
      resolve({ code, ...said, answers });
    }),
  );
}

function expectWell({ code, stdout, stderr, answers }: Pasted, also: readonly number[]): void {
  const refused = answers.filter((answer) => {
    const status = Number(answer.slice(0, 3));
    return status < 200 || (status >= 300 && ![...SHOWN, ...also].includes(status));
  });
  const said = stderr.replaceAll(/^answer .*\n/gm, '');
  expect({ code, refused, stderr: said, stdout }).toMatchObject({ code: 0, refused: [] });
  expect(stdout + said).not.toMatch(/TypeError|SyntaxError|^ +at .*:\d+:\d+|unbound variable|curl: \(/m);
}

test.for(pages)('%s as printed, then pasted twice', async (page) => {
  expectWell(await paste(page, ready, 1), []);
  expectWell(await paste(page, ready, 2), AGAIN);
});

test.for(pages)('%s where no model can be fetched', async (page) => {
  const pasted = await paste(page, bare, 1);
  expectWell({ ...pasted, code: 0 }, WITHOUT_MODELS);
  expect(pasted.code).not.toBeNull();
  // A page that installs says why it could not.
  const text = blocksOf(page)
    .map((block) => block.text)
    .join('\n');
  if (/Prefer: [^']*install|--install/.test(text)) expect(pasted.stdout + pasted.stderr).toContain('answered 404');
});
