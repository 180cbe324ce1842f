import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { DrivenShell, HeadlessServer, ShellFolder, signedIn } from '../electron/drive-shell.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { until } from '../harness/until.ts';

interface MessageBox {
  message: string;
  detail: string;
  buttons: string[];
}

type TrayItems = Record<string, boolean | null>;

/** A document beside the data folder, as a person has one. */
function documentIn(folder: ShellFolder, name: string, content = 'A page about quarries.'): string {
  const file = join(folder.path, name);
  writeFileSync(file, content);
  return file;
}

async function ask<Answer>(shell: DrivenShell, script: string): Promise<Answer> {
  return shell.asOwner<Answer>(script);
}

function trayNow(shell: DrivenShell): TrayItems {
  return shell.all('tray-items').at(-1) as TrayItems;
}

/** Waits for a page whatever was loaded before it: one that is followed at once by another may never be done. */
async function pageAt(shell: DrivenShell, path: RegExp): Promise<string> {
  const paths = () => shell.all('loaded').map((url) => new URL(String(url)).pathname);
  await until(() => path.test(paths().at(-1) ?? ''));
  return paths().at(-1) ?? '';
}

/** Where a file that was opened with Quarry leads. */
const ITEM_PAGE = /^\/items\/of\/job_/;

/** The job of an item's page, in the API. */
function jobOf(path: string): string {
  return path.replace('/items/of/', '/jobs/');
}

let silentSite: Server;

beforeAll(async () => {
  silentSite = createServer(() => undefined);
  await new Promise<void>((resolve) => silentSite.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  silentSite.closeAllConnections();
  silentSite.close();
});

/** A crawl of a site that takes the connection and says nothing, so that the job runs for as long as the test. */
async function startLongJob(shell: DrivenShell): Promise<string> {
  await signedIn(shell);
  const body = JSON.stringify({ url: `http://127.0.0.1:${(silentSite.address() as AddressInfo).port}/` });
  const headers = { 'content-type': 'application/json' };
  const question = JSON.stringify({ method: 'POST', headers, body });
  const jobId = await ask<string>(
    shell,
    `fetch("/v1/crawl", ${question}).then((answer) => answer.json()).then(({ crawlId }) => crawlId)`,
  );
  await until(() => '1 running, 0 waiting' in trayNow(shell));
  return jobId;
}

describe.skipIf(chromiumFile() === null)('files handed to the desktop shell (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('a file dropped on the icon becomes a job, its page opens, and its end is told', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    const { origin } = await shell.page();
    await shell.tell('look-away');
    await shell.tell('open-file', documentIn(folder, 'my notes.md'));
    const page = new URL(await pageAt(shell, ITEM_PAGE), origin);
    await signedIn(shell);
    const job = `fetch("/v1${jobOf(page.pathname)}").then((answer) => answer.json())`;
    await until(async () => (await ask<{ status: string }>(shell, job)).status === 'completed');
    expect(await ask(shell, job)).toMatchObject({ jobType: 'extract/doc', sourceName: 'my notes.md' });
    expect(await shell.saw('notification')).toEqual({ title: 'Job finished', body: 'my notes.md' });
    await shell.tell('notification-click');
    expect((await shell.page(3)).href).toBe(page.href);
  });

  test('files named when starting, and at a second start, reach the one app; all are listed', async () => {
    using folder = new ShellFolder();
    const [first, second, third] = ['a.md', 'b.md', 'c.md'].map((name) => documentIn(folder, name));
    await using shell = new DrivenShell(folder, ['--port', '0', first ?? '']);
    await pageAt(shell, ITEM_PAGE);
    const other = new DrivenShell(folder, ['--port', '0', second ?? '', third ?? '']);
    expect(await other.ended()).toBe(0);
    await pageAt(shell, /^\/library$/);
    await signedIn(shell);
    const names = 'fetch("/v1/jobs").then((answer) => answer.json()).then(({ jobs }) => jobs.map((j) => j.sourceName))';
    expect((await ask<string[]>(shell, names)).sort()).toEqual(['a.md', 'b.md', 'c.md']);
  });

  test('whoever looks at the window is not told what it shows', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    await shell.tell('open-file', documentIn(folder, 'seen.md'));
    await shell.saw('asked-for-focus');
    await shell.tell('look-away');
    await shell.tell('open-file', documentIn(folder, 'unseen.md'));
    expect(await shell.saw('notification')).toEqual({ title: 'Job finished', body: 'unseen.md' });
  });

  test('what is no file, or is not taken, is said by name, and no path of the machine is shown', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    const dropped = [folder.path, join(folder.path, 'gone.docx'), documentIn(folder, 'empty.docx', '')];
    await shell.tell('drop-on-tray', dropped);
    const { message, detail } = await shell.saw<MessageBox>('message-box');
    expect(message).toBe('3 files were not accepted');
    expect(detail).toContain('gone.docx: The file no longer exists.');
    expect(detail).toContain('empty.docx: The file is empty');
    expect(detail).not.toContain(folder.path);
    expect(shell.all('loaded')).toHaveLength(1);
  });
});

