/** The application menu and the context menu, by the customs of each system. */
import { type BrowserWindow, type ContextMenuParams, clipboard, Menu, type MenuItemConstructorOptions } from 'electron';
import { texts } from './texts.ts';

export interface MenuActions {
  newJob(): void;
  showLog(): void;
  showCrashReports(): void;
  quit(): void;
}

const SEPARATOR: MenuItemConstructorOptions = { type: 'separator' };

/** The items of the application menu. Roles bring the system's label, shortcut and behaviour. */
export function applicationItems(platform: NodeJS.Platform, actions: MenuActions): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const help: MenuItemConstructorOptions[] = [
    { label: texts.showLog, click: () => actions.showLog() },
    { label: texts.showCrashReports, click: () => actions.showCrashReports() },
  ];
  const quit: MenuItemConstructorOptions = { label: texts.quit, accelerator: 'Ctrl+Q', click: () => actions.quit() };
  return [
    // On macOS this menu has About, Services, Hide and Quit.
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: texts.fileMenu,
      submenu: [
        { label: texts.newJob, accelerator: 'CmdOrCtrl+N', click: () => actions.newJob() },
        SEPARATOR,
        { role: 'close' },
        ...(isMac ? [] : [quit]),
      ],
    },
    { role: 'editMenu' },
    {
      label: texts.viewMenu,
      submenu: [
        { role: 'reload' },
        SEPARATOR,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        SEPARATOR,
        { role: 'togglefullscreen' },
      ],
    },
    ...(isMac ? [{ role: 'windowMenu' } as const] : []),
    { role: 'help', submenu: help },
  ];
}

type ClickedPlace = Pick<ContextMenuParams, 'selectionText' | 'isEditable' | 'editFlags' | 'linkURL'>;

interface ContextActions {
  lookUp(): void;
  copyLink(address: string): void;
}

/** The items for what was clicked: a field, selected text, a link, or the page. */
export function contextItems(
  platform: NodeJS.Platform,
  { selectionText, isEditable, editFlags, linkURL }: ClickedPlace,
  actions: ContextActions,
): MenuItemConstructorOptions[] {
  const selected = selectionText.trim();
  const parts: MenuItemConstructorOptions[][] = [];
  if (platform === 'darwin' && selected !== '') {
    parts.push([{ label: texts.lookUp, click: () => actions.lookUp() }]);
  }
  if (linkURL !== '') parts.push([{ label: texts.copyLink, click: () => actions.copyLink(linkURL) }]);
  if (isEditable) {
    parts.push([
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { role: 'selectAll', enabled: editFlags.canSelectAll },
    ]);
  } else if (selected !== '') parts.push([{ role: 'copy', enabled: editFlags.canCopy }]);
  if (parts.length === 0)
    parts.push([{ role: 'reload' }], [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }]);
  return parts.flatMap((items, index) => (index === 0 ? items : [SEPARATOR, ...items]));
}

/** Replaces Electron's default menu, which has developer tools. */
export function setApplicationMenu(actions: MenuActions): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate(applicationItems(process.platform, actions)));
}

export function giveContextMenu(window: BrowserWindow): void {
  const contents = window.webContents;
  const actions = {
    lookUp: () => contents.showDefinitionForSelection(),
    copyLink: (address: string) => clipboard.writeText(address),
  };
  contents.on('context-menu', (_event, place) => {
    Menu.buildFromTemplate(contextItems(process.platform, place, actions)).popup({ window });
  });
}
