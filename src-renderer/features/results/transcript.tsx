import { Group, Text, TextInput } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { marked } from '../../components/code.tsx';
import { clockTime, number } from '../../components/format.ts';
import { LongList } from '../../components/long-list.tsx';
import { Empty, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import type { Line } from './shapes.ts';

const LINE_HEIGHT = 36;

const LIST_MAX_HEIGHT = 520;

interface TranscriptProps {
  lines: readonly Line[];
  time: number;
  /** Absent if there is nothing to play. */
  onSeek?: (seconds: number) => void;
}

/** The transcript with times. Highlights the current line and keeps it in view. */
export function Transcript({ lines, time, onSeek }: TranscriptProps) {
  const [typed, setTyped] = useState('');
  const words = typed.trim();
  const found = useMemo(() => {
    const wanted = words.toLowerCase();
    const all = lines.map((_, index) => index);
    return wanted === '' ? all : all.filter((index) => lines[index]?.text.toLowerCase().includes(wanted));
  }, [lines, words]);
  const playing = lines.findIndex((line) => time >= line.startSeconds && time < line.endSeconds);
  const keyOf = useCallback((index: number) => found[index] ?? index, [found]);
  return (
    <Panel
      title={texts.jobs.transcript}
      aside={
        <Group gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {words !== '' && texts.jobs.found(number(found.length))}
          </Text>
          <TextInput
            size="xs"
            aria-label={texts.jobs.findSpoken}
            placeholder={texts.jobs.findSpoken}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Group>
      }
    >
      {found.length === 0 && <Empty icon="search" title={texts.jobs.notSaid} />}
      <LongList
        count={found.length}
        keyOf={keyOf}
        rowHeight={LINE_HEIGHT}
        maxHeight={LIST_MAX_HEIGHT}
        label={texts.jobs.transcript}
        className="transcript"
        current={found.indexOf(playing)}
      >
        {(row) => {
          const index = keyOf(row);
          const line = lines[index];
          return line && <TranscriptLine line={line} words={words} current={index === playing} onSeek={onSeek} />;
        }}
      </LongList>
    </Panel>
  );
}

interface TranscriptLineProps {
  line: Line;
  words: string;
  current: boolean;
  onSeek: ((seconds: number) => void) | undefined;
}

function TranscriptLine({ line, words, current, onSeek }: TranscriptLineProps) {
  const at = clockTime(line.startSeconds);
  const inside = (
    <>
      <Text span size="sm" c="dimmed" ff="monospace">
        {at}
      </Text>
      <span>{marked(line.text, words)}</span>
    </>
  );
  if (onSeek === undefined) return <div className="line line-still">{inside}</div>;
  return (
    <button
      type="button"
      className="line"
      title={texts.jobs.seek(at)}
      {...(current ? { 'aria-current': true } : {})}
      onClick={() => onSeek(line.startSeconds)}
    >
      {inside}
    </button>
  );
}
