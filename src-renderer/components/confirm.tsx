import { lazy, Suspense, useRef, useSyncExternalStore } from 'react';
import type { Question } from './confirm-dialog.tsx';

const ConfirmDialog = lazy(async () => ({ default: (await import('./confirm-dialog.tsx')).ConfirmDialog }));

let open: Question | null = null;

const listeners = new Set<() => void>();

function setConfirmQuestion(question: Question | null): void {
  open = question;
  for (const listener of listeners) listener();
}

/** Asks before an action that is irreversible or affects many items. */
export function askFirst(question: Question): void {
  setConfirmQuestion(question);
}

/** Shows the questions. Mounted once; the dialog loads with the first one, and stays for its closing. */
export function Confirm() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
  const wasAsked = useRef(false);
  wasAsked.current ||= question !== null;
  return (
    <Suspense fallback={null}>
      {wasAsked.current && <ConfirmDialog question={question} onClose={() => setConfirmQuestion(null)} />}
    </Suspense>
  );
}
