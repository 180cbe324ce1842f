import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { DrivenShell, HeadlessServer, ShellFolder, signedIn } from '../electron/drive-shell.ts';
import { chromiumFile } from '../harness/chromium.ts';

/** The built shell against a stand-in for Electron, with a real server, a real preload and a real Chromium page. */
describe.skipIf(chromiumFile() === null)('the page of the desktop shell (needs chromium)', () => {
  let folder: ShellFolder;
  let shell: DrivenShell;

  beforeAll(async () => {
    await ensureBuilt();
    folder = new ShellFolder();
    shell = new DrivenShell(folder);
    await shell.page();
  });

  afterAll(async () => {
    await shell[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test('opens one window on its own server and is signed in there by itself', async () => {
    const address = await shell.page();
    expect(address.protocol).toBe('http:');
    expect(address.hostname).toBe('127.0.0.1');
    await signedIn(shell);
    expect(shell.stdout).toBe(`Quarry is listening on ${address.origin}\n`);
    expect(shell.all('window')).toHaveLength(1);
    expect(shell.all('tray')).toEqual([{ iconFound: true }]);
  });

  test('gives its page no Node, no Electron and no more than four functions', async () => {
    const [window] = shell.all('window') as [{ webPreferences: Record<string, unknown> }];
    expect(window.webPreferences).toMatchObject({
      contextIsolation: true,
      nodeIntegration: false,
      sandbox: true,
      webSecurity: true,
    });
    expect(shell.all('sandbox')).toHaveLength(1);
    expect(await shell.tell('run-in-page', 'Object.keys(window.quarry)')).toEqual([
      'signInCode',
      'chooseFolder',
      'showFolder',
      'showLanguage',
    ]);
    expect(await shell.tell('run-in-page', '[typeof process, typeof require].join()')).toBe('undefined,undefined');
  });

  test('gives no sign-in code to frames inside its page', async () => {
    const asked = shell.tell(
      'run-in-page',
      `new Promise((resolve, reject) => {
        const frame = document.body.appendChild(document.createElement('iframe'));
        frame.contentWindow.ipcInvoke('quarry:sign-in-code', []).then(resolve, (error) => reject(error.message));
      })`,
    );
    await expect(asked).rejects.toThrow('This page cannot get a sign-in code.');
  });

  test('never leaves its origin: https goes to the browser, everything else nowhere', async () => {
    const { origin, port } = await shell.page();
    await shell.tell('run-in-page', 'void (location.href = "https://example.invalid/page")');
    expect(await shell.saw('navigation-refused')).toBe('https://example.invalid/page');
    expect(await shell.saw('open-external')).toBe('https://example.invalid/page');
    await shell.tell('run-in-page', `void (location.href = "http://127.0.0.1.example.invalid:${port}/")`);
    await shell.saw('navigation-refused', 2);
    await shell.tell('run-in-page', 'void window.open("https://example.invalid/other")');
    expect(await shell.saw('open-external', 2)).toBe('https://example.invalid/other');
    expect(shell.all('navigated')).toEqual([]);
    expect(shell.all('open-external')).toHaveLength(2);
    expect(new URL(await shell.tell<string>('address')).origin).toBe(origin);
  });

  test('takes no page by redirect from elsewhere, no file, and no page inside its page', async () => {
    const { origin } = await shell.page();
    expect(await shell.tell('redirect', 'https://example.invalid/')).toBe(false);
    expect(await shell.tell('redirect', 'file:///etc/passwd')).toBe(false);
    expect(await shell.tell('redirect', `${origin}/jobs`)).toBe(true);
    expect(await shell.tell('attach-webview')).toBe(false);
    expect(await shell.tell('navigate-frame', 'https://example.invalid/', false)).toBe(false);
    expect(await shell.tell('navigate-frame', `${origin}/jobs`, false)).toBe(true);
  });

  test('its page may run its own scripts alone, and be framed by none', async () => {
    const { origin } = await shell.page();
    const policy = (await fetch(origin)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src[^;]*'unsafe|unsafe-eval/);
  });

  test('refuses permissions, but for copying on its own page', async () => {
    const { origin } = await shell.page();
    expect(await shell.tell('request-permission', 'geolocation', `${origin}/`)).toBe(false);
    expect(await shell.tell('request-permission', 'clipboard-sanitized-write', `${origin}/`)).toBe(true);
    expect(await shell.tell('request-permission', 'clipboard-sanitized-write', 'https://example.invalid/')).toBe(false);
    expect(await shell.tell('check-permission', 'media', `${origin}/`)).toBe(false);
    expect(await shell.tell('check-permission', 'clipboard-sanitized-write', 'https://example.invalid/')).toBe(false);
    expect(await shell.tell('check-permission', 'clipboard-sanitized-write', `${origin}/`)).toBe(true);
  });
});

describe.skipIf(chromiumFile() === null)('the life of the desktop shell (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('a second start brings the first one’s window forward and ends', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    const focused = shell.all('focus').length;
    const second = new DrivenShell(folder);
    expect(await second.ended()).toBe(0);
    expect(second.stderr).toContain('already open');
    expect(second.all('fork')).toEqual([]);
    await shell.saw('focus', focused + 1);
  });

  test('opens the page that a link names, and no other address', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    const { origin } = await shell.page();
    await shell.tell('open-link', 'quarry://jobs/job_abc');
    expect((await shell.page(2)).href).toBe(`${origin}/jobs/job_abc`);
    const focused = shell.all('focus').length;
    await shell.tell('open-link', 'quarry://../admin?x=1');
    await shell.saw('focus', focused + 1);
    expect(shell.all('loaded')).toHaveLength(2);
  });

  test('goes on serving while its window is closed, and opens it again in its place', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    const { origin } = await shell.page();
    await shell.tell('close-window');
    await shell.saw('window-closed');
    expect((await fetch(`${origin}/health`)).ok).toBe(true);
    await shell.tell('tray-click');
    await shell.page(2);
    const [first, again] = shell.all('window') as Record<string, unknown>[];
    expect(first).not.toHaveProperty('x');
    expect(again).toMatchObject({ x: 10, y: 20 });
    expect(shell.all('maximize')).toEqual([]);
    await shell.tell('maximize-window');
    await shell.tell('close-window');
    await shell.saw('window-closed', 2);
    await shell.tell('tray-click');
    await shell.page(3);
    await shell.saw('maximize', 2);
  });

  test('starts a server that died again and shows its page anew', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    const { pid } = await shell.saw<{ pid: number }>('fork');
    process.kill(pid, 'SIGKILL');
    await shell.saw('fork', 2);
    await shell.page(2);
    await signedIn(shell);
    expect(shell.all('window')).toHaveLength(1);
  });

  test('quits in order: the server has closed its data folder before the app is gone', async () => {
    using folder = new ShellFolder();
    const shell = new DrivenShell(folder);
    const { origin } = await shell.page();
    await shell.tell('tray-menu', 'Quit Quarry').catch(() => undefined);
    expect(await shell.ended()).toBe(0);
    expect(shell.all('server-exit')).toEqual([0]);
    expect(shell.reports.map(({ event }) => event).slice(-3)).toEqual(['tray-gone', 'window-closed', 'server-exit']);
    await expect(fetch(`${origin}/health`)).rejects.toThrow();
  });

  test('a server that cannot start is told to the user, and the app ends with an error', async () => {
    using folder = new ShellFolder();
    const shell = new DrivenShell(folder, ['--port', 'eighty']);
    const box = await shell.saw<{ detail?: string; message: string }>('message-box');
    expect(`${box.message} ${box.detail}`).toContain('port');
    await shell.tell('press', null);
    expect(await shell.ended()).toBe(1);
    expect(shell.all('message-box')).toHaveLength(1);
    expect(shell.stderr).toContain('port');
    expect(shell.stdout).toBe('');
  });
});

