import { Button } from '@mantine/core';
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { Chunk } from '../../api/generated/public.ts';
import { markMatches } from '../../components/code.tsx';
import { useForeignText } from '../../components/foreign-text.ts';
import { clockTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Doubtful } from './doubts.tsx';
import type { Finder } from './find.tsx';
import type { Playback } from './player.tsx';
import { type Passage, Selectable } from './selection.tsx';
import type { Line, Part } from './shapes.ts';
import { type SpeakerColours, SpeakerTag } from './speakers.tsx';
import { results as texts } from './texts.ts';
import { type ListHandle, WindowList } from './window-list.tsx';

const LINE_CHARS = 66;

const LINE_PIXELS = 26;

interface TranscriptProps {
  jobId: string;
  lines: readonly Line[];
  chunks: readonly Chunk[];
  chapters: readonly Part[];
  colours: SpeakerColours;
  /** Null if there is nothing to play. */
  playback: Playback | null;
  finder: Finder;
  handle: React.RefObject<ListHandle | null>;
  /** The line to start at, such as a search result; -1 for none. */
  aim: number;
}

/** The words of a recording with their times. The line that plays is marked and stays in view. */
export function Transcript(props: TranscriptProps) {
  const { jobId, lines, chunks, chapters, colours, playback, finder, handle, aim } = props;
  const time = playback?.time ?? -1;
  const current = useMemo(
    () => lines.findIndex((line) => time >= line.startSeconds && time < line.endSeconds),
    [lines, time],
  );
  const follow = useFollowing(playback?.playing ?? false, current, handle);
  useEffect(() => {
    if (aim > 0) handle.current?.show(aim);
  }, [aim, handle]);
  const passageOf = useCallback(
    (text: string, start: Element): Passage | null => {
      const line = lines[Number(start.closest('[data-index]')?.getAttribute('data-index') ?? -1)];
      if (line === undefined) return null;
      return { text: text || line.text, chunk: chunkAt(chunks, line.startSeconds), seconds: line.startSeconds };
    },
    [lines, chunks],
  );
  const play = playback?.play;
  const headings = useMemo(() => headingsOf(lines, chapters), [lines, chapters]);
  return (
    <Selectable jobId={jobId} passageOf={passageOf} {...(play ? { onPlay: play } : {})}>
      <WindowList
        count={lines.length}
        estimate={(row) => 14 + LINE_PIXELS * Math.ceil(((lines[row]?.text.length ?? 0) + 1) / LINE_CHARS)}
        label={texts.transcript}
        className="transcript"
        handle={handle}
        attributesOf={(row) => (row === current || (current < 0 && row === aim) ? { 'aria-current': true } : {})}
      >
        {(row) => {
          const line = itemAt(lines, row);
          const at = row === current ? time : -1;
          const speaker = line.speaker === lines[row - 1]?.speaker ? null : line.speaker;
          return (
            <TranscriptLine
              {...{ line, speaker, colours, play }}
              heading={headings.get(row)}
              words={finder.words}
              time={at}
            />
          );
        }}
      </WindowList>
      {follow.paused && (
        <Button className="follow" size="xs" leftSection={<Icon name="play" size={14} />} onClick={follow.resume}>
          {texts.follow}
        </Button>
      )}
    </Selectable>
  );
}

/** The chapter that begins with a line. */
function headingsOf(lines: readonly Line[], chapters: readonly Part[]): ReadonlyMap<number, string> {
  const rows = chapters.map(({ title, startSeconds }): [number, string] => [
    lines.findIndex((line) => line.endSeconds > startSeconds),
    title,
  ]);
  return new Map(rows.filter(([row]) => row >= 0));
}

function chunkAt(chunks: readonly Chunk[], seconds: number): Chunk | undefined {
  const spoken = chunks.filter(({ kind, startSeconds }) => kind !== 'frame-text' && startSeconds !== undefined);
  return spoken.findLast(({ startSeconds = 0 }) => startSeconds <= seconds + 0.001);
}

