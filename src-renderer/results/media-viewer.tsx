// biome-ignore-all lint/a11y/useSemanticElements: these are regions that scroll, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
import { Grid, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { clockTime } from '../components/format.ts';
import { Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import type { Frame, Line, Media, NamedFile } from './shapes.ts';
import { useSoundPeaks } from './sound-peaks.ts';
import { Waveform } from './waveform.tsx';

interface MediaViewerProps {
  media: Media;
  lines: readonly Line[];
  frames: readonly Frame[];
  /** Known from the result; for a recording that was sent in the server measures its sound. */
  peaks: readonly number[];
  captions: NamedFile | undefined;
  /** Where to begin, for example at a hit of a search. */
  startSeconds: number | null;
}

/** The recording beside its words and pictures: a click on any of them finds the place in the others. */
export function MediaViewer({ media, lines, frames, peaks, captions, startSeconds }: MediaViewerProps) {
  const player = useRef<HTMLMediaElement | null>(null);
  const [time, setTime] = useState(startSeconds ?? 0);
  const [length, setLength] = useState(0);
  const shape = useSoundPeaks(media, peaks);
  const seek = (seconds: number) => {
    if (player.current === null) return;
    player.current.currentTime = seconds;
    setTime(seconds);
    // A browser that will not play by itself has still moved to the place.
    player.current.play().catch(() => {});
  };
  const events = {
    src: media.url,
    controls: true,
    preload: 'metadata' as const,
    style: { width: '100%' },
    onTimeUpdate: (event: React.SyntheticEvent<HTMLMediaElement>) => setTime(event.currentTarget.currentTime),
    onLoadedMetadata: (event: React.SyntheticEvent<HTMLMediaElement>) => {
      setLength(event.currentTarget.duration);
      if (startSeconds !== null) event.currentTarget.currentTime = startSeconds;
    },
  };
  const track = captions && <track kind="captions" src={captions.url} default />;
  return (
    <Grid gap="md">
      <Grid.Col span={lines.length > 0 ? { base: 12, md: 5 } : 12}>
        <Panel title={texts.jobs.player}>
          <Stack gap="sm">
            {media.video ? (
              <video {...events} ref={player as React.RefObject<HTMLVideoElement>}>
                {track}
              </video>
            ) : (
              <audio {...events} ref={player as React.RefObject<HTMLAudioElement>}>
                {track}
              </audio>
            )}
            {shape !== null && (
              <Waveform {...shape} share={length > 0 ? time / length : 0} onSeek={(share) => seek(share * length)} />
            )}
          </Stack>
        </Panel>
      </Grid.Col>
      {lines.length > 0 && (
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Transcript lines={lines} time={time} onSeek={seek} />
        </Grid.Col>
      )}
      {frames.length > 0 && (
        <Grid.Col span={12}>
          <Frames frames={frames} onSeek={seek} />
        </Grid.Col>
      )}
    </Grid>
  );
}

interface TranscriptProps {
  lines: readonly Line[];
  time: number;
  /** Absent where there is nothing to play. */
  onSeek?: (seconds: number) => void;
}

/** What was said, line by line with its time; the line that is heard now is marked and kept in view. */
export function Transcript({ lines, time, onSeek }: TranscriptProps) {
  const current = lines.findIndex((line) => time >= line.startSeconds && time < line.endSeconds);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const line = current < 0 ? undefined : list.current?.children[current];
    const box = list.current;
    if (!(line instanceof HTMLElement) || box === null) return;
    const above = line.offsetTop < box.scrollTop;
    const below = line.offsetTop + line.offsetHeight > box.scrollTop + box.clientHeight;
    if (above || below) box.scrollTop = line.offsetTop - box.clientHeight / 3;
  }, [current]);
  return (
    <Panel title={texts.jobs.transcript} flush>
      <div ref={list} className="list-body transcript" tabIndex={0} role="group" aria-label={texts.jobs.transcript}>
        {lines.map((line, index) => (
          <TranscriptLine
            key={`${line.startSeconds}-${line.text.slice(0, 12)}`}
            line={line}
            current={index === current}
            onSeek={onSeek}
          />
        ))}
      </div>
    </Panel>
  );
}

interface TranscriptLineProps {
  line: Line;
  current: boolean;
  onSeek: ((seconds: number) => void) | undefined;
}

function TranscriptLine({ line, current, onSeek }: TranscriptLineProps) {
  const at = clockTime(line.startSeconds);
  const inside = (
    <>
      <Text span size="sm" c="dimmed" ff="monospace">
        {at}
      </Text>
      <span>{line.text}</span>
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

/** The pictures that were taken, each with the words that were read in it. */
export function Frames({ frames, onSeek }: { frames: readonly Frame[]; onSeek?: (seconds: number) => void }) {
  return (
    <Panel title={texts.jobs.frames(frames.length)} about={texts.jobs.framesAbout}>
      <ul className="frames">
        {frames.map(({ seconds, text, confidence, imageUrl }) => {
          const at = clockTime(seconds);
          const picture = <img src={imageUrl} alt={texts.jobs.frameAt(at)} loading="lazy" />;
          return (
            <li key={seconds}>
              {onSeek === undefined ? (
                picture
              ) : (
                <button type="button" aria-label={texts.jobs.seek(at)} onClick={() => onSeek(seconds)}>
                  {picture}
                </button>
              )}
              <Text size="xs" c="dimmed">
                {at}
                {confidence === null ? '' : `, ${texts.jobs.readWith(Math.round(confidence))}`}
              </Text>
              <Text size="sm">{text === '' ? texts.jobs.noText : text}</Text>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
