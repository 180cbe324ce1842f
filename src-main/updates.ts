/**
 * Updates. Threat: foreign code. Nothing is checked without a configured feed, nothing is downloaded or installed
 * without consent, and the feed must use https. The updater verifies downloads against the checksums of the feed, and
 * against the app's signature if the app is signed.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { messageOf } from '../src-server/platform/errors.ts';
import { logLine } from './log.ts';

/** The part of electron-updater in use. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  /** Null if this build does not support updates. */
  checkForUpdates(): Promise<{ isUpdateAvailable: boolean; updateInfo: UpdateInfo } | null>;
  downloadUpdate(): Promise<unknown>;
  /** Without a listener, a failed download would end the app. The caller handles the rejection. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface UpdateInfo {
  version: string;
  /** Of the feed: text, or a list by version. */
  releaseNotes?: unknown;
}

export interface UpdateDialogs {
  /** @param notes what is new, or an empty text */
  download(version: string, notes: string): Promise<boolean>;
  install(version: string): Promise<boolean>;
  none(): void;
  failed(): void;
}

const NOTES_CHARS_MAX = 1000;

/** Interval of automatic checks. */
const CHECK_INTERVAL_MS = 24 * 60 * 60_000;

export class Updates {
  readonly #updater: Updater;
  readonly #dialogs: UpdateDialogs;
  /** Stops the app in order, then installs. */
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
    updater.on('error', (error) => logLine(`Updates: ${error.message}`));
  }

  /** Checks now and then daily. */
  startUpdateChecks(): void {
    void this.checkForNewVersion(false);
    this.#timer = setInterval(() => void this.checkForNewVersion(false), CHECK_INTERVAL_MS);
  }

  stopUpdateChecks(): void {
    clearInterval(this.#timer);
  }

  /** @param asked true if the user asked: reports every outcome and offers declined versions again */
  async checkForNewVersion(asked: boolean): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await this.#offerUpdate(asked);
    } catch (error) {
      logLine(`The update check failed: ${messageOf(error)}`);
      if (asked) this.#dialogs.failed();
    } finally {
      this.#busy = false;
    }
  }

  async #offerUpdate(asked: boolean): Promise<void> {
    const found = await this.#updater.checkForUpdates();
    if (found === null || !found.isUpdateAvailable) {
      if (asked) this.#dialogs.none();
      return;
    }
    const { version } = found.updateInfo;
    if (this.#declined.has(version) && !asked) return;
    if (!(await this.#dialogs.download(version, releaseNotesText(found.updateInfo)))) {
      this.#declined.add(version);
      return;
    }
    await this.#updater.downloadUpdate();
    if (await this.#dialogs.install(version)) this.#leave();
    else this.#declined.add(version);
  }
}

/** The feed's release notes, cut to what a dialog can show. Anything but text is left out. */
function releaseNotesText({ releaseNotes }: UpdateInfo): string {
  if (typeof releaseNotes !== 'string') return '';
  const notes = releaseNotes.trim();
  return notes.length > NOTES_CHARS_MAX ? `${notes.slice(0, NOTES_CHARS_MAX)}…` : notes;
}

/** Whether the package contains an update feed. */
export function packageNamesFeed(): boolean {
  return app.isPackaged && existsSync(join(process.resourcesPath, 'app-update.yml'));
}

/**
 * Loads the updater and sets its feed. Loaded on demand, so an app without a feed runs no download code.
 * @param feed null for the feed in the package
 * @param channel null for the channel of this version
 */
export async function openUpdater(
  feed: string | null,
  channel: string | null,
): Promise<Updater & { quitAndInstall(): void }> {
  const { default: library } = await import('electron-updater');
  const { autoUpdater } = library;
  if (feed !== null) {
    // The updater also reads the name of its download folder from this file, so a URL alone is not enough.
    const file = join(app.getPath('userData'), 'update-source.json');
    writeFileSync(file, JSON.stringify({ provider: 'generic', url: feed, updaterCacheDirName: 'quarry-updater' }));
    autoUpdater.updateConfigPath = file;
  }
  if (channel !== null) {
    autoUpdater.channel = channel;
    // Setting a channel allows older versions. Databases migrate forward only.
    autoUpdater.allowDowngrade = false;
  }
  return autoUpdater;
}
