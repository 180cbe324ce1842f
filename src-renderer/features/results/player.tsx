import { ActionIcon, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { requestJson } from '../../api/client.ts';
import { clockTime, joinTexts } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useKeys } from '../../components/keys.ts';
import { Waveform } from '../../components/plots.tsx';
import type { Media, NamedFile, Part } from './shapes.ts';
import { results as texts } from './texts.ts';

/** The state of a player, and what can be done with it. */
export interface Playback {
  element: RefObject<HTMLMediaElement | null>;
  time: number;
  /** In seconds; 0 until the file has loaded. */
  length: number;
  playing: boolean;
  /** Text of the caption at this time. */
  caption: string;
  seek: (seconds: number) => void;
  /** Seeks and plays. */
  play: (seconds: number) => void;
  toggle: () => void;
  events: MediaEvents;
}

interface MediaEvents {
  onTimeUpdate: () => void;
  onLoadedMetadata: () => void;
  onPlay: () => void;
  onPause: () => void;
}

/** @param startSeconds start position, for example of a search result */
export function usePlayback(startSeconds: number | null, knownLength = 0): Playback {
  const element = useRef<HTMLMediaElement | null>(null);
  const [time, setTime] = useState(startSeconds ?? 0);
  const [length, setLength] = useState(knownLength);
  const [playing, setPlaying] = useState(false);
  const [caption, setCaption] = useState('');
  const seek = useCallback((seconds: number) => {
    if (element.current !== null) element.current.currentTime = seconds;
    setTime(seconds);
  }, []);
  const play = useCallback(
    (seconds: number) => {
      seek(seconds);
      // If the browser blocks autoplay, the position has still changed.
      element.current?.play().catch(() => {});
    },
    [seek],
  );
  const toggle = useCallback(() => {
    const { current } = element;
    if (current === null) return;
    if (current.paused) current.play().catch(() => {});
    else current.pause();
  }, []);
  const events = useMemo<MediaEvents>(
    () => ({
      onTimeUpdate: () => {
        const { current } = element;
        if (current === null) return;
        setTime(current.currentTime);
        setCaption(activeCuesHtml(current));
      },
      onLoadedMetadata: () => {
        const { current } = element;
        if (current === null) return;
        if (Number.isFinite(current.duration)) setLength(current.duration);
        if (startSeconds !== null) current.currentTime = startSeconds;
      },
      onPlay: () => setPlaying(true),
      onPause: () => setPlaying(false),
    }),
    [startSeconds],
  );
  return { element, time, length, playing, caption, seek, play, toggle, events };
}

function activeCuesHtml({ textTracks }: HTMLMediaElement): string {
  // As HTML, because the text of a cue may name its voice.
  return [...(textTracks[0]?.activeCues ?? [])]
    .map((cue) => (cue as VTTCue).getCueAsHTML().textContent ?? '')
    .join('\n');
}

/** Plays and pauses with the space key. */
export function usePlayKey(toggle: () => void, isThere: boolean): void {
  useKeys(
    isThere ? [{ keys: ' ', name: texts.player.key, icon: 'play', group: 'page', run: toggle, onlyKey: true }] : [],
  );
}

interface PlayerProps {
  media: Media;
  playback: Playback;
  captions: NamedFile | undefined;
  /** From the result; the server computes them for an uploaded recording. */
  peaks: readonly number[];
  /** Sections of music, in order. */
  sections?: readonly Part[];
  /** The colour of the speaker at a time. */
  colourAt?: (seconds: number) => string | undefined;
}

/** A recording with its controls and waveform. */
export function Player({ media, playback, captions, peaks, sections = [], colourAt }: PlayerProps) {
  const [shows, setShows] = useState(true);
  const { element, events, caption } = playback;
  useEffect(() => {
    const track = element.current?.textTracks[0];
    // Chromium draws captions over a picture only. Below sound they are text of the page.
    if (track) track.mode = media.video && shows ? 'showing' : 'hidden';
  }, [element, media.video, shows]);
  const track = captions && <track kind="captions" src={captions.url} default />;
  const shared = { src: media.url, preload: 'metadata' as const, ...events };
  return (
    <div className="player">
      {media.video ? (
        <video
          {...shared}
          className="film"
          aria-label={texts.player.picture}
          ref={element as RefObject<HTMLVideoElement>}
          onClick={playback.toggle}
        >
          {track}
        </video>
      ) : (
        <audio {...shared} ref={element as RefObject<HTMLAudioElement>}>
          {track}
        </audio>
      )}
      <Controls playback={playback} video={media.video} captions={captions && { shows, onChange: setShows }} />
      <Shape {...{ media, playback, peaks, sections, colourAt }} />
      {!media.video && captions !== undefined && shows && (
        <p className="sound-caption" aria-hidden="true">
          {caption || '\u00a0'}
        </p>
      )}
    </div>
  );
}

const STEP_BACK_SECONDS = 5;

const SPEEDS = [1, 1.25, 1.5, 2, 0.75];

interface ControlsProps {
  playback: Playback;
  video: boolean;
  captions: { shows: boolean; onChange: (shows: boolean) => void } | undefined;
}

