/**
 * Electron's security checklist against the shell's sources, and the proof that each check can fail: every guard is
 * broken once, in a copy, and has to be missed by name.
 */
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packaging from '../../electron-builder.config.ts';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SHELL = join(ROOT, 'src-main');
const CHECK = join(ROOT, 'test/electron/check-guards.ts');
const REGISTER = new URL('../electron/register-recording.ts', import.meta.url).href;

interface Bug {
  /** The guard that has to notice. */
  guard: string;
  file: string;
  find: string;
  put: string;
}

const WINDOW = 'the window switches every protection on and nothing dangerous';
const SPELLING = 'the spell checker fetches no dictionaries: it is that of macOS, or off';
const bug = (guard: string, file: string, find: string, put: string): Bug => ({ guard, file, find, put });

const BUGS: readonly Bug[] = [
  bug(WINDOW, 'window', 'contextIsolation: true', 'contextIsolation: false'),
  bug(WINDOW, 'window', 'nodeIntegration: false', 'nodeIntegration: true'),
  bug(WINDOW, 'window', 'sandbox: true', 'sandbox: false'),
  bug(WINDOW, 'window', 'webSecurity: true', 'webSecurity: false'),
  bug(WINDOW, 'window', 'webSecurity: true', 'webSecurity: true, allowRunningInsecureContent: true'),
  bug(WINDOW, 'window', 'webSecurity: true', 'webSecurity: true, webviewTag: true'),
  bug(SPELLING, 'window', '      spellcheck: CHECKS_SPELLING,\n', ''),
  bug(SPELLING, 'window', '  session.defaultSession.setSpellCheckerEnabled(CHECKS_SPELLING);\n', ''),
  bug('crash reports are kept, and sent to nobody', 'crash-reports', 'uploadToServer: false', 'uploadToServer: true'),
  bug(
    'the page navigates within its origin alone',
    'window',
    "contents.on('will-navigate'",
    "contents.on('did-navigate'",
  ),
  bug(
    'the page navigates within its origin alone',
    'window',
    'new URL(address).origin === new URL(origin).origin',
    'address.startsWith(origin)',
  ),
  bug('the page is redirected within its origin alone', 'window', "'will-redirect'", "'did-redirect-navigation'"),
  bug('frames stay within the origin', 'window', '!event.isMainFrame &&', 'event.isMainFrame &&'),
  bug('no page is embedded', 'window', "contents.on('will-attach-webview', (event) => event.preventDefault());", ''),
  bug('no second window opens', 'window', "action: 'deny'", "action: 'allow'"),
  bug('only https goes to the browser', 'window', "new URL(address).protocol === 'https:'", 'true'),
  bug('only https goes to the browser', 'window', "protocol === 'https:'", "protocol.startsWith('http')"),
  bug(
    'permissions are refused, but for copying on the own page',
    'window',
    'ALLOWED_PERMISSIONS.has(permission) && ',
    '',
  ),
  bug('permissions are refused, but for copying on the own page', 'window', ' && isOwnAddress(from, origin())', ''),
  bug(
    'permissions are refused, but for copying on the own page',
    'window',
    'isPermissionAllowed(permission, requestingUrl)',
    'isPermissionAllowed(permission, _contents.getURL())',
  ),
  bug('the own page alone gets a sign-in code', 'window', 'senderFrame.parent === null && ', ''),
  bug('the own page alone gets a sign-in code', 'window', ' && isOwnAddress(senderFrame.url, origin)', ''),
  bug('the own page alone gets a sign-in code', 'window', '|| !isOwnPage(event, deps.origin())', ''),
  bug(
    'the own page alone chooses a folder',
    'window',
    "    if (!isOwnPage(event, deps.origin())) throw new Error('This page cannot choose a folder.');\n",
    '',
  ),
  bug(
    'the own page alone shows a folder, by its full path',
    'window',
    "    if (!isOwnPage(event, deps.origin())) throw new Error('This page cannot show a folder.');\n",
    '',
  ),
  bug('the own page alone shows a folder, by its full path', 'window', ' && isAbsolute(path)', ''),
  bug(
    'the page gets four functions and nothing of Electron',
    'preload',
    "exposeInMainWorld('quarry', bridge)",
    "exposeInMainWorld('quarry', { ...bridge, ipcRenderer })",
  ),
  bug(
    'the page gets four functions and nothing of Electron',
    'preload',
    "() => ipcRenderer.invoke('quarry:sign-in-code')",
    '(...all) => ipcRenderer.invoke(...all)',
  ),
  bug('a link chooses a page of the dashboard and nothing else', 'arguments', ' && PAGES.includes(page)', ''),
  bug('a link chooses a page of the dashboard and nothing else', 'arguments', 'PAGE_PATH.test(path) && ', ''),
  bug(
    'the sandbox is on, and one instance made sure of, before anything is ready',
    'index',
    '  app.enableSandbox();\n',
    '',
  ),
  bug(
    'the sandbox is on, and one instance made sure of, before anything is ready',
    'index',
    'app.requestSingleInstanceLock({ ...handover })',
    'true',
  ),
];

let folder: string;
let broken: Record<string, string[]>;

const copyOf = (index: number) => join(folder, String(index), 'src-main');

