/** What the forms of watched sites, folders and feeds have in common. */
import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { errorsByField } from '../../api/client.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { texts as common } from '../../texts.ts';
import { watches as texts } from './texts.ts';
import { everyWords } from './watch-words.tsx';

/** A button that opens a form. */
export function AddButton({ label, form }: { label: string; form: (close: () => void) => ReactNode }): ReactNode {
  const [opened, setOpened] = useState(false);
  const closeSourceForm = () => setOpened(false);
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" />} onClick={() => setOpened(true)}>
        {label}
      </Button>
      <Modal opened={opened} onClose={closeSourceForm} title={label} size="lg">
        {form(closeSourceForm)}
      </Modal>
    </>
  );
}

/** The message of a field, or of a part of it; undefined where it has none. */
export type ErrorAt = (field: string) => string | undefined;

interface SourceFormProps<Entered extends { name: string }> {
  entered: Entered;
  setEntered: (entered: Entered) => void;
  save: { isPending: boolean; isError: boolean; error: unknown; mutate: (entered: Entered) => void };
  /** Fields that show their own errors. */
  fields: readonly string[];
  submit: string;
  nameHint?: string;
  onClose: () => void;
  /** Fields before and after the name. */
  children: (errorAt: ErrorAt) => ReactNode;
  after?: (errorAt: ErrorAt) => ReactNode;
}

/** The form of a source. A refused one moves to its first field that is not valid. */
export function SourceForm<Entered extends { name: string }>(props: SourceFormProps<Entered>): ReactNode {
  const { entered, setEntered, save, fields, submit, nameHint, onClose, children, after } = props;
  const refused = errorsByField(save.error);
  const errorAt: ErrorAt = (field) =>
    refused[field] ?? Object.entries(refused).find(([path]) => path.startsWith(`${field}.`))?.[1];
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (save.error !== null) form.current?.querySelector<HTMLElement>('input[aria-invalid="true"]')?.focus();
  }, [save.error]);
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(entered);
      }}
    >
      <Stack>
        {children(errorAt)}
        <TextInput
          label={texts.form.name}
          description={nameHint}
          value={entered.name}
          error={refused.name}
          onChange={(event) => setEntered({ ...entered, name: event.currentTarget.value })}
        />
        {after?.(errorAt)}
        {save.isError && ['name', ...fields].every((field) => errorAt(field) === undefined) && (
          <Failure error={save.error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A name as it is sent: a new source without one leaves it out. */
export function sentName(name: string, isNew: boolean): string | null | undefined {
  return name.trim() === '' ? (isNew ? undefined : null) : name;
}

interface IntervalFieldProps {
  label: string;
  intervals: readonly number[];
  minutes: number;
  onChange: (minutes: number) => void;
}

/** The usual intervals, and the one that is set. */
export function IntervalField({ label, intervals, minutes, onChange }: IntervalFieldProps): ReactNode {
  const all = [...new Set([...intervals, minutes])].toSorted((one, other) => one - other);
  return (
    <Select
      label={label}
      data={all.map((value) => ({ value: String(value), label: everyWords(value) }))}
      value={String(minutes)}
      allowDeselect={false}
      onChange={(value) => onChange(Number(value))}
    />
  );
}
