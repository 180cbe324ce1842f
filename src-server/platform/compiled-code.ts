import { readdirSync, rmSync, statSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { dataDirOf } from './files/data-dir.ts';
import { makeOwnerFolder } from './files/private-files.ts';

/**
 * What V8 compiles is kept beside the data, so that neither the next start nor any of its threads does it again. The
 * threat is a folder that others may write to, since what lies in it is run: it is never the system's folder for
 * temporary files, which Node would take, but one within the data folder, which belongs to the owner's account alone.
 *
 * Has Node keep compiled code for this process and the threads it starts from here on; to be called before anything
 * large is loaded. Node holds each piece against its source and its own version, and goes without where the folder
 * cannot be written; whether the data folder is of any use is for the start itself to say. What another build left is
 * removed. @param entry the built entry file, whose time tells one build from another.
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
  // Threads read the variable. One that is set already is somebody's own choice, which Node heeds.
  if (enableCompileCache(join(all, build)).status === constants.compileCacheStatus.ENABLED) {
    environment.NODE_COMPILE_CACHE ??= join(all, build);
  }
}
