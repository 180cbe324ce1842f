/** The line between the stand-in, which runs inside the shell's process, and the test that started it. */

export interface Report {
  event: string;
  detail: unknown;
}

export interface Command {
  id: number;
  command: string;
  args: unknown[];
}

export interface Reply {
  id: number;
  result?: unknown;
  error?: string;
}

type Handler = (...args: never[]) => unknown;

const handlers = new Map<string, Handler>();

/** Tells the test that the shell did something. */
export function report(event: string, detail: unknown = null): void {
  if (process.connected) process.send?.({ event, detail } satisfies Report);
}

/** Lets the test do something as the user, the system or a page would. */
export function onCommand(command: string, handler: Handler): void {
  handlers.set(command, handler);
}

process.on('message', async ({ id, command, args }: Command) => {
  const reply: Reply = { id };
  try {
    const handler = handlers.get(command);
    if (handler === undefined) throw new Error(`The shell has nothing that answers to ${command} now.`);
    reply.result = await handler(...(args as never[]));
  } catch (error) {
    reply.error = (error as Error).message;
  }
  process.send?.(reply);
});
// The channel alone keeps nothing running: the shell ends when it would without a test.
process.channel?.unref();
