import { useSyncExternalStore } from 'react';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import { fetchApi } from './client.ts';

/** A hidden window keeps its streams for this time, because reloading everything costs more. */
const HIDDEN_GRACE_MS = 10_000;

/** Exponential backoff for a rejected stream. */
const FIRST_PAUSE_MS = 1000;

const LONGEST_PAUSE_MS = 30_000;

/** Handlers by event name. Each declares the shape of its event's data, which the server sends as JSON. */
type Handlers = Record<string, (data: never) => void>;

interface FollowOptions {
  handlers: Handlers;
  /** The stream is open. `again`: after an interruption, so events may be missing. */
  onOpen?: (again: boolean) => void;
  onAway?: () => void;
  /** The response was not a stream. The client retries with backoff. */
  onRefused?: () => void;
}

/**
 * Follows server-sent events until the returned function is called. A hidden window closes its streams, because a
 * browser has only six connections per server for all its windows. Uses `fetch`, because EventSource cannot send the
 * session secret. Reconnects with backoff.
 */
export function followEventStream(path: string, { handlers, onOpen, onAway, onRefused }: FollowOptions): () => void {
  const name = {};
  let reading: AbortController | null = null;
  let wasAway = false;
  let lastId = '';
  let pauseMs = FIRST_PAUSE_MS;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  const goneAway = () => {
    wasAway = true;
    noteAway(name, true);
    onAway?.();
  };
  const readEventStream = async ({ signal }: AbortController) => {
    const headers = { accept: 'text/event-stream', ...omitUndefined({ 'last-event-id': lastId || undefined }) };
    const answer = await fetchApi(path, { headers, signal });
    if (signal.aborted) return;
    if (answer.status !== 200) return onRefused?.();
    pauseMs = FIRST_PAUSE_MS;
    noteAway(name, false);
    onOpen?.(wasAway);
    wasAway = false;
    for await (const { event, id, data } of serverSentEvents(answer)) {
      if (signal.aborted) return;
      if (id !== '') lastId = id;
      dispatchStreamEvent(data, handlers[event]);
    }
  };
  const openEventStream = () => {
    clearTimeout(retrying);
    const opened = new AbortController();
    reading = opened;
    const onEnd = () => {
      if (opened.signal.aborted) return;
      // Close the response: a failed read would keep one of the browser's connections open.
      opened.abort();
      goneAway();
      retrying = setTimeout(openEventStream, pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    };
    // An error and a normal end mean the same: the stream is closed.
    readEventStream(opened).then(onEnd, onEnd);
  };
  const closeEventStream = () => {
    clearTimeout(retrying);
    reading?.abort();
    reading = null;
  };
  const leaveEventStream = () => {
    closeEventStream();
    goneAway();
  };
  const onVisibility = () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(leaveEventStream, HIDDEN_GRACE_MS);
    else if (reading === null) openEventStream();
  };
  openEventStream();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(leaving);
    closeEventStream();
    noteAway(name, false);
    onAway?.();
  };
}

/** A handler's error must not end the stream. */
function dispatchStreamEvent(data: string, handler: Handlers[string] | undefined): void {
  try {
    handler?.(parseOwnJson(data));
  } catch (error) {
    reportError(error);
  }
}

/** Throttle: runs at once, then at most once per `pauseMs` after the last run ends. */
export interface Throttled {
  soon(): void;
  /** Forgets a run that waits for the pause to end. */
  forget(): void;
  stop(): void;
}

export function throttleRuns(run: () => Promise<unknown>, pauseMs: number): Throttled {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let again = false;
  const startThrottledRun = () => {
    busy = true;
    again = false;
    void run().finally(() => {
      waiting = setTimeout(() => {
        busy = false;
        if (again) startThrottledRun();
      }, pauseMs);
    });
  };
  return {
    soon: () => {
      again = true;
      if (!busy) startThrottledRun();
    },
    forget: () => {
      again = false;
    },
    stop: () => {
      busy = true;
      clearTimeout(waiting);
    },
  };
}

/** Whether the stream of all changes is open. */
let connected = false;

/** Streams that the page needs and that are not open. */
const away = new Set<object>();

const listeners = new Set<() => void>();

const isLive = () => connected && away.size === 0;

function subscribeToLiveState(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyLiveListeners(): void {
  for (const listener of listeners) listener();
}

export function setConnected(value: boolean): void {
  connected = value;
  notifyLiveListeners();
}

function noteAway(stream: object, isAway: boolean): void {
  if (isAway) away.add(stream);
  else away.delete(stream);
  notifyLiveListeners();
}

/** Whether the page receives all changes. */
export function useLiveState(): boolean {
  return useSyncExternalStore(subscribeToLiveState, isLive);
}

interface StreamedEvent {
  event: string;
  /** Empty if the event has none. */
  id: string;
  /** JSON. */
  data: string;
}

/** Server-sent events of a response. EventSource cannot send headers. */
export async function* serverSentEvents(answer: Response): AsyncGenerator<StreamedEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  // An event can have megabytes, so join its pieces once, at its end.
  let pieces: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const before = pieces.at(-1) ?? '';
    pieces.push(value);
    if (!`${before.slice(-1)}${value}`.includes('\n\n')) continue;
    const blocks = pieces.join('').split('\n\n');
    pieces = [blocks.pop() ?? ''];
    for (const block of blocks) {
      const event = /^event: ?(.*)$/m.exec(block)?.[1];
      const data = /^data: ?(.*)$/m.exec(block)?.[1];
      const id = /^id: ?(.*)$/m.exec(block)?.[1] ?? '';
      if (event !== undefined && data !== undefined) yield { event, id, data };
    }
  }
}
