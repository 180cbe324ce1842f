/**
 * Looks at the guards of the shell's sources in each folder that is named, one after the other, and prints which do not
 * hold: `{folder: [guard…]}`. Run with `--import test/electron/register-recording.ts`.
 */
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Recording, startRecording } from './recording-electron.ts';

const ORIGIN = 'http://127.0.0.1:8402';
const SESSION = { baseUrl: ORIGIN, ownerToken: 'secret' };
/** Looks like the appliance's own address, and is not. */
const ELSEWHERE = [
  'https://example.invalid/',
  'http://127.0.0.1.example.invalid:8402/',
  'http://127.0.0.1:8403/',
  'http://127.0.0.1:8402@example.invalid/',
  'https://127.0.0.1:8402/',
  'http://localhost:8402/',
  'file:///etc/passwd',
  'data:text/html,<p>',
  'javascript:alert(1)',
  'about:blank',
  'not an address',
];
const DANGEROUS = [
  'nodeIntegration',
  'nodeIntegrationInWorker',
  'nodeIntegrationInSubFrames',
  'allowRunningInsecureContent',
  'experimentalFeatures',
  'enableBlinkFeatures',
  'webviewTag',
];
const PROTECTIVE = ['contextIsolation', 'sandbox', 'webSecurity'];

interface Contents {
  emit(event: string, detail: object): boolean;
  openHandler: ((details: { url: string }) => { action: string }) | null;
}

interface Shell {
  recording: Recording;
  contents: Contents;
  /** Imports a source of this folder. */
  load(name: string): Promise<Record<string, (...args: never[]) => unknown>>;
}

/** Whether an event that can be prevented was not. */
function passes(contents: Contents, event: string, detail: object): boolean {
  let passed = true;
  const preventDefault = () => {
    passed = false;
  };
  contents.emit(event, { ...detail, preventDefault });
  return passed;
}

function onlyOwn(contents: Contents, event: string, detail: object = {}): void {
  for (const url of ELSEWHERE) assert.equal(passes(contents, event, { url, ...detail }), false, `${event} to ${url}`);
  assert.equal(passes(contents, event, { url: `${ORIGIN}/jobs`, ...detail }), true, `${event} within`);
}

