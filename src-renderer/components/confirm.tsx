import { Button, Group, Modal, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type ReactNode, useSyncExternalStore } from 'react';
import { texts } from '../texts.ts';

interface Question {
  title: string;
  about: string;
  yes: string;
  no: string;
  onYes: () => void;
  /** Nothing is lost by it. */
  gentle?: boolean;
}

let open: Question | null = null;

const listeners = new Set<() => void>();

function set(question: Question | null): void {
  open = question;
  for (const listener of listeners) listener();
}

/** Asks before something that cannot be undone, or that reaches many. */
export function askFirst(question: Question): void {
  set(question);
}

/** Where questions appear. Once in the window. */
export function Confirm() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
  const close = () => set(null);
  return (
    <Modal opened={question !== null} onClose={close} title={question?.title} centered>
      <Text size="sm" className="break">
        {question?.about}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={close} data-autofocus>
          {question?.no}
        </Button>
        <Button
          {...(question?.gentle ? {} : { color: 'red.8' })}
          onClick={() => {
            close();
            question?.onYes();
          }}
        >
          {question?.yes}
        </Button>
      </Group>
    </Modal>
  );
}

/** How long something that cannot be taken back waits for a change of mind. */
const CHANGE_OF_MIND_MS = 6000;

/** Says what was done, with a way to take it back for as long as it stands there. */
export function notifyWithUndo({ id, message, onUndo }: { id: string; message: ReactNode; onUndo: () => void }): void {
  const undo = () => {
    notifications.hide(id);
    onUndo();
  };
  const said = (
    <Group justify="space-between" wrap="nowrap">
      <span className="break">{message}</span>
      <Button size="compact-sm" variant="subtle" onClick={undo}>
        {texts.common.undo}
      </Button>
    </Group>
  );
  notifications.show({ id, message: said, autoClose: CHANGE_OF_MIND_MS });
}

/** Does what cannot be taken back after a while in which it can be. With the window closed meanwhile it is not done. */
export function unlessUndone(change: { id: string; message: ReactNode; apply: () => Promise<void> }): void {
  const { id, message, apply } = change;
  const timer = setTimeout(() => {
    apply().catch((error: Error) => notifications.show({ color: 'red', message: error.message }));
  }, CHANGE_OF_MIND_MS);
  notifyWithUndo({ id, message, onUndo: () => clearTimeout(timer) });
}
