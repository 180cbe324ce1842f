import { statSync } from 'node:fs';
import type { Config } from './config.ts';
import { messageOf } from './platform/errors.ts';

/**
 * The headless entry: `serve`, `token`, `key`, `phone`, `backup`, `restore`, `doctor`, `mcp`, and the commands of
 * `commands/program.ts`. It imports nothing before it has checked Node: an older Node cannot load the rest, and
 * better-sqlite3 would crash it without a message.
 */
const NODE_MAJOR_MIN = 24;

/** Arguments that only print information. No server starts. */
const QUESTIONS = ['--help', '-h', '--version'];

async function runCommandLine(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
    process.stderr.write(
      `Quarry needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.versions.node}. Use: npm start\n`,
    );
    process.exitCode = 1;
    return;
  }
  const argv = process.argv.slice(2);
  // Source files may change between starts, builds do not.
  if (
    argv[0] === 'serve' &&
    !argv.some((argument) => QUESTIONS.includes(argument)) &&
    !import.meta.url.endsWith('.ts')
  ) {
    const { keepCompiledCode } = await import('./platform/compiled-code.ts');
    keepCompiledCode(new URL(import.meta.url), argv.slice(1), process.env);
  }
  process.exitCode = await runCommand(argv, import.meta.url);
}

const helpWith = (configuration: string) => `Usage: quarry <command> [options]

Commands:
  serve    Run the server without a window (the default)
  token    Print the owner token of the data folder
  key      Make, list and revoke the keys of tools: key create|list|revoke
  phone    Open Quarry on your phone: phone on|off|list|sign-out
  backup   Copy all data into a folder, also while the server runs: backup <folder>
  restore  Put a backup into the data folder: restore <folder>
  doctor   Say what is installed, what is missing, and how to install it
  mcp      Connect an MCP client on standard input and output to the running server;
           --key <qk_…> uses a named key instead of the owner token,
           --allow <folder> lets tools read its files, and may be given several times
  work     Run jobs of another Quarry on this machine: work --join <address>, which its settings show

Commands that use the running server, or start one for their run; each explains itself with --help:
  read        Print the text of documents, recordings and addresses
  transcribe  Print what is said in recordings and hosted videos
  crawl       Crawl sites and print their digests
  say         Make speech, music or a soundscape from a text
  search      Search what was read
  jobs        jobs list|show|cancel|delete|retry|wait
  library     library list|show|tag|export
  completion  Print the completion of bash, zsh or fish: completion bash|zsh|fish

--help says this, --version the version.

${configuration}`;

/** The commands of `commands/program.ts`. `complete` answers the shell's completion. */
const SERVER_COMMANDS = new Set([
  'read',
  'transcribe',
  'crawl',
  'say',
  'search',
  'ask',
  'jobs',
  'library',
  'completion',
  'complete',
]);

/** Commands that go on without a reader. */
const LASTING_COMMANDS = new Set(['serve', 'work', 'mcp']);

const OWN_COMMANDS = ['serve', 'token', 'key', 'phone', 'backup', 'restore', 'doctor', 'mcp', 'work', 'help'];

/** Longest wait for the end of the log to be written. */
const LAST_WORDS_MS = 1000;

/** Runs a command and returns its exit code. @param entryUrl the entry file, beside workers and dashboard. */
async function runCommand(argv: readonly string[], entryUrl: string): Promise<number> {
  const named = argv[0] !== undefined && !argv[0].startsWith('-');
  const command = named ? String(argv[0]) : 'serve';
  const rest = named ? argv.slice(1) : argv;
  const isQuestion = argv.some((argument) => QUESTIONS.includes(argument));
  if (isQuestion || !LASTING_COMMANDS.has(command)) (await import('./commands/output-errors.ts')).watchStandardOutput();
  if (SERVER_COMMANDS.has(command)) {
    const { runProgram } = await import('./commands/program.ts');
    return runProgram(argv, { environment: process.env, entryUrl });
  }
  const { PortTakenError } = await import('./start-errors.ts');
  const { CONFIG_HELP, ConfigError, deriveLocations: locations, readConfig } = await import('./config.ts');
  const { DataFolderInUseError } = await import('./platform/files/data-folder.ts');
  const { VERSION } = await import('./platform/version.ts');
  const help = await helpOf(command, CONFIG_HELP);
  if (command === 'help' || rest.includes('--help') || rest.includes('-h')) return writeAndReturnCode(help, 0);
  if (rest.includes('--version')) return writeAndReturnCode(`${VERSION}\n`, 0);
  try {
    if (command === 'serve') return await serveCommand(readConfig(rest, process.env), entryUrl);
    if (command === 'token') return writeAndReturnCode(`${await tokenOf(readConfig(rest, process.env))}\n`, 0);
    if (command === 'key') {
      const { keyCommand } = await import('./key-command.ts');
      return (await keyCommand(rest, process.env, writeOutput)) ? 0 : 1;
    }
    if (command === 'phone') {
      const { deviceCommand } = await import('./device-command.ts');
      return writeAndReturnCode(await deviceCommand(rest, process.env), 0);
    }
    if (command === 'backup' || command === 'restore') {
      const { backupCommand } = await import('./backup-command.ts');
      return writeAndReturnCode(await backupCommand(command, rest, process.env), 0);
    }
    if (command === 'doctor') {
      const { runDoctor: doctor } = await import('./doctor.ts');
      return await doctor(readConfig(rest, process.env), locations(entryUrl));
    }
    if (command === 'mcp') return await connectMcp(rest);
    if (command === 'work') return await workAsNode(rest, entryUrl);
    const { commandProblem } = await import('./platform/flag-errors.ts');
    return writeAndReturnCode(`${commandProblem(command, [...OWN_COMMANDS, ...SERVER_COMMANDS], 'quarry')}\n`, 2);
  } catch (error) {
    const expected = [ConfigError, PortTakenError, DataFolderInUseError].some((kind) => error instanceof kind);
    if (!expected) throw error;
    return writeAndReturnCode(`${messageOf(error)}\n`, 1);
  }
}

