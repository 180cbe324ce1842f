/** A window that was put away for a moment keeps its streams: reading everything anew would cost more. */
const HIDDEN_GRACE_MS = 10_000;

/** What is done with the messages of a stream, by the name of their event. */
type Hearers = Record<string, (data: unknown) => void>;

export interface Following {
  hear: Hearers;
  /** The stream is there. `again`: it was away before, so that messages may have been missed. */
  onOpen?: (again: boolean) => void;
  onAway?: () => void;
}

/**
 * Follows server-sent events until the returned function is called. A window that nobody sees lets go of its streams:
 * a browser has six connections to one server, for all its windows together.
 */
export function follow(path: string, { hear, onOpen, onAway }: Following): () => void {
  let source: EventSource | null = null;
  let wasAway = false;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  const away = () => {
    wasAway = true;
    onAway?.();
  };
  const open = () => {
    const opened = new EventSource(path);
    source = opened;
    opened.addEventListener('open', () => {
      onOpen?.(wasAway);
      wasAway = false;
    });
    opened.addEventListener('error', away);
    for (const [event, heard] of Object.entries(hear)) {
      opened.addEventListener(event, ({ data }) => heard(JSON.parse(data as string)));
    }
  };
  const leave = () => {
    source?.close();
    source = null;
    away();
  };
  const onVisibility = () => {
    clearTimeout(leaving);
    if (document.hidden) leaving = setTimeout(leave, HIDDEN_GRACE_MS);
    else if (source === null) open();
  };
  open();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    clearTimeout(leaving);
    source?.close();
    onAway?.();
  };
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