describe.skipIf(chromiumFile() === null)(
  'the desktop shell where another program has its port (needs chromium)',
  () => {
    beforeAll(ensureBuilt);

    interface PortQuestion {
      message: string;
      buttons: string[];
    }

    /** Below those that a system gives to connections: once it is free again nobody else takes it. */
    async function takenPort(): Promise<{ port: number; free: () => Promise<void> }> {
      for (;;) {
        const port = 20_000 + Math.floor(Math.random() * 10_000);
        const holder = createServer();
        const isHeld = await new Promise<boolean>((resolve) => {
          holder.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
        });
        if (isHeld) return { port, free: () => new Promise((resolve) => holder.close(() => resolve())) };
      }
    }

    test('asks, and stays where it belongs once that program has ended', async () => {
      using folder = new ShellFolder();
      const { port, free } = await takenPort();
      await using shell = new DrivenShell(folder, ['--port', String(port)]);
      const { message, buttons } = await shell.saw<PortQuestion>('message-box');
      expect(message).toBe(`Another program uses port ${port}`);
      expect(buttons).toEqual(['Try again', 'Use a free port this time', 'Quit Quarry']);
      expect(shell.stdout).toBe('');
      await shell.tell('press', 'Try again');
      await shell.saw('message-box', 2);
      await free();
      await shell.tell('press', 'Try again');
      expect((await shell.page()).port).toBe(String(port));
    });

    test('moves to another port only when told to, and ends when neither is wanted', async () => {
      using folder = new ShellFolder();
      const { port, free } = await takenPort();
      // Nobody chose the port: not even then does it move by itself.
      {
        await using shell = new DrivenShell(folder, [], { QUARRY_PORT: String(port) });
        await shell.saw('message-box');
        await shell.tell('press', 'Use a free port this time');
        expect((await shell.page()).port).not.toBe(String(port));
        await signedIn(shell);
      }
      const shell = new DrivenShell(folder, [], { QUARRY_PORT: String(port) });
      await shell.saw('message-box');
      await shell.tell('press', null).catch(() => undefined);
      expect(await shell.ended()).toBe(1);
      expect(shell.all('window')).toEqual([]);
      await free();
    });
  },
);

describe.skipIf(chromiumFile() === null)('the desktop shell beside a headless server (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('shows that server, starts no second, leaves it running, and takes over when it ends', async () => {
    using folder = new ShellFolder();
    await using headless = new HeadlessServer(folder);
    const url = await headless.url();
    {
      await using shell = new DrivenShell(folder);
      expect((await shell.page()).origin).toBe(url);
      await signedIn(shell);
    }
    expect((await fetch(`${url}/health`)).ok).toBe(true);
    await using shell = new DrivenShell(folder);
    expect((await shell.page()).origin).toBe(url);
    await headless.end();
    expect((await shell.page(2)).origin).not.toBe(url);
    await signedIn(shell);
  });
});
