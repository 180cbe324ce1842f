export interface ServerSentEvent {
  event: string;
  id: string;
  data: string;
}

/** Reads a stream of server-sent events to its end. */
export async function readEvents(answer: Response): Promise<ServerSentEvent[]> {
  return Array.fromAsync(eventsOf(answer));
}

/** The events of a stream as they come. */
export async function* eventsOf(answer: Response): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = `${text}${part}`.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const { event, id = '', data = '' } = Object.fromEntries(block.split('\n').map((line) => splitOnce(line)));
      if (event !== undefined) yield { event, id, data };
    }
  }
}

function splitOnce(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** A stream that is still being written: what came so far, until it is closed. */
export interface OpenStream<Data> extends Disposable {
  readonly heard: readonly { event: string; data: Data }[];
}

/** Follows a stream of server-sent events whose data is JSON. */
export async function openEvents<Data>(
  ask: (path: string, init: RequestInit) => Promise<Response>,
  path: string,
): Promise<OpenStream<Data>> {
  const aborter = new AbortController();
  const answer = await ask(path, { signal: aborter.signal });
  if (answer.status !== 200) throw new Error(`The stream was answered with ${answer.status}.`);
  const heard: { event: string; data: Data }[] = [];
  const read = async () => {
    for await (const { event, data } of eventsOf(answer)) heard.push({ event, data: JSON.parse(data) as Data });
  };
  read().catch((error: unknown) => {
    if (!aborter.signal.aborted) throw error;
  });
  return { heard, [Symbol.dispose]: () => aborter.abort() };
}
