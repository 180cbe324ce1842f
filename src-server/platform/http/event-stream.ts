import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { type DownloadProgress, isUnderWay } from '../net/download.ts';
import type { HttpEnv } from './env.ts';

/**
 * An answer of server-sent events, which `write` makes. Hono's own function lets caches keep them, and prints what
 * fails past the log, with all that the log leaves out.
 */
export function eventStream(context: Context<HttpEnv>, write: (stream: SSEStreamingApi) => Promise<void>): Response {
  // Proxies that gather an answer would hold each event back.
  context.header('X-Accel-Buffering', 'no');
  const response = streamSSE(context, async (stream) => {
    try {
      await write(stream);
    } catch (error) {
      const requestId = context.get('requestId');
      context.get('log').error({ err: error, requestId }, 'A stream of events ended before its end.');
    }
  });
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/** Progress is sent this often at most, and at least as often as KEEP_ALIVE_MS with nothing new. */
const SEND_INTERVAL_MS = 250;

const KEEP_ALIVE_MS = 15_000;

interface WatchedDownload {
  /** Null when none was begun. */
  progress(): DownloadProgress | null;
  /** Returns the way to stop. */
  watch(onChange: () => void): () => void;
}

/** Whether a request asks for server-sent events. */
export function wantsEvents(context: Context<HttpEnv>): boolean {
  return (context.req.header('accept') ?? '').includes('text/event-stream');
}

/** The newest progress whenever there is one, as events named `progress`, until the download has ended. */
export function streamProgress(context: Context<HttpEnv>, download: WatchedDownload): Response {
  return eventStream(context, async (stream) => {
    let wake = (): void => {};
    let changed = false;
    const stop = download.watch(() => {
      changed = true;
      wake();
    });
    stream.onAbort(() => wake());
    const keepAlive = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
    try {
      while (!stream.aborted) {
        changed = false;
        const progress = download.progress();
        if (progress === null) return;
        await stream.writeSSE({ event: 'progress', data: JSON.stringify(progress) });
        if (!isUnderWay(progress)) return;
        await wait(SEND_INTERVAL_MS);
        // Who left meanwhile has been told of, and will not be told of again.
        if (!changed && !stream.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      clearInterval(keepAlive);
      stop();
    }
  });
}
