/** Code of a page without what its site writes beside it: line numbers in the text, and labels before it. */

import { byName } from '../../../src-server/platform/records.ts';

/** Fewer lines that begin with a number may be such code. */
const MIN_NUMBERED_LINES = 3;

/** Buttons and notes on the bar of a code block. */
export const CODE_CONTROL = new RegExp(
  '^(?:copy(?: code| link| page| to clipboard| for llm| as markdown)?|copied!?|run(?: code)?|expand|collapse|wrap|' +
    'download|edit|open in \\w+|try it)$',
  'i',
);

const LANGUAGE_NAMES = new Set([
  ...['bash', 'shell', 'sh', 'zsh', 'console', 'terminal', 'powershell', 'python', 'py', 'javascript', 'js', 'jsx'],
  ...['typescript', 'ts', 'tsx', 'json', 'yaml', 'yml', 'toml', 'xml', 'html', 'css', 'scss', 'sql', 'java', 'kotlin'],
  ...['scala', 'c', 'c++', 'cpp', 'c#', 'csharp', 'go', 'golang', 'rust', 'ruby', 'php', 'perl', 'lua', 'r', 'swift'],
  ...['dart', 'elixir', 'erlang', 'haskell', 'clojure', 'graphql', 'dockerfile', 'docker', 'makefile', 'nginx', 'diff'],
  ...['markdown', 'md', 'ini', 'http', 'vue', 'svelte', 'astro', 'matlab', 'julia', 'ocaml', 'zig', 'nix', 'terraform'],
]);

const ALIASES: Readonly<Record<string, string>> = byName({ 'c++': 'cpp', 'c#': 'csharp', golang: 'go', shell: 'sh' });

/** The language that a label before code names; null for other text. */
export function languageLabel(text: string): string | null {
  const name = text.trim().toLowerCase();
  return LANGUAGE_NAMES.has(name) ? (ALIASES[name] ?? name) : null;
}

/**
 * The code without the numbers of its lines, and the numbers; null if not each line begins with the next number. Only
 * for code whose lines are elements: in others the numbers may be its own.
 */
export function withoutLineNumbers(code: string): { code: string; numbers: string } | null {
  if (!/^\s*\d/.test(code)) return null;
  const lines = code.replace(/^\n+/, '').trimEnd().split('\n');
  if (lines.length < MIN_NUMBERED_LINES) return null;
  const first = Number.parseInt(lines[0] ?? '', 10);
  const isNumberLine = (line: string | undefined, count: number) => line?.trim() === String(first + count);
  // A number in an element of its own is a line.
  const isApart = lines.every((line, at) => at % 2 === 1 || isNumberLine(line, at / 2));
  const step = isApart ? 2 : 1;
  const numbers: string[] = [];
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += step) {
    const [whole, number = ''] = /^\s*(\d+)/.exec(lines[at] ?? '') ?? ['', ''];
    if (number !== String(first + at / step)) return null;
    numbers.push(number);
    kept.push(isApart ? (lines[at + 1] ?? '') : (lines[at] ?? '').slice(whole.length));
  }
  return { code: kept.join('\n'), numbers: numbers.join('\n') };
}
