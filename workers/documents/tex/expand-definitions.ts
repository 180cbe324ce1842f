/**
 * Replaces the commands that a LaTeX source defines by what they stand for, because their text is text of the document.
 * Formulas and code stay as they are written. Threat: definitions that grow without end; depth and length are bounded.
 */
import { byName } from '../../../src-server/platform/records.ts';
import { ACCENTS, DROPPED, SYMBOLS } from './characters.ts';

/** Replacements inside replacements. */
const DEPTH_MAX = 10;

/** Characters that replacements add to a source. */
const ADDED_MAX = 2_000_000;

const PARAMETERS_MAX = 9;

/** Longest definition, and longest argument of a use. */
const GROUP_CHARS_MAX = 10_000;

/** Environments that are copied as they are, with or without a star. */
const RAW_ENVIRONMENTS = new Set([
  ...['verbatim', 'Verbatim', 'lstlisting', 'minted', 'alltt', 'comment', 'filecontents', 'equation', 'align'],
  ...['alignat', 'gather', 'multline', 'eqnarray', 'displaymath', 'math', 'flalign', 'tikzpicture', 'picture'],
  ...['pgfpicture', 'pspicture'],
]);

const DEFINING = /^(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|def|gdef|long|newrobustcmd)\*?$/;

/** Commands with a meaning for the reader, which a source may define again. */
const KNOWN = new Set([
  ...['begin', 'end', 'part', 'chapter', 'section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'],
  ...['title', 'author', 'date', 'caption', 'footnote', 'item', 'bibitem', 'par', 'maketitle', 'tableofcontents'],
  ...['input', 'include', 'href', 'url', 'path', 'verb', 'and', 'abstract'],
]);

/** Families of such commands, and sizes and labels of the layout. */
const KNOWN_FAMILY = /^(?:the[a-z]+|[a-z]*(?:cite[a-z]*|ref|name|skip|stretch|width|height|sep|indent|fraction))$/i;

/** Primitives whose sizes follow without braces. */
const SIZED = /^(?:[hv]rule|[hv]skip|[hv]glue|kern|mkern|raise|lower|hsize|vsize)$/;

const UNIT = '(?:pt|em|ex|cm|mm|in|bp|pc|sp|mu|fill?l?)';

const SIZE = `-?(?:\\d*[.,]?\\d+\\s*${UNIT}|\\\\[A-Za-z@]+(?:width|height|skip|size))`;

const SIZES = new RegExp(`(?:\\s*(?:=|height|width|depth|plus|minus|to)?\\s*${SIZE})*`, 'y');

