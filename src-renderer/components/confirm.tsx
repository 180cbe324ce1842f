import { Button, Group, Modal, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';

interface Question {
  title: string;
  about: string;
  yes: string;
  no: string;
  onYes: () => void;
  onNo?: () => void;
  /** The action loses no data. */
  gentle?: boolean;
}

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

/** Shows the questions. Mounted once. */
export function Confirm() {
  const question = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
  const closeConfirm = () => setConfirmQuestion(null);
  const declineConfirm = () => {
    closeConfirm();
    question?.onNo?.();
  };
  return (
    <Modal opened={question !== null} onClose={declineConfirm} title={question?.title} centered>
      <Text size="sm" className="break">
        {question?.about}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={declineConfirm} data-autofocus>
          {question?.no}
        </Button>
        <Button
          {...(question?.gentle ? {} : { variant: 'default', c: 'var(--q-bad)' })}
          onClick={() => {
            closeConfirm();
            question?.onYes();
          }}
        >
          {question?.yes}
        </Button>
      </Group>
    </Modal>
  );
}
