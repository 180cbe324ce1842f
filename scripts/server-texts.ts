/**
 * The texts of the server that readers of the window see: the templates that `say` marks in its source, as messages of
 * the part `server` of the catalogues. The check of the catalogues then names the languages that lack one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'vite';
import type { Messages } from './messages.ts';

/** The key of a message of the server: its first words, such as `theFileHasNoSound`. */
const KEY_WORDS = 7;

/**
 * The templates in the given files, each once, in the order of the files: `Page {page} is missing.`
 * @param paths of TypeScript files, from the root
 */
export function serverTemplates(root: string, paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const text = readFileSync(join(root, path), 'utf8');
    if (!text.includes('say`')) continue;
    new Visitor({
      TaggedTemplateExpression({ tag, quasi }) {
        if (tag.type === 'Identifier' && tag.name === 'say') found.add(templateOf(quasi));
      },
    }).visit(parseSync(path, text).program);
  }
  return [...found];
}

/** The messages by key. A template that is known keeps its key, so that translations stay. */
export function serverMessages(templates: readonly string[], known: Messages) {
  const keys = new Map(Object.entries(known).map(([key, template]) => [template, key]));
  const taken = new Set(templates.flatMap((template) => keys.get(template) ?? []));
  const messages: Record<string, string> = {};
  for (const template of templates) {
    const key = keys.get(template) ?? freeKey(template, taken);
    taken.add(key);
    messages[key] = template;
  }
  return Object.fromEntries(Object.entries(messages).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function freeKey(template: string, taken: ReadonlySet<string>): string {
  const words = template.match(/[\p{L}\p{N}]+/gu) ?? ['text'];
  const camel = words
    .slice(0, KEY_WORDS)
    .map((word, index) => (index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  let key = /^\d/.test(camel) ? `of${camel}` : camel;
  for (let number = 2; taken.has(key); number += 1) key = `${camel}${number}`;
  return key;
}

function templateOf({ quasis, expressions }: ESTree.TemplateLiteral): string {
  const names: string[] = [];
  return quasis
    .map(({ value }, index) => {
      const text = quoteIcu((value.cooked ?? '').replaceAll(/\n\s*/g, ' '));
      const expression = expressions[index];
      if (expression === undefined) return text;
      const name = nameOf(expression);
      const same = names.filter((one) => one.replace(/\d+$/, '') === name).length;
      names.push(same === 0 ? name : `${name}${same + 1}`);
      return `${text}{${names.at(-1)}}`;
    })
    .join('');
}

/** Braces are syntax of ICU messages. */
function quoteIcu(text: string): string {
  return text.replaceAll("'", "''").replaceAll(/[{}]/g, (brace) => `'${brace}'`);
}

/** The name of a value, from its expression: `pages` of `pages.length`, `file` of `describe(file)`. */
function nameOf(node: ESTree.Expression | ESTree.Super): string {
  if (node.type === 'Identifier') return lowerCamel(node.name);
  if (node.type === 'MemberExpression') {
    const isNamed = node.property.type === 'Identifier' || node.property.type === 'PrivateIdentifier';
    if (node.computed || !isNamed) return nameOf(node.object);
    return /^(length|size)$/.test(node.property.name) ? nameOf(node.object) : lowerCamel(node.property.name);
  }
  if (node.type === 'CallExpression') {
    const [first] = node.arguments;
    const { callee } = node;
    const isOfValue = callee.type === 'MemberExpression' && !isGlobal(callee.object);
    if (isOfValue) return nameOf(callee.object);
    return first === undefined || first.type === 'SpreadElement' ? 'value' : nameOf(first);
  }
  if (node.type === 'BinaryExpression' && node.left.type !== 'PrivateIdentifier') return nameOf(node.left);
  return node.type === 'LogicalExpression' || node.type === 'ChainExpression' ? nameInside(node) : 'value';
}

function nameInside(node: ESTree.LogicalExpression | ESTree.ChainExpression): string {
  return nameOf(node.type === 'LogicalExpression' ? node.left : node.expression);
}

function isGlobal(node: ESTree.Expression | ESTree.Super): boolean {
  return node.type === 'Identifier' && /^[A-Z][a-z]/.test(node.name);
}

/** `framesMax` of `FRAMES_MAX` and of `framesMax`. */
function lowerCamel(name: string): string {
  if (!/^[A-Z0-9_]+$/.test(name)) return name;
  return name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
