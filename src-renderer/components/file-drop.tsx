import { Box, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useId, useRef, useState } from 'react';
import { texts } from '../texts.ts';
import { formatByteCount } from './format.ts';
import { Icon } from './icon.tsx';
import { notify } from './notify.ts';

interface FileDropProps {
  file: File | null;
  onFile: (file: File) => void;
  error: string | undefined;
}

/** The dropped file. Reports folders and extra files, because a job takes one file. */
function droppedFile({ files, items }: DataTransfer): File | null {
  const [first] = files;
  if (first === undefined) return null;
  if (items[0]?.webkitGetAsEntry()?.isDirectory) {
    notify({ color: 'red', message: texts.common.fileDrop.noFolder({ name: first.name }) });
    return null;
  }
  if (files.length > 1)
    notify({ message: texts.common.fileDrop.onlyFirst({ name: first.name, others: files.length - 1 }) });
  return first;
}

/** A file picker for drag and drop, click and keyboard. */
export function FileDrop({ file, onFile, error }: FileDropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const reason = useId();
  return (
    <Box>
      <label
        className="drop"
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const dropped = droppedFile(event.dataTransfer);
          if (dropped !== null) onFile(dropped);
        }}
      >
        <VisuallyHidden>
          <input
            ref={input}
            type="file"
            aria-invalid={error !== undefined}
            {...(error === undefined ? {} : { 'aria-describedby': reason })}
            onChange={(event) => {
              const chosen = event.currentTarget.files?.[0];
              if (chosen) onFile(chosen);
              // Browsers fire no change event if the same file is chosen again.
              event.currentTarget.value = '';
            }}
          />
        </VisuallyHidden>
        <Group justify="center" gap="sm">
          <Icon name={file === null ? 'upload' : 'file-text'} size={26} />
          <Box ta="left">
            <Text fw={600}>{file === null ? texts.common.fileDrop.drop : file.name}</Text>
            <Text size="sm" c="dimmed">
              {file === null ? texts.common.fileDrop.dropAbout : formatByteCount(file.size)}
            </Text>
          </Box>
        </Group>
      </label>
      {file !== null && (
        <Button mt={6} size="compact-sm" variant="subtle" onClick={() => input.current?.click()}>
          {texts.common.fileDrop.otherFile}
        </Button>
      )}
      {error !== undefined && (
        <Text id={reason} size="sm" c="var(--q-bad)" mt={4}>
          {error}
        </Text>
      )}
    </Box>
  );
}
