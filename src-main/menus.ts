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

/** Electron has the labels of roles in English alone. */
const roleItem = (role: keyof typeof texts.roles): MenuItemConstructorOptions => ({ role, label: texts.roles[role] });

/** The items of the application menu. Roles bring the system's shortcut and behaviour. */
export function applicationItems(platform: NodeJS.Platform, actions: MenuActions): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const help: MenuItemConstructorOptions[] = [
    { label: texts.showLog, click: () => actions.showLog() },
    { label: texts.showCrashReports, click: () => actions.showCrashReports() },
  ];
  const quit: MenuItemConstructorOptions = { label: texts.quit, accelerator: 'Ctrl+Q', click: () => actions.quit() };
  return [
    ...(isMac ? [{ role: 'appMenu', label: 'Quarry', submenu: macAppItems() } as const] : []),
    {
      label: texts.fileMenu,
      submenu: [
        { label: texts.newJob, accelerator: 'CmdOrCtrl+N', click: () => actions.newJob() },
        SEPARATOR,
        roleItem('close'),
        ...(isMac ? [] : [quit]),
      ],
    },
    { ...roleItem('editMenu'), submenu: editItems() },
    {
      label: texts.viewMenu,
      submenu: [
        roleItem('reload'),
        SEPARATOR,
        ...(['resetZoom', 'zoomIn', 'zoomOut'] as const).map(roleItem),
        SEPARATOR,
        roleItem('togglefullscreen'),
      ],
    },
    ...(isMac ? [{ ...roleItem('windowMenu'), submenu: macWindowItems() }] : []),
    { ...roleItem('help'), submenu: help },
  ];
}

function macAppItems(): MenuItemConstructorOptions[] {
  return [
    roleItem('about'),
    SEPARATOR,
    roleItem('services'),
    SEPARATOR,
    ...(['hide', 'hideOthers', 'unhide'] as const).map(roleItem),
    SEPARATOR,
    { role: 'quit', label: texts.quit },
  ];
}

function editItems(): MenuItemConstructorOptions[] {
  const ofClipboard = (['cut', 'copy', 'paste', 'pasteAndMatchStyle', 'delete'] as const).map(roleItem);
  return [roleItem('undo'), roleItem('redo'), SEPARATOR, ...ofClipboard, SEPARATOR, roleItem('selectAll')];
}

function macWindowItems(): MenuItemConstructorOptions[] {
  return [roleItem('minimize'), roleItem('zoom'), SEPARATOR, roleItem('front')];
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
      { ...roleItem('cut'), enabled: editFlags.canCut },
      { ...roleItem('copy'), enabled: editFlags.canCopy },
      { ...roleItem('paste'), enabled: editFlags.canPaste },
      { ...roleItem('selectAll'), enabled: editFlags.canSelectAll },
    ]);
  } else if (selected !== '') parts.push([{ ...roleItem('copy'), enabled: editFlags.canCopy }]);
  if (parts.length === 0) parts.push([roleItem('reload')], (['resetZoom', 'zoomIn', 'zoomOut'] as const).map(roleItem));
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
