import { Button, Group, Modal, Text } from '@mantine/core';

export interface Question {
  title: string;
  about: string;
  yes: string;
  no: string;
  onYes: () => void;
  onNo?: () => void;
  /** The action loses no data. */
  gentle?: boolean;
}

interface ConfirmDialogProps {
  /** Null: closed. */
  question: Question | null;
  onClose: () => void;
}

export function ConfirmDialog({ question, onClose }: ConfirmDialogProps) {
  const decline = () => {
    onClose();
    question?.onNo?.();
  };
  return (
    <Modal opened={question !== null} onClose={decline} title={question?.title} centered>
      <Text size="sm" className="break">
        {question?.about}
      </Text>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={decline} data-autofocus>
          {question?.no}
        </Button>
        <Button
          {...(question?.gentle ? {} : { variant: 'default', c: 'var(--q-bad)' })}
          onClick={() => {
            onClose();
            question?.onYes();
          }}
        >
          {question?.yes}
        </Button>
      </Group>
    </Modal>
  );
}
