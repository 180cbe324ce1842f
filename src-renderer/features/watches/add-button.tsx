import { Button, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../components/icon.tsx';

interface AddButtonProps {
  /** Label of the button, and title of the form. */
  label: string;
  form(close: () => void): ReactNode;
}

/** A button that opens a form. */
export function AddButton({ label, form }: AddButtonProps): ReactNode {
  const [opened, setOpened] = useState(false);
  const close = () => setOpened(false);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" />} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={label} size="lg">
        {form(close)}
      </Modal>
    </>
  );
}
