/**
 * What the app was started with: the person's own flags, files to take in, a link to open. The threat is a link: any
 * web page can make the system start the app with one, so nothing that follows a link counts, and a link itself only
 * chooses a page.
 */

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What one start of the app passes on to the one that is already open. */
export interface Handover {
  /** A path of the dashboard. */
  path: string | null;
  /** Absolute. Whether they are there, and are files, is looked at when they are sent. */
  files: string[];
}

interface Arguments extends Handover {
  /** For the server. */
  flags: string[];
  /** Started by the system at login: the window stays closed until it is asked for. */
  hidden: boolean;
}

export const HIDDEN_FLAG = '--hidden';

const PATH_CHARS_MAX = 4096;

const DATA_FOLDER_FLAG = '--data-dir';

const DATA_FOLDER_VARIABLE = 'QUARRY_DATA_DIR';

/** The server's flags that stand apart from their value. */
const VALUE_FLAGS = new Set(['--host', '--port', DATA_FOLDER_FLAG, '--models-dir', '--log-level']);

/** What launchers and people tell Chromium. Other flags reach the server, which names those it does not know. */
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

/** @param folder what relative file names are relative to. */
export function readArguments(given: readonly string[], folder: string): Arguments {
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
 * The data folder that the person chose, as the server will read it: by the last flag, in either form, else by the
 * variable. Absolute, since Electron takes no other. Null where none was chosen.
 *
 * @param folder what a relative name is relative to
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

/** What a second start passed on; it comes from another process, so each part of it is looked at. */
export function readHandover(value: unknown): Handover {
  const { path, files } = (value ?? {}) as Record<string, unknown>;
  const link = typeof path === 'string' ? pathOfLink(`quarry:/${path}`) : null;
  return { path: link, files: Array.isArray(files) ? files.filter(isAbsolutePath) : [] };
}

function isAbsolutePath(file: unknown): file is string {
  return typeof file === 'string' && file.length <= PATH_CHARS_MAX && resolve(file) === file;
}

/** Linux desktops name files by address. An address of another kind is no file. */
function fileNamed(argument: string, folder: string): string[] {
  if (argument === '') return [];
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(argument)) return [resolve(folder, argument)];
  try {
    return [fileURLToPath(argument)];
  } catch {
    // Another scheme, or another machine's file.
    return [];
  }
}

/** Links such as `quarry://jobs/job_x`, by which other programs open a page of the dashboard. */
export const LINK_SCHEME = 'quarry';

/** The dashboard's pages. A link opens one of these: never a route of the API, which would show raw data. */
const PAGES = ['jobs', 'run', 'webhooks', 'payments', 'limits', 'models', 'search', 'contributions', 'settings'];

const PAGE_PATH = /^(?:\/[A-Za-z0-9_-]{1,80}){1,3}$/;

/**
 * The dashboard path that a link names; null for anything that is not plainly one. A link comes from any web page, so
 * it can choose what is shown and nothing else: no query, no fragment, no dots, no other host.
 */
export function pathOfLink(link: string): string | null {
  if (!isLink(link)) return null;
  const named = `/${link.slice(LINK_SCHEME.length + '://'.length)}`.replace(/\/$/, '');
  // One job is as often called `job/…`.
  const path = named.replace(/^\/job\//, '/jobs/');
  const [, page = ''] = path.split('/');
  return PAGE_PATH.test(path) && PAGES.includes(page) ? path : null;
}

function isLink(argument: string): boolean {
  return argument.toLowerCase().startsWith(`${LINK_SCHEME}:`);
}
