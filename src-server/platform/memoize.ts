/**
 * A bounded cache of a function of a string, for values that cost more to compute than to look up, such as parsed URLs
 * or keys. Values are shared and must not be changed. A full cache is cleared.
 */
export function remember<Value>(make: (text: string) => Value, mostKept: number): (text: string) => Value {
  const kept = new Map<string, Value>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (kept.size >= mostKept) kept.clear();
    kept.set(text, made);
    return made;
  };
}
