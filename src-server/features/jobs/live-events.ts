import { MIB } from '../../platform/units.ts';

/** Characters kept per job: the words of a day of speech. */
const KEPT_CHARS_MAX = MIB;

interface LiveEvent {
  /** From 1. */
  number: number;
  /** As sent, without its id. */
  text: string;
}

interface Log {
  events: LiveEvent[];
  next: number;
  chars: number;
}

/**
 * The events that running jobs sent, for the clients that follow them. A run numbers its events from 1; a run that
 * resumes from checkpoints sends the same events again, so clients that reconnect continue where they were. Beyond the
 * limit the oldest are dropped.
 */
export class LiveEvents {
  readonly #logs = new Map<string, Log>();

  addLiveEvent(jobId: string, event: string, data: Record<string, unknown>): void {
    const log = this.#logs.get(jobId) ?? { events: [], next: 1, chars: 0 };
    this.#logs.set(jobId, log);
    // JSON text contains no line ends, so it is one line of data.
    const text = `event: ${event}\ndata: ${JSON.stringify(data)}\n`;
    log.events.push({ number: log.next, text });
    log.next += 1;
    log.chars += text.length;
    while (log.chars > KEPT_CHARS_MAX) log.chars -= log.events.shift()?.text.length ?? log.chars;
  }

  /** The kept events of a job after this number. */
  liveEventsAfter(jobId: string, number: number): readonly LiveEvent[] {
    const events = this.#logs.get(jobId)?.events ?? [];
    return events.filter((event) => event.number > number);
  }

  /** The run is over: its result has it all. */
  endLiveEvents(jobId: string): void {
    this.#logs.delete(jobId);
  }
}
