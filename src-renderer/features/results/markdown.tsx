/**
 * Markdown as elements. The text comes from documents, web pages and models, so nothing in it acts: HTML is shown as
 * text, pictures as their description, and links open apart from the window.
 */

import { getDefaults, lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { createContext, Fragment, type ReactNode, useContext, useMemo } from 'react';
import { MATH_EXTENSIONS } from '../../../src-server/platform/text/markdown-math.ts';
import { literalPattern } from '../../components/code.tsx';
import { Doubtful, type DoubtfulText, doubtPlace } from './doubts.tsx';
import { TableActions } from './table-actions.tsx';
import { results as texts } from './texts.ts';

/** Marks of the text around: found words, and passages to beware of. */
export interface Marks {
  words: string;
  /** Passages that try to instruct a model. */
  risky: readonly string[];
  /** Passages that may be wrong. */
  doubtful?: readonly DoubtfulText[];
  /** Whether the text has marked changes: `[-old-]{+new+}`. */
  revised?: boolean;
}

const NO_MARKS: Marks = { words: '', risky: [] };

const MarksContext = createContext<Marks>(NO_MARKS);

interface MarkdownProps {
  source: string;
  marks?: Marks;
  /** Outline levels of the headings, in order. Without them, headings are at most one level apart. */
  levels?: readonly number[];
}

export function Markdown({ source, marks = NO_MARKS, levels }: MarkdownProps) {
  const tokens = useMemo(
    () => markedTokens(lexer(source, { ...getDefaults(), extensions: MATH_EXTENSIONS })),
    [source],
  );
  const outline = useMemo(() => levels ?? outlineOf(tokens.flatMap(depthsOf)), [levels, tokens]);
  let heading = 0;
  return (
    <MarksContext value={marks}>
      {tokens.map((token, index) => {
        const level = token.type === 'heading' ? outline[heading++] : undefined;
        // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position only.
        return <Block key={index} token={token} level={level ?? FIRST_LEVEL} />;
      })}
    </MarksContext>
  );
}

/** The LaTeX of a formula, which is a token of its own beside the kinds that marked has. */
function formulaIn(token: Token): string | null {
  return token.type === 'math' && 'text' in token ? String(token.text).trim() : null;
}

/** A formula as its LaTeX, apart from the text around it. */
function Formula({ latex }: { latex: string }) {
  return (
    <code className="md-formula" role="math" dir="ltr">
      <Text text={latex} />
    </code>
  );
}

/** All other tokens are of the kinds that marked has. */
function markedTokens(tokens: readonly Token[]): readonly MarkedToken[] {
  return tokens as readonly MarkedToken[];
}

/** Below the title of the page. */
const FIRST_LEVEL = 2;

const LAST_LEVEL = 6;

function depthsOf(token: MarkedToken): number[] {
  return token.type === 'heading' ? [token.depth] : [];
}

/** Levels for screen readers: below the page's title, without gaps. */
export function outlineOf(depths: readonly number[]): number[] {
  const open: number[] = [];
  return depths.map((depth) => {
    while ((open.at(-1) ?? 0) >= depth) open.pop();
    open.push(depth);
    return Math.min(open.length + FIRST_LEVEL - 1, LAST_LEVEL);
  });
}

function Block({ token, level = FIRST_LEVEL }: { token: MarkedToken; level?: number }): ReactNode {
  const formula = formulaIn(token);
  if (formula !== null) return <FormulaBlock latex={formula} />;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const { depth, tokens } = token;
      const Heading = `h${level}` as 'h2';
      return (
        <Heading className={`md-h md-h${Math.min(depth, 4)}`} dir="auto">
          <Inline tokens={tokens} />
        </Heading>
      );
    }
    case 'paragraph':
    case 'text':
      return <p dir="auto">{inlineOf(token)}</p>;
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} />
        </blockquote>
      );
    case 'code':
      return <CodeBlock text={token.text} />;
    case 'hr':
      return <hr />;
    case 'list':
      return <List list={token} />;
    case 'table':
      return <TableBlock table={token} />;
    // A table with merged cells; other HTML is text.
    case 'html':
      if (token.raw.startsWith('<table>')) return <MergedTable html={token.raw} />;
      return <p dir="auto">{<Text text={token.raw.trim()} />}</p>;
    default:
      return <p dir="auto">{<Text text={token.raw.trim()} />}</p>;
  }
}