describe.skipIf(chromiumFile() === null)('the tray of the desktop shell (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('says what runs, opens a new job, and pauses notices for good', async () => {
    using folder = new ShellFolder();
    const pause = 'Pause notifications';
    let jobId = '';
    {
      await using shell = new DrivenShell(folder);
      const { origin } = await shell.page();
      await until(() => 'Nothing is running' in trayNow(shell));
      expect(trayNow(shell)).toMatchObject({ 'Open Quarry': null, [pause]: false, 'Quit Quarry': null });
      // Neither can be had in development, so neither is offered.
      expect(trayNow(shell)).not.toHaveProperty('Open at login');
      expect(trayNow(shell)).not.toHaveProperty('Check for updates…');
      await shell.tell('tray-menu', 'New job…');
      expect((await shell.page(2)).href).toBe(`${origin}/add`);
      jobId = await startLongJob(shell);
      expect(shell.all('awake')).toEqual(['prevent-app-suspension']);
      await shell.tell('tray-menu', pause);
      expect(trayNow(shell)).toMatchObject({ [pause]: true });
    }
    await using shell = new DrivenShell(folder);
    await shell.page();
    expect(trayNow(shell)).toMatchObject({ [pause]: true });
    await shell.tell('look-away');
    await shell.tell('open-file', documentIn(folder, 'quiet.md'));
    const path = await pageAt(shell, ITEM_PAGE);
    await signedIn(shell);
    const status = `fetch("/v1${jobOf(path)}").then((answer) => answer.json()).then(({ status }) => status)`;
    await until(async () => (await ask(shell, status)) === 'completed');
    // The shell hears of it a moment later, and of this one after that, which its tray then shows.
    await ask(shell, `fetch("/v1/jobs/${jobId}", { method: "DELETE" }).then(() => null)`);
    await until(() => 'Nothing is running' in trayNow(shell));
    // Turned on again, what ended meanwhile stays untold: the next notice is the next job's.
    await shell.tell('tray-menu', pause);
    await shell.tell('open-file', documentIn(folder, 'loud.md'));
    expect(await shell.saw('notification')).toEqual({ title: 'Job finished', body: 'loud.md' });
    expect(shell.all('notification')).toHaveLength(1);
  });

  test('a packaged app opens at login when asked to, hidden, and no longer when asked not to', async () => {
    using folder = new ShellFolder();
    const packaged = { SHELL_TEST_PACKAGED: '1' };
    await using shell = new DrivenShell(folder, ['--port', '0', '--hidden'], packaged);
    await until(() => shell.stdout !== '');
    expect(shell.all('window')).toEqual([]);
    expect(shell.all('scheme')).toEqual(['quarry']);
    await shell.tell('tray-menu', 'Open at login');
    expect(trayNow(shell)).toMatchObject({ 'Open at login': true });
    const entry = join(folder.path, 'desktop/app-data/autostart/quarry.desktop');
    if (process.platform === 'linux') expect(readFileSync(entry, 'utf8')).toMatch(/^Exec=".+" --hidden$/m);
    await shell.tell('tray-menu', 'Open at login');
    expect(trayNow(shell)).toMatchObject({ 'Open at login': false });
    expect(existsSync(entry)).toBe(false);
    await shell.tell('tray-click');
    await shell.page();
  });

  test('a place for updates that is not https is refused aloud, and updates stay off', async () => {
    using folder = new ShellFolder();
    const environment = { SHELL_TEST_PACKAGED: '1', QUARRY_UPDATE_FEED: 'http://127.0.0.1:1/' };
    await using shell = new DrivenShell(folder, ['--port', '0'], environment);
    const { message } = await shell.saw<MessageBox>('message-box');
    expect(message).toContain('https://');
    await shell.page();
    expect(trayNow(shell)).not.toHaveProperty('Check for updates…');
  });
});

