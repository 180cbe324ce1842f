import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');
const REPORT = join(import.meta.dirname, '../../resources/examples/harbour-report.docx');

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

let appliance: Appliance;
let folder: string;

beforeAll(async () => {
  appliance = await startAppliance();
  folder = await mkdtemp(join(tmpdir(), 'quarry cli '));
});

afterAll(async () => {
  await appliance.close();
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, QUARRY_DATA_DIR: appliance.dataDir, ...variables };
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ran: Ran = { code: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text;
    });
  }
  const ended = new Promise<Ran>((resolve) => child.once('close', (code) => resolve({ ...ran, code })));
  return { child: child as ChildProcess, ran, ended };
}

function run(args: readonly string[], input: string | Buffer = '', variables: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const { child, ended } = start(args, variables);
  child.stdin?.end(input);
  return ended;
}

test('read takes files, patterns and standard input, prints text or JSON, and goes on after a file it cannot read', async () => {
  await mkdir(join(folder, 'in'));
  await writeFile(join(folder, 'in', 'a.md'), '# Tide\n\nThe tide turns at noon.\n');
  await writeFile(join(folder, 'in', 'b.md'), 'The pier is closed.');
  const pattern = join(folder, 'in', '*.md');
  const [text, json, piped, mixed, missing] = await Promise.all([
    run(['read', REPORT]),
    run(['read', pattern, '--json']),
    run(['read', '--name', 'note.md'], 'The crane is **red**.'),
    run(['read', '-', join(folder, 'in', 'a.md'), '--output', join(folder, 'out')], Buffer.from([0, 1, 2, 3, 0, 9])),
    run(['read', join(folder, 'none.pdf')]),
  ]);
  expect(text).toMatchObject({ code: 0, stdout: expect.stringContaining('| North | 120 m |') });
  expect(text.stderr).toBe('harbour-report.docx: All 101 letters read.\n');
  const lines = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { source: 'a.md', status: 'completed', jobType: 'extract/doc' },
    { source: 'b.md', status: 'completed' },
  ]);
  expect(piped).toMatchObject({ code: 0, stdout: 'The crane is **red**.\n' });
  expect(mixed).toMatchObject({ code: 1, stderr: expect.stringMatching(/^stdin: By its bytes this is /) });
  expect(await readdir(join(folder, 'out'))).toEqual(['a.md']);
  expect(await readFile(join(folder, 'out', 'a.md'), 'utf8')).toContain('# Tide');
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/none\.pdf does not exist/) });
});

test('read sends a batch, and jobs are changed by their tag', { tags: ['long'] }, async () => {
  const files = ['one', 'two'].map((name) => join(folder, `${name}.txt`));
  for (const file of files) await writeFile(file, `The file ${file.slice(-7)}.`);
  const batch = await run(['read', ...files, REPORT, '--batch', '--tag', 'tide', '--json']);
  expect(batch).toMatchObject({ code: 0, stderr: '' });
  const lines = batch.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { jobId: string });
  expect(lines).toMatchObject([
    { source: 'one.txt', tags: ['tide'] },
    { source: 'two.txt' },
    { source: 'harbour-report.docx' },
  ]);
  const [listed] = ((await (await appliance.owner('/v1/batches')).json()) as { batches: object[] }).batches;
  expect(listed).toMatchObject({ counts: { completed: 3 }, tags: ['tide'] });
  const [wrong, none, removed] = await Promise.all([
    run(['jobs', 'retry']),
    run(['jobs', 'retry', '--tag', 'tide']),
    run(['jobs', 'delete', '--tag', 'tide']),
  ]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--tag') });
  expect(none).toMatchObject({ code: 0, stderr: 'No job fits.\n' });
  expect([removed.code, removed.stderr.split('\n').sort()]).toEqual([
    0,
    ['', ...lines.map(({ jobId }) => `${jobId}: Removed.`).sort()],
  ]);
});

test('say, search and jobs work with a key, and say what the key may not do', async () => {
  const request = { name: 'Shell', scopes: ['read', 'run:generate/audio'] };
  const headers = { 'content-type': 'application/json' };
  const made = await appliance.owner('/admin/keys', { method: 'POST', headers, body: JSON.stringify(request) });
  const { key } = (await made.json()) as { key: string };
  const named = { QUARRY_SERVER: appliance.url, QUARRY_KEY: key, QUARRY_DATA_DIR: join(folder, 'no server') };
  const file = join(folder, 'noon.wav');
  const [said, found, refused, keyless] = await Promise.all([
    run(['say', '--output', file, '--json'], 'The tide turns at noon.', named),
    run(['search', 'harbour', 'dredged'], '', named),
    run(['read', REPORT], '', named),
    run(['jobs'], '', { ...named, QUARRY_KEY: '' }),
  ]);
  const job = JSON.parse(said.stdout) as { jobId: string; status: string };
  expect([said.code, job.status]).toEqual([0, 'completed']);
  expect((await readFile(file)).subarray(0, 4).toString()).toBe('RIFF');
  expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('harbour-report.docx, page 1 (job_') });
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('run:extract/doc') });
  expect(keyless).toMatchObject({ code: 2, stderr: expect.stringMatching(/^Set QUARRY_KEY to a key of /) });
  const [listed, ended, unknown] = await Promise.all([
    run(['jobs', 'list', '--type', 'generate/audio'], '', named),
    run(['jobs', 'cancel', job.jobId], '', named),
    run(['jobs', 'wait', 'job_none', job.jobId], '', named),
  ]);
  expect(listed.stdout).toMatch(new RegExp(`^JOB .*\n${job.jobId} +generate/audio +completed `));
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(`${job.jobId}: The job ended before `) });
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining(`${job.jobId}: Completed.`) });
});

