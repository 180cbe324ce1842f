import { Button, Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

interface FolderFieldProps {
  label: string;
  hint: string;
  /** Of the button that opens the dialog. */
  choose: string;
  path: string;
  error: string | undefined;
  onChange: (path: string) => void;
}

/** The path of a folder of the server's machine. The desktop window also has the dialog of the system. */
export function FolderField({ label, hint, choose, path, error, onChange }: FolderFieldProps): ReactNode {
  const shell = window.quarry;
  const chooseFolder = async () => {
    const chosen = await shell?.chooseFolder();
    if (chosen != null) onChange(chosen);
  };
  const field = (
    <TextInput
      label={label}
      description={hint}
      required
      data-autofocus
      flex={1}
      value={path}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
  if (shell === undefined) return field;
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      {field}
      <Button variant="default" leftSection={<Icon name="folder" />} onClick={() => void chooseFolder()}>
        {choose}
      </Button>
    </Group>
  );
}
