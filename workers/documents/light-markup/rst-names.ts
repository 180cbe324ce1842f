/** What names stand for in reStructuredText: targets, substitutions, footnotes, titles, roles. */

interface Substitution {
  text: string;
  /** Of a picture. */
  url: string | null;
}

/** Names of many words bound the searches. */
const NAME_CHARS_MAX = 300;

const TARGET = /^\s*\.\. _(?!_)(?:`([^`]+)`|((?:[^:\\]|\\.|:(?=\S))+)):(?:\s+(.*))?$/;

const ANONYMOUS = /^\s*(?:\.\. __:|__)\s+(\S.*)$/;

const SUBSTITUTION = /^\s*\.\. \|([^|]+)\| +(\w+):: *(.*)$/;

const NOTE = /^\s*\.\. \[(\d+|#[\w.:-]*|\*|[A-Za-z][\w.:+-]*)\](?=\s|$)/;

export class RstNames {
  readonly substitutions = new Map<string, Substitution>();
  /** Address of each name; an empty one is a place in the document. */
  readonly #targets = new Map<string, string>();
  readonly #anonymous: string[] = [];
  readonly #titles: ReadonlyMap<string, string>;
  readonly #roles = new Map<string, string>();
  /** Numbers of the notes without a stated one, by label. */
  readonly #numbers = new Map<string, string>();
  readonly #auto = new NoteQueue();
  readonly #symbols = new NoteQueue();

  constructor(lines: readonly string[]) {
    const notes: string[] = [];
    this.#titles = rstTitles(lines);
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at] ?? '';
      if (/^\s*(?:\.\.|__)\s/.test(line)) this.#readDefinition(lines, at, notes);
      else if (isUnderline(lines[at + 1] ?? '') && line.trim() !== '' && line.length < NAME_CHARS_MAX)
        this.#setTarget(line.trim(), '');
    }
    this.#numberNotes(notes);
  }

  #readDefinition(lines: readonly string[], at: number, notes: string[]): void {
    const line = lines[at] ?? '';
    const [, quoted, plain, url = ''] = TARGET.exec(line) ?? [];
    const name = quoted ?? plain;
    if (name !== undefined) {
      const own = [url, ...continuedLines(lines, at)].map((part) => part.trim()).join('');
      this.#setTarget(name, own, true);
      return;
    }
    const anonymous = ANONYMOUS.exec(line)?.[1];
    if (anonymous !== undefined) this.#anonymous.push(anonymous.trim());
    const [, substituted = '', kind = '', value = ''] = SUBSTITUTION.exec(line) ?? [];
    if (substituted !== '') this.#substitute(substituted, kind, [value, ...continuedLines(lines, at)]);
    const role = /^\s*\.\. role:: *([\w.-]+)(?:\(([\w.-]+)\))?/.exec(line);
    if (role?.[1] !== undefined) this.#roles.set(role[1], role[2] ?? 'span');
    const note = NOTE.exec(line)?.[1];
    if (note !== undefined) notes.push(note);
  }

  #setTarget(name: string, url: string, isStated = false): void {
    const key = nameKey(name);
    if (isStated || !this.#targets.has(key)) this.#targets.set(key, url.replace(/\\(.)/g, '$1'));
  }

  #substitute(name: string, kind: string, lines: readonly string[]): void {
    const key = nameKey(name);
    const body = lines.map((line) => line.trim());
    const options = body.filter((line) => /^:\w+:/.test(line));
    const text = body
      .filter((line) => line !== '' && !options.includes(line))
      .join(' ')
      .trim();
    if (kind === 'image') {
      const alt = options.map((line) => /^:alt: *(.*)$/.exec(line)?.[1]).find((one) => one !== undefined);
      this.substitutions.set(key, { text: alt ?? '', url: text });
    } else if (kind === 'unicode') this.substitutions.set(key, { text: unicodeText(text), url: null });
    else if (kind === 'replace') this.substitutions.set(key, { text, url: null });
  }

  /** Numbers that the source does not state, in the order of the notes. */
  #numberNotes(notes: readonly string[]): void {
    const stated = new Set(notes);
    let number = 0;
    for (const label of notes) {
      if (label === '*') this.#symbols.labels.push(noteSymbol(this.#symbols.labels.length));
      if (!label.startsWith('#')) continue;
      do number += 1;
      while (stated.has(String(number)));
      if (label === '#') this.#auto.labels.push(String(number));
      else this.#numbers.set(label, String(number));
    }
  }

  /** The marker of a note by its label; each use of one without a name is the next. Null for one that is nowhere. */
  noteMarker(label: string, use: 'reference' | 'definition'): string | null {
    if (label === '#') return this.#auto.nextLabel(use);
    if (label === '*') return this.#symbols.nextLabel(use);
    return label.startsWith('#') ? (this.#numbers.get(label) ?? null) : label;
  }

  /** The address that a name stands for; a place in the document as `#name`. Null for an unknown name. */
  targetOf(name: string, depth = 0): string | null {
    const key = nameKey(name);
    const url = this.#targets.get(key);
    if (url === undefined) return null;
    if (url === '') return placeAddress(key);
    const other = /^`?([^`]+?)`?_$/.exec(url)?.[1];
    if (other === undefined || depth > 5) return url;
    return this.targetOf(other, depth + 1) ?? url;
  }

  /** The title of the section that a label names; null without one. */
  titleOf(label: string): string | null {
    return this.#titles.get(nameKey(label)) ?? null;
  }

  addTarget(name: string, url: string): void {
    this.#setTarget(name, url, true);
  }

  nextAnonymous(): string | null {
    const target = this.#anonymous.shift() ?? null;
    const other = target === null ? undefined : /^`?([^`]+?)`?_$/.exec(target)?.[1];
    return other === undefined ? target : (this.targetOf(other) ?? target);
  }

  /** The role that a document defines by another one. */
  baseRole(role: string): string {
    return this.#roles.get(role) ?? role;
  }
}

