/** The server's stream of changed jobs, read for as long as the server is there. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EnvironmentName } from '../src-server/account.ts';
import type { Job } from '../src-server/features/jobs/schema.ts';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';

const RECONNECT_DELAY_MS = 2000;
/** The server says something every 15 seconds; a connection that is silent for longer is dead. */
const SILENCE_LIMIT_MS = 45_000;
/** A hundred jobs in one message take a tenth of this. */
const MESSAGE_CHARS_MAX = 8_000_000;

/** Jobs that changed, without results. `more`: too many to name them all. */
export interface JobsMessage {
  environment: EnvironmentName;
  jobs: Job[];
  removed: string[];
  more: boolean;
}

interface JobEventsEvents {
  /** The server's time as the stream began. */
  time: [string];
  jobs: [JobsMessage];
}

/** Emits what `GET /admin/events` tells; connects again when the stream ends. Changes in between are not told. */
export class JobEvents extends EventEmitter<JobEventsEvents> {
  #reading: AbortController | null = null;

  /** Reads from this server, and from no other any more. */
  start(session: ShellSession): void {
    this.stop();
    const reading = new AbortController();
    this.#reading = reading;
    void this.#keepReading(session, reading.signal);
  }

  stop(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  async #keepReading(session: ShellSession, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      try {
        await this.#read(session, stopped);
      } catch (error) {
        // A server that went away is the host's matter; what is worth a line is a stream that breaks by itself.
        if (!stopped.aborted) process.stderr.write(`The stream of jobs broke off: ${(error as Error).message}\n`);
      }
      // Rejects only when stopped, which the loop's condition sees.
      await sleep(RECONNECT_DELAY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }

  async #read({ baseUrl, ownerToken }: ShellSession, stopped: AbortSignal): Promise<void> {
    const silent = new AbortController();
    const silence = setTimeout(() => silent.abort(new Error('The server fell silent.')), SILENCE_LIMIT_MS);
    try {
      const answer = await fetch(`${baseUrl}/admin/events`, {
        headers: { authorization: `Bearer ${ownerToken}`, accept: 'text/event-stream' },
        signal: AbortSignal.any([stopped, silent.signal]),
      });
      if (!answer.ok || answer.body === null) throw new Error(`The server answered ${answer.status}.`);
      let text = '';
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        silence.refresh();
        const messages = `${text}${part}`.split('\n\n');
        text = messages.pop() ?? '';
        if (text.length > MESSAGE_CHARS_MAX) throw new Error('A message was too long.');
        for (const message of messages) this.#hear(message);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  #hear(message: string): void {
    const fields = message.split('\n').map((line) => line.split(/: ?(.*)/s));
    const data = fields.flatMap(([name, value = '']) => (name === 'data' ? [value] : [])).join('\n');
    const event = fields.find(([name]) => name === 'event')?.[1];
    if (event === 'time') this.emit('time', (JSON.parse(data) as { now: string }).now);
    if (event === 'jobs') this.emit('jobs', JSON.parse(data) as JobsMessage);
  }
}
