/** Who listens while an answer is being written. */
export interface Listener {
  /** The answer so far has grown by this. */
  onText: (text: string) => void;
  signal: AbortSignal;
}

interface StreamedEvent {
  event: string;
  data: unknown;
}

/** Server-sent events of an answer to a POST, for which a browser has no reader of its own. Data is JSON. */
export async function* eventsOf(answer: Response): AsyncGenerator<StreamedEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    waiting += value;
    const blocks = waiting.split('\n\n');
    waiting = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: ?(.*)$/m.exec(block)?.[1];
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as unknown };
    }
  }
}