function Blocks({ tokens }: { tokens: readonly Token[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position only.
  return markedTokens(tokens).map((token, index) => <Block key={index} token={token} />);
}

function FormulaBlock({ latex }: { latex: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <pre className="md-code" tabIndex={0}>
      <Formula latex={latex} />
    </pre>
  );
}

function CodeBlock({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a scrollable region, not a group of fields.
    <pre className="md-code" tabIndex={0} role="group" aria-label={texts.codeBlock}>
      <code>
        <Text text={text} />
      </code>
    </pre>
  );
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const rows = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are identified by position only.
    <li key={index} dir="auto">
      {markedTokens(item.tokens).map((token, at) =>
        token.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position only.
          <Fragment key={at}>{inlineOf(token)}</Fragment>
        ) : token.type === 'checkbox' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position only.
          <Fragment key={at}>{token.checked ? '☑ ' : '☐ '}</Fragment>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position only.
          <Block key={at} token={token} />
        ),
      )}
    </li>
  ));
  return ordered ? <ol {...(start === '' ? {} : { start })}>{rows}</ol> : <ul>{rows}</ul>;
}

/** Amounts with their currency, percentages and dashes for "none"; a note may follow. */
const FIGURE =
  /^(?:[-–—]?|[-–−+(]?(?:\p{Sc}|[A-Z]{3}\s)?[\d.,'’\s]*\d\s?(?:%|\p{Sc}|[A-Z]{3})?[-)]?(?:\[\S{1,5}\])?)$/u;

function TableBlock({ table: { header, rows } }: { table: Tokens.Table }) {
  const cells = useMemo(() => [header, ...rows].map((row) => row.map(({ tokens }) => plainOf(tokens))), [header, rows]);
  const isFigure = useMemo(() => header.map((_, column) => hasFigures(cells.slice(1), column)), [header, cells]);
  const tableColumnClass = (column: number) => (isFigure[column] ? { className: 'figure-cell' } : {});
  return (
    <div className="md-table">
      <TableActions rows={cells} />
      {/* biome-ignore lint/a11y/useSemanticElements: a region that scrolls sideways, not a group of fields. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <div className="md-table-wrap" role="group" aria-label={texts.table} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {header.map(({ tokens }, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by position only.
                <th key={column} scope="col" dir="auto" {...tableColumnClass(column)}>
                  <Inline tokens={tokens} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by position only.
              <tr key={at}>
                {row.map(({ tokens }, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by position only.
                  <td key={column} dir="auto" {...tableColumnClass(column)}>
                    <Inline tokens={tokens} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** Whether a column holds figures alone, and at least one. */
function hasFigures(rows: readonly (readonly string[])[], column: number): boolean {
  const cells = rows.map((row) => row[column]?.trim() ?? '');
  return cells.some((cell) => /\d/.test(cell)) && cells.every((cell) => FIGURE.test(cell));
}

/** Reads cells and their spans from HTML, and nothing else of it. */
function MergedTable({ html }: { html: string }) {
  const rows = useMemo(() => {
    const table = new DOMParser().parseFromString(html.replaceAll('<br>', '\n'), 'text/html').querySelector('table');
    return Array.from(table?.rows ?? []).map((row) =>
      Array.from(row.cells).map((cell) => {
        const { textContent: text, colSpan, rowSpan } = cell;
        return { text: text ?? '', isHead: cell.tagName === 'TH', size: { colSpan, rowSpan } };
      }),
    );
  }, [html]);
  const cells = useMemo(() => rows.map((row) => row.map(({ text }) => text)), [rows]);
  return (
    <div className="md-table">
      <TableActions rows={cells} />
      {/* biome-ignore lint/a11y/useSemanticElements: a region that scrolls sideways, not a group of fields. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <div className="md-table-wrap" role="group" aria-label={texts.table} tabIndex={0}>
        <table>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified by position only.
              <tr key={at}>
                {row.map(({ text, isHead, size }, column) => {
                  const Cell = isHead ? 'th' : 'td';
                  return (
                    // biome-ignore lint/suspicious/noArrayIndexKey: columns are identified by position only.
                    <Cell key={column} dir="auto" {...size}>
                      <Text text={text} />
                    </Cell>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function inlineOf({ tokens, text }: { tokens?: Token[] | undefined; text: string }): ReactNode {
  return tokens === undefined ? <Text text={text} /> : <Inline tokens={tokens} />;
}

function Inline({ tokens }: { tokens: readonly Token[] }) {
  return joinTextTokens(markedTokens(tokens)).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: tokens are identified by position only.
    typeof part === 'string' ? <Text key={index} text={part} /> : <Part key={index} token={part} />,
  );
}

/** Tokens with their plain text joined: each escaped character is a token of its own. */
function joinTextTokens(tokens: readonly MarkedToken[]): (string | MarkedToken)[] {
  const parts: (string | MarkedToken)[] = [];
  for (const token of tokens) {
    const isPlain = (token.type === 'text' || token.type === 'escape') && !('tokens' in token && token.tokens);
    const last = parts.at(-1);
    if (!isPlain) parts.push(token);
    else if (typeof last === 'string') parts[parts.length - 1] = last + String(token.text);
    else parts.push(String(token.text));
  }
  return parts;
}

const LINE_BREAK = /^<br\s*\/?>$/i;

function Part({ token }: { token: MarkedToken }): ReactNode {
  const formula = formulaIn(token);
  if (formula !== null) return <Formula latex={formula} />;
  const inner = 'tokens' in token && token.tokens ? <Inline tokens={token.tokens} /> : null;
  switch (token.type) {
    case 'strong':
      return <strong>{inner}</strong>;
    case 'em':
      return <em>{inner}</em>;
    case 'del':
      return <del>{inner}</del>;
    case 'br':
      return <br />;
    case 'codespan':
      return (
        <code>
          <Text text={token.text} />
        </code>
      );
    case 'link':
      return <Link href={token.href}>{inner}</Link>;
    case 'image':
      return (
        <span className="md-image">
          {token.text === '' ? texts.pictureUnnamed : texts.picture({ alt: token.text })}
        </span>
      );
    // A line break in a table cell; other HTML is text.
    case 'html':
      return LINE_BREAK.test(token.raw.trim()) ? <br /> : <Text text={token.raw} />;
    default:
      return inner ?? <Text text={'text' in token ? String(token.text) : token.raw} />;
  }
}

/** Only addresses of the web and of mail are links. They open apart from the window and learn nothing of it. */
function Link({ href, children }: { href: string; children: ReactNode }) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return children;
  return (
    <a href={href} target="_blank" rel="noreferrer nofollow" title={href}>
      {children}
    </a>
  );
}

const REVISION = /\[-([^\]]*)-\]|\{\+([^}]*)\+\}/;

function Text({ text }: { text: string }): ReactNode {
  const { words, risky, doubtful = [], revised = false } = useContext(MarksContext);
  const passage = risky.find((one) => text.includes(one));
  if (passage !== undefined) {
    const mark = <span className="risky">{passage}</span>;
    return <Around text={text} at={text.indexOf(passage)} length={passage.length} mark={mark} />;
  }
  const doubt = doubtful.find((one) => doubtPlace(text, one) >= 0);
  if (doubt !== undefined) {
    const mark = <Doubtful>{doubt.text}</Doubtful>;
    return <Around text={text} at={doubtPlace(text, doubt)} length={doubt.text.length} mark={mark} />;
  }
  const revision = revised ? REVISION.exec(text) : null;
  if (revision !== null) {
    const [all, removed, added] = revision;
    const mark =
      removed === undefined ? <ins className="diff-added">{added}</ins> : <del className="diff-removed">{removed}</del>;
    return <Around text={text} at={revision.index} length={all.length} mark={mark} />;
  }
  if (words === '') return text;
  return text.split(literalPattern(words)).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position only.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}

function Around({ text, at, length, mark }: { text: string; at: number; length: number; mark: ReactNode }) {
  return (
    <>
      <Text text={text.slice(0, at)} />
      {mark}
      <Text text={text.slice(at + length)} />
    </>
  );
}

/** The text of inline tokens, as shown. */
export function plainOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'image') return '';
      if (token.type === 'br' || (token.type === 'html' && LINE_BREAK.test(token.raw))) return '\n';
      if ('tokens' in token && token.tokens) return plainOf(token.tokens);
      return 'text' in token ? String(token.text) : token.raw;
    })
    .join('');
}