async function helpOf(command: string, configuration: string): Promise<string> {
  if (command === 'work') return (await import('./work.ts')).WORK_HELP;
  if (command === 'key') return (await import('./key-command.ts')).KEY_HELP;
  if (command === 'phone') return (await import('./device-command.ts')).DEVICE_HELP;
  if (command === 'backup' || command === 'restore') return (await import('./backup-command.ts')).BACKUP_HELP;
  return helpWith(configuration);
}

async function tokenOf({ dataDir }: Config): Promise<string> {
  const { withDataFolder } = await import('./start-errors.ts');
  const { readOwnerToken } = await import('./platform/files/data-folder.ts');
  return withDataFolder(dataDir, () => readOwnerToken(dataDir));
}

/** Standard output belongs to the protocol. */
async function connectMcp(flags: readonly string[]): Promise<number> {
  const { ConfigError, readConfig } = await import('./config.ts');
  const { BridgeError, runMcpBridge: bridge } = await import('./features/mcp/bridge.ts');
  const { values: keys, others } = takeFlagValues(flags, '--key');
  const { values: allowed, others: rest } = takeFlagValues(others, '--allow');
  const [key] = keys;
  if (keys.length > 1 || (keys.length === 1 && !key?.startsWith('qk_'))) {
    throw new ConfigError('--key: Give one key, which begins with qk_.');
  }
  const missing = allowed.find((folder) => !isExistingFolder(folder));
  if (missing !== undefined) throw new ConfigError(`--allow: There is no folder ${missing || 'without a name'}.`);
  const config = readConfig(rest, process.env, ['key', 'allow']);
  try {
    const token = key ?? (await tokenOf(config));
    await bridge({ dataDir: config.dataDir, token, input: process.stdin, allowed });
    return 0;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return writeAndReturnCode(`${error.message}\n`, 1);
  }
}

/** The values of a flag, which follow it or a `=`, and the other flags. */
function takeFlagValues(flags: readonly string[], name: string): { values: string[]; others: string[] } {
  const values: string[] = [];
  const others: string[] = [];
  for (const [at, flag] of flags.entries()) {
    if (flag === name) values.push(flags[at + 1] ?? '');
    else if (flag.startsWith(`${name}=`)) values.push(flag.slice(name.length + 1));
    else if (flags[at - 1] !== name) others.push(flag);
  }
  return { values, others };
}

function isExistingFolder(path: string): boolean {
  return path !== '' && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function workAsNode(flags: readonly string[], entryUrl: string): Promise<number> {
  const { deriveLocations: locations, SAME_WISH_MS } = await import('./config.ts');
  const { runWorkCommand: work } = await import('./work.ts');
  goOnUnheard();
  return work(flags, process.env, locations(entryUrl), stopSignal(SAME_WISH_MS));
}

async function serveCommand(config: Config, entryUrl: string): Promise<number> {
  const { startServer } = await import('./app.ts');
  const { deriveLocations: locations, SAME_WISH_MS } = await import('./config.ts');
  const { logRead } = await import('./platform/log.ts');
  goOnUnheard();
  const server = await startServer({ ...config, ...locations(entryUrl) });
  // Installed before the ready line is printed: a reader of that line may stop the server at once.
  const stopped = stopSignal(SAME_WISH_MS);
  process.stdout.write(`Quarry is listening on ${server.url}\n`);
  process.stderr.write(`Sign in: ${server.url}/login#${server.ownerToken}\n`);
  const publicUrl = server.publicUrl();
  if (publicUrl !== null) {
    process.stderr.write(`Sign in at the public address: ${publicUrl}/login#${server.ownerToken}\n`);
  }
  await stopped;
  await server.close();
  await logRead(LAST_WORDS_MS);
  // Unread output of a paused reader would keep the process running.
  if (process.stderr.writableLength > 0) process.exit(0);
  return 0;
}

/**
 * The first signal stops the server, a later one ends the process at once; the next start repairs the queue. Closing a
 * terminal sends SIGHUP.
 */
function stopSignal(sameWishMs: number): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | null = null;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        askedAt ??= performance.now();
        if (performance.now() - askedAt > sameWishMs) process.exit(1);
        resolve();
      });
    }
  });
}

/**
 * Ignores write errors on standard output and standard error: a closed pipe (`| head -1`), a closed terminal or a full
 * disk must not end the server.
 */
function goOnUnheard(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Whether the text was written to standard output. */
function writeOutput(text: string): Promise<boolean> {
  return new Promise((resolve) => {
    process.stdout.write(text, (error) => resolve(error === null || error === undefined));
  });
}

function writeAndReturnCode(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}

await runCommandLine();