/** The titles of sections by the labels directly before them. */
export function rstTitles(lines: readonly string[]): Map<string, string> {
  const titles = new Map<string, string>();
  let labels: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || (isUnderline(line) && labels.length > 0)) continue;
    const [, quoted, plain, url] = line.includes('.. _') ? (TARGET.exec(line) ?? []) : [];
    const label = quoted ?? plain;
    if (label !== undefined && url === undefined) labels.push(nameKey(label));
    else {
      const isTitle = labels.length > 0 && line.length < NAME_CHARS_MAX && isUnderline(lines[at + 1] ?? '');
      const title = line.replace(/:[\w:.+-]+:(?=`)|[`*|\\]/g, '').trim();
      if (isTitle) for (const one of labels) titles.set(one, title);
      labels = [];
    }
  }
  return titles;
}

class NoteQueue {
  readonly labels: string[] = [];
  readonly #used = { reference: 0, definition: 0 };

  nextLabel(use: 'reference' | 'definition'): string | null {
    this.#used[use] += 1;
    return this.labels[this.#used[use] - 1] ?? null;
  }
}

export function placeAddress(name: string): string {
  return `#${name.trim().replace(/\s+/g, '-')}`;
}

function nameKey(name: string): string {
  return name.replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim().toLowerCase();
}

const SYMBOLS = ['*', '†', '‡', '§', '¶'];

function noteSymbol(index: number): string {
  return (SYMBOLS[index % SYMBOLS.length] ?? '*').repeat(1 + Math.floor(index / SYMBOLS.length));
}

function continuedLines(lines: readonly string[], at: number): string[] {
  const indent = (lines[at] ?? '').search(/\S/);
  let end = at + 1;
  while (end < lines.length && (lines[end] ?? '').search(/\S/) > indent) end += 1;
  return lines.slice(at + 1, end);
}

function unicodeText(codes: string): string {
  return codes
    .split(/\s+/)
    .map((code) => {
      const number = Number.parseInt(/^(?:0x|x|\\x|U\+|u|\\u|&#x)([\da-f]{1,6});?$/i.exec(code)?.[1] ?? '', 16);
      return Number.isNaN(number) || number > 0x10ffff ? code : String.fromCodePoint(number);
    })
    .join('');
}

/** A line of one repeated punctuation mark. */
export function isUnderline(line: string): boolean {
  const text = line.trimEnd();
  return text.length >= 2 && /^([!-/:-@[-`{-~])\1+$/.test(text);
}
