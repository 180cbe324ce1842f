/** The reading of an item: what the server has spoken, and what is heard of it. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { ApiError, api, apiPath, dataOf, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { Reading, SpokenPart } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';

/** While parts are spoken. */
const SPEAKING_INTERVAL_MS = 2000;

/** How often the place is remembered while it is heard. */
const PLACE_INTERVAL_MS = 5000;

interface Wish {
  voice?: string;
  speed?: number;
}

/** Null where the item was not read aloud yet. */
export function useReading(itemId: string) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const queryKey = [...libraryKey(environment), 'reading', itemId];
  const reading = useQuery({
    queryKey,
    queryFn: ({ signal }) => readReading(environment, itemId, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'reading' ? SPEAKING_INTERVAL_MS : false),
  });
  const params = { path: { itemId } };
  const begin = useChange((body: Wish) => api[environment].POST('/library/items/{itemId}/reading', { params, body }), {
    onDone: (data) => client.setQueryData(queryKey, data),
    showsError: true,
  });
  const remove = useChange(() => api[environment].DELETE('/library/items/{itemId}/reading', { params }), {
    onDone: () => client.setQueryData(queryKey, null),
  });
  return { reading, begin, remove };
}

async function readReading(environment: EnvironmentName, itemId: string, signal: AbortSignal): Promise<Reading | null> {
  const params = { path: { itemId } };
  try {
    return await dataOf(api[environment].GET('/library/items/{itemId}/reading', { params, signal }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

interface LoadedPart {
  words: SpokenPart;
  sound: Blob;
}

async function loadPart(environment: EnvironmentName, itemId: string, number: number): Promise<LoadedPart> {
  const path = `/library/items/${itemId}/reading/parts/${number}`;
  const sound = await fetchApi(apiPath(environment, `${path}/sound`));
  if (!sound.ok) throw await errorOf(sound);
  const words = await fetchApi(apiPath(environment, path));
  if (!words.ok) throw await errorOf(words);
  return { words: (await words.json()) as SpokenPart, sound: await sound.blob() };
}

export interface ReadingPlayer {
  element: React.RefObject<HTMLAudioElement | null>;
  part: SpokenPart | null;
  /** Within the part. */
  time: number;
  playing: boolean;
  failure: Error | null;
  /** Plays from a second of a part. */
  play: (number: number, seconds: number) => void;
  toggle: () => void;
  /** Within the whole. */
  skip: (seconds: number) => void;
  events: { onTimeUpdate: () => void; onPlay: () => void; onPause: () => void; onEnded: () => void };
}

/** Keeps the part that is heard and the next one. */
function usePartLoader(itemId: string): (number: number) => Promise<LoadedPart> {
  const environment = useEnvironment();
  const loaded = useRef(new Map<number, Promise<LoadedPart>>());
  return useCallback(
    (number: number) => {
      const known = loaded.current.get(number) ?? loadPart(environment, itemId, number);
      loaded.current = new Map([...[...loaded.current].slice(-1), [number, known]]);
      known.catch(() => loaded.current.delete(number));
      return known;
    },
    [environment, itemId],
  );
}

/**
 * Plays the parts one after the other; the next one is loaded while one is heard.
 * @param onEnd the last part is heard to its end
 */
export function useReadingPlayer(reading: Reading | null, onEnd: () => void): ReadingPlayer {
  const element = useRef<HTMLAudioElement | null>(null);
  const [part, setPart] = useState<SpokenPart | null>(null);
  const [time, setTime] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const shown = useRef<string | null>(null);
  const wanted = useRef(0);
  const itemId = reading?.itemId ?? '';
  const count = reading?.parts.length ?? 0;
  const load = usePartLoader(itemId);
  const play = useCallback(
    (number: number, seconds: number) => {
      const { current: audio } = element;
      if (audio === null || number >= count) return;
      const turn = ++wanted.current;
      setFailure(null);
      load(number).then(({ words, sound }) => {
        if (turn !== wanted.current) return;
        if (words.seconds === 0) return play(number + 1, 0);
        if (shown.current !== null) URL.revokeObjectURL(shown.current);
        shown.current = URL.createObjectURL(sound);
        const { playbackRate } = audio;
        audio.src = shown.current;
        audio.playbackRate = playbackRate;
        audio.currentTime = seconds;
        setPart(words);
        setTime(seconds);
        audio.play().catch(() => {});
        if (number + 1 < count) load(number + 1).catch(() => {});
      }, setFailure);
    },
    [load, count],
  );
  useEffect(
    () => () => {
      wanted.current += 1;
      if (shown.current !== null) URL.revokeObjectURL(shown.current);
    },
    [],
  );
  const now = part === null ? null : whereIs(reading, part.number, time);
  usePlaceMemory(itemId, now, playing);
  const skip = (seconds: number) => {
    if (reading === null || part === null) return;
    const { number, rest } = placeAfter(reading, part.number, time + seconds);
    if (number === part.number && element.current !== null) element.current.currentTime = rest;
    else play(number, rest);
  };
  return {
    element,
    part,
    time,
    playing,
    failure,
    play,
    toggle: () => togglePlayback(element.current),
    skip,
    events: {
      onTimeUpdate: () => setTime(element.current?.currentTime ?? 0),
      onPlay: () => setPlaying(true),
      onPause: () => setPlaying(false),
      onEnded: () => {
        if (part === null) return;
        if (part.number + 1 < count) play(part.number + 1, 0);
        else onEnd();
      },
    },
  };
}

function togglePlayback(audio: HTMLAudioElement | null): void {
  if (audio === null) return;
  if (audio.paused) audio.play().catch(() => {});
  else audio.pause();
}

/** The second of the whole; null after a part that is not spoken yet. */
function whereIs(reading: Reading | null, number: number, time: number): number | null {
  const start = reading?.parts[number]?.startSeconds;
  return start === undefined || start === null ? null : start + time;
}

/** The part and its second that are this far from the beginning of a part, as far as the lengths are known. */
function placeAfter({ parts }: Reading, from: number, seconds: number): { number: number; rest: number } {
  let [number, rest] = [from, seconds];
  for (
    let length = parts[number]?.seconds;
    rest >= (length ?? Number.POSITIVE_INFINITY);
    length = parts[number]?.seconds
  ) {
    if (number + 1 >= parts.length) return { number, rest: length ?? 0 };
    rest -= length ?? 0;
    number += 1;
  }
  while (rest < 0 && number > 0) {
    number -= 1;
    rest += parts[number]?.seconds ?? 0;
  }
  return { number, rest: Math.max(0, rest) };
}

/** Where the owner stopped: the part, and its second. */
export function startOf(reading: Reading): { number: number; rest: number } {
  return placeAfter(reading, 0, reading.position);
}

function usePlaceMemory(itemId: string, now: number | null, playing: boolean): void {
  const environment = useEnvironment();
  const place = useRef(now);
  place.current = now;
  useEffect(() => {
    if (!playing) return;
    const send = () => {
      if (place.current === null) return;
      const params = { path: { itemId } };
      const body = { seconds: place.current };
      // A place that is not kept is no failure of what the owner does.
      void api[environment].PUT('/library/items/{itemId}/reading/position', { params, body }).catch(() => undefined);
    };
    const timer = setInterval(send, PLACE_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      send();
    };
  }, [environment, itemId, playing]);
}
