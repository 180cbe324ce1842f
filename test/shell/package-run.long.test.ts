/** `npm run package -- --dir` as its own process, without the alias of electron, to a folder that holds a working app. */
import { execFile, spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { until } from '../harness/until.ts';
import { ElectronMirror, fusesOf } from './fake-electron.ts';

interface LockedPackage {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const root = join(import.meta.dirname, '../..');
const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');
const locked = (JSON.parse(lockFile) as { packages: Record<string, LockedPackage> }).packages;

/** Placeholders of the lock file's `overrides`: they hold no code, and the app asks for none. */
const PLACEHOLDER = /-cuda|-mingw|^unzipper@/;
/** Builds of the text engine for other processors. npm installs them: they name no libc. */
const OTHER_PROCESSOR = /@node-llama-cpp\/linux-(?:arm|riscv)/;

let folder: string;
let packed: string;
let asked: string[];
let strangers: string[];

/** Where a package that `from` asks for is installed: beside it, or in a folder above. */
function installedPlace(from: string, name: string): string | null {
  const parts = from === '' ? [] : from.split('/node_modules/');
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const place = [...parts.slice(0, depth), name].join('/node_modules/');
    const path = place.startsWith('node_modules/') ? place : `node_modules/${place}`;
    if (locked[path] !== undefined) return path;
  }
  return null;
}

/** `name@version` of each package that the project runs with here, by the lock file. */
function packagesThatRun(): Set<string> {
  const places = new Set<string>();
  const follow = (place: string): void => {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = locked[place] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const next = installedPlace(place, name);
      if (next === null || places.has(next) || !existsSync(join(root, next))) continue;
      places.add(next);
      follow(next);
    }
  };
  follow('');
  return new Set([...places].map((place) => packageAt(join(root, place))));
}

function packageAt(path: string): string {
  const { name, version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, string>;
  return `${name}@${version}`;
}

interface ArchivedFile {
  files?: Record<string, ArchivedFile>;
}

/** Paths in an archive of Electron: a header of four numbers, then JSON. */
function archivedPaths(file: string): string[] {
  const bytes = readFileSync(file);
  const header = JSON.parse(bytes.subarray(16, 16 + bytes.readUInt32LE(12)).toString()) as ArchivedFile;
  const list = ({ files = {} }: ArchivedFile, path: string): string[] =>
    Object.entries(files).flatMap(([name, entry]) => [`${path}${name}`, ...list(entry, `${path}${name}/`)]);
  return list(header, '');
}

const unpacked = () => join(packed, 'resources/app.asar.unpacked');

describe.skipIf(process.platform !== 'linux')('a packed app', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry package '));
    await using mirror = new ElectronMirror(manifest.devDependencies.electron);
    const environment = await mirror.environment(join(folder, 'cache'));
    const args = [join(root, 'scripts/package.ts'), '--dir', `--output=${join(folder, 'release')}`];
    await promisify(execFile)(process.execPath, args, { cwd: root, env: { ...process.env, ...environment } });
    ({ asked, strangers } = mirror);
    const [name] = globSync('*-unpacked', { cwd: join(folder, 'release') });
    packed = join(folder, 'release', name ?? '');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('takes Electron from the mirror and nothing from elsewhere', () => {
    expect(asked.filter((path) => path.endsWith('.zip'))).toHaveLength(1);
    expect(strangers).toEqual([]);
  });

  test('has the program under the app’s name, with the fuses off, and Electron’s own files', () => {
    const kept = ['chrome-sandbox', 'icudtl.dat', 'locales/en-US.pak', 'LICENSE.electron.txt'];
    for (const file of kept) expect(existsSync(join(packed, file)), file).toBe(true);
    expect(existsSync(join(packed, 'resources/default_app.asar'))).toBe(false);
    // In the order of Electron's list of fuses.
    expect(fusesOf(readFileSync(join(packed, 'quarry')))).toBe('01001100');
  });

  test('holds the shell in the archive and what threads read beside it, and nothing else', () => {
    const paths = archivedPaths(join(packed, 'resources/app.asar'));
    expect(paths).toEqual(expect.arrayContaining([manifest.main, 'out/preload/index.cjs', 'package.json', 'LICENSE']));
    const top = new Set(paths.map((path) => path.split('/')[0]));
    expect([...top].sort()).toEqual(['LICENSE', 'node_modules', 'out', 'package.json', 'resources']);
    for (const file of ['main/server-process.mjs', 'main/workers/entry.mjs', 'renderer/index.html']) {
      expect(existsSync(join(unpacked(), 'out', file)), file).toBe(true);
    }
  });

  test('brings each package that runs, in its version, and no other', () => {
    const places = globSync('node_modules/**/package.json', { cwd: unpacked() })
      .map((file) => file.slice(0, -'/package.json'.length))
      .filter((place) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/.test(place));
    const brought = new Set(places.map((place) => packageAt(join(unpacked(), place))));
    const needed = packagesThatRun();
    expect(needed.size).toBeGreaterThan(200);
    expect([...brought].filter((name) => !needed.has(name))).toEqual([]);
    const missing = [...needed].filter((name) => !brought.has(name));
    expect(missing.filter((name) => !PLACEHOLDER.test(name) && !OTHER_PROCESSOR.test(name))).toEqual([]);
  });

  test('brings no sources, maps or builds for other systems', () => {
    expect(globSync('**/*.{ts,map}', { cwd: unpacked() })).toEqual([]);
    const builds = globSync('node_modules/better-sqlite3/prebuilds/*', { cwd: unpacked() });
    expect(builds.map((file) => file.split('/').at(-1))).toEqual([`linux-${process.arch}.node`]);
    expect(globSync('resources/{client,docker,screenshots,systemd}', { cwd: unpacked() })).toEqual([]);
  });

  test('reads a document: its server and workers run from the packed files', async () => {
    const data = join(folder, 'data');
    const entry = join(unpacked(), 'out/main/cli.mjs');
    const flags = ['serve', '--port', '0', '--log-level', 'fatal', '--data-dir', data];
    const server = spawn(process.execPath, [entry, ...flags], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      let said = '';
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await until(() => said.includes('\n') || server.exitCode !== null);
      const [, url] = /listening on (\S+)/.exec(said) ?? [];
      expect((await fetch(`${url}/`)).headers.get('content-type')).toContain('text/html');
      const body = new FormData();
      const report = readFileSync(join(unpacked(), 'resources/examples/harbour-report.docx'));
      body.set('file', new Blob([report]), 'harbour-report.docx');
      const authorization = `Bearer ${readFileSync(join(data, 'owner-token'), 'utf8').trim()}`;
      const headers = { authorization, prefer: 'wait=60' };
      const answer = await fetch(`${url}/v1/extract/doc`, { method: 'POST', headers, body });
      expect(await answer.text()).toContain('The harbour was dredged in spring.');
    } finally {
      const ended = new Promise((resolve) => server.once('close', resolve));
      server.kill('SIGTERM');
      await ended;
    }
  });
});
