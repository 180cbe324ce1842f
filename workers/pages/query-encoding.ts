/**
 * What stands in the query of a link is sent in the page's own encoding, its path in UTF-8 (the URL standard): a server
 * that writes windows-1251 finds nothing for a question in UTF-8.
 */

/** Encodings whose characters have no fixed bytes, or that the standard never sends. */
const NEVER_SENT = /^(?:utf-|iso-2022-jp|replacement|x-user-defined)/;
const LEAST_LEAD = 0x80;
const GREATEST = 0xff;
const LEAST_TRAIL = 0x40;
const LINE_FEED = 0x0a;
const DELETE = 0x7f;

type Table = ReadonlyMap<string, string>;

let known: { encoding: string; table: Table } | null = null;

/** The address with the characters of its query that are not ASCII as bytes of the encoding. */
export function withEncodedQuery(address: string, encoding: string): string {
  const query = address.indexOf('?');
  if (query === -1 || NEVER_SENT.test(encoding) || !/[^\0-\x7f]/.test(address)) return address;
  const fragment = address.indexOf('#');
  if (fragment !== -1 && fragment < query) return address;
  const end = fragment === -1 ? address.length : fragment;
  if (known?.encoding !== encoding) known = { encoding, table: tableOf(encoding) };
  const { table } = known;
  const encode = (character: string) => table.get(character) ?? `%26%23${character.codePointAt(0)}%3B`;
  return address.slice(0, query) + address.slice(query, end).replace(/[^\0-\x7f]/gu, encode) + address.slice(end);
}

/** Second bytes may be those of letters, which stand in a query as they are. */
function written(byte: number): string {
  return byte < DELETE ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`;
}

/** Each character of one byte, or of two, with its bytes: read from the decoder, since there is no encoder. */
function tableOf(encoding: string): Table {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, string>();
  const keep = (sequences: readonly number[][]) => {
    const lines = decoder.decode(Uint8Array.from(sequences.flatMap((bytes) => [...bytes, LINE_FEED]))).split('\n');
    for (const [at, character] of lines.entries()) {
      const bytes = sequences[at];
      if (bytes === undefined || [...character].length !== 1 || character === '\ufffd' || table.has(character))
        continue;
      table.set(character, bytes.map(written).join(''));
    }
  };
  const leads = Array.from({ length: GREATEST - LEAST_LEAD + 1 }, (_, at) => LEAST_LEAD + at);
  const trails = Array.from({ length: GREATEST - LEAST_TRAIL }, (_, at) => LEAST_TRAIL + at);
  keep(leads.map((lead) => [lead]));
  for (const lead of leads) keep(trails.map((trail) => [lead, trail]));
  return table;
}
