import {
  type EnvironmentName,
  type FurtherEvent,
  type JobFiles,
  type Operation,
  ofOperation,
  type Ports,
  type ProgressReport,
  type QueueClass,
  type TravelChoices,
  type UseService,
} from '../../operation.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import type { FileKind } from '../../platform/files/kinds.ts';
import type { LocalSource } from '../../platform/files/uploads.ts';
import type { Need } from '../../platform/install-choice.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import { tell } from '../../platform/text/say.ts';
import type { NodeStanding } from './node-standing.ts';
import { fileReference } from './present.ts';
import type { StoredResult } from './store.ts';

/** A run as plain data. Its files are named by the job; where it runs decides how they are read and written. */
export interface Assignment {
  environment: EnvironmentName;
  jobId: string;
  /** The run of the job (`isRun`). */
  run: number;
  accountId: string;
  queueClass: QueueClass;
  operationId: string;
  /** As stored. `runAssignment` parses it. */
  request: unknown;
  source: { fileName: string | null; sizeBytes: number; kind: FileKind } | null;
  /** Time spent on fetching the source. */
  spentSeconds: number;
  maxSourceBytes: number;
  fetchPolicy: FetchPolicy;
  /** Of the machine that sent it; absent on that machine itself. */
  choices?: TravelChoices;
}

/** Where jobs run: in this process, or on nodes. */
export interface Fleet extends NodeStanding {
  /** Jobs of a queue class that nodes can run, beyond those of this machine. */
  fleetSlots(queueClass: QueueClass): number;
  /** Errors: those of the operation, `RunLostError` and `NodeAwayError`. */
  executeAssignment(assignment: Assignment, control: RunControl): Promise<RunOutcome>;
  /** Whether the run of a job that began before this process did may still end on its node. */
  isAway(job: AwayRun): boolean;
  /** Waits for the end of such a run. Errors: those of `execute`. */
  resumeAwayRun(job: AwayRun, control: RunControl): Promise<RunOutcome>;
}

/** A run on a node. */
export interface AwayRun {
  environment: EnvironmentName;
  jobId: string;
  accountId: string;
  run: number;
  queueClass: QueueClass;
  operationId: string;
  node: string;
}

/** What one attempt may use. */
export interface RunControl {
  signal: AbortSignal;
  progress(progress: ProgressReport): void;
  /** Sends an event to the client that waits for this run, or to the clients that follow the job. */
  emit(event: string, data: Record<string, unknown>): void;
  /** The source belongs to another operation: the job becomes one of that type. */
  become(operationId: string): void;
  /** The run is handed to a node. Null: it is not, after all. */
  placed(node: string | null): void;
  /** Runs in the transaction that records the end of the run, whatever the end. */
  atEnd(record: (tx: Tx) => void): void;
}

/** The outcome of a successful attempt. */
export interface RunOutcome {
  result: StoredResult;
  furtherEvent?: FurtherEvent | null;
  sourceBytes: number;
}

/** A node no longer runs the job: it died, stopped answering, or was removed. The job runs again elsewhere. */
export class RunLostError extends Error {
  /** False where the job cannot be the cause. */
  readonly spendsAttempt: boolean;

  constructor(message: string, spendsAttempt: boolean) {
    super(message);
    this.name = 'RunLostError';
    this.spendsAttempt = spendsAttempt;
  }
}

interface AssignmentDeps {
  operations: readonly Operation[];
  folders: JobFolders;
  use: UseService;
}

/** Runs the operation of an assignment in this process, on the files in the job's folder. */
export async function runAssignment(
  deps: AssignmentDeps,
  assignment: Assignment,
  control: Pick<RunControl, 'signal' | 'progress' | 'emit'>,
): Promise<RunOutcome> {
  const operation = requireOperation(deps.operations, assignment.operationId);
  const request = operation.request.parse(assignment.request);
  control.signal.throwIfAborted();
  let chunksBytes: number | null = null;
  const chunksInFile = (sizeBytes: number) => {
    chunksBytes = sizeBytes;
  };
  const result = await operation.run(
    ofOperation(request),
    portsOf(deps, assignment, control, chunksInFile),
    control.signal,
  );
  const parsed = operation.result.parse(result);
  const furtherEvent = operation.furtherEvent?.(ofOperation(parsed)) ?? null;
  const sourceBytes = assignment.source?.sizeBytes ?? 0;
  return { result: { body: JSON.stringify(parsed), chunksBytes }, furtherEvent, sourceBytes };
}

