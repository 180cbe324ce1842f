import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { type DownloadProgress, isDownloadUnderWay } from '../net/download.ts';
import type { HttpEnv } from './env.ts';

/**
 * A response of server-sent events, written by `write`. Hono's own function allows caching, and prints errors to the
 * console past the log's redaction.
 */
export function eventStream(context: Context<HttpEnv>, write: (stream: SSEStreamingApi) => Promise<void>): Response {
  // Disables response buffering in proxies.
  context.header('X-Accel-Buffering', 'no');
  const response = streamSSE(context, async (stream) => {
    try {
      await write(stream);
    } catch (error) {
      const requestId = context.get('requestId');
      context.get('log').error({ err: error, requestId }, 'An event stream failed.');
    }
  });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

const KEEP_ALIVE_MS = 15_000;

interface Followed {
  /** Registers a listener. Returns a function that unsubscribes. */
  watch(onChange: () => void): () => void;
  /** Sends the state. `wait`: send again after a change; `repeat`: after the interval in any case; `end`: no more. */
  send(stream: SSEStreamingApi): Promise<'wait' | 'repeat' | 'end'>;
  /** Minimum time between two sends. */
  intervalMs: number;
}

/** Streams a state: at the start and after changes, with keep-alives in between. */
export function followChanges(context: Context<HttpEnv>, { watch, send, intervalMs }: Followed): Response {
  return eventStream(context, async (stream) => {
    let wakeStateStream = (): void => {};
    let changed = false;
    const stop = watch(() => {
      changed = true;
      wakeStateStream();
    });
    stream.onAbort(() => wakeStateStream());
    const keepAlive = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
    try {
      while (!stream.aborted) {
        changed = false;
        const next = await send(stream);
        if (next === 'end') return;
        await wait(intervalMs);
        // After an abort there is no further wake-up call, so do not wait.
        if (next === 'wait' && !changed && !stream.aborted)
          await new Promise<void>((resolve) => (wakeStateStream = resolve));
      }
    } finally {
      clearInterval(keepAlive);
      stop();
    }
  });
}

/** Whether a request accepts server-sent events. */
export function wantsEvents(context: Context<HttpEnv>): boolean {
  return (context.req.header('accept') ?? '').includes('text/event-stream');
}

const PROGRESS_INTERVAL_MS = 250;

interface WatchedDownload {
  /** Null when no download was started. */
  progress(): DownloadProgress | null;
  watch: Followed['watch'];
}

/** Streams progress as events named `progress` until the download has ended. */
export function streamProgress(context: Context<HttpEnv>, download: WatchedDownload): Response {
  return followChanges(context, {
    watch: (onChange) => download.watch(onChange),
    intervalMs: PROGRESS_INTERVAL_MS,
    send: async (stream) => {
      const progress = download.progress();
      if (progress === null) return 'end';
      await stream.writeSSE({ event: 'progress', data: JSON.stringify(progress) });
      return isDownloadUnderWay(progress) ? 'wait' : 'end';
    },
  });
}
