import type { MenuItemConstructorOptions } from 'electron';
import { Menu, nativeImage, Tray } from 'electron';
import type { Figures } from './server-client.ts';
import { texts } from './texts.ts';

export interface TrayActions {
  /** Shows the window, on a page when one is named. */
  open(path: string | null): void;
  notify(wanted: boolean): void;
  openAtLogin(wanted: boolean): void;
  checkForUpdates(): void;
  takeFiles(files: readonly string[]): void;
  /** Ends the window, the server and the app; asks first when jobs are not done. */
  quit(): void;
  /** Takes back a wish to quit once the jobs are done. */
  stay(): void;
}

export interface TrayState {
  /** Null while no server answers. */
  figures: Figures | null;
  notifications: boolean;
  /** Null where it cannot be chosen. */
  openAtLogin: boolean | null;
  /** Whether there is a place where updates are looked for. */
  updates: boolean;
  /** Whether the app quits once the jobs are done. */
  leaving: boolean;
}

/** The sign that the appliance is working while its window is closed, and the way back to it. */
export class TrayIcon {
  readonly #tray: Tray;
  readonly #actions: TrayActions;
  #shown = '';

  constructor(iconFile: string, actions: TrayActions, state: TrayState) {
    this.#actions = actions;
    this.#tray = new Tray(nativeImage.createFromPath(iconFile));
    this.#tray.on('click', () => actions.open(null));
    // Only macOS lets files be dropped here.
    this.#tray.on('drop-files', (_event, files) => actions.takeFiles(files));
    this.update(state);
  }

  /** Shows the state. A menu that has not changed is left alone: on some desktops a new one closes the open one. */
  update(state: TrayState): void {
    const shown = JSON.stringify(state);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#tray.setToolTip(`Quarry: ${describe(state)}`);
    // Linux shows changes only of a menu that is set anew.
    this.#tray.setContextMenu(Menu.buildFromTemplate(this.#items(state)));
  }

  destroy(): void {
    this.#tray.destroy();
  }

  #items(state: TrayState): MenuItemConstructorOptions[] {
    const actions = this.#actions;
    const choice = (label: string, checked: boolean, choose: (wanted: boolean) => void) =>
      ({ label, type: 'checkbox', checked, click: () => choose(!checked) }) as const;
    const { openAtLogin } = state;
    return [
      { label: describe(state), enabled: false },
      { type: 'separator' },
      { label: texts.open, click: () => actions.open(null) },
      { label: texts.newJob, click: () => actions.open('/run') },
      { type: 'separator' },
      choice(texts.pauseNotifications, !state.notifications, (paused) => actions.notify(!paused)),
      ...(openAtLogin === null ? [] : [choice(texts.openAtLogin, openAtLogin, actions.openAtLogin)]),
      ...(state.updates ? [{ label: texts.checkForUpdates, click: () => actions.checkForUpdates() }] : []),
      { type: 'separator' },
      ...(state.leaving ? [{ label: texts.stay, click: () => actions.stay() }] : []),
      { label: texts.quit, click: () => actions.quit() },
    ];
  }
}

function describe({ figures, leaving }: TrayState): string {
  if (figures === null) return texts.starting;
  const { running, queued } = figures;
  if (leaving) return texts.leaving(running + queued);
  return running + queued === 0 ? texts.idle : texts.working(running, queued);
}
