import { readdirSync, rmSync, statSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { dataDirOf } from './files/data-dir.ts';
import { makeOwnerFolder } from './files/private-files.ts';

/**
 * Enables Node's compile cache for this process and the threads it starts, so that neither the next start nor a thread
 * compiles again. Call it before large modules are loaded. Threat: cached code is executed, so a folder that others can
 * write to is dangerous. The cache is in the data folder of the owner's account, not in the system's temporary folder,
 * which is Node's default.
 *
 * Node validates each entry against its source and its own version, and runs uncached when the folder is not writable.
 * Start-up reports an unusable data folder. Caches of other builds are removed. @param entry the built entry file,
 * whose modification time identifies the build.
 */
export function keepCompiledCode(entry: URL, argv: readonly string[], environment: NodeJS.ProcessEnv): void {
  const all = join(dataDirOf(argv, environment), 'compiled');
  const build = Math.trunc(statSync(entry).mtimeMs).toString(36);
  try {
    makeOwnerFolder(join(all, build));
    for (const other of readdirSync(all).filter((name) => name !== build))
      rmSync(join(all, other), { recursive: true });
  } catch {
    return;
  }
  // Threads read the variable. If the user has set it, Node uses that folder.
  if (enableCompileCache(join(all, build)).status === constants.compileCacheStatus.ENABLED) {
    environment.NODE_COMPILE_CACHE ??= join(all, build);
  }
}
