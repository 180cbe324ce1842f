import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { SAME_WISH_MS } from '../../src-server/config.ts';
import { type ApplianceProcess, runServe, startApplianceProcess } from '../harness/appliance-process.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveWith } from '../harness/local-site.ts';
import { until } from '../harness/until.ts';

/** A document that keeps a parser busy for far longer than it takes to send a second signal. */
const LONG_PARAGRAPHS = 100_000;
const CLI = join(import.meta.dirname, '../../src-server/cli.ts');
/** A file whose disk is always full. */
const ALWAYS_FULL = '/dev/full';
const MAKE_PIPE = '/usr/bin/mkfifo';
/** Ends a wait that would last for ever; no guarantee rests on it. */
const LONGEST_ANSWER_MS = 60_000;
const BROKEN_DOCUMENT = wordDocument(['A text that is cut off.']).subarray(0, -40);
/** Less than the three seconds that a receiver is waited for: had its environment its turn later, it would be more. */
const ONE_ENVIRONMENT_MS = 2500;

describe('one data folder serves one process', () => {
  test('a second server says so in one sentence, ends with 1, and leaves the first alone', async () => {
    await using first = await startApplianceProcess();
    const second = await runServe(['--port', '0', '--data-dir', first.dataDir]);
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Another Quarry is already using the data folder ${first.dataDir}. ` +
        'Stop it, or give another folder with --data-dir.\n',
    });
    const sent = await first.owner('/v1/extract/doc', {
      method: 'POST',
      body: fileForm(wordDocument(['Still here.']), 'a.docx'),
    });
    const { jobId } = (await sent.json()) as { jobId: string };
    expect((await finished(first.owner, jobId)).status).toBe('completed');
    const told = JSON.parse(readFileSync(join(first.dataDir, 'server.json'), 'utf8'));
    expect(told).toMatchObject({
      url: first.url,
      baseUrl: `${first.url}/v1`,
      stagingBaseUrl: `${first.url}/staging/v1`,
    });
    expect(told.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  test('a killed server leaves no lock behind, and the owner token stays', async () => {
    await using server = await startApplianceProcess();
    const token = server.ownerToken;
    await server.kill('SIGKILL');
    await server.restart();
    expect((await server.owner('/admin/overview')).status).toBe(200);
    expect(server.ownerToken).toBe(token);
  });
});

test('a taken port is one clear sentence and exit 1, and the folder is free again', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'quarry test '));
  try {
    const refused = await runServe(['--port', String(port), '--data-dir', join(folder, 'data')]);
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `Port ${port} on 127.0.0.1 is taken. ` +
        'Stop the program that uses it, or choose another with --port (0: any free one).\n',
    });
    await using server = await startApplianceProcess({ dataDir: join(folder, 'data') });
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  } finally {
    taken.close();
    await rm(folder, { recursive: true, force: true });
  }
});

describe('a stop that was asked for', () => {
  test('ends the process with 0 while jobs run, and they run again after the next start', async () => {
    let answers = false;
    const document = wordDocument(['A text that arrived in the end.']);
    await using site = await serveWith((_request, response) => {
      response.writeHead(200);
      if (answers) response.end(document);
      else response.write(document.subarray(0, 10));
    });
    await using server = await startApplianceProcess();
    const sent = await Promise.all([1, 2, 3].map((n) => sendUrl(server, `${site.url}/${n}.docx`)));
    await until(() => site.requests.length === 3);
    const stopped = await server.kill('SIGTERM');
    expect(stopped.code).toBe(0);
    expect(stopped.stdout).toBe(`Quarry is listening on ${server.url}\n`);
    expect(existsSync(join(server.dataDir, 'server.json'))).toBe(false);
    answers = true;
    await server.restart();
    for (const jobId of sent) {
      const job = await finished(server.owner, jobId);
      expect(job.status).toBe('completed');
      expect(JSON.stringify(job.result)).toContain('arrived in the end');
    }
  });

  test('gives the receivers of both environments the same seconds to answer, not one after the other', async () => {
    const endedAt: number[] = [];
    await using site = await serveWith((_request, response) => {
      response.once('close', () => endedAt.push(performance.now()));
    });
    await using server = await startApplianceProcess();
    for (const base of ['/v1', '/staging/v1']) {
      await sendText(server, base, `${site.url}/hook`);
    }
    await until(() => site.requests.length === 2);
    expect((await server.kill('SIGTERM')).code).toBe(0);
    // That the process is gone may be known before its connections are.
    await until(() => endedAt.length === 2);
    const [first = 0, second = Number.NaN] = endedAt;
    expect(second - first).toBeLessThan(ONE_ENVIRONMENT_MS);
  });

  test('is not waited for when it is asked for twice, and the job it cut off runs again', async () => {
    await using site = await serveWith(() => undefined);
    await using server = await startApplianceProcess();
    const paragraphs = Array.from({ length: LONG_PARAGRAPHS }, (_, n) =>
      `Sentence ${n} of a text that is long. `.repeat(3),
    );
    const sent = await server.owner('/v1/extract/doc', {
      method: 'POST',
      body: fileForm(wordDocument(paragraphs), 'long.docx'),
      headers: { prefer: 'wait=0' },
    });
    const { jobId } = (await sent.json()) as { jobId: string };
    await until(async () => stageOf(await (await server.owner(`/v1/jobs/${jobId}`)).json()) === 'extracting');
    // A receiver that was just asked holds the stop up for seconds, however soon the parser is done.
    await sendText(server, '/v1', `${site.url}/hook`);
    await until(() => site.requests.length === 1);
    server.signal('SIGTERM');
    // A second one that comes at once is taken for the same, counted from when the first was heard.
    await until(async () => (await server.owner('/v1/search', { method: 'POST' })).status === 503);
    await sleep(SAME_WISH_MS + 1);
    const { code, stderr } = await server.kill('SIGTERM');
    expect(code, stderr).toBe(1);
    await server.restart();
    expect((await finished(server.owner, jobId)).status).toBe('completed');
  });

  test('is one where the terminal, npm and the launcher each pass it on', async () => {
    await using site = await serveWith((_request, response) => void response.writeHead(200).write('PK'));
    await using server = await startApplianceProcess();
    await sendUrl(server, `${site.url}/held.docx`);
    await until(() => site.requests.length === 1);
    // Each another one: the system makes one of two of a kind that come at once.
    server.signal('SIGINT');
    server.signal('SIGHUP');
    expect((await server.kill('SIGTERM')).code).toBe(0);
  });
});

test.skipIf(!existsSync(ALWAYS_FULL))(
  'a server that nobody hears, whose log has no room, works on, and ends in order when its terminal is closed (needs Linux)',
  async () => {
    const full = openSync(ALWAYS_FULL, 'w');
    await worksUnheard((serve) => {
      const server = spawn(process.execPath, serve, { stdio: ['ignore', 'pipe', full] });
      server.stdout?.destroy();
      return server;
    });
    closeSync(full);
  },
);

/** Runs a program on a terminal whose output has paused, as after Ctrl+S. */
const ON_PAUSED_TERMINAL = `
import os, pty, subprocess, sys
reader, terminal = pty.openpty()
os.set_blocking(terminal, False)
try:
    while True: os.write(terminal, b"x" * 1024)
except BlockingIOError: os.set_blocking(terminal, True)
sys.exit(subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=terminal).returncode)`;

describe.skipIf(process.platform !== 'linux')('a server whose log is read by one that has paused (needs Linux)', () => {
  test('through a pipe works on, and ends in order', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry test '));
    const path = join(folder, 'pipe');
    execFileSync(MAKE_PIPE, [path]);
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    expect(() => {
      for (;;) writeSync(reader, Buffer.alloc(1024));
    }).toThrow('EAGAIN');
    const pipe = openSync(path, 'w');
    await worksUnheard((serve) => spawn(process.execPath, serve, { stdio: ['ignore', 'ignore', pipe] }));
    for (const file of [reader, pipe]) closeSync(file);
    await rm(folder, { recursive: true });
  });

  test('on a terminal works on, and ends in order', () =>
    worksUnheard((serve) =>
      spawn('python3', ['-c', ON_PAUSED_TERMINAL, process.execPath, ...serve], { stdio: 'ignore' }),
    ));
});

/** Has it do what is written to its log, and closes its terminal. */
async function worksUnheard(begin: (serve: readonly string[]) => ChildProcess): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'quarry test '));
  const started = begin([CLI, 'serve', '--port', '0', '--data-dir', dataDir]);
  const told = join(dataDir, 'server.json');
  try {
    const ended = once(started, 'exit');
    await until(() => existsSync(told) || started.exitCode !== null);
    const { url, pid } = JSON.parse(readFileSync(told, 'utf8')) as { url: string; pid: number };
    await using _server = {
      [Symbol.asyncDispose]: async () => void (started.exitCode ?? process.kill(pid, 'SIGKILL')),
    };
    const headers = { authorization: `Bearer ${readFileSync(join(dataDir, 'owner-token'), 'utf8')}` };
    const owner = (path: string, init: RequestInit = {}) =>
      fetch(url + path, { ...init, headers, signal: AbortSignal.timeout(LONGEST_ANSWER_MS) });
    const sent = await owner('/v1/extract/doc', { method: 'POST', body: fileForm(BROKEN_DOCUMENT, 'broken.docx') });
    const { jobId } = (await sent.json()) as { jobId: string };
    // What failed is written to the log.
    expect((await finished(owner, jobId)).status).toBe('failed');
    expect((await owner('/health')).status).toBe(200);
    process.kill(pid, 'SIGHUP');
    expect(await ended).toEqual([0, null]);
    expect(existsSync(told)).toBe(false);
  } finally {
    started.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
}

function stageOf(job: unknown): string {
  return (job as { progress: { stage: string } }).progress.stage;
}

async function sendText(server: ApplianceProcess, base: string, webhookUrl: string): Promise<void> {
  const file = `data:text/plain;base64,${Buffer.from('A short text.').toString('base64')}`;
  const answer = await server.owner(`${base}/extract/doc`, {
    method: 'POST',
    body: JSON.stringify({ file, webhookUrl }),
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(202);
}

async function sendUrl(server: { owner: (path: string, init: RequestInit) => Promise<Response> }, sourceUrl: string) {
  const answer = await server.owner('/v1/extract/doc', {
    method: 'POST',
    body: JSON.stringify({ sourceUrl }),
    headers: { 'content-type': 'application/json', prefer: 'wait=0' },
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { jobId: string }).jobId;
}