/** Keeps the line that plays in view, until the reader scrolls elsewhere. */
function useFollowing(playing: boolean, current: number, handle: React.RefObject<ListHandle | null>) {
  const [paused, setPaused] = useState(false);
  const seen = useRef(current);
  useEffect(() => {
    if (!playing) return;
    const pauseFollowing = () => setPaused(true);
    const options = { passive: true };
    addEventListener('wheel', pauseFollowing, options);
    addEventListener('touchmove', pauseFollowing, options);
    return () => {
      removeEventListener('wheel', pauseFollowing);
      removeEventListener('touchmove', pauseFollowing);
    };
  }, [playing]);
  useEffect(() => {
    if (!playing) setPaused(false);
    if (playing && !paused && current >= 0 && current !== seen.current) handle.current?.show(current, 'nearest');
    seen.current = current;
  }, [playing, paused, current, handle]);
  return {
    paused: paused && playing,
    resume: () => {
      setPaused(false);
      handle.current?.show(current, 'nearest');
    },
  };
}

interface TranscriptLineProps {
  line: Line;
  /** The chapter that begins here. */
  heading: string | undefined;
  /** The speaker who begins here; null for the same as before. */
  speaker: string | null;
  colours: SpeakerColours;
  words: string;
  /** The time of the player within this line; -1 outside it. */
  time: number;
  play: ((seconds: number) => void) | undefined;
}

const TranscriptLine = memo(function TranscriptLine(props: TranscriptLineProps) {
  const foreign = useForeignText();
  const { line, heading, speaker, colours, words, time, play } = props;
  const at = clockTime(line.startSeconds);
  const text = words === '' ? <Words line={line} time={time} /> : markMatches(line.text, words);
  return (
    <>
      {heading !== undefined && <h2 className="chapter-head">{heading}</h2>}
      {speaker !== null && (
        <div className="turn-speaker">
          <SpeakerTag name={speaker} colours={colours} />
        </div>
      )}
      <div className="turn">
        {play === undefined ? (
          <span className="turn-time">{at}</span>
        ) : (
          <button
            type="button"
            className="turn-time"
            aria-label={`${at} ${line.text}`}
            title={texts.seek({ time: at })}
            onClick={() => play(line.startSeconds)}
          >
            {at}
          </button>
        )}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the time beside it is the button. */}
        <p
          {...foreign}
          onClick={() => {
            if (getSelection()?.isCollapsed !== false) play?.(line.startSeconds);
          }}
        >
          {line.doubtful ? <Doubtful>{text}</Doubtful> : text}
        </p>
        {line.corrected && <span className="turn-corrected">{texts.corrected}</span>}
        <button
          type="button"
          className="turn-more"
          data-passage
          aria-label={texts.lineActions({ time: at })}
          title={texts.lineActions({ time: at })}
        >
          <Icon name="ellipsis" size={14} />
        </button>
      </div>
    </>
  );
});

/** The engine is less sure of these words than of a coin. */
const UNSURE_BELOW = 0.5;

/** A line with the word that is spoken, and those of which the recogniser is unsure, marked. */
function Words({ line, time }: { line: Line; time: number }) {
  const parts: ReactNode[] = [];
  let done = 0;
  let from = 0;
  for (const [index, { start, end, text, confidence = 1 }] of line.words.entries()) {
    const at = line.text.indexOf(text.trim(), from);
    if (at < 0) return line.text;
    from = at + text.trim().length;
    const isSpoken = time >= start && time < end;
    if (!isSpoken && confidence >= UNSURE_BELOW) continue;
    const word = line.text.slice(at, from);
    const title = confidence >= UNSURE_BELOW ? {} : { title: texts.unsure({ percent: Math.round(confidence * 100) }) };
    const className = confidence >= UNSURE_BELOW ? {} : { className: 'unsure' };
    const Mark = isSpoken ? 'mark' : 'span';
    parts.push(
      line.text.slice(done, at),
      <Mark key={index} {...title} {...className}>
        {word}
      </Mark>,
    );
    done = from;
  }
  return (
    <>
      {parts}
      {line.text.slice(done)}
    </>
  );
}
