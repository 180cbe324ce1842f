/**
 * The lines of a JSONL text that arrives in pieces; empty ones are left out. Only a line feed ends a line: Node's
 * readline takes U+2028 and U+2029 for ends too, and those may stand inside a JSON string as they are.
 */
export async function* jsonLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = '';
  for await (const piece of pieces) {
    const lines = piece.split('\n');
    lines[0] = begun + lines[0];
    begun = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
  if (begun !== '') yield begun;
}