test('Ctrl+C cancels the job of a crawl and says so', async () => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const silent = createServer(() => asked()).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  try {
    const { child, ended } = start(['crawl', url, '--depth', '0']);
    await isAsked;
    child.kill('SIGINT');
    const { code, stderr, stdout } = await ended;
    expect([code, stdout]).toEqual([130, '']);
    const [, jobId = ''] = /^Cancelled (\S+)\.\nInterrupted\.\n$/.exec(stderr) ?? [];
    const job = await appliance.anonymous(`/v1/jobs/${jobId}`);
    expect(await job.json()).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('without a server a command starts one for its run', { tags: ['long'] }, async () => {
  const alone = { QUARRY_DATA_DIR: join(folder, 'alone') };
  const first = await run(['read', '-', '--name', 'a.txt'], 'Noon.', alone);
  expect(first).toMatchObject({ code: 0, stdout: 'Noon.\n', stderr: expect.stringMatching(/^No server runs\. /) });
  const { url } = JSON.parse(
    await readFile(join(alone.QUARRY_DATA_DIR, 'server.json'), 'utf8').catch(() => '{"url":"http://127.0.0.1:9"}'),
  ) as { url: string };
  await expect(fetch(url)).rejects.toThrow();
});

test('completion prints scripts that the shells take, and completes commands, values and files', async () => {
  const [bash, zsh, fish, commands, formats, sources] = await Promise.all([
    run(['completion', 'bash']),
    run(['completion', 'zsh']),
    run(['completion', 'fish']),
    run(['complete', '--', 'tr']),
    run(['complete', '--', 'transcribe', '--tag', 'talk', '--format', '']),
    run(['complete', '--', 'read', '--batch', '']),
  ]);
  expect(commands.stdout).toMatch(/^transcribe\t/);
  expect(formats.stdout).toBe('txt\t\nsrt\t\nvtt\t\nchunks\t\n');
  expect(sources.stdout).toBe(':files\n');
  const asked = `quarry() { '${process.execPath}' '${CLI}' "$@"; }
${bash.stdout}
COMP_WORDS=(quarry transcribe --format = t) COMP_CWORD=4
_quarry
echo "$COMPREPLY"`;
  expect(spawnSync('bash', ['--norc'], { input: asked, encoding: 'utf8' }).stdout).toBe('txt\n');
  for (const [shell, script] of [
    ['zsh', zsh.stdout],
    ['fish', fish.stdout],
  ] as const) {
    const path = join(folder, `completion.${shell}`);
    await writeFile(path, script);
    const { error, status, stderr } = spawnSync(shell, ['-n', path], { encoding: 'utf8' });
    if (error === undefined) expect([status, stderr], shell).toEqual([0, '']);
    else expect((error as NodeJS.ErrnoException).code).toBe('ENOENT');
  }
});

/** Outputs that cannot be written, by kind: what is given to `-o`, for a folder and for a file. */
const LOST: readonly (readonly [string, (place: string) => { folder: string; file: string }])[] = [
  ['below /proc', () => ({ folder: '/proc/x', file: '/proc/x.wav' })],
  ['a folder below /proc', () => ({ folder: '/proc/x/y', file: '/proc/x/y.wav' })],
  ['a file for a folder, a folder for a file', (place) => ({ folder: `${place}/a file`, file: `${place}/folder.wav` })],
  ['below a file', (place) => ({ folder: `${place}/a file/x`, file: `${place}/a file/x.wav` })],
  ['a folder that is missing', (place) => ({ folder: '/dev/null/x', file: `${place}/none/x.wav` })],
  ['a name too long', (place) => ({ folder: `${place}/${'x'.repeat(300)}`, file: `${place}/${'x'.repeat(300)}.wav` })],
  ['a full disk', (place) => ({ folder: `${place}/full`, file: `${place}/full.wav` })],
  ['a read-only file system', () => ({ folder: '/sys/x', file: '/sys/x.wav' })],
];

test.skipIf(process.platform !== 'linux').for(LOST)(
  'an output that is %s ends with 1 and one sentence',
  async ([, of]) => {
    const place = await mkdtemp(join(folder, 'lost-'));
    await writeFile(join(place, 'a file'), 'Not touched.');
    await mkdir(join(place, 'folder.wav'));
    await mkdir(join(place, 'full'));
    // A file that takes no byte.
    await symlink('/dev/full', join(place, 'full.wav'));
    await symlink('/dev/full', join(place, 'full', 'note.md'));
    await writeFile(join(place, 'note.md'), 'The tide turns at noon.');
    const out = of(place);
    const commands = [
      ['read', join(place, 'note.md'), '-o', out.folder],
      ['say', 'The tide turns at noon.', '-o', out.file],
      ['say', 'The tide turns at noon.', '--json', '-o', out.file],
    ];
    for (const { code, stdout, stderr } of await Promise.all(commands.map((command) => run(command)))) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^The output( .*)? cannot be written: .*\.$/);
      expect(stderr).not.toMatch(/node:|\n {4}at /);
    }
    expect(await readFile(join(place, 'a file'), 'utf8')).toBe('Not touched.');
  },
);

