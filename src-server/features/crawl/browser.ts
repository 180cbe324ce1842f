/** Finds a browser of the machine that can run the scripts of pages: Chrome, Chromium or Edge. */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import { type Said, saidTogether, say } from '../../platform/text/say.ts';
import type { Tool } from '../models/schema.ts';
import type { NodeBrowsers } from './schema.ts';

interface FoundBrowser {
  path: string;
  from: 'setting' | 'system' | 'data-folder';
}

/** Names on PATH, the usual ones of Linux. */
const COMMANDS = [
  ...[
    'google-chrome',
    'google-chrome-stable',
    'chromium',
    'chromium-browser',
    'microsoft-edge',
    'microsoft-edge-stable',
  ],
];

const MAC_APPS = ['Google Chrome', 'Chromium', 'Microsoft Edge'];

const WINDOWS_PROGRAMS = [
  ...['Google\\Chrome\\Application\\chrome.exe', 'Chromium\\Application\\chrome.exe'],
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/** Value of QUARRY_BROWSER: no browser of the system is taken. */
const ONLY_FETCHED = 'fetched';

/** Every system has its own builds. */
const INSTALL: Partial<Record<NodeJS.Platform, Said>> = {
  darwin: say`Install Google Chrome, or run: brew install --cask chromium`,
  win32: say`Install Google Chrome or Microsoft Edge, or run: winget install Google.Chrome`,
};

/** How to install one, as one sentence with a command. */
export function installAdvice(platform: NodeJS.Platform = process.platform): Said {
  return (
    INSTALL[platform] ??
    say`Install Chromium (Debian and Ubuntu: sudo apt install chromium; Fedora: sudo dnf install chromium)`
  );
}

/**
 * The browser that QUARRY_BROWSER names, else the first of the usual places, else the one that Quarry has fetched; null
 * when there is none.
 */
export function findBrowser(
  dataDir: string,
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  exists: (path: string) => boolean = existsSync,
): FoundBrowser | null {
  const { QUARRY_BROWSER: setting } = environment;
  const fetched = fetchedBrowserPath(dataDir, platform);
  if (setting === ONLY_FETCHED) return exists(fetched) ? { path: fetched, from: 'data-folder' } : null;
  // A broken setting is reported. It is not silently replaced by another browser.
  if (setting !== undefined && setting !== '') return exists(setting) ? { path: setting, from: 'setting' } : null;
  const path = browserCandidates(environment, platform).find(exists);
  if (path !== undefined) return { path, from: 'system' };
  return exists(fetched) ? { path: fetched, from: 'data-folder' } : null;
}

export function fetchedBrowserFolder(dataDir: string): string {
  return join(dataDir, 'tools', 'browser');
}

export function fetchedBrowserPath(dataDir: string, platform: NodeJS.Platform = process.platform): string {
  return join(fetchedBrowserFolder(dataDir), programName(platform));
}

export function programName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'chrome-headless-shell.exe' : 'chrome-headless-shell';
}

function browserCandidates(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') {
    const folders = ['/Applications', join(environment.HOME ?? '', 'Applications')];
    return MAC_APPS.flatMap((app) => folders.map((folder) => join(folder, `${app}.app/Contents/MacOS/${app}`)));
  }
  if (platform === 'win32') {
    const folders = [environment.PROGRAMFILES, environment['PROGRAMFILES(X86)'], environment.LOCALAPPDATA];
    return WINDOWS_PROGRAMS.flatMap((program) => folders.flatMap((folder) => (folder ? `${folder}\\${program}` : [])));
  }
  const folders = [...(environment.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin'];
  return COMMANDS.flatMap((name) => folders.map((folder) => join(folder, name)));
}

/** Errors: `engine_unavailable`, with how to install one. */
export function requireBrowser(dataDir: string): FoundBrowser {
  const found = findBrowser(dataDir);
  if (found !== null) return found;
  const { QUARRY_BROWSER: setting } = process.env;
  if (setting && setting !== ONLY_FETCHED) {
    throw new QuarryError(
      'engine_unavailable',
      say`QUARRY_BROWSER names no program. ${installAdvice()}, or change QUARRY_BROWSER.`,
    );
  }
  const why = say`No browser is installed that runs the scripts of pages.`;
  const how = say`Let Quarry fetch one in Settings, Reading. ${installAdvice()}, or set QUARRY_BROWSER.`;
  throw new QuarryError('engine_unavailable', saidTogether([why, how]), {
    missing: { need: 'browser', language: null },
  });
}

/** The browser as a need of work. */
export function browserNeed(
  dataDir: string,
  nodes: Pick<NodeBrowsers, 'offered'>,
  installable: Tool['installable'],
): Tool {
  return {
    need: 'browser',
    installed: async () => {
      const found = findBrowser(dataDir);
      if (found !== null) return `(${found.from})`;
      return nodes.offered() > 0 ? '(node)' : null;
    },
    installable,
  };
}
