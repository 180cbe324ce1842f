import { existsSync, readFileSync } from 'node:fs';
import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, test } from 'vitest';
import { hasTray, trayIconName } from '../../src-main/background.ts';
import { applicationItems, contextItems } from '../../src-main/menus.ts';
import { showLanguageOfShell } from '../../src-main/texts.ts';

const nothing = () => undefined;
const actions = { newJob: nothing, showLog: nothing, showCrashReports: nothing, quit: nothing };
const names = (items: MenuItemConstructorOptions[]) => items.map(({ label, role }) => role ?? label ?? '-');
const submenu = (items: MenuItemConstructorOptions[], name: string): string[] => {
  const found = items.find(({ label, role }) => (role ?? label) === name)?.submenu;
  return Array.isArray(found) ? names(found) : [];
};

/** Of items and those below them; undefined where one has none. */
const labelsOf = (items: MenuItemConstructorOptions[]): (string | undefined)[] =>
  items
    .filter(({ type }) => type !== 'separator')
    .flatMap(({ label, submenu: inner }) => [label, ...(Array.isArray(inner) ? labelsOf(inner) : [])]);

const FLAGS = { canCut: true, canCopy: true, canPaste: false, canSelectAll: true };
const editFlags = { ...FLAGS, canUndo: false, canRedo: false, canDelete: true, canEditRichly: false };
const page = { selectionText: '', isEditable: false, editFlags, linkURL: '' };
const context = { lookUp: nothing, copyLink: nothing };

describe('the application menu', () => {
  test('follows each system: macOS has the app and window menus, the others Quit under File', () => {
    const mac = applicationItems('darwin', actions);
    expect(names(mac)).toEqual(['appMenu', 'File', 'editMenu', 'View', 'windowMenu', 'help']);
    expect(submenu(mac, 'File')).not.toContain('Quit Quarry');
    for (const platform of ['win32', 'linux'] as const) {
      const items = applicationItems(platform, actions);
      expect(names(items)).toEqual(['File', 'editMenu', 'View', 'help']);
      expect(submenu(items, 'File')).toEqual(['New job…', '-', 'close', 'Quit Quarry']);
    }
  });

  test('has zoom, reload, full screen and the log, and no developer tools', () => {
    const items = applicationItems('linux', actions);
    expect(submenu(items, 'View')).toEqual(['reload', '-', 'resetZoom', 'zoomIn', 'zoomOut', '-', 'togglefullscreen']);
    expect(submenu(items, 'help')).toEqual(['Show log', 'Show crash reports']);
    expect(JSON.stringify(items)).not.toMatch(/toggleDevTools|viewMenu/);
  });

  test('each item has its label in the language of the reader: roles alone are English', async () => {
    const labels = () =>
      (['darwin', 'win32', 'linux'] as const).flatMap((platform) => [
        ...labelsOf(applicationItems(platform, actions)),
        ...labelsOf(contextItems(platform, page, context)),
        ...labelsOf(contextItems(platform, { ...page, isEditable: true }, context)),
        ...labelsOf(contextItems(platform, { ...page, selectionText: 'quarry' }, context)),
      ]);
    const english = labels();
    await showLanguageOfShell('ja');
    try {
      const unsaid = labels().filter((label, index) => label === undefined || label === english[index]);
      expect(new Set(unsaid)).toEqual(new Set(['Quarry']));
    } finally {
      await showLanguageOfShell('en');
    }
  });
});

describe('the context menu', () => {
  test('offers what fits the place: text, a field, a link, the page', () => {
    expect(names(contextItems('linux', { ...page, selectionText: 'quarry' }, context))).toEqual(['copy']);
    expect(names(contextItems('darwin', { ...page, selectionText: 'quarry' }, context))).toEqual([
      'Look up',
      '-',
      'copy',
    ]);
    const field = contextItems('win32', { ...page, isEditable: true }, context);
    expect(field.map(({ role, enabled }) => [role, enabled])).toEqual([
      ['cut', true],
      ['copy', true],
      ['paste', false],
      ['selectAll', true],
    ]);
    const link = { ...page, linkURL: 'https://127.0.0.1/', selectionText: ' ' };
    expect(names(contextItems('linux', link, context))).toEqual(['Copy link']);
    expect(names(contextItems('linux', page, context))).toEqual(['reload', '-', 'resetZoom', 'zoomIn', 'zoomOut']);
  });
});

describe('the tray', () => {
  test('is there on macOS, Windows and most Linux desktops, but not in plain GNOME', () => {
    const on = (desktop?: string) => hasTray('linux', { XDG_CURRENT_DESKTOP: desktop });
    expect([on('KDE'), on('XFCE'), on('ubuntu:GNOME'), on('X-Cinnamon'), on(undefined)]).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect([on('GNOME'), on('GNOME-Classic:GNOME'), on('pantheon')]).toEqual([false, false, false]);
    expect(hasTray('darwin', { XDG_CURRENT_DESKTOP: 'GNOME' })).toBe(true);
  });

  test('has an icon for each system, and a sharper one beside it', () => {
    const file = (name: string) => new URL(`../../resources/${name}`, import.meta.url);
    const width = (name: string) => readFileSync(file(name)).readUInt32BE(16);
    for (const name of [trayIconName('darwin'), trayIconName('linux')]) {
      expect(width(name.replace('.png', '@2x.png')), name).toBe(2 * width(name));
    }
    // macOS colours only pictures with this name.
    expect(trayIconName('darwin')).toMatch(/Template\.png$/);
    expect(existsSync(file(trayIconName('win32')))).toBe(true);
    const icon = readFileSync(file(trayIconName('win32')));
    const sizes = Array.from({ length: icon.readUInt16LE(4) }, (_, index) => icon[6 + 16 * index]);
    expect(sizes).toEqual(expect.arrayContaining([16, 32, 48]));
  });
});
