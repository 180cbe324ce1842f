import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 300;

/** The text of a filter's field. It goes to the URL after a pause; `keep` gets it trimmed. */
export function useTypedFilter(stored: string, keep: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(stored);
  /** The text that the URL has or will have soon. */
  const asked = useRef(stored);
  const send = useDebouncedCallback((next: string) => {
    asked.current = next.trim();
    keep(asked.current);
  }, TYPING_MS);
  // The URL changed by a view or the browser's history. The echo of typed text must not overwrite newer input.
  useEffect(() => {
    if (stored === asked.current) return;
    asked.current = stored;
    send.cancel();
    setTyped(stored);
  }, [stored, send]);
  const typeJobFilter = (text: string) => {
    setTyped(text);
    send(text);
  };
  return [typed, typeJobFilter];
}
