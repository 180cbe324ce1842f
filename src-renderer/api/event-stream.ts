import { useSyncExternalStore } from 'react';
import { send } from './client.ts';

/** A window that was put away for a moment keeps its streams: reading everything anew would cost more. */
const HIDDEN_GRACE_MS = 10_000;

/** Pauses before a stream that was refused is asked for again: each twice the one before, up to the longest. */
const FIRST_PAUSE_MS = 1000;

const LONGEST_PAUSE_MS = 30_000;

/** What is done with the messages of a stream, by the name of their event. */
type Hearers = Record<string, (data: unknown) => void>;

interface Following {
  hear: Hearers;
  /** The stream is there. `again`: it was away before, so that messages may have been missed. */
  onOpen?: (again: boolean) => void;
  onAway?: () => void;
  /** The server answered, but not with a stream. It is asked again, later each time. */
  onRefused?: () => void;
}

/**
 * Follows server-sent events until the returned function is called. A window that nobody sees lets go of its streams:
 * a browser has six connections to one server, for all its windows together. `fetch` reads them, because an EventSource
 * cannot send the session's secret. A stream that ends or is refused is asked for again, later each time.
 */
export function follow(path: string, { hear, onOpen, onAway, onRefused }: Following): () => void {
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
  const read = async ({ signal }: AbortController) => {
    const headers = { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
    const answer = await send(path, { headers, signal });
    if (signal.aborted) return;
    if (answer.status !== 200) return onRefused?.();
    pauseMs = FIRST_PAUSE_MS;
    noteAway(name, false);
    onOpen?.(wasAway);
    wasAway = false;
    for await (const { event, id, data } of eventsOf(answer)) {
      if (signal.aborted) return;
      if (id !== '') lastId = id;
      pass(data, hear[event]);
    }
  };
  const open = () => {
    clearTimeout(retrying);
    const opened = new AbortController();
    reading = opened;
    const onEnd = () => {
      if (opened.signal.aborted) return;
      // A message that could not be read leaves the answer open, and with it one of the browser's connections.
      opened.abort();
      goneAway();
      retrying = setTimeout(open, pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    };
    // A broken line and an orderly end mean the same here: the stream is away.
    read(opened).then(onEnd, onEnd);
  };
  const close = () => {
    clearTimeout(retrying);
    reading?.abort();
    reading = null;
  };
  const leave = () => {
    close();
    goneAway();
  };
  const onVisibility = () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(leave, HIDDEN_GRACE_MS);
    else if (reading === null) open();
  };
  open();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(leaving);
    close();
    noteAway(name, false);
    onAway?.();
  };
}

/** An error of a hearer is a fault of the window, not of the stream. */
function pass(data: unknown, hearer: Hearers[string] | undefined): void {
  try {
    hearer?.(data);
  } catch (error) {
    reportError(error);
  }
}

/** Runs at once, and then not again before `pauseMs` after it was done, however often it is asked for. */
export function throttled(run: () => Promise<unknown>, pauseMs: number): { soon: () => void; stop: () => void } {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let busy = false;
  let again = false;
  const go = () => {
    busy = true;
    again = false;
    void run().finally(() => {
      waiting = setTimeout(() => {
        busy = false;
        if (again) go();
      }, pauseMs);
    });
  };
  return {
    soon: () => {
      again = true;
      if (!busy) go();
    },
    stop: () => {
      busy = true;
      clearTimeout(waiting);
    },
  };
}

/** Whether the stream of all changes is there. */
let connected = false;

/** Streams that something on the screen waits for, and that are not there. */
const away = new Set<object>();

const listeners = new Set<() => void>();

const isLive = () => connected && away.size === 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}

export function setConnected(value: boolean): void {
  connected = value;
  changed();
}

function noteAway(stream: object, isAway: boolean): void {
  if (isAway) away.add(stream);
  else away.delete(stream);
  changed();
}

/** Whether all changes of what is on the screen arrive at this moment. */
export function useLiveState(): boolean {
  return useSyncExternalStore(subscribe, isLive);
}

interface StreamedEvent {
  event: string;
  /** Empty where the event has none. */
  id: string;
  data: unknown;
}

/** Server-sent events of an answer, which the browser's own reader cannot ask for with a header. Data is JSON. */
export async function* eventsOf(answer: Response): AsyncGenerator<StreamedEvent> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  // An event may have megabytes: its pieces are joined once, when its end has arrived.
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
      if (event !== undefined && data !== undefined) yield { event, id, data: JSON.parse(data) as unknown };
    }
  }
}
