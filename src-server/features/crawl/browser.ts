/** Finds a browser of the machine that can run the scripts of pages: Chrome, Chromium or Edge. */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import type { Tool } from '../models/schema.ts';
import type { NodeBrowsers } from './schema.ts';

interface FoundBrowser {
  path: string;
  from: 'setting' | 'system';
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

/** Every system has its own builds; Quarry fetches none, because their publishers state no checksums. */
const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Install Google Chrome, or run: brew install --cask chromium',
  win32: 'Install Google Chrome or Microsoft Edge, or run: winget install Google.Chrome',
};

/** How to install one, as one sentence with a command. */
export function installAdvice(platform: NodeJS.Platform = process.platform): string {
  return (
    INSTALL[platform] ??
    'Install Chromium (Debian and Ubuntu: sudo apt install chromium; Fedora: sudo dnf install chromium)'
  );
}

/** The browser that QUARRY_BROWSER names, else the first of the usual places; null when there is none. */
export function findBrowser(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  exists: (path: string) => boolean = existsSync,
): FoundBrowser | null {
  const { QUARRY_BROWSER: setting } = environment;
  // A broken setting is reported. It is not silently replaced by another browser.
  if (setting !== undefined && setting !== '') return exists(setting) ? { path: setting, from: 'setting' } : null;
  const path = browserCandidates(environment, platform).find(exists);
  return path === undefined ? null : { path, from: 'system' };
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
export function requireBrowser(): FoundBrowser {
  const found = findBrowser();
  if (found !== null) return found;
  const { QUARRY_BROWSER: setting } = process.env;
  const why = setting ? 'QUARRY_BROWSER names no program.' : 'No browser is installed that runs the scripts of pages.';
  throw new QuarryError('engine_unavailable', `${why} ${installAdvice()}, or set QUARRY_BROWSER.`, {
    missing: { need: 'browser', language: null },
  });
}

/** The browser as a need of work. The owner installs it with the tools of the system. */
export function browserNeed(nodes: Pick<NodeBrowsers, 'offered'>): Tool {
  return {
    need: 'browser',
    installed: async () => {
      const found = findBrowser();
      if (found !== null) return `(${found.from})`;
      return nodes.offered() > 0 ? '(node)' : null;
    },
    installable: null,
  };
}
