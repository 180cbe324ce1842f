/**
 * A function that keeps what it made of the last texts it was given: for what costs more to make than to look up, such
 * as a parsed URL or a key. What it gives is shared, so it must not be changed. When full it begins anew.
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