/** Types into a field of the page by its label, once it is there. */
function typeInto(shell: DrivenShell, label: string, value: string): Promise<void> {
  const script = `(() => {
    const field = [...document.querySelectorAll('input')].find((one) => one.labels?.[0]?.textContent === '${label}');
    if (field === undefined) return false;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${value}');
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return document.querySelector('.save-bar[data-changed="true"]') !== null;
  })()`;
  return until(() => shell.tell<boolean>('run-in-page', script));
}

describe.skipIf(chromiumFile() === null)('the window of the desktop shell (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('asks before it closes on unsaved settings', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    await signedIn(shell);
    await shell.tell('run-in-page', "history.pushState({}, '', '/settings/reading')");
    await typeInto(shell, 'Model mirror', 'http://half-typed');
    await shell.tell('close-window');
    const { message, buttons } = await shell.saw<MessageBox>('message-box');
    expect([message, buttons]).toEqual(['Leave without saving?', ['Stay', 'Leave']]);
    await shell.saw('window-stayed');
    await shell.tell('answer-next', 'Leave');
    await shell.tell('close-window');
    await shell.saw('window-closed');
    expect(shell.all('message-box')).toHaveLength(2);
  });
});

describe.skipIf(chromiumFile() === null)('quitting the desktop shell with open jobs (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('asks; cancelled, nothing happens; quit now, the job is kept and goes on at the next start', async () => {
    using folder = new ShellFolder();
    let jobId = '';
    {
      await using shell = new DrivenShell(folder);
      await shell.page();
      jobId = await startLongJob(shell);
      await shell.tell('quit');
      const { buttons, message } = await shell.saw<MessageBox>('message-box');
      expect(message).toBe('1 job is not finished');
      expect(buttons).toEqual(['Quit when finished', 'Quit now', 'Cancel']);
      await shell.tell('press', null);
      await shell.tell('quit');
      await shell.saw('message-box', 2);
      expect(shell.exitCode).toBeNull();
      await shell.tell('press', 'Quit now').catch(() => undefined);
      expect(await shell.ended()).toBe(0);
    }
    await using shell = new DrivenShell(folder);
    await shell.page();
    await signedIn(shell);
    const status = `fetch("/v1/jobs/${jobId}").then((answer) => answer.json()).then(({ status }) => status)`;
    expect(['queued', 'processing', 'failed']).toContain(await ask(shell, status));
  });

  test('waits for them when told to, says so, can be held back, and then quits by itself', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    const jobId = await startLongJob(shell);
    await shell.tell('quit');
    await shell.saw('message-box');
    await shell.tell('press', 'Quit when finished');
    await until(() => 'Quits when 1 job is finished' in trayNow(shell));
    await shell.tell('tray-menu', 'Cancel quitting');
    expect(trayNow(shell)).not.toHaveProperty('Cancel quitting');
    await shell.tell('quit');
    await shell.saw('message-box', 2);
    await shell.tell('press', 'Quit when finished');
    // With it the shell quits, which may come before the answer does.
    await ask(shell, `fetch("/v1/jobs/${jobId}", { method: "DELETE" }).then(() => null)`).catch(() => undefined);
    expect(await shell.ended()).toBe(0);
  });

  test.each(['shutdown', 'session-end'])('a system that goes down (%s) is not asked to wait', async (sign) => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    await startLongJob(shell);
    await shell.tell(sign).catch(() => undefined);
    expect(await shell.ended()).toBe(0);
    expect(shell.all('message-box')).toEqual([]);
  });

  test('jobs of a headless server go on without the shell, so nothing is asked', async () => {
    using folder = new ShellFolder();
    await using headless = new HeadlessServer(folder);
    const url = await headless.url();
    await using shell = new DrivenShell(folder);
    await shell.page();
    await startLongJob(shell);
    await shell.tell('quit').catch(() => undefined);
    expect(await shell.ended()).toBe(0);
    expect(shell.all('message-box')).toEqual([]);
    expect((await fetch(`${url}/health`)).ok).toBe(true);
  });
});
