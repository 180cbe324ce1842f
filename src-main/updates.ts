import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';

/**
 * Updates. The threat is code from elsewhere: nothing is looked for unless a place is named, nothing is downloaded and
 * nothing is installed without a yes, and the place must be https. What comes from it is checked by the updater against
 * the sums in the place's own list, and against the signature of the running app where the app is signed.
 */

/** What of electron-updater is used here. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  /** Null where this build cannot be updated. */
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean; updateInfo: { version: string } } | null>;
  downloadUpdate(): Promise<unknown>;
  /** Without a listener a failed download would end the app; its rejection is dealt with where it is awaited. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface UpdateDialogs {
  download(version: string): Promise<boolean>;
  install(version: string): Promise<boolean>;
  none(): void;
  failed(): void;
}

/** Between two looks that nobody asked for. */
const CHECK_INTERVAL_MS = 24 * 60 * 60_000;

/** The address of updates, when it is one that may be used. Only https: whoever sits between could send any program. */
export function usableFeed(address: string): string | null {
  return URL.canParse(address) && new URL(address).protocol === 'https:' ? address : null;
}

export class Updates {
  readonly #updater: Updater;
  readonly #dialogs: UpdateDialogs;
  /** Ends everything in order, then installs. */
  readonly #leave: () => void;
  readonly #declined = new Set<string>();
  #busy = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(updater: Updater, dialogs: UpdateDialogs, leave: () => void) {
    this.#updater = updater;
    this.#dialogs = dialogs;
    this.#leave = leave;
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = false;
    updater.on('error', (error) => process.stderr.write(`Updates: ${error.message}\n`));
  }

  /** Looks now, and once a day from now on. */
  start(): void {
    void this.check(false);
    this.#timer = setInterval(() => void this.check(false), CHECK_INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @param asked by the person, who then hears of every outcome and of a version that was declined before. */
  async check(asked: boolean): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await this.#offer(asked);
    } catch (error) {
      process.stderr.write(`Looking for updates failed: ${(error as Error).message}\n`);
      if (asked) this.#dialogs.failed();
    } finally {
      this.#busy = false;
    }
  }

  async #offer(asked: boolean): Promise<void> {
    const found = await this.#updater.checkForUpdates();
    if (found === null || !found.isUpdateAvailable) {
      if (asked) this.#dialogs.none();
      return;
    }
    const { version } = found.updateInfo;
    if (this.#declined.has(version) && !asked) return;
    if (!(await this.#dialogs.download(version))) {
      this.#declined.add(version);
      return;
    }
    await this.#updater.downloadUpdate();
    if (await this.#dialogs.install(version)) this.#leave();
    else this.#declined.add(version);
  }
}

/** Whether the package was made with a place for its updates in it. */
export function packageNamesFeed(): boolean {
  return app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
}

/**
 * The updater, set to the place. It is loaded only where it is used: an app without a place has no code running that
 * could fetch another. @param feed null for the one that the package names.
 */
export async function openUpdater(feed: string | null): Promise<Updater & { quitAndInstall(): void }> {
  const { default: library } = await import('electron-updater');
  const { autoUpdater } = library;
  if (feed !== null) {
    // The updater reads its download folder's name from this file too, so an address alone does not do.
    const file = join(app.getPath('userData'), 'update-source.json');
    writeFileSync(file, JSON.stringify({ provider: 'generic', url: feed, updaterCacheDirName: 'quarry-updater' }));
    autoUpdater.updateConfigPath = file;
  }
  return autoUpdater;
}