/** Runs `gather` of the operation. False: the job stays. */
export async function gatherFor(
  deps: AssignmentDeps,
  assignment: Assignment,
  control: Pick<RunControl, 'signal' | 'progress' | 'emit'>,
): Promise<boolean> {
  const operation = requireOperation(deps.operations, assignment.operationId);
  if (operation.gather === undefined) return true;
  const request = operation.request.parse(assignment.request);
  return operation.gather(
    ofOperation(request),
    portsOf(deps, assignment, control, () => undefined),
    control.signal,
  );
}

export function requireOperation(operations: readonly Operation[], id: string): Operation {
  const operation = operations.find((candidate) => candidate.id === id);
  if (!operation) throw new QuarryError('internal', tell`This version of Quarry has no operation ${id}.`);
  return operation;
}

function portsOf(
  { folders, use }: AssignmentDeps,
  assignment: Assignment,
  { progress, emit }: Pick<RunControl, 'progress' | 'emit'>,
  chunksInFile: (sizeBytes: number) => void,
): Ports {
  const { jobId: id, accountId, spentSeconds, fetchPolicy, maxSourceBytes } = assignment;
  return {
    id,
    accountId,
    get source(): LocalSource {
      if (assignment.source === null) throw new Error('The operation declares no source.');
      return { path: folders.sourceFolderPath(id), ...assignment.source };
    },
    use,
    progress,
    emit,
    files: jobFiles(folders, id, (name) => fileReference(id, name)),
    workFolder: folders.workFolderPath(id),
    spentSeconds,
    fetchPolicy,
    maxSourceBytes,
    chunksInFile,
    choices: assignment.choices ?? {},
  };
}

/** The folder of a job, for operations. */
export function jobFiles(folders: JobFolders, jobId: string, urlOf: (name: string) => string): JobFiles {
  return {
    folder: folders.filesFolderPath(jobId),
    pathOf: (name) => {
      const path = folders.servedJobFilePath(jobId, name);
      if (path === null) throw new Error(`A job's file cannot be called ${name}.`);
      return path;
    },
    urlOf,
  };
}

/** Runs every job in this process: the fleet of an appliance without nodes, and the place of work that stays. */
export function localFleet(deps: AssignmentDeps): Fleet {
  return {
    fleetSlots: () => 0,
    executeAssignment: (assignment, control) => runAssignment(deps, assignment, control),
    isAway: () => false,
    resumeAwayRun: async () => {
      throw new RunLostError('Its run ended with the server; it will run again.', false);
    },
    nodeStandingOf: () => 'none',
    presentOnNodes: () => [],
    watchNodeStanding: () => () => undefined,
  };
}

/** The fleet of this process, which others may join when they open. */
export class JoinedFleet implements Fleet {
  #current: Fleet;

  readonly local: Fleet;

  constructor(local: Fleet) {
    this.local = local;
    this.#current = local;
  }

  joinFleet(fleet: Fleet): void {
    this.#current = fleet;
  }

  fleetSlots(queueClass: QueueClass): number {
    return this.#current.fleetSlots(queueClass);
  }

  executeAssignment(assignment: Assignment, control: RunControl): Promise<RunOutcome> {
    return this.#current.executeAssignment(assignment, control);
  }

  isAway(run: AwayRun): boolean {
    return this.#current.isAway(run);
  }

  resumeAwayRun(run: AwayRun, control: RunControl): Promise<RunOutcome> {
    return this.#current.resumeAwayRun(run, control);
  }

  nodeStandingOf(operationId: string, models: readonly string[]): 'there' | 'away' | 'none' {
    return this.#current.nodeStandingOf(operationId, models);
  }

  presentOnNodes(need: Need): ReturnType<Fleet['presentOnNodes']> {
    return this.#current.presentOnNodes(need);
  }

  watchNodeStanding(onChange: () => void): () => void {
    return this.#current.watchNodeStanding(onChange);
  }
}