test.skipIf(process.platform !== 'linux')('keys and backups whose output cannot be written', async () => {
  const place = await mkdtemp(join(folder, 'unwritten-'));
  const kept = await run(['key', 'create', '--name', 'Kept', '--scope', 'read']);
  const commands = [
    ['token'],
    ['key', 'list'],
    ['key', 'create', '--name', 'Lost', '--scope', 'read'],
    ['key', 'create', '--name', 'Kept', '--scope', 'read', '--replace'],
    ['backup', join(place, 'copy')],
  ];
  for (const args of commands) {
    const script = 'exec "$0" "$@" > /dev/full';
    const env = { ...process.env, QUARRY_DATA_DIR: appliance.dataDir };
    const child = spawn('sh', ['-c', script, process.execPath, CLI, ...args], { env });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = await once(child, 'close');
    expect([args[0], code, said]).toEqual([args[0], 1, 'The output cannot be written: no space left on device.\n']);
  }
  // No key is left that nobody has, and none is revoked for it.
  const { stdout } = await run(['key', 'list']);
  expect(stdout).not.toMatch(/^(?:Lost|Replacement)/m);
  expect(stdout.match(/^\w+/gm)).toEqual(expect.arrayContaining(['NAME', 'Kept']));
  const key = await appliance.anonymous('/v1/jobs', { headers: { authorization: `Bearer ${kept.stdout.trim()}` } });
  expect(key.status).toBe(200);
  for (const backup of ['/proc/x', join(place, 'x'.repeat(300)), '/dev/null/x', CLI]) {
    const { code, stdout: said, stderr } = await run(['backup', backup]);
    expect([code, said]).toEqual([1, '']);
    expect(stderr).toMatch(/^[^\n]+ cannot be used: [^\n]+\.\n$/);
  }
});

test('a file whose source has a long name is written under a shorter one', async () => {
  const place = await mkdtemp(join(folder, 'long-'));
  const source = join(place, `${'ä'.repeat(125)}.md`);
  await writeFile(source, 'The pier is closed.');
  const { code, stderr } = await run(['read', source, '-o', join(place, 'out')]);
  expect([code, stderr]).toEqual([0, expect.stringContaining(join(place, 'out'))]);
  const [written = ''] = await readdir(join(place, 'out'));
  expect(written).toBe(`${'ä'.repeat(100)}.md`);
});

test('library lists, shows, tags and exports', async () => {
  await run(['read', '--name', 'weir.md'], '# The weir\n\nIt is open.');
  const listed = async () => {
    const { stdout } = await run(['library', 'list', '--text', 'weir', '--json']);
    return stdout.trim() === '' ? [] : (JSON.parse(stdout) as { itemId: string; title: string; tags: string[] });
  };
  const { itemId, tags } = (await listed()) as { itemId: string; tags: string[] };
  expect(tags).toEqual([]);
  expect(await run(['library', 'tag', itemId, '--add', 'river', 'lock'])).toMatchObject({ code: 0 });
  expect((await run(['library', 'show', itemId])).stdout).toContain('lock, river');
  expect((await run(['library', 'list', '--tag', 'river'])).stdout).toContain(itemId);
  expect(await run(['library', 'tag', itemId])).toMatchObject({ code: 2 });
  const text = await run(['library', 'export', itemId, '--as', 'markdown']);
  expect(text.stdout).toContain('It is open.');
  const file = join(folder, 'out.epub');
  expect(await run(['library', 'export', '--tag', 'river', '--as', 'epub', '-o', file])).toMatchObject({ code: 0 });
  expect((await readFile(file)).toString('latin1', 30, 58)).toBe('mimetypeapplication/epub+zip');
  expect(await run(['library', 'export', '--tag', 'none', '-o', file])).toMatchObject({ code: 1 });
});
