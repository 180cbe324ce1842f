import { describe, expect, test } from 'vitest';
import { usableFeed } from '../../src-main/update-feed.ts';
import { type Updater, Updates } from '../../src-main/updates.ts';

/** An updater that keeps what it was told to do, and dialogs that answer as they are told. */
function stage(answers: { download?: boolean; install?: boolean; version?: string | null; broken?: boolean }) {
  const done: string[] = [];
  const { version = '2.0.0' } = answers;
  const updater: Updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    async checkForUpdates() {
      done.push('check');
      if (answers.broken) throw new Error('No answer.');
      return { isUpdateAvailable: version !== null, updateInfo: { version: version ?? '1.0.0' } };
    },
    async downloadUpdate() {
      done.push('download');
    },
    on: () => undefined,
  };
  const dialogs = {
    download: async (found: string) => {
      done.push(`ask ${found}`);
      return answers.download ?? false;
    },
    install: async () => {
      done.push('ask to install');
      return answers.install ?? false;
    },
    none: () => void done.push('none'),
    failed: () => void done.push('failed'),
  };
  return { done, updater, updates: new Updates(updater, dialogs, () => void done.push('leave')) };
}

describe('updates', () => {
  test('the updater does nothing by itself', () => {
    const { updater } = stage({});
    expect([updater.autoDownload, updater.autoInstallOnAppQuit]).toEqual([false, false]);
  });

  test('without a yes nothing is downloaded, and the same version is not offered again unasked', async () => {
    const { done, updates } = stage({ download: false });
    await updates.checkForNewVersion(false);
    await updates.checkForNewVersion(false);
    expect(done).toEqual(['check', 'ask 2.0.0', 'check']);
    await updates.checkForNewVersion(true);
    expect(done.slice(3)).toEqual(['check', 'ask 2.0.0']);
  });

  test('a download is not yet an installation: that is asked apart', async () => {
    const { done, updates } = stage({ download: true, install: false });
    await updates.checkForNewVersion(false);
    expect(done).toEqual(['check', 'ask 2.0.0', 'download', 'ask to install']);
  });

  test('with both yes the app leaves in order', async () => {
    const { done, updates } = stage({ download: true, install: true });
    await updates.checkForNewVersion(false);
    expect(done.at(-1)).toBe('leave');
  });

  test('a look that nobody asked for is silent about finding nothing and about failing; one asked for is not', async () => {
    const nothing = stage({ version: null });
    await nothing.updates.checkForNewVersion(false);
    await nothing.updates.checkForNewVersion(true);
    expect(nothing.done).toEqual(['check', 'check', 'none']);
    const broken = stage({ broken: true });
    await broken.updates.checkForNewVersion(false);
    await broken.updates.checkForNewVersion(true);
    expect(broken.done).toEqual(['check', 'check', 'failed']);
  });

  test('two looks at once are one', async () => {
    const { done, updates } = stage({ version: null });
    await Promise.all([updates.checkForNewVersion(false), updates.checkForNewVersion(false)]);
    expect(done).toEqual(['check']);
  });

  test.each(['http://updates.example/', 'file:///tmp/', 'updates.example', ''])(
    '%j is no place for updates',
    (feed) => {
      expect(usableFeed(feed)).toBeNull();
    },
  );

  test('an https address is one', () => {
    expect(usableFeed('https://updates.example/quarry')).toBe('https://updates.example/quarry');
  });
});
