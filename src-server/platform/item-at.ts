/** The item at an index, counted from the end when negative. Errors: RangeError where there is none. */
export function itemAt<T>(items: ArrayLike<T>, index: number): T {
  const item = items[index < 0 ? items.length + index : index];
  if (item === undefined) throw new RangeError(`There is no item ${index} of ${items.length}.`);
  return item;
}

/** The value of a key that the map holds. Errors: RangeError where it does not. */
export function knownValue<K, V>(map: { get(key: K): V | undefined }, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new RangeError('The map does not hold the key.');
  return value;
}
