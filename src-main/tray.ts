import type { MenuItemConstructorOptions } from 'electron';
import { Menu, nativeImage, Tray } from 'electron';
import type { Figures } from './server-client.ts';
import { texts } from './texts.ts';

export interface TrayActions {
  /** Opens the window, on a page if given. */
  open(path: string | null): void;
  notify(wanted: boolean): void;
  openAtLogin(wanted: boolean): void;
  checkForUpdates(): void;
  takeFiles(files: readonly string[]): void;
  /** Quits the app. Asks first if jobs are unfinished. */
  quit(): void;
  /** Cancels a pending quit. */
  stay(): void;
}

export interface TrayState {
  /** Null while no server answers. */
  figures: Figures | null;
  notifications: boolean;
  /** Null if not supported. */
  openAtLogin: boolean | null;
  /** Whether an update feed is configured. */
  updates: boolean;
  /** Whether the app quits when the jobs finish. */
  leaving: boolean;
}

/** The tray icon: shows the state of the appliance and opens the window. */
export class TrayIcon {
  readonly #tray: Tray;
  readonly #actions: TrayActions;
  #shown = '';

  constructor(iconFile: string, actions: TrayActions, state: TrayState) {
    this.#actions = actions;
    this.#tray = new Tray(nativeImage.createFromPath(iconFile));
    this.#tray.on('click', () => actions.open(null));
    // macOS only.
    this.#tray.on('drop-files', (_event, files) => actions.takeFiles(files));
    this.updateTrayMenu(state);
  }

  /** Updates the menu if the state or the language changed: on some desktops a new menu closes the open one. */
  updateTrayMenu(state: TrayState): void {
    const shown = JSON.stringify([state, texts.quit]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setToolTip(`Quarry: ${describeTrayState(state)}`);
    // Linux only picks up menu changes when the menu is replaced.
    this.#tray.setContextMenu(Menu.buildFromTemplate(this.#trayMenuItems(state)));
  }

  destroyTrayIcon(): void {
    this.#tray.destroy();
  }

  #trayMenuItems(state: TrayState): MenuItemConstructorOptions[] {
    const actions = this.#actions;
    const checkboxMenuItem = (label: string, checked: boolean, choose: (wanted: boolean) => void) =>
      ({ label, type: 'checkbox', checked, click: () => choose(!checked) }) as const;
    const { openAtLogin } = state;
    return [
      { label: describeTrayState(state), enabled: false },
      { type: 'separator' },
      { label: texts.open, click: () => actions.open(null) },
      { label: texts.newJob, click: () => actions.open('/add') },
      { type: 'separator' },
      checkboxMenuItem(texts.pauseNotifications, !state.notifications, (paused) => actions.notify(!paused)),
      ...(openAtLogin === null ? [] : [checkboxMenuItem(texts.openAtLogin, openAtLogin, actions.openAtLogin)]),
      ...(state.updates ? [{ label: texts.checkForUpdates, click: () => actions.checkForUpdates() }] : []),
      { type: 'separator' },
      ...(state.leaving ? [{ label: texts.stay, click: () => actions.stay() }] : []),
      { label: texts.quit, click: () => actions.quit() },
    ];
  }
}

function describeTrayState({ figures, leaving }: TrayState): string {
  if (figures === null) return texts.starting;
  const { running, queued } = figures;
  if (leaving) return texts.leaving({ open: running + queued });
  return running + queued === 0 ? texts.idle : texts.working({ running, queued });
}
