import { isDamaged } from './store.ts';

/** What a thread found in the index; or why the index cannot be read and has to be rebuilt. */
export type Found<Value> = { value: Value } | { damage: string };

/** Errors other than damage are thrown. */
export function catchDamage<Value>(work: () => Value): Found<Value> {
  try {
    return { value: work() };
  } catch (error) {
    if (isDamaged(error)) return { damage: String(error) };
    throw error;
  }
}
