import type { QuarryError } from '../src-server/platform/errors.ts';
import type { TaskContext } from '../src-server/platform/pool/worker-pool.ts';
import type { ChildProgram } from '../src-server/platform/rpc/child-process.ts';
import type { ChildProgramName } from '../src-server/platform/rpc/shell.ts';

/** `cause` describes a failure, for the log. */
interface ChildMessage {
  kind: string;
  cause?: string;
}

type Notices<Message extends ChildMessage> = {
  [Kind in Message['kind']]?: (message: Extract<Message, { kind: Kind }>) => void;
};

interface PendingRequest<Message extends ChildMessage> {
  notices: Notices<Message>;
  resolve(message: Message): void;
  reject(error: unknown): void;
}

export interface TaskChildDeps {
  name: ChildProgramName;
  /** Creates the error of a program that failed or ended before `close`. */
  failed(cause: string): QuarryError;
}

/** A child program that answers one request at a time. It ends on `close`, on abort, or at the latest with the task. */
export class TaskChild<Command, Message extends ChildMessage> {
  readonly #child: ChildProgram;
  readonly #signal: AbortSignal;
  readonly #failed: TaskChildDeps['failed'];
  #pending: PendingRequest<Message> | null = null;
  #end: QuarryError | null = null;

  constructor({ startChild, signal }: Pick<TaskContext, 'startChild' | 'signal'>, { name, failed }: TaskChildDeps) {
    this.#signal = signal;
    this.#failed = failed;
    this.#child = startChild(name, {
      onMessage: (message) => this.#receive(message as Message),
      onEnd: (cause) => {
        this.#end = failed(cause);
        this.#pending?.reject(this.#end);
      },
    });
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /**
   * Sends a command and waits for the answer. Errors: the result of `failed`, and the reason of the signal.
   * @param kind of the expected answer
   * @param notices handlers of messages before the answer, by kind
   */
  async ask<Kind extends Message['kind']>(
    command: Command,
    kind: Kind,
    notices: Notices<Message> = {},
  ): Promise<Extract<Message, { kind: Kind }>> {
    this.#signal.throwIfAborted();
    if (this.#end !== null) throw this.#end;
    const message = await new Promise<Message>((resolve, reject) => {
      this.#pending = { notices, resolve, reject };
      this.#child.send(command);
    }).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      throw error;
    });
    if (message.kind === kind) return message as Extract<Message, { kind: Kind }>;
    throw this.#failed(message.cause ?? `Answered ${message.kind}.`);
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#stop);
    this.#stop();
  }

  readonly #stop = () => this.#child.end();

  #receive(message: Message): void {
    const notice = this.#pending?.notices[message.kind as Message['kind']] as ((message: Message) => void) | undefined;
    if (notice !== undefined) notice(message);
    else this.#pending?.resolve(message);
  }
}
