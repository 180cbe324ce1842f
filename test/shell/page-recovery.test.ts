import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { describe, expect, test, vi } from 'vitest';
import { recoverPage } from '../../src-main/page-recovery.ts';

type BlankChoice = 'reload' | 'show-log' | 'quit';

/** A window whose page is told to fail, and a user who answers each question with the next of the choices. */
function stage({ answers = [], wanted = true }: { answers?: BlankChoice[]; wanted?: boolean } = {}) {
  const done: string[] = [];
  const contents = Object.assign(new EventEmitter(), {
    reload: () => done.push('reload'),
    forcefullyCrashRenderer: () => contents.emit('render-process-gone', {}, { reason: 'killed', exitCode: 9 }),
  });
  const window = Object.assign(new EventEmitter(), { webContents: contents, isDestroyed: () => false });
  const dialogs = {
    blankPage: async () => {
      done.push('blank?');
      return answers.shift() ?? 'quit';
    },
    hungPage: async () => {
      done.push('hung?');
      return 'reload' as const;
    },
  };
  const options = { dialogs, showLog: () => done.push('log'), quit: () => done.push('quit'), isWanted: () => wanted };
  recoverPage({ window: window as unknown as BrowserWindow, ...options });
  const crash = (reason = 'crashed') => contents.emit('render-process-gone', {}, { reason, exitCode: 1 });
  return { done, window, contents, crash };
}

const RELOADS = Array.from({ length: 5 }, () => 'reload');

describe('a page that is gone', () => {
  test('comes back five times in a minute; then the user is asked, who can see the log', async () => {
    const { done, crash } = stage({ answers: ['show-log', 'reload'] });
    for (let times = 0; times < 8; times += 1) crash();
    await vi.waitFor(() => expect(done).toHaveLength(9));
    expect(done).toEqual([...RELOADS, 'blank?', 'log', 'blank?', 'reload']);
    crash();
    expect(done.at(-1)).toBe('reload');
    expect(done).toHaveLength(10);
  });

  test('that fails now and then is never asked about', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const { done, crash } = stage();
      for (let times = 0; times < 20; times += 1) {
        crash();
        vi.advanceTimersByTime(20_000);
      }
      expect(new Set(done)).toEqual(new Set(['reload']));
    } finally {
      vi.useRealTimers();
    }
  });

  test('that ended in order, or whose load another replaced, or that is of a frame, stays', () => {
    const { done, crash, contents } = stage();
    crash('clean-exit');
    contents.emit('did-fail-load', {}, -3, 'ABORTED', '', true);
    contents.emit('did-fail-load', {}, -102, 'CONNECTION_REFUSED', '', false);
    expect(done).toEqual([]);
  });

  test('that cannot load is loaded again, unless the server is away, which loads it itself', async () => {
    const { done, contents } = stage({ answers: ['quit'] });
    for (let times = 0; times < 6; times += 1) contents.emit('did-fail-load', {}, -102, 'CONNECTION_REFUSED', '', true);
    await vi.waitFor(() => expect(done.at(-1)).toBe('quit'));
    expect(done).toEqual([...RELOADS, 'blank?', 'quit']);
    const away = stage({ wanted: false });
    away.contents.emit('did-fail-load', {}, -102, 'CONNECTION_REFUSED', '', true);
    expect(away.done).toEqual([]);
  });

  test('that hangs is ended and loaded again when the user says so', async () => {
    const { done, window } = stage();
    window.emit('unresponsive');
    window.emit('unresponsive');
    await vi.waitFor(() => expect(done).toEqual(['hung?', 'reload']));
  });
});
