/**
 * Parses the app's command line: the user's flags, files to upload, and a link to open. Threat: any web page can make
 * the system start the app with a link. Arguments after a link are therefore ignored, and a link only selects a page.
 */

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordOf } from '../src-server/platform/records.ts';

/** What a second instance passes to the first. */
export interface Handover {
  /** A path of the dashboard. */
  path: string | null;
  /** Absolute paths. They are checked when the files are sent. */
  files: string[];
}

interface Arguments extends Handover {
  /** Server flags. */
  flags: string[];
  /** Started by the system at login. The window stays closed until the user opens it. */
  hidden: boolean;
}

export const HIDDEN_FLAG = '--hidden';

const PATH_CHARS_MAX = 4096;

const DATA_FOLDER_FLAG = '--data-dir';

const DATA_FOLDER_VARIABLE = 'QUARRY_DATA_DIR';

/** Server flags whose value is the next argument. */
const VALUE_FLAGS = new Set(['--host', '--port', DATA_FOLDER_FLAG, '--models-dir', '--log-level', '--otlp-endpoint']);

/** Chromium switches from launchers and users. Other flags go to the server, which reports unknown ones. */
const CHROMIUM_SWITCHES = new Set([
  '--no-sandbox',
  '--disable-gpu',
  '--enable-features',
  '--disable-features',
  '--ozone-platform',
  '--ozone-platform-hint',
  '--force-device-scale-factor',
  '--password-store',
]);

/** @param folder base of relative file names */
export function parseShellArguments(given: readonly string[], folder: string): Arguments {
  const read: Arguments = { flags: [], hidden: false, path: null, files: [] };
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index] ?? '';
    const [name = ''] = argument.split('=');
    if (isLink(argument)) {
      read.path = pathOfLink(argument);
      break;
    }
    if (argument === HIDDEN_FLAG) read.hidden = true;
    else if (CHROMIUM_SWITCHES.has(name)) continue;
    else if (argument.startsWith('-')) {
      read.flags.push(argument);
      const value = given[index + 1];
      if (VALUE_FLAGS.has(argument) && value !== undefined) {
        read.flags.push(value);
        index += 1;
      }
    } else read.files.push(...fileNamed(argument, folder));
  }
  return read;
}

/**
 * The data folder the user chose, by the server's rule: the last flag wins over the variable. Absolute, as Electron
 * requires. Null if none is set.
 * @param folder base of a relative name
 */
export function dataFolderOf(
  flags: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): string | null {
  let chosen = environment[DATA_FOLDER_VARIABLE];
  for (const [index, flag] of flags.entries()) {
    if (flag === DATA_FOLDER_FLAG) chosen = flags[index + 1];
    else if (flag.startsWith(`${DATA_FOLDER_FLAG}=`)) chosen = flag.slice(DATA_FOLDER_FLAG.length + 1);
  }
  return chosen ? resolve(folder, chosen) : null;
}

/** Validates the data of a second instance, which comes from another process. */
export function readHandover(value: unknown): Handover {
  const { path, files } = recordOf(value);
  const link = typeof path === 'string' ? pathOfLink(`quarry:/${path}`) : null;
  return { path: link, files: Array.isArray(files) ? files.filter(isAbsolutePath) : [] };
}

function isAbsolutePath(file: unknown): file is string {
  return typeof file === 'string' && file.length <= PATH_CHARS_MAX && resolve(file) === file;
}

/** Linux desktops pass files as file URLs. Other URLs are not files. */
function fileNamed(argument: string, folder: string): string[] {
  if (argument === '') return [];
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(argument)) return [resolve(folder, argument)];
  try {
    return [fileURLToPath(argument)];
  } catch {
    // Another scheme, or a file on another machine.
    return [];
  }
}

/** Links such as `quarry://jobs/job_x` open a page of the dashboard. */
export const LINK_SCHEME = 'quarry';

/** Pages a link can open. API routes are excluded because they show raw data. */
const PAGES = [
  ...['library', 'items', 'search', 'make', 'add', 'watches'],
  ...['service', 'jobs', 'run', 'webhooks', 'payments', 'limits', 'contributions', 'models', 'settings'],
];

const PAGE_PATH = /^(?:\/[A-Za-z0-9_-]{1,80}){1,3}$/;

/**
 * The dashboard path in a link; null for any other link. A web page can send the link, so it only selects a page: no
 * query, fragment, dots or other host.
 */
export function pathOfLink(link: string): string | null {
  if (!isLink(link)) return null;
  const named = `/${link.slice(LINK_SCHEME.length + '://'.length)}`.replace(/\/$/, '');
  // Accept `job/…` as an alias.
  const path = named.replace(/^\/job\//, '/jobs/');
  const [, page = ''] = path.split('/');
  return PAGE_PATH.test(path) && PAGES.includes(page) ? path : null;
}

function isLink(argument: string): boolean {
  return argument.toLowerCase().startsWith(`${LINK_SCHEME}:`);
}
