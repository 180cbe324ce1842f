import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import type { Key } from '../../api/generated/owner.ts';
import { Icon } from '../../components/icon.tsx';
import { KeyForm } from './key-form.tsx';
import { keys as t } from './key-texts.ts';
import { type MadeKey, NewKey } from './new-key.tsx';

/** The button New key and its dialog, which ends with the key. */
export function AddKey(): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const [made, setMade] = useState<MadeKey | null>(null);
  const startKeyCreation = () => {
    setMade(null);
    open();
  };
  return (
    <>
      <Button
        size="xs"
        mt={6}
        variant="default"
        leftSection={<Icon name="plus" size={14} />}
        onClick={startKeyCreation}
      >
        {t.add}
      </Button>
      {/* The key is not shown again, so only a button closes it. */}
      <Modal
        opened={opened}
        onClose={close}
        title={made === null ? t.add : made.name}
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={made === null}
      >
        {made === null ? <KeyForm onMade={setMade} onClose={close} /> : <NewKey made={made} onClose={close} />}
      </Modal>
    </>
  );
}

/** The button Edit of a key, and its dialog. */
export function EditKey({ entry }: { entry: Key }): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={t.editOf({ name: entry.name })} onClick={open}>
        {t.edit}
      </Button>
      <Modal opened={opened} onClose={close} title={t.editOf({ name: entry.name })} size="lg">
        <KeyForm entry={entry} onMade={close} onClose={close} />
      </Modal>
    </>
  );
}