const GUARDS: Record<string, (shell: Shell) => void | Promise<void>> = {
  'the window switches every protection on and nothing dangerous': ({ recording }) => {
    const { webPreferences = {} } = recording.windows[0] ?? {};
    for (const name of PROTECTIVE) assert.equal(webPreferences[name], true, name);
    for (const name of DANGEROUS) assert.ok(!webPreferences[name], name);
  },
  'the spell checker fetches no dictionaries: it is that of macOS, or off': ({ recording }) => {
    const isMac = process.platform === 'darwin';
    assert.equal(recording.windows[0]?.webPreferences?.spellcheck, isMac);
    assert.equal(recording.spellChecker, isMac);
  },
  'crash reports are kept, and sent to nobody': async ({ recording, load }) => {
    await load('index');
    assert.deepEqual(recording.crashReporter, { uploadToServer: false, compress: true });
  },
  'the page navigates within its origin alone': ({ contents }) => onlyOwn(contents, 'will-navigate'),
  'the page is redirected within its origin alone': ({ contents }) => onlyOwn(contents, 'will-redirect'),
  'frames stay within the origin': ({ contents }) => onlyOwn(contents, 'will-frame-navigate', { isMainFrame: false }),
  'no page is embedded': ({ contents }) => assert.equal(passes(contents, 'will-attach-webview', {}), false),
  'no second window opens': ({ contents }) => {
    for (const url of [...ELSEWHERE, `${ORIGIN}/`]) assert.equal(contents.openHandler?.({ url }).action, 'deny', url);
  },
  'only https goes to the browser': ({ contents, recording }) => {
    recording.opened.length = 0;
    const links = [
      ...ELSEWHERE,
      'mailto:a@example.invalid',
      'ms-settings:',
      'smb://host/share',
      'HTTPS://example.invalid/',
    ];
    for (const url of links) contents.openHandler?.({ url });
    assert.deepEqual(recording.opened, [
      'https://example.invalid/',
      'https://127.0.0.1:8402/',
      'HTTPS://example.invalid/',
    ]);
  },
  'permissions are refused, but for copying on the own page': ({ recording }) => {
    const ask = (permission: string, requestingUrl: string) => {
      let given: boolean | null = null;
      const answer = (allow: boolean) => {
        given = allow;
      };
      const details = { requestingUrl, isMainFrame: true };
      recording.permissionRequest?.(...([{ getURL: () => ORIGIN }, permission, answer, details] as never[]));
      const checked = recording.permissionCheck?.(...([null, permission, requestingUrl, details] as never[]));
      assert.equal(given, checked, `${permission} for ${requestingUrl}`);
      return given;
    };
    for (const permission of [
      'media',
      'geolocation',
      'notifications',
      'clipboard-read',
      'openExternal',
      'usb',
      'hid',
    ]) {
      assert.equal(ask(permission, `${ORIGIN}/`), false, permission);
    }
    for (const url of ELSEWHERE) assert.equal(ask('clipboard-sanitized-write', url), false, url);
    assert.equal(ask('clipboard-sanitized-write', `${ORIGIN}/jobs`), true);
  },
  'the own page alone gets a sign-in code': async ({ recording, load }) => {
    const { handlePageRequests } = await load('window');
    const parts = { session: () => SESSION, origin: () => ORIGIN, codeFor: async () => 'code' };
    handlePageRequests?.(...([parts] as never[]));
    const ask = (senderFrame: unknown) =>
      recording.handlers.get('quarry:sign-in-code')?.(...([{ senderFrame }] as never[]));
    assert.equal(await ask({ url: `${ORIGIN}/jobs`, parent: null }), 'code');
    for (const url of ELSEWHERE) assert.throws(() => ask({ url, parent: null }), url);
    assert.throws(() => ask({ url: `${ORIGIN}/`, parent: {} }), 'a frame inside the page');
    assert.throws(() => ask(null), 'a frame that is gone');
  },
  'the own page alone chooses a folder': async ({ recording, load }) => {
    const { handlePageRequests } = await load('window');
    const parts = { session: () => SESSION, origin: () => ORIGIN, codeFor: async () => 'code' };
    handlePageRequests?.(...([parts] as never[]));
    const ask = (senderFrame: unknown) =>
      recording.handlers.get('quarry:choose-folder')?.(...([{ senderFrame, sender: {} }] as never[]));
    for (const url of ELSEWHERE) assert.throws(() => ask({ url, parent: null }), url);
    assert.throws(() => ask({ url: `${ORIGIN}/`, parent: {} }), 'a frame inside the page');
    assert.throws(() => ask(null), 'a frame that is gone');
    assert.equal(await ask({ url: `${ORIGIN}/watches`, parent: null }), '/chosen');
  },
  'the own page alone shows a folder, by its full path': async ({ recording, load }) => {
    const { handlePageRequests } = await load('window');
    const parts = { session: () => SESSION, origin: () => ORIGIN, codeFor: async () => 'code' };
    handlePageRequests?.(...([parts] as never[]));
    const ask = (senderFrame: unknown, path: unknown) =>
      recording.handlers.get('quarry:show-folder')?.(...([{ senderFrame }, path] as never[]));
    for (const url of ELSEWHERE) assert.throws(() => ask({ url, parent: null }, '/data'), url);
    assert.throws(() => ask({ url: `${ORIGIN}/`, parent: {} }, '/data'), 'a frame inside the page');
    const before = recording.calls.length;
    for (const path of ['data', '', null, { path: '/data' }]) ask({ url: `${ORIGIN}/settings`, parent: null }, path);
    assert.deepEqual(recording.calls.slice(before), []);
    ask({ url: `${ORIGIN}/settings`, parent: null }, '/data');
    assert.deepEqual(recording.calls.slice(before), ['show /data']);
  },
  'the page gets four functions and nothing of Electron': async ({ recording, load }) => {
    await load('preload');
    assert.deepEqual([...recording.exposed.keys()], ['quarry']);
    const bridge = recording.exposed.get('quarry') ?? {};
    assert.deepEqual(Object.keys(bridge), ['signInCode', 'chooseFolder', 'showFolder', 'showLanguage']);
    const before = recording.calls.length;
    // Whatever the page hands in is not passed on.
    (bridge.signInCode as (...args: unknown[]) => unknown)('quarry:other', 'more');
    (bridge.chooseFolder as (...args: unknown[]) => unknown)('quarry:other', 'more');
    assert.deepEqual(recording.calls.slice(before), ['invoke quarry:sign-in-code', 'invoke quarry:choose-folder']);
  },
  'a link chooses a page of the dashboard and nothing else': async ({ load }) => {
    const { pathOfLink } = await load('arguments');
    const path = (link: string) => pathOfLink?.(...([link] as never[]));
    assert.equal(path('quarry://jobs/job_abc'), '/jobs/job_abc');
    for (const rest of [
      '../admin',
      'admin/overview',
      'v1/jobs',
      'jobs?x=1',
      'jobs#x',
      '/evil.invalid',
      'jobs/%2e%2e',
      'login',
    ]) {
      assert.equal(path(`quarry://${rest}`), null, rest);
    }
    assert.equal(path('https://jobs/job_abc'), null);
  },
  'the sandbox is on, and one instance made sure of, before anything is ready': async ({ recording, load }) => {
    await load('index');
    const { calls } = recording;
    const ready = calls.indexOf('whenReady');
    assert.ok(ready >= 0, 'it waits until Electron is ready');
    for (const call of ['requestSingleInstanceLock', 'enableSandbox']) {
      assert.ok(calls.includes(call) && calls.indexOf(call) < ready, call);
    }
  },
};

async function check(folder: string): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, guard] of Object.entries(GUARDS)) {
    const recording = startRecording();
    const load = (file: string) =>
      import(`${pathToFileURL(join(folder, `${file}.ts`)).href}?${encodeURIComponent(name)}`);
    try {
      const { guardAllPages, openWindow } = await load('window');
      guardAllPages(() => ORIGIN);
      const { webContents } = openWindow({ preloadFile: 'preload.cjs', stateFile: join(folder, 'no-state.json') });
      await guard({ recording, contents: webContents, load });
    } catch (error) {
      if (process.env.GUARDS_TELL === '1') process.stderr.write(`${name}: ${(error as Error).message}\n`);
      failed.push(name);
    }
  }
  return failed;
}

const results: Record<string, string[]> = {};
for (const folder of process.argv.slice(2)) results[folder] = await check(folder);
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
