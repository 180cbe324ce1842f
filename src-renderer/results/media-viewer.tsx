// biome-ignore-all lint/a11y/useSemanticElements: these are regions that scroll, not groups of fields.
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
import { Grid, Stack, Text } from '@mantine/core';
import { useMemo, useRef, useState } from 'react';
import { clockTime } from '../components/format.ts';
import { Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import type { Line, NamedFile } from './shapes.ts';

interface MediaViewerProps {
  media: { file: NamedFile; video: boolean };
  lines: readonly Line[];
  peaks: readonly number[];
  captions: NamedFile | undefined;
}

/** The recording beside its words: a click on either finds the place in the other. */
export function MediaViewer({ media, lines, peaks, captions }: MediaViewerProps) {
  const player = useRef<HTMLMediaElement | null>(null);
  const [time, setTime] = useState(0);
  const [length, setLength] = useState(0);
  const seek = (seconds: number) => {
    if (player.current === null) return;
    player.current.currentTime = seconds;
    void player.current.play();
  };
  const events = {
    src: media.file.url,
    controls: true,
    preload: 'metadata' as const,
    style: { width: '100%' },
    onTimeUpdate: (event: React.SyntheticEvent<HTMLMediaElement>) => setTime(event.currentTarget.currentTime),
    onLoadedMetadata: (event: React.SyntheticEvent<HTMLMediaElement>) => setLength(event.currentTarget.duration),
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
            {peaks.length > 0 && (
              <Waveform peaks={peaks} share={length > 0 ? time / length : 0} onSeek={(share) => seek(share * length)} />
            )}
          </Stack>
        </Panel>
      </Grid.Col>
      {lines.length > 0 && (
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Transcript lines={lines} time={time} onSeek={seek} />
        </Grid.Col>
      )}
    </Grid>
  );
}

interface TranscriptProps {
  lines: readonly Line[];
  time: number;
  onSeek: (seconds: number) => void;
}

export function Transcript({ lines, time, onSeek }: TranscriptProps) {
  return (
    <Panel title={texts.jobs.transcript} flush>
      <div
        className="list-body"
        style={{ maxHeight: 520, padding: 8 }}
        tabIndex={0}
        role="region"
        aria-label={texts.jobs.transcript}
      >
        {lines.map((line) => {
          const current = time >= line.startSeconds && time < line.endSeconds;
          const at = clockTime(line.startSeconds);
          return (
            <button
              type="button"
              key={`${line.startSeconds}-${line.text.slice(0, 12)}`}
              className="line"
              aria-label={`${texts.jobs.seek(at)}: ${line.text}`}
              {...(current ? { 'aria-current': true } : {})}
              onClick={() => onSeek(line.startSeconds)}
            >
              <Text span size="sm" c="dimmed" ff="monospace">
                {at}
              </Text>
              <span>{line.text}</span>
            </button>
          );
        })}
      </div>
    </Panel>
  );
}

const WAVE_HEIGHT = 100;

interface WaveformProps {
  peaks: readonly number[];
  /** How much has been played, 0 to 1. */
  share: number;
  onSeek: (share: number) => void;
}

/** The shape of the sound. A mouse's way to seek; by keyboard the player itself does it. */
function Waveform({ peaks, share, onSeek }: WaveformProps) {
  const path = useMemo(
    () => peaks.map((peak, index) => `M${index + 0.5} ${50 - peak * 48}V${50 + peak * 48}`).join(''),
    [peaks],
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the player's own slider is the way by keyboard.
    <svg
      className="wave"
      viewBox={`0 0 ${peaks.length} ${WAVE_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.jobs.waveform}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        onSeek((event.clientX - box.left) / box.width);
      }}
    >
      <path d={path} stroke="currentColor" strokeWidth="0.8" opacity="0.45" />
      <clipPath id="played">
        <rect x="0" y="0" width={peaks.length * share} height={WAVE_HEIGHT} />
      </clipPath>
      <path d={path} stroke="currentColor" strokeWidth="0.8" clipPath="url(#played)" />
    </svg>
  );
}
