import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { SAME_WISH_MS } from '../config.ts';
import { JOB_STATUSES } from '../features/jobs/schema.ts';
import { EXPORT_FORMS, ITEM_KINDS } from '../features/library/kind.ts';
import { commandProblem } from '../platform/flag-errors.ts';
import { VERSION } from '../platform/version.ts';
import { completionScript, completionsOf, SHELLS, type Shell } from './completion.ts';
import { CommandError, type Connection, connectToServer, EXIT } from './connection.ts';
import {
  BULK_ACTIONS,
  type BulkAction,
  changeJobs,
  listJobsCommand,
  showJobCommand,
  waitCommand,
} from './job-commands.ts';
import { exportItemsCommand, listItemsCommand, showItemCommand, tagItemsCommand } from './library-commands.ts';
import { outputProblem } from './output-errors.ts';
import type { Terminal } from './run-jobs.ts';
import { standardInput } from './sources.ts';
import {
  askCommand,
  crawlCommand,
  jsonObject,
  readCommand,
  sayCommand,
  searchCommand,
  transcribeCommand,
  type WorkDeps,
} from './work-commands.ts';

/** Commands of `cli.ts`, for the completion. */
const OTHER_COMMANDS = {
  serve: 'Run the server without a window',
  token: 'Print the owner token of the data folder',
  key: 'Make, list and revoke the keys of tools',
  backup: 'Copy all data into a folder',
  restore: 'Put a backup into the data folder',
  doctor: 'Say what is installed and what is missing',
  mcp: 'Connect an MCP client on standard input and output',
} as const;

const HELP = `
Without --server the command uses the server that runs on the data folder, or starts one and ends it afterwards.
QUARRY_SERVER and QUARRY_KEY name a server and its key, QUARRY_DATA_DIR the data folder.

Exit codes: 0 done, 1 a job failed, 2 wrong usage, 3 no server or no access, 130 interrupted.
`;

interface CommonOptions {
  server?: string;
  dataDir?: string;
  json?: boolean;
  tag?: string[];
}

export interface ProgramDeps {
  environment: NodeJS.ProcessEnv;
  /** The entry file, beside workers and dashboard. */
  entryUrl: string;
}

/**
 * Runs `read`, `transcribe`, `crawl`, `say`, `search`, `ask`, `jobs`, `library` or `completion`, over the public API
 * alone. Returns the exit code.
 */
export async function runProgram(argv: readonly string[], deps: ProgramDeps): Promise<number> {
  const terminal: Terminal = { results: process.stdout, messages: process.stderr };
  let code: number = EXIT.done;
  const program = programOf(deps, terminal, (exitCode) => {
    code = exitCode;
  });
  try {
    checkJobsCommand(program, argv);
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof CommandError) return tellFailure(terminal, error, error.exitCode);
    const lost = outputProblem(error);
    if (lost === null) throw error;
    return tellFailure(terminal, new CommandError(lost, EXIT.failed, null, error), EXIT.failed);
  }
}

function tellFailure({ messages }: Terminal, { message }: Error, exitCode: number): number {
  messages.write(`${message}\n`);
  return exitCode;
}

/** `jobs list` is the default, so commander would take an unknown word for its argument. */
function checkJobsCommand(program: Command, [first, second]: readonly string[]): void {
  if (first !== 'jobs' || second === undefined || second.startsWith('-')) return;
  const names = program.commands.find((command) => command.name() === first)?.commands.map((command) => command.name());
  const known = [...(names ?? []), 'help'];
  if (!known.includes(second)) throw new CommandError(commandProblem(second, known, 'quarry jobs'), EXIT.usage);
}

/** An error of commander, with its suggestion of a name, in one line. */
function commanderErrorLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase())
    .replace(/([^.?)])$/, '$1.');
}

type End = (exitCode: number) => void;

/** Runs the action of a command with a connection. */
type WithServer = (
  command: Command,
  name: string | undefined,
  work: (deps: WorkDeps) => Promise<number>,
) => Promise<void>;

function programOf(deps: ProgramDeps, terminal: Terminal, end: End): Command {
  const program = new Command('quarry').exitOverride().version(VERSION).addHelpText('after', HELP);
  // Subcommands inherit it.
  program.configureOutput({ outputError: (text, write) => write(`${commanderErrorLine(text)}\n`) });
  const withServer: WithServer = async (command, name, work) =>
    end(await runConnected(deps, terminal, command, name, work));
  addReading(program, withServer);
  addCrawl(program, withServer);
  addMaking(program, withServer);
  addJobs(program, withServer);
  addLibrary(program, withServer);
  for (const [name, description] of Object.entries(OTHER_COMMANDS)) program.command(name).description(description);
  addCompletion(program, terminal);
  return program;
}

