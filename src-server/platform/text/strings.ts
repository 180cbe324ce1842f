/** Part of a text as `slice` gives it, but for half a character at either end: it has no UTF-8, and many refuse it. */
export function wholeSlice(text: string, from: number, to: number): string {
  const start = isWithinCharacter(text, from) ? from + 1 : from;
  return text.slice(start, isWithinCharacter(text, to) ? to - 1 : to);
}

export function isWithinCharacter(text: string, at: number): boolean {
  return at > 0 && at < text.length && isHalf(text, at - 1, 0xd800) && isHalf(text, at, 0xdc00);
}

function isHalf(text: string, at: number, first: number): boolean {
  const code = text.charCodeAt(at);
  return code >= first && code < first + 0x400;
}
