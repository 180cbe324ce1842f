export interface ServerSentEvent {
  event: string;
  id: string;
  data: string;
}

/** Reads a stream of server-sent events to its end. */
export async function readEvents(answer: Response): Promise<ServerSentEvent[]> {
  const text = await answer.text();
  return text
    .split('\n\n')
    .map((block) => Object.fromEntries(block.split('\n').map((line) => splitOnce(line))))
    .filter((fields) => fields.event !== undefined)
    .map((fields) => ({ event: fields.event ?? '', id: fields.id ?? '', data: fields.data ?? '' }));
}

function splitOnce(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
