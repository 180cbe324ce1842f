/**
 * Text fields of a form made into the value that the same request would have as JSON. Names come from a stranger: they
 * are bounded, and none of them can reach a prototype.
 */
import { QuarryError } from '../../contract/index.ts';
import { refuseNesting } from './json-body.ts';

const MAX_NAME_CHARS = 200;
const MAX_OPTION_DEPTH = 4;
const REFUSED_NAMES = new Set(['__proto__', 'prototype', 'constructor']);
/** `options.segmentLength`, `options[segmentLength]` and deeper. */
const OPTION_NAME = /^options((?:\.[\w-]+|\[[\w-]+\])+)$/;

type Fields = Record<string, unknown>;

/** Adds one text field to the value. Errors: `invalid_request` naming the field. */
export function addField(value: Fields, name: string, text: string): void {
  if (name.length > MAX_NAME_CHARS) throw fieldError(name, 'The name of this field is too long.');
  if (name === 'file') throw fieldError(name, 'Send the content of file as a file part with a file name.');
  const steps = OPTION_NAME.exec(name)?.[1]?.match(/[\w-]+/g) ?? null;
  if (name === 'options') mergeOptions(value, parseOptions(text));
  else if (steps !== null) setOption(value, steps, parseScalar(text));
  else if (name.endsWith('[]')) addToList(value, name, text);
  else setOnce(value, name, text, name);
}

/** A name that ends so stands once for each entry, as forms and OpenAI's clients send lists. */
function addToList(value: Fields, name: string, text: string): void {
  if (!Object.hasOwn(value, name)) value[name] = [];
  (value[name] as string[]).push(text);
}

/** Numbers, booleans and null in an option mean themselves; anything else is text. */
function parseScalar(text: string): unknown {
  if (text === 'true' || text === 'false' || text === 'null') return JSON.parse(text);
  if (!/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,3})?$/.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function parseOptions(text: string): Fields {
  let options: unknown;
  try {
    options = JSON.parse(text);
  } catch {
    throw fieldError('options', 'Give options as a JSON object, or one field per option (options.segmentLength).');
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw fieldError('options', 'Give options as a JSON object.');
  }
  return options as Fields;
}

function mergeOptions(value: Fields, options: Fields): void {
  const target = childOf(value, 'options', 'options');
  for (const [key, option] of Object.entries(options)) setOnce(target, key, option, `options.${key}`);
  refuseNesting(options);
}

function setOption(value: Fields, steps: readonly string[], option: unknown): void {
  if (steps.length > MAX_OPTION_DEPTH) throw fieldError('options', 'This option is nested too deep.');
  let target = childOf(value, 'options', 'options');
  let path = 'options';
  for (const step of steps.slice(0, -1)) {
    path += `.${step}`;
    target = childOf(target, step, path);
  }
  const last = steps.at(-1) ?? '';
  setOnce(target, last, option, `${path}.${last}`);
}

function childOf(target: Fields, name: string, path: string): Fields {
  refuseName(name, path);
  if (!Object.hasOwn(target, name)) target[name] = {};
  const child = target[name];
  if (typeof child === 'object' && child !== null && !Array.isArray(child)) return child as Fields;
  throw fieldError(path, 'This option was given twice, with and without parts.');
}

function setOnce(target: Fields, name: string, content: unknown, path: string): void {
  refuseName(name, path);
  if (Object.hasOwn(target, name)) throw fieldError(path, 'Give this field once.');
  target[name] = content;
}

function refuseName(name: string, path: string): void {
  if (name !== '' && !REFUSED_NAMES.has(name)) return;
  throw fieldError(path === '' ? '$' : path, 'This field name is not taken.');
}

/** The 400 of one field; a name of the client's is shown in part only. */
export function fieldError(name: string, message: string): QuarryError {
  return new QuarryError('invalid_request', message, { fields: [{ path: name.slice(0, MAX_NAME_CHARS), message }] });
}
