import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse, type Token } from '@messageformat/parser';
import { describe, expect, test } from 'vitest';
import { compileMessages, compilePart, eachMessage, readMessages, valuesOf } from '../../scripts/messages.ts';
import { fillMessages, type MessageModule, messageFormatters } from '../../src-server/platform/text/format-message.ts';
import { ROOT, sourceFiles } from '../architecture/source-files.ts';

const FOLDER = join(ROOT, 'resources/languages');

const LANGUAGES = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length));

const english = new Map(eachMessage(readMessages(join(FOLDER, 'en.json'))));

const messagesOf = (language: string) => new Map(eachMessage(readMessages(join(FOLDER, `${language}.json`))));

/** French, Portuguese and Spanish say `many` of whole millions alone, of which the window counts nothing. */
const NEEDLESS = new Set(['fr many', 'pt-BR many', 'es many']);

/** Objects that are read as a whole, by values that the server may extend. */
const BY_VALUE =
  /\.(checkNames|reasons|kinds|places|groups|from|steps|overlaps|chunkKinds|failure|operations|errors|stages|facts|personal|topics)\./;

/** Two words or more. */
const SPOKEN = /\p{L}{2,} \p{L}{2,}/u;

/** Files of the shell that write to the command line and the log alone, which are English. */
const COMMAND_LINE = /src-main\/(?:arguments|launch|log|server-flags)\.ts$/;

/** What goes to the log, to the command line, or to developers. */
const UNSHOWN = /^(logLine|write|Error|TypeError)$/;

interface Node {
  type?: unknown;
  [part: string]: unknown;
}

function eachNode(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) eachNode(one, visit);
  else if (typeof node === 'object' && node !== null) {
    visit(node as Node);
    for (const child of Object.values(node)) eachNode(child, visit);
  }
}

/** Of what is called or assigned: `z.string().regex` is `regex`. */
function nameOf(node: unknown): string {
  const { name, property } = (node ?? {}) as { name?: unknown; property?: { name?: unknown } };
  return String(name ?? property?.name ?? '');
}

/** A message as zod takes it: a text, or one of an object. */
function messagesIn(argument: unknown): string[] {
  const { type, value, properties } = argument as Node;
  if (type === 'Literal' && typeof value === 'string') return [value];
  if (type !== 'ObjectExpression' || !Array.isArray(properties)) return [];
  return properties
    .filter(({ key }) => ['message', 'error'].includes(nameOf(key)))
    .flatMap(({ value: given }) => messagesIn(given));
}

interface Choice {
  name: string;
  keys: string[];
}

function choicesOf(message: string, type: 'plural' | 'select'): Choice[] {
  const found: Choice[] = [];
  const look = (tokens: readonly Token[]) => {
    for (const token of tokens) {
      if (!('cases' in token)) continue;
      if (token.type === type) found.push({ name: token.arg, keys: token.cases.map(({ key }) => key) });
      for (const { tokens: inner } of token.cases) look(inner);
    }
  };
  look(parse(message));
  return found;
}

const namesOf = (message: string) => [...valuesOf(message).keys()].sort();

async function made(messages: Parameters<typeof compileMessages>[0], language = 'en') {
  const source = `data:text/javascript,${encodeURIComponent(compileMessages(messages))}`;
  const module: MessageModule = await import(source);
  const tree = {};
  fillMessages(tree, module.default(messageFormatters(language, language)), language === 'ar');
  return tree as Record<string, (values: Record<string, unknown>) => string>;
}