function addCompletion(program: Command, { results }: Terminal): void {
  program
    .command('completion')
    .description('Print the completion of a shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => void results.write(completionScript(shell)));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(
      (words: string[]) =>
        void results.write(
          completionsOf(program, words)
            .map((line) => `${line}\n`)
            .join(''),
        ),
    );
}

function withServerOptions(command: Command): Command {
  return command
    .option('--server <url>', 'address of the server (QUARRY_SERVER)')
    .option('--data-dir <folder>', 'data folder of the server (QUARRY_DATA_DIR)')
    .option('--json', 'print JSON, one object per line');
}

function withSubmitOptions(command: Command): Command {
  return withServerOptions(command).option('--tag <tags...>', 'tags of the jobs');
}

async function runConnected(
  { environment, entryUrl }: ProgramDeps,
  terminal: Terminal,
  command: Command,
  name: string | undefined,
  work: (deps: WorkDeps) => Promise<number>,
): Promise<number> {
  const { server: named, dataDir, json = false, tag: tags = [] } = command.opts<CommonOptions>();
  const input = standardInput(process.stdin, name);
  const interrupted = onInterrupt();
  let connection: Connection | null = null;
  try {
    connection = await connectToServer({
      server: named,
      dataDir,
      environment,
      entryUrl,
      onStart: (folder) => terminal.messages.write(`No server runs. Starting one on ${folder} for this command.\n`),
    });
    return await work({ connection, terminal, signal: interrupted.signal, input, json, tags });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    terminal.messages.write('Interrupted.\n');
    return EXIT.interrupted;
  } finally {
    await input.clear();
    await connection?.close();
    interrupted.stop();
  }
}

/** The first Ctrl+C ends the work in order, a later one ends the process. */
function onInterrupt(): { signal: AbortSignal; stop(): void } {
  const interrupted = new AbortController();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  let askedAt: number | null = null;
  const onSignal = () => {
    askedAt ??= performance.now();
    if (performance.now() - askedAt > SAME_WISH_MS) process.exit(EXIT.interrupted);
    interrupted.abort();
  };
  for (const signal of signals) process.on(signal, onSignal);
  const stopListeningSignals = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  return { signal: interrupted.signal, stop: stopListeningSignals };
}

interface ExtractionOptions extends CommonOptions {
  format: string;
  output?: string;
  name?: string;
  language?: string;
  model?: string;
  speakers?: boolean;
  options?: Record<string, unknown>;
  install?: boolean;
  batch?: boolean;
}

function withExtractionOptions(command: Command, formats: readonly string[], language: string): Command {
  return withSubmitOptions(command)
    .argument('[sources...]', 'files, patterns, addresses, or - for standard input')
    .addOption(new Option('-f, --format <format>', 'what is printed').choices(formats).default(formats[0]))
    .option('-o, --output <folder>', 'write one file per source to this folder')
    .option('--name <name>', 'file name of standard input', 'stdin')
    .option('--language <code>', language)
    .option('--options <json>', 'further options of the operation', jsonObject)
    .option('--install', 'install the recommended model if none is there')
    .option('--batch', 'send all sources in one request');
}

function addReading(program: Command, withServer: WithServer): void {
  withExtractionOptions(
    program.command('read').description('Print the text of documents, recordings and addresses'),
    ['md', 'txt', 'chunks'],
    'language of the text, an ISO code such as en',
  ).action((sources: string[], options: ExtractionOptions, command: Command) =>
    withServer(command, options.name, (deps) => readCommand(deps, sources, extractionOf(options))),
  );
  withExtractionOptions(
    program.command('transcribe').description('Print what is said in recordings and hosted videos'),
    ['txt', 'srt', 'vtt', 'chunks'],
    'language of the speech, an ISO code such as en',
  )
    .option('--model <name>', 'speech model')
    .option('--speakers', 'find who speaks')
    .action((sources: string[], options: ExtractionOptions, command: Command) =>
      withServer(command, options.name, (deps) => transcribeCommand(deps, sources, extractionOf(options))),
    );
}

function extractionOf({ format, output, language, model, speakers, options, install, batch }: ExtractionOptions) {
  const given = { language, transcriptionModel: model, speakers };
  const switches = { install: install === true, batch: batch === true };
  return { format, output, options: { ...omitUndefinedFields(given), ...options }, ...switches };
}

function omitUndefinedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

interface CrawlCommandOptions extends CommonOptions {
  format: string;
  output?: string;
  depth?: number;
  maxPages?: number;
  include?: string[];
  exclude?: string[];
  render?: string;
  priority?: string;
  map?: boolean;
  request?: Record<string, unknown>;
}

function addCrawl(program: Command, withServer: WithServer): void {
  withSubmitOptions(program.command('crawl').description('Crawl sites and print their digests'))
    .argument('<urls...>', 'pages or sitemaps')
    .addOption(
      new Option('-f, --format <format>', 'what is printed (default: "digest", with --map "addresses")').choices([
        'digest',
        'pages',
        'chunks',
        'addresses',
      ]),
    )
    .option('-o, --output <folder>', 'write one file per site to this folder')
    .option('--depth <levels>', 'levels of links to follow, 0 to 3', wholeNumber)
    .option('--max-pages <number>', 'most pages of a site', wholeNumber)
    .option('--include <paths...>', 'only paths that match, such as "/docs/**"')
    .option('--exclude <paths...>', 'no paths that match')
    .addOption(new Option('--render <when>', 'run the scripts of pages').choices(['never', 'auto', 'always']))
    .addOption(new Option('--priority <priority>', 'place in the queue').choices(['low', 'normal', 'high']))
    .option('--map', 'only list the addresses')
    .option('--request <json>', 'further fields of the request', jsonObject)
    .action((urls: string[], options: CrawlCommandOptions, command: Command) => {
      const { depth, maxPages, include, exclude, render, priority, map, request, output } = options;
      const given = omitUndefinedFields({ depth, maxPages, include, exclude, render, priority, map });
      const format = options.format ?? (map === true ? 'addresses' : 'digest');
      return withServer(command, undefined, (deps) =>
        crawlCommand(deps, urls, { format, output, request: { ...given, ...request } }),
      );
    });
}

interface SayCommandOptions extends CommonOptions {
  output?: string;
  voice?: string;
  language?: string;
  duration?: number;
  request?: Record<string, unknown>;
}

interface SearchCommandOptions extends CommonOptions {
  limit?: number;
  mode?: string;
  filter?: Record<string, unknown>;
}

function addMaking(program: Command, withServer: WithServer): void {
  withSubmitOptions(program.command('say').description('Make speech, music or a soundscape from a text'))
    .argument('[text...]', 'the text; without it, or for -, standard input')
    .option('-o, --output <file>', 'file that ends with .mp3, .wav, .opus, .flac or .m4b; - is standard output')
    .option('--voice <slug>', 'voice, such as clara')
    .option('--language <tag>', 'language of the text')
    .option('--duration <seconds>', 'most seconds', wholeNumber)
    .option('--request <json>', 'further fields of the request', jsonObject)
    .action((words: string[], options: SayCommandOptions, command: Command) => {
      const { output, voice, language, duration: durationSeconds, request } = options;
      const given = omitUndefinedFields({ voice, language, durationSeconds });
      return withServer(command, undefined, (deps) =>
        sayCommand(deps, words, { output, request: { ...given, ...request } }),
      );
    });
  withServerOptions(program.command('search').description('Search what was read'))
    .argument('<words...>', 'words, or a sentence')
    .option('--limit <number>', 'most results', wholeNumber)
    .addOption(new Option('--mode <mode>', 'how to search').choices(['hybrid', 'lexical', 'semantic']))
    .option('--filter <json>', 'filter of the operation', jsonObject)
    .action((words: string[], { limit, mode, filter }: SearchCommandOptions, command: Command) =>
      withServer(command, undefined, (deps) =>
        searchCommand(deps, words, omitUndefinedFields({ limit, mode, filter })),
      ),
    );
  withServerOptions(program.command('ask').description('Answer a question by quotations of what was read'))
    .argument('<question...>', 'the question')
    .addOption(new Option('--mode <mode>', 'how to search').choices(['hybrid', 'lexical', 'semantic']))
    .option('--filter <json>', 'filter of the operation', jsonObject)
    .action((words: string[], { mode, filter }: SearchCommandOptions, command: Command) =>
      withServer(command, undefined, (deps) => askCommand(deps, words, omitUndefinedFields({ mode, filter }))),
    );
}

interface ListOptions extends Omit<CommonOptions, 'tag'> {
  tag?: string;
  status?: string;
  type?: string;
  limit: number;
}