const TOKEN =
  /\\begin[ \t]*\{([A-Za-z]+\*?)\}|\\verb\*?([^A-Za-z\s*])|\\([A-Za-z@]+\*?)|\\[([]|\\[\s\S]|%[^\n]*|\$\$?/g;

const FORMULA_ENDS: Readonly<Record<string, string>> = byName({ $$: '$$', $: '$', '\\[': '\\]', '\\(': '\\)' });

interface Definition {
  parameters: number;
  /** Text of the first parameter if a use does not state it; null if it is required. */
  optional: string | null;
  body: string;
}

/** The source with its own commands replaced, and without their definitions. */
export function expandDefinitions(source: string): string {
  return source.includes('\\def') || source.includes('command') || /\\[hv](?:rule|skip)|\\kern/.test(source)
    ? new Expander().expandTexDefinitions(source, 0)
    : source;
}

class Expander {
  readonly #definitions = new Map<string, Definition>();
  #added = 0;

  expandTexDefinitions(source: string, depth: number): string {
    const out: string[] = [];
    const token = new RegExp(TOKEN);
    const absent = new Set<string>();
    let at = 0;
    const copyTo = (end: string) => {
      const found = absent.has(end) ? -1 : source.indexOf(end, token.lastIndex);
      if (found === -1) absent.add(end);
      else token.lastIndex = found + end.length;
    };
    for (let match = token.exec(source); match !== null; match = token.exec(source)) {
      const [mark, environment, verbatim, name] = match;
      const end = FORMULA_ENDS[mark];
      if (environment !== undefined) {
        if (RAW_ENVIRONMENTS.has(environment.replace('*', ''))) copyTo(`\\end{${environment}}`);
      } else if (verbatim !== undefined) copyTo(verbatim);
      else if (end !== undefined) copyTo(end);
      else if (name !== undefined) {
        const replaced = this.#replaceTexCommand(source, name, token.lastIndex, depth);
        if (replaced === null) continue;
        out.push(source.slice(at, match.index), replaced.text);
        at = replaced.end;
        token.lastIndex = at;
      }
    }
    out.push(source.slice(at));
    return out.join('');
  }

  /** Null for a command that stays. */
  #replaceTexCommand(source: string, name: string, at: number, depth: number) {
    if (DEFINING.test(name)) {
      const end = this.#takeTexDefinition(source, at, name);
      return end === null ? null : { text: '', end };
    }
    if (SIZED.test(name)) {
      SIZES.lastIndex = at;
      return { text: ' ', end: at + (SIZES.exec(source)?.[0].length ?? 0) };
    }
    const definition = this.#definitions.get(name);
    if (definition === undefined || depth >= DEPTH_MAX) return null;
    const use = argumentsAt(source, at, definition);
    if (use === null) return null;
    const filled = definition.body.replace(/#([1-9])/g, (_, number: string) => use.values[Number(number) - 1] ?? '');
    this.#added += filled.length;
    if (this.#added > ADDED_MAX) return null;
    // This command keeps the space after it, which TeX drops after a name.
    const body = filled.replace(/\\xspace\s*$/, '');
    const gap =
      definition.parameters === 0 && body === filled
        ? (/^[ \t]*/.exec(source.slice(use.end, use.end + 20))?.[0].length ?? 0)
        : 0;
    return { text: this.expandTexDefinitions(body, depth + 1), end: use.end + gap };
  }

  /** Takes a definition. Returns the index behind it; null if it is none that can be used. */
  #takeTexDefinition(source: string, from: number, by: string): number | null {
    const head = /\s*\{?\s*\\([A-Za-z]+)\s*\}?/y;
    head.lastIndex = from;
    const name = head.exec(source)?.[1];
    if (name === undefined) return null;
    let at = head.lastIndex;
    let parameters = 0;
    let optional: string | null = null;
    if (/def$/.test(by)) {
      const listed = /(?:#\d)*/y;
      listed.lastIndex = at;
      parameters = (listed.exec(source)?.[0].length ?? 0) / 2;
      at += parameters * 2;
    } else {
      const stated = /\s*\[(\d)\](?:\s*\[([^\]]{0,200})\])?/y;
      stated.lastIndex = at;
      const found = stated.exec(source);
      if (found !== null) at = stated.lastIndex;
      parameters = Number(found?.[1] ?? 0);
      optional = found?.[2] ?? null;
    }
    const body = groupAt(source, at);
    if (body === null) return null;
    const isUsable = parameters <= PARAMETERS_MAX && !isKnownTexCommand(name);
    if (isUsable) this.#definitions.set(name, { parameters, optional, body: body.text });
    return body.end;
  }
}

function isKnownTexCommand(name: string): boolean {
  if (KNOWN.has(name) || KNOWN_FAMILY.test(name)) return true;
  return [ACCENTS, DROPPED, SYMBOLS].some((table) => Object.hasOwn(table, name));
}

/** The arguments of a use; null if one is missing. */
function argumentsAt(source: string, from: number, { parameters, optional }: Definition) {
  const values: string[] = [];
  let at = from;
  if (optional !== null) {
    const stated = /[ \t]*\[([^[\]]{0,500})\]/y;
    stated.lastIndex = at;
    const found = stated.exec(source);
    if (found !== null) at = stated.lastIndex;
    values.push(found?.[1] ?? optional);
  }
  while (values.length < parameters) {
    const group = groupAt(source, at);
    const single = /\s*([^\s{}\\%$])/y;
    single.lastIndex = at;
    const value = group?.text ?? single.exec(source)?.[1];
    if (value === undefined) return null;
    values.push(value);
    at = group?.end ?? single.lastIndex;
  }
  return { values, end: at };
}

/** The content of a group in braces; null if none follows or it does not end soon. */
function groupAt(source: string, from: number): { text: string; end: number } | null {
  const open = /\s*\{/y;
  open.lastIndex = from;
  if (!open.test(source)) return null;
  const start = open.lastIndex;
  let depth = 1;
  for (let at = start; at < Math.min(source.length, start + GROUP_CHARS_MAX); at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === '{') depth += 1;
    else if (character === '}') depth -= 1;
    if (depth === 0) return { text: source.slice(start, at), end: at + 1 };
  }
  return null;
}
