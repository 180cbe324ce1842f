import { readdirSync, rmSync, statSync } from 'node:fs';
import { constants, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { PortTakenError, startServer, withDataFolder } from './app.ts';
import { CONFIG_HELP, type Config, ConfigError, dataDirOf, locations, readConfig, SAME_WISH_MS } from './config.ts';
import { DataFolderInUseError, readOwnerToken } from './platform/files/data-folder.ts';
import { makeOwnerFolder } from './platform/files/private-files.ts';
import { logRead } from './platform/log.ts';
import { VERSION } from './platform/version.ts';

/**
 * The headless entry: `serve`, `token`, `doctor`. It checks Node's version before it loads anything native, since
 * better-sqlite3 ends an older Node without a word.
 */
const NODE_MAJOR_MIN = 24;

/** What is only asked about the program: no server starts. */
const QUESTIONS = ['--help', '-h', '--version'];

async function main(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
    process.stderr.write(
      `Quarry needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.versions.node}. Use: npm start\n`,
    );
    process.exitCode = 1;
    return;
  }
  const argv = process.argv.slice(2);
  // From source each start may meet other code; what is built stays.
  if (
    argv[0] === 'serve' &&
    !argv.some((argument) => QUESTIONS.includes(argument)) &&
    !import.meta.url.endsWith('.ts')
  ) {
    (await import('./cli.ts')).keepCompiledCode(new URL(import.meta.url), argv.slice(1), process.env);
  }
  const { runCommand } = await import('./cli.ts');
  process.exitCode = await runCommand(argv, import.meta.url);
}

await main();

const HELP = `Usage: quarry <command> [options]

Commands:
  serve    Run the server without a window (the default)
  token    Print the owner token of the data folder
  doctor   Say what is installed, what is missing, and how to install it

--help says this, --version the version.

${CONFIG_HELP}`;

/** How long the end of the log may wait for its reader. */
const LAST_WORDS_MS = 1000;

/** Runs a command; gives back the exit code. @param entryUrl the entry file: workers and dashboard lie beside it. */
export async function runCommand(argv: readonly string[], entryUrl: string): Promise<number> {
  const named = argv[0] !== undefined && !argv[0].startsWith('-');
  const command = named ? argv[0] : 'serve';
  const rest = named ? argv.slice(1) : argv;
  if (command === 'help' || rest.includes('--help') || rest.includes('-h')) return say(HELP, 0);
  if (rest.includes('--version')) return say(`${VERSION}\n`, 0);
  try {
    if (command === 'serve') return await serve(readConfig(rest, process.env), entryUrl);
    if (command === 'token') return say(`${tokenOf(readConfig(rest, process.env))}\n`, 0);
    if (command === 'doctor') {
      const { doctor } = await import('./doctor.ts');
      return await doctor(readConfig(rest, process.env), locations(entryUrl));
    }
    return say(`There is no command "${command}".\n\n${HELP}`, 2);
  } catch (error) {
    const expected = [ConfigError, PortTakenError, DataFolderInUseError].some((kind) => error instanceof kind);
    if (!expected) throw error;
    return say(`${(error as Error).message}\n`, 1);
  }
}

function tokenOf({ dataDir }: Config): string {
  return withDataFolder(dataDir, () => readOwnerToken(dataDir));
}

async function serve(config: Config, entryUrl: string): Promise<number> {
  goOnUnheard();
  const server = await startServer({ ...config, ...locations(entryUrl) });
  // Before anybody is told: whoever reads that it listens may end it at once.
  const stopped = stopSignal();
  process.stdout.write(`Quarry is listening on ${server.url}\n`);
  process.stderr.write(`Sign in: ${server.url}/login#${server.ownerToken}\n`);
  await stopped;
  await server.close();
  await logRead(LAST_WORDS_MS);
  // What a reader that has paused never took would keep the process for as long.
  if (process.stderr.writableLength > 0) process.exit(0);
  return 0;
}

/**
 * A second signal does not wait: it ends the process, and the queue is put in order at the next start. A terminal that
 * is closed sends SIGHUP.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | null = null;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        askedAt ??= performance.now();
        if (performance.now() - askedAt > SAME_WISH_MS) process.exit(1);
        resolve();
      });
    }
  });
}

/**
 * Whoever reads what is said may go away (`| head -1`), a terminal may be closed, the disk of a file may be full: a
 * server that could not say its address, or a word of its log, would otherwise end with that.
 */
function goOnUnheard(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

function say(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}

/**
 * What V8 compiles is kept beside the data, so that neither the next start nor any of its threads does it again. The
 * threat is a folder that others may write to, since what lies in it is run: it is never the system's folder for
 * temporary files, which Node would take, but one within the data folder, which belongs to the owner's account alone.
 */

/**
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
