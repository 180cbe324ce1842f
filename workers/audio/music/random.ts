import { createHash } from 'node:crypto';

/** A reproducible stream of random numbers. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(share: number): boolean;
}

/** Mulberry32, seeded with the SHA-256 of the request. */
export function randomOf(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  const nextRandomNumber = () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next: nextRandomNumber,
    pick: (items) => {
      const item = items[Math.floor(nextRandomNumber() * items.length)];
      if (item === undefined) throw new RangeError('The list is empty.');
      return item;
    },
    chance: (share) => nextRandomNumber() < share,
  };
}
