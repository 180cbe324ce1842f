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
  /** The action loses no data. */
  gentle?: boolean;
}

let open: Question | null = null;

const listeners = new Set<() => void>();

function set(question: Question | null): void {
  open = question;
  for (const listener of listeners) listener();
}

/** Asks before an action that is irreversible or affects many items. */
export function askFirst(question: Question): void {
  set(question);
}

/** Shows the questions. Mounted once. */
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

/** How long an irreversible action waits for Undo. */
const CHANGE_OF_MIND_MS = 6000;

/** Notifies about an action, with an Undo button while the notification is visible. */
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

/** Runs an irreversible action after the time for Undo. If the window closes before, the action does not run. */
export function unlessUndone(change: { id: string; message: ReactNode; apply: () => Promise<void> }): void {
  const { id, message, apply } = change;
  const timer = setTimeout(() => {
    apply().catch((error: Error) => notifications.show({ color: 'red', message: error.message }));
  }, CHANGE_OF_MIND_MS);
  notifyWithUndo({ id, message, onUndo: () => clearTimeout(timer) });
}
