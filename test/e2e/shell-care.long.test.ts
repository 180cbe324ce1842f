/** What the desktop app does for its user besides showing the page: log, menus, the tray's absence, the system's end. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.ts';
import { DrivenShell, ShellFolder, signedIn } from '../electron/drive-shell.ts';
import { chromiumFile } from '../harness/chromium.ts';
import { until } from '../harness/until.ts';

interface MessageBox {
  message: string;
  buttons: string[];
}

const WITHOUT_TRAY = { XDG_CURRENT_DESKTOP: 'GNOME' };
const WITH_TRAY = { XDG_CURRENT_DESKTOP: 'KDE' };
const PACKAGED = { SHELL_TEST_PACKAGED: '1' };

const logOf = (folder: ShellFolder) => join(folder.path, 'desktop/logs/quarry.log');

let silentSite: Server;

beforeAll(async () => {
  silentSite = createServer(() => undefined);
  await new Promise<void>((resolve) => silentSite.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  silentSite.closeAllConnections();
  silentSite.close();
});

/** A crawl of a site that takes the connection and says nothing. Resolves to its id when the shell knows that it runs. */
async function startLongJob(shell: DrivenShell): Promise<string> {
  await signedIn(shell);
  const body = JSON.stringify({ url: `http://127.0.0.1:${(silentSite.address() as AddressInfo).port}/` });
  const init = JSON.stringify({ method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const id = await shell.asOwner<string>(
    `fetch("/v1/crawl", ${init}).then((answer) => answer.json()).then((job) => job.crawlId)`,
  );
  await until(() => shell.all('awake').length > 0);
  return id;
}

describe.skipIf(chromiumFile() === null)('the care of the desktop shell (needs chromium)', () => {
  beforeAll(ensureBuilt);

  test('writes the log of shell and server to a file, shows it and the crash reports, and sends none', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    const { File: file, Help: help } = await shell.saw<Record<string, string[]>>('application-menu');
    expect(help).toEqual(['Show log', 'Show crash reports']);
    expect(file).toContain('New job…');
    expect(readFileSync(logOf(folder), 'utf8')).toContain('Quarry starts on');
    await shell.tell('menu', 'Show log');
    expect(await shell.saw('open-path')).toBe(logOf(folder));
    await shell.tell('menu', 'Show crash reports');
    const reports = await shell.saw<string>('open-path', 2);
    expect(existsSync(reports)).toBe(true);
    expect(shell.all('path')).toEqual([{ name: 'crashDumps', folder: reports }]);
    expect(shell.all('crash-reporter')).toEqual([{ uploadToServer: false, compress: true }]);
    if (process.platform !== 'darwin') expect(shell.all('spell-checker')).toEqual([false]);
    await shell.tell('right-click', {
      selectionText: 'quarry',
      isEditable: false,
      linkURL: '',
      editFlags: { canCopy: true },
    });
    expect(await shell.saw<string[]>('context-menu')).toContain('Copy');
  });

  test('a start that fails offers the log', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder, ['--port', '0', '--otlp-endpoint', 'not an address']);
    const { message, buttons } = await shell.saw<MessageBox>('message-box');
    expect([message, buttons]).toEqual(['Quarry could not start', ['Show log', 'Quit Quarry']]);
    await shell.tell('press', 'Show log').catch(() => undefined);
    expect(await shell.ended()).toBe(1);
    expect(shell.all('open-path')).toEqual([logOf(folder)]);
  });

  test('a page that keeps crashing is said, with the log at hand', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder);
    await shell.page();
    for (let times = 0; times < 6; times += 1) await shell.tell('crash-page');
    const { message, buttons } = await shell.saw<MessageBox>('message-box');
    expect([message, buttons]).toEqual(['The window cannot show its page', ['Show log', 'Quit Quarry', 'Reload']]);
    expect(shell.all('reload')).toHaveLength(5);
    await shell.tell('press', 'Reload');
    await shell.saw('reload', 6);
    await shell.tell('hang-page');
    expect(await shell.saw<MessageBox>('message-box', 2)).toMatchObject({ buttons: ['Reload', 'Wait'] });
    await shell.tell('press', 'Reload');
    await shell.saw('reload', 7);
    expect(readFileSync(logOf(folder), 'utf8')).toContain('The page does not respond.');
  });

  test('says once that it goes on without its window, where a tray shows it', async () => {
    using folder = new ShellFolder();
    for (const notices of [1, 0]) {
      await using shell = new DrivenShell(folder, ['--port', '0'], WITH_TRAY);
      await shell.page();
      await shell.tell('close-window');
      await shell.saw('window-closed');
      if (notices === 1) expect(await shell.saw('notification')).toMatchObject({ title: 'Quarry is still running' });
      await shell.tell('tray-click');
      await shell.page(2);
      await shell.tell('close-window');
      await shell.saw('window-closed', 2);
      expect(shell.all('notification')).toHaveLength(notices);
      expect(shell.exitCode).toBeNull();
    }
  });

  test('quits with its window where no tray shows it, after asking about open jobs', async () => {
    using folder = new ShellFolder();
    await using shell = new DrivenShell(folder, ['--port', '0'], WITHOUT_TRAY);
    await shell.page();
    await startLongJob(shell);
    await shell.tell('close-window');
    expect((await shell.saw<MessageBox>('message-box')).message).toBe('1 job is not finished');
    await shell.tell('press', 'Cancel');
    await shell.saw('window', 2);
    await shell.page(2);
    await shell.tell('close-window');
    await shell.saw('message-box', 2);
    await shell.tell('press', 'Quit now').catch(() => undefined);
    expect(await shell.ended()).toBe(0);
    expect(shell.all('notification')).toEqual([]);
  });

  test('holds the system back until its job is in the queue again', async () => {
    using folder = new ShellFolder();
    let jobId = '';
    {
      await using shell = new DrivenShell(folder);
      await shell.page();
      await shell.tell('query-session-end');
      expect(await shell.saw('session-waits')).toBe(false);
      jobId = await startLongJob(shell);
      await shell.tell('shutdown').catch(() => undefined);
      expect(await shell.ended()).toBe(0);
      expect(shell.all('shutdown-waits')).toEqual([true]);
      expect(shell.all('server-exit')).toEqual([0]);
    }
    await using shell = new DrivenShell(folder);
    await shell.page();
    await signedIn(shell);
    const status = `fetch("/v1/jobs/${jobId}").then((answer) => answer.json()).then((job) => job.status)`;
    expect(['queued', 'processing']).toContain(await shell.asOwner(status));
    await until(() => shell.all('awake').length > 0);
    await shell.tell('query-session-end').catch(() => undefined);
    expect(await shell.ended()).toBe(0);
    expect(shell.all('session-waits')).toEqual([true]);
  });

  test('a package without Chromium’s sandbox opens nothing before the user agrees, and asks once', async () => {
    using folder = new ShellFolder();
    const environment = { ...PACKAGED, SHELL_TEST_SWITCHES: 'no-sandbox' };
    const question = 'The window cannot be protected on this system';
    const refused = new DrivenShell(folder, ['--port', '0'], environment);
    expect((await refused.saw<MessageBox>('message-box')).message).toBe(question);
    await refused.tell('press', null).catch(() => undefined);
    expect(await refused.ended()).toBe(1);
    expect(refused.all('fork')).toEqual([]);
    {
      await using agreed = new DrivenShell(folder, ['--port', '0'], environment);
      await agreed.saw('message-box');
      await agreed.tell('press', 'Open anyway');
      await agreed.page();
    }
    await using later = new DrivenShell(folder, ['--port', '0'], environment);
    await later.page();
    expect(later.all('message-box')).toEqual([]);
  });
});
