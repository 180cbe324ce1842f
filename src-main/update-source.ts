import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import type { Updater } from './updates.ts';

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
