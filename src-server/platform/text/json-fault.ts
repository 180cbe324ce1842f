/** `Expected ',' or '}' after property value in JSON at position 9 (line 1 column 10)` */
const WITH_PLACE = /^(.+?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/;
/** `Unexpected token 'N', "{"a":NaN}" is not valid JSON`: what stands around it is the sender's own. */
const WITH_TOKEN = /^(Unexpected token '.+?'), /su;

/** What makes a text no JSON, and where, as far as the engine tells: `: expected ',' … (line 1, column 10)`, or ``. */
export function jsonFault(error: unknown): string {
  const message = error instanceof SyntaxError ? error.message : '';
  if (message === 'Unexpected end of JSON input') return ': it ends in the middle';
  const [, placed, line, column] = WITH_PLACE.exec(message) ?? [];
  if (placed !== undefined) return `: ${lowerFirst(placed)} (line ${line}, column ${column})`;
  const token = WITH_TOKEN.exec(message)?.[1];
  return token === undefined ? '' : `: ${lowerFirst(token)}`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
