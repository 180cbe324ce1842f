// biome-ignore-all lint/a11y/useSemanticElements: these are scrollable regions, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.

import { ActionIcon, Box, Group, Text, TextInput } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { texts } from '../texts.ts';
import { Copy } from './copy.tsx';
import { formatWholeNumber } from './format.ts';
import { Icon } from './icon.tsx';
import { LongList } from './long-list.tsx';

/** A browser renders this much in about 0.1 s. Longer text is virtualised. */
const WHOLE_MAX_CHARS = 200_000;

const LINE_HEIGHT = 20;

/** Longer lines are split: results can hold whole documents in one line. */
const PIECE_CHARS = 4000;

/** Maximum matches to step through. */
const FINDS_MAX = 10_000;

interface CodeProps {
  value: string;
  label: string;
  maxHeight?: number;
}

/** Machine-readable text: bytes, JSON, commands. */
export function Code({ value, label, maxHeight = 420 }: CodeProps) {
  if (value.length > WHOLE_MAX_CHARS) return <LongCode value={value} label={label} maxHeight={maxHeight} />;
  return (
    <Box className="code">
      <Box className="code-copy">
        <Copy value={value} label={label} />
      </Box>
      <pre style={{ maxHeight }} tabIndex={0} role="group" aria-label={label}>
        {value}
      </pre>
    </Box>
  );
}

/** Virtualised text view with its own search (the browser's find only sees rendered rows). */
function LongCode({ value, label, maxHeight }: Required<CodeProps>) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const words = useDeferredValue(typed);
  const pieces = useMemo(() => codePieceStarts(value), [value]);
  const finds = useMemo(() => findsIn(value, words), [value, words]);
  const found = finds[at];
  const goToFind = (step: number) => setAt(finds.length === 0 ? 0 : (at + step + finds.length) % finds.length);
  const codePiece = (index: number) => value.slice(pieces[index], pieces[index + 1]).replace(/\n$/, '');
  const current = found === undefined ? -1 : pieceAt(pieces, found);
  return (
    <Box className="code">
      <Group className="code-find" gap="xs">
        <TextInput
          size="xs"
          aria-label={texts.common.findIn({ what: label })}
          placeholder={texts.common.find}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={({ key, shiftKey }) => key === 'Enter' && goToFind(shiftKey ? -1 : 1)}
        />
        <Step
          icon="chevron-left"
          label={texts.common.findBefore}
          disabled={finds.length < 2}
          onClick={() => goToFind(-1)}
        />
        <Step
          icon="chevron-right"
          label={texts.common.findNext}
          disabled={finds.length < 2}
          onClick={() => goToFind(1)}
        />
        <Text size="xs" c="dimmed" role="status">
          {words !== '' && findPlaceText(at, finds.length)}
        </Text>
      </Group>
      <Box className="code-copy">
        <Copy value={value} label={label} />
      </Box>
      <LongList
        count={pieces.length - 1}
        keyOf={sameIndex}
        rowHeight={LINE_HEIGHT}
        maxHeight={maxHeight}
        label={label}
        className="code-lines"
        current={current}
      >
        {(index) => (
          <div className="code-line" {...(index === current ? { 'aria-current': true } : {})}>
            {markMatches(codePiece(index), words)}
          </div>
        )}
      </LongList>
    </Box>
  );
}

function Step(props: {
  icon: 'chevron-left' | 'chevron-right';
  label: string;
  disabled: boolean;
  onClick: () => void;
}) {
  const { icon, label, disabled, onClick } = props;
  return (
    <ActionIcon variant="default" size="md" aria-label={label} disabled={disabled} onClick={onClick}>
      <Icon name={icon} size={14} />
    </ActionIcon>
  );
}

const sameIndex = (index: number): number => index;

function findPlaceText(at: number, count: number): string {
  if (count === 0) return texts.common.notFound;
  return texts.common.placeOf({
    place: formatWholeNumber(at + 1),
    count: count < FINDS_MAX ? formatWholeNumber(count) : `${formatWholeNumber(count)}+`,
  });
}

/** Start of each piece, and the end of the text. Never splits a surrogate pair. */
function codePieceStarts(value: string): number[] {
  const starts: number[] = [];
  let start = 0;
  while (start < value.length) {
    starts.push(start);
    const lineEnd = value.indexOf('\n', start);
    const end = lineEnd < 0 ? value.length : lineEnd + 1;
    const cut = start + PIECE_CHARS;
    // The line break belongs to the last piece of its line.
    if (end <= cut + 1) start = end;
    else start = /[\uD800-\uDBFF]/.test(value.charAt(cut - 1)) ? cut - 1 : cut;
  }
  return [...starts, value.length];
}

/** Positions of all matches. */
function findsIn(value: string, words: string): number[] {
  if (words === '') return [];
  const finds: number[] = [];
  for (const { index } of value.matchAll(literalPattern(words))) {
    if (finds.push(index) === FINDS_MAX) break;
  }
  return finds;
}

/** The piece that contains a position. */
function pieceAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle;
  }
  return low;
}

/** A case-insensitive pattern for literal text. */
export function literalPattern(words: string): RegExp {
  return new RegExp(`(${words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'gi');
}

/** Text with all matches marked. */
export function markMatches(text: string, words: string): ReactNode {
  if (words === '') return text;
  return text.split(literalPattern(words)).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position only.
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
