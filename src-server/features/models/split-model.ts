/**
 * Models in several files: large ones are published in parts, `…-00001-of-00003.gguf`, of which the engine is told the
 * first and finds the others beside it.
 */
const PART = /^(?<name>.+)-(?<number>\d{5})-of-(?<count>\d{5})$/;

interface Part {
  name: string;
  path: string;
  sizeBytes: number;
  revision: string;
}

/** A model that may lie in several files. */
export type Whole<One extends Part> = One & { otherPaths: readonly string[] };

/** Parts that make up a whole become one model of the name that they share; what lacks a part is none yet. */
export function joinParts<One extends Part>(found: readonly One[]): Whole<One>[] {
  const models: Whole<One>[] = [];
  const split = new Map<string, Map<number, One>>();
  for (const one of found) {
    const said = PART.exec(one.name)?.groups;
    if (said === undefined) models.push({ ...one, otherPaths: [] });
    else {
      const key = `${said.name} ${said.count}`;
      split.set(key, (split.get(key) ?? new Map()).set(Number(said.number), one));
    }
  }
  for (const parts of split.values()) {
    const whole = wholeOf(parts);
    if (whole !== null) models.push(whole);
  }
  return models;
}

function wholeOf<One extends Part>(parts: ReadonlyMap<number, One>): Whole<One> | null {
  const first = parts.get(1);
  const said = first === undefined ? undefined : PART.exec(first.name)?.groups;
  if (first === undefined || said === undefined) return null;
  const others: One[] = [];
  for (let number = 2; number <= Number(said.count); number += 1) {
    const part = parts.get(number);
    if (part === undefined) return null;
    others.push(part);
  }
  const all = [first, ...others];
  return {
    ...first,
    name: said.name ?? first.name,
    otherPaths: others.map(({ path }) => path),
    sizeBytes: all.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    revision: all.map(({ revision }) => revision).join(' '),
  };
}