/** A copy of the shell with one guard broken. */
function plant({ file, find, put }: Bug, index: number): void {
  cpSync(SHELL, copyOf(index), { recursive: true });
  const path = join(copyOf(index), `${file}.ts`);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${file}.ts does not say once: ${find}`);
  writeFileSync(path, source.replace(find, put));
}

describe('the guards of the desktop shell', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quarry guards '));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    BUGS.forEach(plant);
    const folders = [SHELL, ...BUGS.keys().map(copyOf)];
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', REGISTER, CHECK, ...folders]);
    broken = JSON.parse(stdout) as Record<string, string[]>;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('all hold', () => {
    expect(broken[SHELL]).toEqual([]);
  });

  test.each(
    BUGS.map(
      (one, index) => [one.guard, one.put === '' ? `without ${one.find.trim()}` : one.put.trim(), index] as const,
    ),
  )('that “%s” is missed where it says: %s', (guard, _put, index) => {
    expect(broken[copyOf(index)]).toContain(guard);
  });
});

/** What is wrong with the way the app is packed, by Electron's checklist (fuses, archive) and the product's own rules. */
function packagingFaults(build: Omit<typeof packaging, 'asar'> & { asar: boolean }): string[] {
  const off = ['runAsNode', 'enableNodeOptionsEnvironmentVariable', 'enableNodeCliInspectArguments'] as const;
  const on = ['enableCookieEncryption', 'enableEmbeddedAsarIntegrityValidation', 'onlyLoadAppFromAsar'] as const;
  const fuses = build.electronFuses;
  return [
    ...off.filter((name) => fuses[name] !== false),
    ...on.filter((name) => fuses[name] !== true),
    ...(fuses.grantFileProtocolExtraPrivileges === false ? [] : ['grantFileProtocolExtraPrivileges']),
    ...(build.asar === true ? [] : ['asar']),
    // The shell itself lies inside the archive, which is what its integrity is checked for.
    ...(build.asarUnpack.some((pattern) => pattern.includes('preload')) ? ['the preload is unpacked'] : []),
    ...(build.publish === null ? [] : ['publish']),
    ...(build.mac.hardenedRuntime ? [] : ['hardenedRuntime']),
  ];
}

/** What is wrong with a page's policy: its scripts must be its own, and nobody may frame it. */
function policyFaults(policy: string): string[] {
  const parts = new Map(
    policy
      .split(';')
      .map((part) => part.trim().split(/\s+/))
      .map(([name, ...from]) => [name, from]),
  );
  const scripts = parts.get('script-src') ?? parts.get('default-src') ?? ['*'];
  const foreign = ['*', 'http:', 'https:', 'data:', 'blob:', "'unsafe-inline'", "'unsafe-eval'"];
  return [
    ...scripts.filter((from) => foreign.includes(from)),
    ...(parts.get('default-src')?.join() === "'self'" ? [] : ['default-src']),
    ...(parts.get('frame-ancestors')?.join() === "'none'" ? [] : ['frame-ancestors']),
    ...(parts.get('object-src')?.join() === "'none'" ? [] : ['object-src']),
    ...['connect-src', 'frame-src', 'form-action'].filter((name) =>
      parts.get(name)?.some((from) => foreign.includes(from)),
    ),
  ];
}

describe('the package and the page of the desktop shell', () => {
  test('are packed as the checklist wants it, and each deviation is noticed', () => {
    const build = packaging;
    expect(packagingFaults(build)).toEqual([]);
    for (const name of Object.keys(build.electronFuses) as (keyof typeof build.electronFuses)[]) {
      // It is about how fast the app starts.
      if (name === 'loadBrowserProcessSpecificV8Snapshot') continue;
      const electronFuses = { ...build.electronFuses, [name]: !build.electronFuses[name] };
      expect(packagingFaults({ ...build, electronFuses }), name).toEqual([name]);
    }
    expect(packagingFaults({ ...build, asar: false })).toEqual(['asar']);
    expect(packagingFaults({ ...build, asarUnpack: ['out/preload/**'] })).toEqual(['the preload is unpacked']);
  });

  test('have a policy that lets in nobody else’s script, and each hole in it is noticed', () => {
    const source = readFileSync(join(ROOT, 'src-server/features/dashboard/static-files.ts'), 'utf8');
    const policy = [...source.matchAll(/"((?:default|[a-z]+)-[a-z]+ [^"]*)"/g)].map(([, part]) => part).join('; ');
    expect(policyFaults(policy)).toEqual([]);
    expect(policyFaults(policy.replace("default-src 'self'", "default-src 'self' https:"))).toContain('default-src');
    expect(policyFaults(`${policy}; script-src 'self' 'unsafe-eval'`)).toContain("'unsafe-eval'");
    expect(policyFaults(policy.replace("frame-ancestors 'none'", ''))).toContain('frame-ancestors');
    expect(policyFaults(policy.replace(/connect-src [^;]*/, 'connect-src *'))).toContain('connect-src');
  });

  test('run on one certain Electron, which has the events that its stand-ins raise', () => {
    expect(manifest.devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
    const types = readFileSync(join(ROOT, 'node_modules/electron/electron.d.ts'), 'utf8');
    const raised = globSync('test/electron/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:emit|#isAllowed)\('([\w-]+)'/g)].map(
        ([, event]) => event,
      ),
    );
    expect(raised.length).toBeGreaterThan(10);
    expect([...new Set(raised)].filter((event) => !types.includes(`(event: '${event}'`))).toEqual([]);
  });
});
