import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OWNER_ONLY = 0o700;

/**
 * Makes a folder and those above it, for the owner of the account alone. One by one: where the system says that
 * something is missing although it is there (below /proc), Node's own way asks again for ever.
 */
export function makeOwnerFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    // Somebody else may have made it meanwhile.
    if (!existsSync(folder)) mkdirSync(folder, { mode: OWNER_ONLY });
  }
  // Nothing is left to be made; what is no folder is refused.
  mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
}
