/** Who listens while an answer is being written. */
export interface Listener {
  /** The answer so far has grown by this. */
  onText: (text: string) => void;
  signal: AbortSignal;
}

interface StreamedEvent {
  event: string;
  /** Empty where the event has none. */
  id: string;
  data: unknown;
}

/** Server-sent events of an answer, which the browser's own reader cannot ask for with a header. Data is JSON. */
export async function* eventsOf(answer: Response): AsyncGenerator<StreamedEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  // An event may have megabytes: its pieces are joined once, when its end has arrived.
  let pieces: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const before = pieces.at(-1) ?? '';
    pieces.push(value);
    if (!`${before.slice(-1)}${value}`.includes('\n\n')) continue;
    const blocks = pieces.join('').split('\n\n');
    pieces = [blocks.pop() ?? ''];
    for (const block of blocks) {
      const event = /^event: ?(.*)$/m.exec(block)?.[1];
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      const id = /^id: ?(.*)$/m.exec(block)?.[1] ?? '';
      if (event !== undefined && data !== undefined) yield { event, id, data: JSON.parse(data) as unknown };
    }
  }
}