/** How stages of progress are written in the server; those of nodes and of the pace of media are not shown. */
const STAGE = /progress\([^,()]*(?:\([^()]*\))?[^,()]*, '([a-z-]+)'|\bstage: '([a-z-]+)'|STAGE = '([a-z-]+)'/g;

const UNSHOWN_STAGES = /^(?:assigned|begun|stored|audio|frames)$/;

/** A text for operators, which stays English, in progress, a warning, advice or a reason. */
const TOLD = /(?:progress\([^;]{0,200}?|warnings\.push\(\s*|arning\w*\(\s*|reason: |advice: |purpose: )tell`/;

test('progress, warnings, advice and reasons are in the catalogues', () => {
  const wrong = sourceFiles(['src-server', 'workers']).filter(({ text }) => TOLD.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
  expect(TOLD.test("context.progress(3, 'levelling', tell`Levelling`)")).toBe(true);
});

test('each stage of progress has its words', () => {
  const stages = sourceFiles(['src-server', 'workers']).flatMap(({ text }) =>
    Array.from(text.matchAll(STAGE), (match) => match.slice(1).find((name) => name !== undefined) ?? ''),
  );
  const shown = [...new Set(stages)].filter((stage) => !UNSHOWN_STAGES.test(stage));
  expect(shown.length).toBeGreaterThan(15);
  expect(shown.filter((stage) => !english.has(`start.stages.${stage}`))).toEqual([]);
});

describe('the catalogue of messages', () => {
  test.each(LANGUAGES)('%s has every message, in the same order, and no other', (language) => {
    expect([...messagesOf(language).keys()]).toEqual([...english.keys()]);
  });

  test.each(LANGUAGES)('%s uses the values of each message, and its words to choose by', (language) => {
    const wrong = [...messagesOf(language)].filter(([path, message]) => {
      const model = english.get(path) ?? '';
      const words = (text: string) =>
        choicesOf(text, 'select')
          .map(({ name, keys }) => `${name}: ${keys.toSorted().join()}`)
          .toSorted()
          .filter((line, index, all) => line !== all[index - 1]);
      return namesOf(message).join() !== namesOf(model).join() || words(message).join() !== words(model).join();
    });
    expect(wrong).toEqual([]);
  });

  test.each(LANGUAGES)('%s has the plural forms that it needs', (language) => {
    const needed = new Intl.PluralRules(language)
      .resolvedOptions()
      .pluralCategories.filter((form) => !NEEDLESS.has(`${language} ${form}`));
    const wrong = [...messagesOf(language)].flatMap(([path, message]) =>
      choicesOf(message, 'plural')
        .filter(({ keys }) => !needed.every((form) => keys.includes(form)))
        .map(({ keys }) => `${path}: ${keys.join(', ')}`),
    );
    expect(wrong).toEqual([]);
  });

  test('every message is used', () => {
    const files = sourceFiles(['src-renderer', 'src-main']).filter(({ path }) => !/generated|message-types/.test(path));
    const words = new Set(files.flatMap(({ text }) => text.match(/[\w-]+/g) ?? []));
    // `npm run generate` has put there what the server says, and no other.
    const ofPages = [...english.keys()].filter((path) => !path.startsWith('server.'));
    const unused = ofPages.filter((path) => !BY_VALUE.test(path) && !words.has(path.slice(path.lastIndexOf('.') + 1)));
    expect(unused).toEqual([]);
  });

  test.each(LANGUAGES)('%s: each part is loaded with at most 25 kB, packed', (language) => {
    const path = join(FOLDER, `${language}.json`);
    const large = Object.keys(readMessages(path)).flatMap((name) => {
      const bytes = gzipSync(compilePart(path, name)).length;
      return bytes <= 25_000 ? [] : [`${name}: ${bytes}`];
    });
    expect(large).toEqual([]);
  });

  test('no component has a text of its own', () => {
    const found = sourceFiles(['src-renderer'])
      .filter(({ path }) => path.endsWith('.tsx'))
      .flatMap(({ path, program }) => {
        const texts: string[] = [];
        eachNode(program, ({ type, value, name }) => {
          if (type === 'JSXText' && typeof value === 'string' && SPOKEN.test(value)) texts.push(value.trim());
          if (type === 'JSXAttribute') {
            const given = (value as { value?: unknown } | null)?.value;
            const attribute = String((name as { name?: string }).name);
            const isSpoken = /^(aria-label|alt|title|label|placeholder|description)$/.test(attribute);
            if (isSpoken && typeof given === 'string' && SPOKEN.test(given)) texts.push(given);
          }
        });
        return texts.map((text) => `${path}: ${text}`);
      });
    expect(found).toEqual([]);
  });

  test('texts of a component are put in a row with the comma of the language', () => {
    const found = sourceFiles(['src-renderer'])
      .filter(({ path }) => path.endsWith('.tsx') && !path.endsWith('/same-call.tsx'))
      .flatMap(({ path, program }) => {
        const texts: string[] = [];
        eachNode(program, ({ type, value }) => {
          const text = type === 'TemplateElement' ? (value as { cooked?: unknown }).cooked : value;
          const isText = type === 'TemplateElement' || type === 'JSXText';
          if (isText && typeof text === 'string' && /^, (?!\p{L})|^,\s*$/u.test(text)) texts.push(text);
        });
        return texts.map((text) => `${path}: ${text}`);
      });
    expect(found).toEqual([]);
  });

  test('menus, dialogs and notifications of the shell have no text of their own', () => {
    const found = sourceFiles(['src-main'])
      .filter(({ path }) => !COMMAND_LINE.test(path))
      .flatMap(({ path, program }) => {
        const unshown = new Set<unknown>();
        const texts: string[] = [];
        eachNode(program, (node) => {
          const { type, callee, key } = node;
          const isCall = (type === 'CallExpression' || type === 'NewExpression') && UNSHOWN.test(nameOf(callee));
          const isName = type === 'Property' && /^(?:cause|serviceName)$/.test(nameOf(key));
          if (isCall || isName || unshown.has(node)) eachNode(node, (inner) => void unshown.add(inner));
          if (unshown.has(node)) return;
          const text = type === 'TemplateElement' ? (node.value as { cooked?: unknown }).cooked : node.value;
          // A file of settings has heads in brackets.
          if (typeof text === 'string' && SPOKEN.test(text) && !text.startsWith('[')) texts.push(text);
        });
        return texts.map((text) => `${path}: ${text}`);
      });
    expect(found).toEqual([]);
  });

  test('what a schema says of a field is said: forms show it beside the field', () => {
    const found = sourceFiles(['src-server']).flatMap(({ path, program }) => {
      const texts: string[] = [];
      eachNode(program, ({ type, callee, arguments: given }) => {
        const isCheck = /^(regex|refine|superRefine|check|min|max|length|url|custom)$/.test(nameOf(callee));
        if (type !== 'CallExpression' || !isCheck || !Array.isArray(given)) return;
        for (const one of given.flatMap(messagesIn)) if (SPOKEN.test(one)) texts.push(one);
      });
      return texts.map((text) => `${path}: ${text}`);
    });
    expect(found).toEqual([]);
  });

  test('counts, words and quotation marks come out as the language says them', async () => {
    const { items, said, plain } = await made({
      items: '{count, plural, =0 {nothing} one {# item of {name}} other {# items of {name}}}',
      said: "{isSaid, select, true {said ''{word}''} other {unsaid}}",
      plain: 'It’s “as it is”',
    });
    expect(items?.({ count: 0, name: 'x' })).toBe('nothing');
    expect(items?.({ count: 1, name: 'x' })).toBe('1 item of x');
    expect(items?.({ count: 12_000, name: 'x' })).toBe('12,000 items of x');
    expect(said?.({ isSaid: true, word: 'a "b" \\' })).toBe(`said 'a "b" \\'`);
    expect(plain).toBe('It’s “as it is”');
    const arabic = await made({ items: '{count, plural, two {two of {name}} few {# few} other {#}}' }, 'ar');
    // A name of the other direction keeps it.
    expect(arabic.items?.({ count: 2, name: 'Latin' })).toBe('two of \u2068Latin\u2069');
    expect(arabic.items?.({ count: 3, name: '' })).toContain('few');
  });

  test('a message that is not well-formed, or asks for what there is not, is refused by the build', () => {
    for (const message of ['{count, plural, one {#}', '{n, selectordinal, one {#st} other {#th}}', '{n, date}']) {
      expect(() => compileMessages({ message })).toThrow();
    }
  });
});
