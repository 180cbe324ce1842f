import { inParallel } from '../platform/concurrency.ts';
import { messageOf } from '../platform/errors.ts';
import { CommandError, type Connection, EXIT } from './connection.ts';
import { nameFlags } from './flag-names.ts';
import { cancelJob, followJobEvents, type RequestContent, type SeenJob, submitJob } from './follow.ts';
import { stripTerminalControls } from './print.ts';
import { type Bar, progressBars } from './progress.ts';

/** Jobs of one command at a time. The server queues by account. */
const AT_ONCE = 8;

/** Output of a command. Progress and messages go to `messages`, results to `results`. */
export interface Terminal {
  results: NodeJS.WriteStream;
  messages: NodeJS.WriteStream;
}

export interface Task {
  name: string;
  /** Submits the job, and returns its id. */
  start(signal: AbortSignal): Promise<string>;
}

/** A task that submits a request of its own. */
export function requestTask(
  { connection, tags }: RunDeps & { tags: readonly string[] },
  name: string,
  request: { operationId: string; body(): Promise<() => RequestContent>; prefer?: string | undefined },
): Task {
  return {
    name,
    start: async (signal) => submitJob(connection, { ...request, body: await request.body(), tags }, signal),
  };
}

/** A task that could not be done, or a job that failed. */
export interface Failure {
  code: string | null;
  message: string;
}

export type Outcome =
  | { name: string; job: SeenJob; failure: Failure | null }
  | { name: string; job: null; failure: Failure };

export interface RunDeps {
  connection: Connection;
  terminal: Terminal;
  /** Aborted by Ctrl+C. */
  signal: AbortSignal;
}

/**
 * Runs tasks as jobs, with progress bars. `done` gets each outcome in the order of the tasks, once the bars do not
 * cover the output any more.
 *
 * @param cancel what Ctrl+C does; by default it cancels the jobs. Returns what to say
 */
export async function runTasks(
  deps: RunDeps,
  tasks: readonly Task[],
  done: (one: Outcome) => Promise<void>,
  cancel?: () => Promise<string[]>,
) {
  const jobs = new Set<string>();
  const runTaskToEnd = async (task: Task, bar: Bar): Promise<SeenJob> => {
    const jobId = await task.start(deps.signal);
    jobs.add(jobId);
    const job = await followJobEvents(deps.connection, jobId, (seen) => bar.show(seen), deps.signal);
    jobs.delete(jobId);
    return job;
  };
  try {
    return await withBars(deps, tasks, runTaskToEnd, done);
  } catch (error) {
    if (deps.signal.aborted) {
      const said = await (cancel?.() ?? cancelAll(deps.connection, jobs));
      for (const sentence of said) deps.terminal.messages.write(`${sentence}\n`);
    }
    throw error;
  }
}

/** Waits for jobs that exist. Ctrl+C ends the wait, not the jobs. */
export function waitForJobs(
  { connection, terminal, signal }: RunDeps,
  jobIds: readonly string[],
  done: (one: Outcome) => Promise<void>,
): Promise<void> {
  const followIntoBar = (jobId: string, bar: Bar) => followJobEvents(connection, jobId, (job) => bar.show(job), signal);
  const waits = jobIds.map((name) => ({ name }));
  return withBars({ connection, terminal, signal }, waits, ({ name }, bar) => followIntoBar(name, bar), done);
}

async function withBars<Item extends { name: string }>(
  { terminal, signal }: RunDeps,
  items: readonly Item[],
  run: (item: Item, bar: Bar) => Promise<SeenJob>,
  done: (one: Outcome) => Promise<void>,
): Promise<void> {
  const bars = progressBars(terminal.messages);
  const isCovered = terminal.messages.isTTY === true;
  const outcomes: (Outcome | undefined)[] = [];
  let printed = 0;
  let printing: Promise<void> = Promise.resolve();
  const printReadyOutcomes = () => {
    for (let one = outcomes[printed]; one !== undefined; one = outcomes[printed]) {
      const next = one;
      // The result may be large, and the list is long.
      outcomes[printed] = undefined;
      printed += 1;
      printing = printing.then(() => done(next));
    }
    return printing;
  };
  try {
    await inParallel([...items.entries()], AT_ONCE, signal, async ([index, item]) => {
      const bar = bars.add(stripTerminalControls(item.name));
      outcomes[index] = await taskOutcome(item.name, run(item, bar), signal);
      bar.end();
      if (!isCovered) await printReadyOutcomes();
    });
  } finally {
    bars.stop();
  }
  await printReadyOutcomes();
}

/** A refused task does not end the others, a server that is gone does. */
async function taskOutcome(name: string, running: Promise<SeenJob>, signal: AbortSignal): Promise<Outcome> {
  try {
    const job = await running;
    const failure = job.status === 'failed' ? (job.error ?? { code: null, message: 'The job failed.' }) : null;
    return { name, job, failure };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CommandError) || error.exitCode !== EXIT.failed) throw error;
    return { name, job: null, failure: { code: error.code, message: error.message } };
  }
}

function cancelAll(connection: Connection, jobs: ReadonlySet<string>): Promise<string[]> {
  return Promise.all(
    [...jobs].map((jobId) =>
      cancelJob(connection, jobId).then(
        (isCancelled) => (isCancelled ? `Cancelled ${jobId}.` : `${jobId} had ended.`),
        (error: unknown) => `${jobId} could not be cancelled: ${messageOf(error)}`,
      ),
    ),
  );
}

/** One line per source: the job object, or the error of the request. */
export function printJson({ results }: Terminal, { name: source, job, failure }: Outcome): void {
  results.write(`${JSON.stringify(job === null ? { source, error: failure } : { source, ...job })}\n`);
}

export function sayFailure({ messages }: Terminal, { name, failure }: Outcome): void {
  if (failure !== null)
    messages.write(`${stripTerminalControls(name)}: ${stripTerminalControls(nameFlags(failure.message))}\n`);
}
