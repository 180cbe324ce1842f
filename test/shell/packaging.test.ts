/** What can be known of the packages without Electron: the rest is seen by making one, `npm run package -- --dir`. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join, matchesGlob } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parseSync } from 'vite';
import { beforeAll, describe, expect, test } from 'vitest';
import build from '../../electron-builder.config.ts';
import manifest from '../../package.json' with { type: 'json' };
import { ensureBuilt } from '../../scripts/build.ts';
import { configurationOf, packageApp, readOrder } from '../../scripts/package.ts';
import { azureSigning, missingCredentials, missingNativeParts, releaseNotes } from '../../scripts/packaging/release.ts';

const root = dirname(dirname(import.meta.dirname));
const requireHere = createRequire(import.meta.url);

/** Installed packages that the built files import by name; not Electron, which is what runs them. */
function packagesAskedFor(): string[] {
  const asked = globSync('out/main/**/*.mjs', { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
    const named = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '.')),
    ];
    const late = dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start, end));
    return [...named, ...late.flatMap((quoted) => /^(["'`])([^"'`$]+)\1$/.exec(quoted)?.[2] ?? [])];
  });
  const names = asked
    .filter((name) => !name.startsWith('.') && name !== 'electron' && !isBuiltin(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
  return [...new Set(names)].sort();
}

function isPacked(path: string): boolean {
  const takes = (pattern: string) => matchesGlob(path, pattern);
  const [no, yes] = [true, false].map((inverse) =>
    build.files.filter((pattern) => pattern.startsWith('!') === inverse).map((pattern) => pattern.replace('!', '')),
  );
  return (yes ?? []).some(takes) && !(no ?? []).some(takes);
}

beforeAll(ensureBuilt);

const run = promisify(execFile);

describe('the packed project', () => {
  test('holds all that the command quarry starts, and no source', async () => {
    const options = { cwd: root, shell: process.platform === 'win32' };
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options);
    const [packed] = Object.values<{ files: { path: string }[] }>(JSON.parse(stdout));
    const files = new Set(packed?.files.map(({ path }) => path));
    expect([...files]).toEqual(
      expect.arrayContaining([
        manifest.bin.quarry,
        manifest.main,
        'out/main/cli.mjs',
        'out/main/launch.mjs',
        'out/main/workers/entry.mjs',
        'out/renderer/index.html',
        'resources/examples/harbour-report.docx',
      ]),
    );
    expect([...files].filter((path) => /^(?:src-|test|workers|bench|node_modules)|\.tsx?$/.test(path))).toEqual([]);
  });

  test('starts the server’s commands by its command quarry', async () => {
    const { stdout } = await run(process.execPath, [join(root, manifest.bin.quarry), 'help']);
    expect(stdout).toContain('token    Print the owner token');
  });
});

const AZURE = {
  AZURE_TENANT_ID: 'tenant',
  AZURE_CLIENT_ID: 'client',
  AZURE_CLIENT_SECRET: 'secret',
  QUARRY_SIGN_ENDPOINT: 'https://127.0.0.1/',
  QUARRY_SIGN_ACCOUNT: 'account',
  QUARRY_SIGN_PROFILE: 'profile',
  QUARRY_SIGN_PUBLISHER: 'Publisher',
};

describe('a release of the desktop app', () => {
  test('names the credentials that are missing, by the way to sign that was begun', () => {
    expect(missingCredentials('linux', {})).toEqual([]);
    const apple = { CSC_LINK: 'a', CSC_KEY_PASSWORD: 'b', APPLE_ID: 'c', APPLE_TEAM_ID: 'd' };
    expect(missingCredentials('darwin', apple)).toEqual(['APPLE_APP_SPECIFIC_PASSWORD']);
    expect(missingCredentials('darwin', { ...apple, APPLE_APP_SPECIFIC_PASSWORD: 'e' })).toEqual([]);
    expect(missingCredentials('win32', { WIN_CSC_LINK: 'a' })).toEqual(['WIN_CSC_KEY_PASSWORD']);
    expect(missingCredentials('win32', AZURE)).toEqual([]);
    expect(azureSigning({ ...AZURE, QUARRY_SIGN_PROFILE: '' })).toBeNull();
  });

  test('is signed, notarised and hardened; a package for trying asks for no certificate', () => {
    const release = configurationOf(readOrder(['--mac', '--release']), {});
    expect(release).toMatchObject({ forceCodeSigning: true, mac: { hardenedRuntime: true, notarize: true } });
    const entitlements = readFileSync(join(root, release.mac?.entitlements ?? ''), 'utf8');
    expect([...entitlements.matchAll(/<key>(.*)<\/key>/g)].map(([, key]) => key)).toEqual([
      'com.apple.security.cs.allow-jit',
    ]);
    const trial = configurationOf(readOrder(['--mac']), {});
    expect(trial).toMatchObject({ mac: { identity: '-', notarize: false } });
    expect(trial).not.toHaveProperty('forceCodeSigning');
    const windows = configurationOf(readOrder(['--win', '--release']), AZURE);
    expect(windows.win?.azureSignOptions).toMatchObject({ publisherName: 'Publisher' });
  });

  test('says what changed, from the changelog', () => {
    const log =
      '# Changelog\n\n## [1.1.0] - 2026-01-02\n\n- New\n\n### More\n\n- Two\n\n## 1.0.0\n\n- First\n## 0.9.0\n';
    expect(releaseNotes(log, '1.1.0')).toBe('- New\n\n### More\n\n- Two');
    expect(releaseNotes(log.replaceAll('\n', '\r\n'), '1.0.0')).toBe('- First');
    expect(releaseNotes(log, '0.9.0')).toBeNull();
    expect(releaseNotes(log, '1.1')).toBeNull();
    const { version } = manifest;
    const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
    expect(notes, `CHANGELOG.md describes ${version}`).not.toBeNull();
    expect(configurationOf(readOrder([]), {}).releaseInfo).toEqual({ releaseNotes: notes });
  });
});

describe('the packages of the desktop app', () => {
  test('are described as electron-builder understands it', () => {
    const builder = requireHere.resolve('electron-builder');
    const schema = JSON.parse(readFileSync(createRequire(builder).resolve('app-builder-lib/scheme.json'), 'utf8'));
    const check = new Ajv({ strict: false, allErrors: true }).compile(schema);
    const orders = [['--dir'], ['--release'], ['--mac', '--arm64'], ['--win', '--release']].map((flags) =>
      readOrder(flags),
    );
    const signed = { QUARRY_UPDATE_FEED: 'https://127.0.0.1/', ...AZURE };
    const made = orders.flatMap((order) => [configurationOf(order, {}), configurationOf(order, signed)]);
    for (const configuration of [build, ...made]) {
      check(configuration);
      expect(check.errors ?? []).toEqual([]);
    }
  });

  // Vitest replaces the module `electron`; a maker's Node has only the package, which gives a path.
  test('are configured by a script that plain Node can load', async () => {
    const script = `const { configurationOf, readOrder } = await import(${JSON.stringify(join(root, 'scripts/package.ts'))});
      process.stdout.write(JSON.stringify(configurationOf(readOrder(['--dir']), {})));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(configurationOf(readOrder(['--dir']), {}))));
  });

  test('are made for Linux, macOS and Windows, and fetch or compile nothing for their native parts', () => {
    expect([build.linux.target, build.mac.target, build.win.target]).toEqual([
      ['AppImage', 'deb'],
      // The system's own updater takes nothing but the zip.
      ['dmg', 'zip'],
      ['nsis'],
    ]);
    expect(build.npmRebuild).toBe(false);
  });

  test('hold every file that the app starts, and each is built', () => {
    const started = [
      manifest.main,
      'out/main/server-process.mjs',
      'out/main/workers/entry.mjs',
      'out/preload/index.cjs',
      'out/renderer/index.html',
      'resources/tray.png',
      'LICENSE',
      'package.json',
    ];
    for (const path of started) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(isPacked(path), path).toBe(true);
    }
  });

  test('name icons that are there and large enough for every platform', () => {
    const header = readFileSync(join(root, build.icon)).subarray(0, 24);
    expect(header.subarray(1, 4).toString()).toBe('PNG');
    expect(header.readUInt32BE(16)).toBeGreaterThanOrEqual(512);
    expect(existsSync(join(root, build.directories.buildResources))).toBe(true);
  });

  test('leave out sources, tests and what only makes or marks the build', () => {
    const around = ['src-server/app.ts', 'tsconfig.json', 'out/.build-stamp', 'out/release/a', '.npmrc'];
    for (const path of [...around, 'node_modules/@foundry-rs/anvil-linux-amd64/package.json']) {
      expect(isPacked(path), path).toBe(false);
    }
  });

  test('lay outside the archive everything that the server process and its workers read', () => {
    const unpacked = (path: string) => build.asarUnpack.some((pattern) => matchesGlob(path, pattern));
    for (const path of [
      'out/main/server-process.mjs',
      'out/main/workers/entry.mjs',
      'out/renderer/index.html',
      'resources/reference/jobs.md',
      'node_modules/better-sqlite3/package.json',
      'node_modules/ffmpeg-static/ffmpeg',
    ]) {
      expect(unpacked(path), path).toBe(true);
    }
  });

  test('bring every package that the built files ask for', () => {
    const brought = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies)]);
    const asked = packagesAskedFor();
    expect(asked).toContain('electron-updater');
    expect(asked.filter((name) => !brought.has(name))).toEqual([]);
  });

  test('have the fuses off that let others drive the app', () => {
    expect(build.electronFuses).toMatchObject({
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      grantFileProtocolExtraPrivileges: false,
      onlyLoadAppFromAsar: true,
      enableEmbeddedAsarIntegrityValidation: true,
      enableCookieEncryption: true,
    });
  });

  test('cannot be run as Node, and fork nothing that way: child programs are started by the shell', () => {
    const forks = globSync(['src-server/**/*.ts', 'workers/**/*.ts'], { cwd: root }).filter((file) =>
      /import \{[^}]*\bfork\b[^}]*\} from 'node:child_process'/.test(readFileSync(join(root, file), 'utf8')),
    );
    // This one is used where there is no shell; the test of the shell's children shows that it is not where there is.
    expect(forks).toEqual(['src-server/platform/rpc/child-process.ts']);
    expect(build.electronFuses.runAsNode).toBe(false);
  });

  test('are not made with a place for updates that is not https', async () => {
    await expect(packageApp(['--dir'], { QUARRY_UPDATE_FEED: 'http://127.0.0.1/' })).rejects.toThrow('https');
  });

  test('are not made for a processor or system whose native parts are not installed', async () => {
    const other = process.arch === 'arm64' ? '--x64' : '--arm64';
    await expect(packageApp([other, '--dir'], {})).rejects.toThrow('sherpa-onnx-');
    await expect(packageApp(['--x64', '--arm64'], {})).rejects.toThrow('Name one of');
    await expect(packageApp(['--linx'], {})).rejects.toThrow('Unknown flag --linx');
    expect(missingNativeParts('win32', 'x64', '/nowhere')).toEqual([
      'sherpa-onnx-win-x64',
      '@seydx/node-av-win32-x64-msvc',
      'sqlite-vec-windows-x64',
    ]);
  });
});