const LIST_DEFAULT = 20;

function addJobs(program: Command, withServer: WithServer): void {
  const jobs = program.command('jobs').description('List, show, change and wait for jobs');
  const oneOrMore = () => new Argument('<jobIds...>', 'identifiers of jobs');
  withServerOptions(jobs.command('list', { isDefault: true }).description('List jobs, newest first'))
    .addOption(new Option('--status <status>', 'only these').choices(JOB_STATUSES))
    .option('--type <operation>', 'only these, such as extract/doc')
    .option('--tag <tag>', 'only jobs with this tag')
    .option('--limit <number>', 'most jobs', wholeNumber, LIST_DEFAULT)
    .action(({ status, type: jobType, tag, limit }: ListOptions, command: Command) => {
      const filter = omitUndefinedFields({ status, jobType, tag }) as Record<string, string>;
      return withServer(command, undefined, (deps) => listJobsCommand(deps, filter, limit));
    });
  withServerOptions(jobs.command('show').description('Show a job'))
    .argument('<jobId>', 'identifier of the job')
    .action((jobId: string, _: unknown, command: Command) =>
      withServer(command, undefined, (deps) => showJobCommand(deps, jobId)),
    );
  for (const [action, description] of Object.entries(BULK_ACTIONS) as [BulkAction, string][]) {
    withServerOptions(jobs.command(action).description(description))
      .argument('[jobIds...]', 'identifiers of jobs')
      .option('--tag <tag>', 'all such jobs with this tag')
      .option('--type <operation>', 'all such jobs of this operation')
      .action((jobIds: string[], { tag, type: jobType }: ListOptions, command: Command) => {
        const filter = omitUndefinedFields({ tag, jobType });
        return withServer(command, undefined, (deps) => changeJobs(deps, action, jobIds, filter));
      });
  }
  withServerOptions(jobs.command('wait').description('Wait until jobs have ended'))
    .addArgument(oneOrMore())
    .action((jobIds: string[], _: unknown, command: Command) =>
      withServer(command, undefined, (deps) => waitCommand(deps, jobIds)),
    );
}

interface LibraryOptions extends ListOptions {
  kind?: string;
  text?: string;
  collection?: string;
  add?: string[];
  remove?: string[];
  as: string;
  output?: string;
}

function addLibrary(program: Command, withServer: WithServer): void {
  const library = program.command('library').description('List, show, tag and export what is kept');
  const withFilters = (command: Command) =>
    withServerOptions(command)
      .addOption(new Option('--kind <kind>', 'only these').choices(ITEM_KINDS))
      .option('--tag <tag>', 'only items with this tag')
      .option('--collection <id>', 'only items of this collection')
      .option('--text <words>', 'words of the title, the source or the tags');
  const filterOf = ({ kind, tag, collection, text }: LibraryOptions): Record<string, string> => {
    const given = Object.entries({ kind, tag, collection, text });
    return Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  };
  withFilters(library.command('list').description('List items, newest first'))
    .option('--limit <number>', 'most items', wholeNumber, LIST_DEFAULT)
    .action((options: LibraryOptions, command: Command) =>
      withServer(command, undefined, (deps) => listItemsCommand(deps, filterOf(options), options.limit)),
    );
  withServerOptions(library.command('show').description('Show an item'))
    .argument('<itemId>', 'identifier of the item')
    .action((itemId: string, _: unknown, command: Command) =>
      withServer(command, undefined, (deps) => showItemCommand(deps, itemId)),
    );
  withServerOptions(library.command('tag').description('Add and remove tags of items'))
    .argument('<itemIds...>', 'identifiers of items')
    .option('--add <tags...>', 'tags to add')
    .option('--remove <tags...>', 'tags to remove')
    .action((itemIds: string[], { add: addTags, remove: removeTags }: LibraryOptions, command: Command) =>
      withServer(command, undefined, (deps) => tagItemsCommand(deps, itemIds, { addTags, removeTags })),
    );
  withFilters(library.command('export').description('Write items to a file'))
    .argument('[itemIds...]', 'identifiers of items; without them all that the filters leave')
    .addOption(new Option('--as <form>', 'what is written').choices(EXPORT_FORMS).default('zip'))
    .option('-o, --output <file>', 'file; without it, standard output')
    .action((itemIds: string[], options: LibraryOptions, command: Command) => {
      const { as, output } = options;
      return withServer(command, undefined, (deps) =>
        exportItemsCommand(deps, itemIds, { as, output, filter: filterOf(options) }),
      );
    });
}
