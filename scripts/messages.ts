/**
 * The catalogues of messages, one file a language: `resources/languages/<BCP 47 tag>.json`. A message is a text in ICU's
 * message format with named values, at the path of its keys. The first key is the part that is loaded together.
 * Everything that reads one of these files goes through here: the build, the tests and the generated types.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, type Token } from '@messageformat/parser';
import type { Plugin } from 'vite';

export interface Messages {
  [key: string]: string | Messages;
}

/** English with accents and 40 % longer: texts that are cut, or not in the catalogue, show. */
export const PSEUDO_LANGUAGE = 'en-XA';

/** How a value is used: a number that chooses a form, a number that is shown, one of some words, or a text. */
export type ValueKind = 'plural' | 'number' | 'select' | 'text';

/** A module whose default export makes messages from the functions of src-renderer/language/format-message.ts. */
export function compileMessages(messages: Messages): string {
  return `export default ({ number, plural, select }) => (${compiled(messages)});\n`;
}

function compiled(messages: Messages): string {
  const entries = Object.entries(messages).map(([key, value]) => {
    const code = typeof value === 'string' ? compileMessage(value) : compiled(value);
    return `${JSON.stringify(key)}:${code}`;
  });
  return `{${entries.join(',')}}`;
}

/** A message with values becomes a function of them, any other a text. */
function compileMessage(message: string): string {
  const tokens = parse(message);
  const code = codeOf(tokens, '');
  return tokens.every(({ type }) => type === 'content') ? code : `(v)=>${code}`;
}

/** @param counted the value that `#` stands for */
function codeOf(tokens: readonly Token[], counted: string): string {
  const parts = tokens.map((token) => {
    if (token.type === 'content') return JSON.stringify(token.value);
    if (token.type === 'octothorpe') return `number(${counted})`;
    const value = `v[${JSON.stringify(token.arg)}]`;
    if (token.type === 'argument') return value;
    if (token.type === 'function' && token.key === 'number') return `number(${value})`;
    if (!('cases' in token) || token.type === 'selectordinal') throw new Error(`Not supported: ${token.ctx.text}`);
    const cases = token.cases.map(({ key, tokens: inner }) => {
      return `${JSON.stringify(key.replace(/^=/, ''))}:${codeOf(inner, token.type === 'plural' ? value : counted)}`;
    });
    return `${token.type}(${value},{${cases.join(',')}})`;
  });
  const isText = tokens.some(({ type }) => type === 'content');
  return isText && parts.length > 0 ? parts.join('+') : ['""', ...parts].join('+');
}

/**
 * A module of the English templates of the server, by which the window finds the message of a text again: the key, the
 * texts around the values, and the names of the values between them.
 */
function compileTemplates(messages: string | Messages | undefined): string {
  if (typeof messages !== 'object') throw new Error('English has no texts of the server.');
  const templates = Object.entries(messages).map(([key, message]) => templateOf(key, String(message)));
  return `export default ${JSON.stringify(templates.map(([, ...rest], index) => [shortKey(index), ...rest]))};\n`;
}

/**
 * A part of a catalogue, compiled. Texts of the server are found by their templates alone: they get short keys, by their
 * places in English, for their names would be a quarter of what is loaded.
 */
export function compilePart(path: string, name: string): string {
  const part = readMessages(path)[name];
  if (typeof part !== 'object') throw new Error(`${path} has no part ${name}.`);
  if (name !== 'server') return compileMessages(part);
  const places = new Map(
    Object.keys(readMessages(join(dirname(path), 'en.json')).server ?? {}).map((key, at) => [key, at]),
  );
  const known = Object.entries(part).filter(([key]) => places.has(key));
  return compileMessages(Object.fromEntries(known.map(([key, message]) => [shortKey(places.get(key) ?? 0), message])));
}

/** Begins with a letter: keys that are numbers would be put in another order. */
function shortKey(index: number): string {
  return `k${index.toString(36)}`;
}

/** The parts of a template without choices. Throws for any other message. */
export function templateOf(key: string, message: string): [key: string, texts: string[], names: string[]] {
  const texts = [''];
  const names: string[] = [];
  for (const token of parse(message)) {
    if (token.type === 'content') texts[texts.length - 1] += token.value;
    else if (token.type === 'argument') texts.push('') && names.push(token.arg);
    else throw new Error(`A text of the server has no choices: ${message}`);
  }
  return [key, texts, names];
}

/** Makes `resources/languages/*.json?start` a module of the compiled messages of that part. */
export function messagesPlugin(): Plugin {
  return {
    name: 'messages',
    enforce: 'pre',
    load(id) {
      const [path = '', query = ''] = id.split('?');
      if (!/[/\\]resources[/\\]languages[/\\][\w-]+\.json$/.test(path)) return null;
      this.addWatchFile(path);
      if (query === 'templates') return { code: compileTemplates(readMessages(path).server), moduleType: 'js' };
      return { code: compilePart(path, query), moduleType: 'js' };
    },
  };
}

export function readMessages(path: string): Messages {
  const messages: Messages = JSON.parse(readFileSync(path, 'utf8'));
  return messages;
}

/** Every message with its path: `library.title`. */
export function* eachMessage(messages: Messages, path = ''): Generator<[path: string, message: string]> {
  for (const [key, value] of Object.entries(messages)) {
    const at = path === '' ? key : `${path}.${key}`;
    if (typeof value === 'string') yield [at, value];
    else yield* eachMessage(value, at);
  }
}

/** The values of a message by name. Throws if the message is not well-formed. */
export function valuesOf(message: string): Map<string, ValueKind> {
  const values = new Map<string, ValueKind>();
  collectValues(parse(message), values);
  return values;
}

function collectValues(tokens: readonly Token[], values: Map<string, ValueKind>): void {
  for (const token of tokens) {
    if (!('arg' in token)) continue;
    const before = values.get(token.arg);
    const kind = kindOf(token);
    if (before === undefined || (before !== 'plural' && kind !== 'text')) values.set(token.arg, kind);
    if ('cases' in token) for (const { tokens: inner } of token.cases) collectValues(inner, values);
  }
}

function kindOf(token: Token): ValueKind {
  if (token.type === 'plural' || token.type === 'selectordinal') return 'plural';
  if (token.type === 'select') return 'select';
  return token.type === 'function' && token.key === 'number' ? 'number' : 'text';
}

/** The types of the messages, as an interface. */
export function messageTypes(messages: Messages, depth = 1): string {
  const indent = '  '.repeat(depth);
  const lines = Object.entries(messages).map(([key, value]) => {
    const name = /^[a-z_$][\w$]*$/i.test(key) ? key : JSON.stringify(key);
    if (typeof value !== 'string') return `${indent}${name}: {\n${messageTypes(value, depth + 1)}${indent}};\n`;
    const values = [...valuesOf(value)].map(([value, kind]) => `${value}: ${TYPES[kind]}`);
    return values.length === 0
      ? `${indent}${name}: string;\n`
      : `${indent}${name}: (values: { ${values.join('; ')} }) => string;\n`;
  });
  return lines.join('');
}

const TYPES: Record<ValueKind, string> = {
  plural: 'number',
  number: 'number',
  select: 'string | boolean',
  text: 'string | number',
};
