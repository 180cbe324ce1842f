/** The origin of the server that shows an example, filled in when the document is served. */
export const ORIGIN = '{origin}';

/** An example of a server-sent event. */
export function exampleEvent(event: string, data: unknown, id?: number): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}
