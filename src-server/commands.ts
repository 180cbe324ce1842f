import { existsSync } from 'node:fs';
import { type ServerOptions, startServer } from './app.ts';
import { CONFIG_HELP, type Config, readConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { PortTakenError } from './listen.ts';
import { DataFolderInUseError, readOwnerToken } from './platform/files/data-folder.ts';
import { logRead } from './platform/log.ts';
import { VERSION } from './platform/version.ts';
import { withDataFolder } from './start-error.ts';

const HELP = `Usage: quarry <command> [options]

Commands:
  serve    Run the server without a window (the default)
  token    Print the owner token of the data folder
  doctor   Say what is installed, what is missing, and how to install it

--help says this, --version the version.

${CONFIG_HELP}`;

/**
 * One Ctrl+C comes more than once: from the terminal, and from npm and the launcher, which pass on what they got too. A
 * second one that is meant comes later.
 */
export const SAME_WISH_MS = 500;
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

/** Source files and their builds lie differently; the entry file knows which it is. */
export function locations(entryUrl: string): Pick<ServerOptions, 'workerEntry' | 'rendererFolder' | 'resourcesFolder'> {
  const fromSource = entryUrl.endsWith('.ts');
  const workerEntry = fromSource ? new URL('../workers/entry.ts', entryUrl) : new URL('./workers/entry.mjs', entryUrl);
  const renderer = fromSource ? new URL('../out/renderer/', entryUrl) : new URL('../renderer/', entryUrl);
  const resourcesFolder = new URL(fromSource ? '../resources/' : '../../resources/', entryUrl);
  return {
    workerEntry,
    resourcesFolder,
    rendererFolder: existsSync(new URL('index.html', renderer)) ? renderer : null,
  };
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
