import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its parents, where a path is the user's. One by one: Node's recursive mode never returns when
 * the system reports an existing folder as missing (below /proc).
 *
 * @throws the error of the file system, also where the path is no folder
 */
export function makeFolder(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    // Another process may have created it meanwhile.
    if (!existsSync(folder)) mkdirSync(folder, { mode });
  }
  // All folders exist now. This refuses a path that is not a folder.
  mkdirSync(path, { recursive: true, mode });
}