function Controls({ playback, video, captions }: ControlsProps) {
  const { element, time, length, playing, seek, toggle } = playback;
  const [speed, setSpeed] = useState(1);
  const [muted, setMuted] = useState(false);
  const t = texts.player;
  const turnPlaybackSpeed = () => {
    const next = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1;
    setSpeed(next);
    if (element.current) element.current.playbackRate = next;
  };
  const toggleMute = () => {
    setMuted(!muted);
    if (element.current) element.current.muted = !muted;
  };
  return (
    <div className="controls">
      <ActionIcon size={34} aria-label={playing ? t.pause : t.play} onClick={toggle}>
        <Icon name={playing ? 'pause' : 'play'} />
      </ActionIcon>
      <Control icon="rotate-ccw" label={t.back} onClick={() => seek(Math.max(0, time - STEP_BACK_SECONDS))} />
      <span className="clock">
        <b>{clockTime(time)}</b> <span>{length > 0 ? t.of({ length: clockTime(length) }) : ''}</span>
      </span>
      <span className="controls-end">
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={t.speed({ speed })}
          onClick={turnPlaybackSpeed}
        >
          {speed}×
        </Button>
        {captions !== undefined && (
          <Control
            icon="captions"
            label={t.captions}
            pressed={captions.shows}
            onClick={() => captions.onChange(!captions.shows)}
          />
        )}
        <Control icon="volume-2" label={t.mute} pressed={muted} onClick={toggleMute} />
        {video && <Control icon="maximize" label={t.full} onClick={() => void element.current?.requestFullscreen()} />}
      </span>
    </div>
  );
}

function Control(props: { icon: IconName; label: string; pressed?: boolean; onClick: () => void }) {
  const { icon, label, pressed, onClick } = props;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={label}
      title={label}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      onClick={onClick}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
}

/** A flat line that keeps the space and accepts clicks while there is no waveform. */
const FLAT: readonly number[] = new Array<number>(160).fill(0.02);

/** Colours of the sections of music: a section of the same name has the same colour. */
const SECTION_COLOURS = ['compose', 'transcribe', 'speak', 'read', 'write', 'crawl'];

const PAUSE_COLOUR = 'var(--q-plot-faint)';

interface ShapeProps extends Pick<PlayerProps, 'media' | 'playback' | 'peaks'> {
  sections: readonly Part[];
  colourAt: PlayerProps['colourAt'] | undefined;
}

function Shape({ media, playback: { time, length, seek, play }, peaks: known, sections, colourAt }: ShapeProps) {
  const { peaks, note } = useSoundPeaks(media, known);
  const names = [...new Set(sections.map(({ title }) => title))];
  const soundSectionColour = (title: string) =>
    `var(--q-kind-${SECTION_COLOURS[names.indexOf(title) % SECTION_COLOURS.length]})`;
  const sectionAt = (place: number) => sections.findLast(({ startSeconds }) => startSeconds <= place * length);
  return (
    <div className="shape">
      <Waveform
        peaks={peaks.length > 0 ? peaks : FLAT}
        label={texts.player.waveform}
        played={length > 0 ? Math.min(1, time / length) : 0}
        onSeek={(place) => seek(place * length)}
        {...(sections.length > 0
          ? { colourAt: (place: number) => soundSectionColour(sectionAt(place)?.title ?? '') }
          : {})}
        {...(colourAt ? { colourAt: (place: number) => colourAt(place * length) ?? PAUSE_COLOUR } : {})}
      />
      <input
        type="range"
        className="seek"
        aria-label={texts.player.position}
        aria-valuetext={clockTime(time)}
        min={0}
        max={Math.max(1, Math.floor(length))}
        step={1}
        value={Math.floor(time)}
        onChange={(event) => seek(Number(event.currentTarget.value))}
      />
      {sections.length > 0 && length > 0 && (
        <ol className="sections" aria-label={texts.player.sections}>
          {sections.map(({ title, startSeconds, endSeconds }) => (
            <li key={startSeconds} style={{ flexGrow: endSeconds - startSeconds }}>
              <button
                type="button"
                title={joinTexts([title, clockTime(startSeconds)])}
                style={{ borderColor: soundSectionColour(title) }}
                onClick={() => play(startSeconds)}
              >
                {title}
              </button>
            </li>
          ))}
        </ol>
      )}
      {media.peaksUrl !== null && (
        <Text size="xs" className="shape-note" role="status">
          {note}
        </Text>
      )}
    </div>
  );
}

interface SoundPeaks {
  /** From 0 to 1; empty if there is nothing to show. */
  peaks: readonly number[];
  /** Why there are no peaks. */
  note: string | null;
}

/** Peaks from the result, or computed by the server. */
function useSoundPeaks({ peaksUrl }: Media, known: readonly number[]): SoundPeaks {
  const measured = useQuery({
    queryKey: ['peaks', peaksUrl],
    queryFn: ({ signal }) => requestJson<{ peaks: number[] }>(peaksUrl ?? '', { signal }),
    enabled: peaksUrl !== null && known.length === 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (known.length > 0 || peaksUrl === null) return { peaks: known, note: null };
  if (measured.isError) return { peaks: [], note: texts.player.noShape({ reason: measured.error.message }) };
  return { peaks: measured.data?.peaks ?? [], note: measured.isPending ? texts.player.measuring : null };
}
