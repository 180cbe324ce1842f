import { Grid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useMemo, useRef, useState } from 'react';
import { ask } from '../../api/client.ts';
import { clockTime } from '../../components/format.ts';
import { Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import type { Frame, Line, Media, NamedFile } from './shapes.ts';
import { Transcript } from './transcript.tsx';

interface MediaViewerProps {
  media: Media;
  lines: readonly Line[];
  frames: readonly Frame[];
  /** From the result; the server computes them for an uploaded recording. */
  peaks: readonly number[];
  captions: NamedFile | undefined;
  /** Start position, for example of a search result. */
  startSeconds: number | null;
}

/** The common aspect ratio, so that the page does not move when the file loads. */
const PICTURE = { width: '100%', aspectRatio: 'auto 16 / 9' };

/** A player beside its transcript and frames. A click on one seeks in the others. */
export function MediaViewer({ media, lines, frames, peaks, captions, startSeconds }: MediaViewerProps) {
  const player = useRef<HTMLMediaElement | null>(null);
  const [time, setTime] = useState(startSeconds ?? 0);
  const [length, setLength] = useState(0);
  const shape = useSoundPeaks(media, peaks);
  const seek = (seconds: number) => {
    if (player.current === null) return;
    player.current.currentTime = seconds;
    setTime(seconds);
    // If the browser blocks autoplay, the position has still changed.
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
              <video {...events} style={PICTURE} ref={player as React.RefObject<HTMLVideoElement>}>
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

/** Video frames with the text in them. */
export function Frames({ frames, onSeek }: { frames: readonly Frame[]; onSeek?: (seconds: number) => void }) {
  return (
    <Panel title={texts.jobs.frames(frames.length)} about={texts.jobs.framesAbout}>
      <ul className="frames">
        {frames.map(({ seconds, text, confidence, imageUrl }, index) => {
          const at = clockTime(seconds);
          const picture = <img src={imageUrl} alt={texts.jobs.frameAt(at)} loading="lazy" />;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: frames may share a time and never move.
            <li key={index}>
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

const WAVE_HEIGHT = 100;

/** A flat line that keeps the space and accepts clicks while there is no waveform. */
const FLAT: readonly number[] = new Array<number>(200).fill(0.02);

interface WaveformProps {
  /** From 0 to 1. Empty while loading or if not available; then a flat line is shown. */
  peaks: readonly number[];
  /** Why there is no waveform. */
  note: string | null;
  /** Played share, 0 to 1. */
  share: number;
  onSeek: (share: number) => void;
}

/** The waveform. Seeks by mouse; the player has the keyboard controls. */
function Waveform({ peaks: measured, note, share, onSeek }: WaveformProps) {
  const id = useId();
  const peaks = measured.length > 0 ? measured : FLAT;
  const path = useMemo(
    () => peaks.map((peak, index) => `M${index + 0.5} ${50 - peak * 48}V${50 + peak * 48}`).join(''),
    [peaks],
  );
  return (
    <div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the player's slider is keyboard accessible. */}
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
        <path d={path} stroke="currentColor" strokeWidth="0.8" opacity="0.4" />
        <clipPath id={id}>
          <rect x="0" y="0" width={peaks.length * share} height={WAVE_HEIGHT} />
        </clipPath>
        <path d={path} stroke="currentColor" strokeWidth="0.8" clipPath={`url(#${id})`} />
      </svg>
      <Text size="xs" c="dimmed" className="wave-note" role="status">
        {note}
      </Text>
    </div>
  );
}

interface Shape {
  /** From 0 to 1; empty if there is nothing to show. */
  peaks: readonly number[];
  /** Why there are no peaks. */
  note: string | null;
}

/** Peaks from the result or from the server; null if neither has them. */
function useSoundPeaks({ peaksUrl }: Media, known: readonly number[]): Shape | null {
  const measured = useQuery({
    queryKey: ['peaks', peaksUrl],
    queryFn: ({ signal }) => ask<{ peaks: number[] }>(peaksUrl ?? '', { signal }),
    enabled: peaksUrl !== null && known.length === 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (known.length > 0) return { peaks: known, note: null };
  if (peaksUrl === null) return null;
  if (measured.isError) return { peaks: [], note: texts.jobs.noShape(measured.error.message) };
  return { peaks: measured.data?.peaks ?? [], note: measured.isPending ? texts.jobs.measuring : null };
}
