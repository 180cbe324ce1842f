/** Reads the pieces of a TeX source in one pass. Threat: unclosed groups; the search for an end is bounded. */

/** Longest argument of a command. */
const GROUP_CHARS_MAX = 10_000;

/** Longest formula or environment that is taken as it is. */
const RAW_CHARS_MAX = 200_000;

export class TexScanner {
  at = 0;
  readonly #source: string;
  /** Marks that do not occur from a searched place to this one. */
  readonly #absentUntil = new Map<string, number>();
  /** Where each group ends, by its start; null until that is of use. */
  #closes: ReadonlyMap<number, number> | null = null;

  constructor(source: string) {
    this.#source = source;
  }

  get isTexSourceConsumed(): boolean {
    return this.at >= this.#source.length;
  }

  /** The next character, which is consumed. */
  takeTexCharacter(): string {
    const character = this.#source[this.at] ?? '';
    this.at += 1;
    return character;
  }

  /** Ordinary text up to the next character with a meaning. */
  takeText(): string {
    return this.takeMatch(/[^\\{}$%~\n]+/y) ?? '';
  }

  /** The text of a sticky pattern at this place, which is consumed; null if it does not match. */
  takeMatch(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#source);
    if (found === null) return null;
    this.at += found[0].length;
    return found[0];
  }

  /** The name of a command after its backslash: letters with a star, or one other character. */
  takeName(): string {
    return this.takeMatch(/[A-Za-z@]+\*?/y) ?? this.takeTexCharacter();
  }

  /** Skips an optional argument in brackets. Returns its content, or null without one. */
  takeOption(): string | null {
    return (
      this.takeMatch(/[ \t]*\[[^[\]]{0,500}\]/y)
        ?.trim()
        .slice(1, -1) ?? null
    );
  }

  /** The content of a group in braces; null if none follows or it does not end soon. */
  takeGroup(): string | null {
    const before = this.at;
    this.takeMatch(/\s*/y);
    if (this.#source[this.at] !== '{') {
      this.at = before;
      return null;
    }
    const start = this.at + 1;
    const close = this.#closeOfGroup(start);
    this.at = close === null ? before : close + 1;
    return close === null ? null : this.#source.slice(start, close);
  }

  /** Offset of the brace that closes the group before `start`; null if none does soon. */
  #closeOfGroup(start: number): number | null {
    const known = this.#closes?.get(start);
    if (this.#closes !== null) return known !== undefined && known - start < GROUP_CHARS_MAX ? known : null;
    const end = Math.min(this.#source.length, start + GROUP_CHARS_MAX);
    let depth = 1;
    for (let at = start; at < end; at += 1) {
      const character = this.#source[at];
      if (character === '\\') at += 1;
      else if (character === '{') depth += 1;
      else if (character === '}') depth -= 1;
      if (depth === 0) return at;
    }
    // Where one group does not end, many may not.
    this.#closes = closesOfGroups(this.#source);
    return null;
  }

  /** Everything up to a mark, which is consumed; null if it does not follow soon. */
  takeUntil(mark: string): string | null {
    const limit = Math.min(this.#source.length, this.at + RAW_CHARS_MAX);
    // Each place is searched once for a mark that does not follow.
    const from = Math.max(this.at, (this.#absentUntil.get(mark) ?? 0) - mark.length);
    const end = this.#source.slice(from, limit).indexOf(mark);
    if (end === -1) {
      this.#absentUntil.set(mark, limit);
      return null;
    }
    const text = this.#source.slice(this.at, from + end);
    this.at = from + end + mark.length;
    return text;
  }
}

function closesOfGroups(source: string): Map<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === '{') open.push(at + 1);
    else if (character === '}') {
      const start = open.pop();
      if (start !== undefined) closes.set(start, at);
    }
  }
  return closes;
}
