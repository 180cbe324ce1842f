import { ActionIcon, Button, Group, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useChange } from '../../api/changes.ts';
import { api, useEnvironment } from '../../api/client.ts';
import type { LibraryNote } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import { CopyButton } from '../../components/copy.tsx';
import { useForeignText } from '../../components/foreign-text.ts';
import { clockTime, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Time } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import type { Place, Quoted } from '../results/own-layer.tsx';
import { item as texts } from './texts.ts';

interface ItemNotesProps {
  itemId: string;
  notes: readonly LibraryNote[];
  version: number;
  /** The words of a note that is being written; null for none. */
  writing: Quoted | null;
  onWritten: () => void;
  onGo: (place: Place) => void;
}

/** Notes and highlights of an item, in the order of their places. */
export function ItemNotes({ itemId, notes, version, writing, onWritten, onGo }: ItemNotesProps): ReactNode {
  const ordered = [...notes].sort((one, other) => orderOf(one) - orderOf(other));
  return (
    <div className="own-notes">
      {writing !== null && <NewNote key={writing.quote} {...{ itemId, writing, onWritten }} />}
      <ul className="plain-list" aria-label={texts.notes.list}>
        {ordered.map((note) => (
          <Note key={note.noteId} {...{ note, version, onGo }} />
        ))}
      </ul>
      {writing === null && <NewNote key="item" {...{ itemId, writing, onWritten }} />}
      {notes.length > 0 && (
        <Group gap="sm">
          <CopyButton label={texts.notes.copyAll} text={ordered.map(noteText).join('\n\n')} />
          <span className="faint small">{texts.notes.about}</span>
        </Group>
      )}
      {notes.length === 0 && writing === null && <p className="faint small">{texts.notes.none}</p>}
    </div>
  );
}

function orderOf({ position }: LibraryNote): number {
  return position?.seconds ?? position?.page ?? Number.POSITIVE_INFINITY;
}

function noteText({ quote, text, position }: LibraryNote): string {
  const where = placeWords(position);
  return [...(quote === null ? [] : [`> ${quote}${where === '' ? '' : ` (${where})`}`]), text]
    .filter((part) => part !== '')
    .join('\n');
}

/** `page 4`, `12:21`; empty without a place. */
function placeWords(position: LibraryNote['position']): string {
  if (position?.seconds !== undefined) return clockTime(position.seconds);
  return position?.page === undefined ? '' : texts.notes.page({ page: position.page });
}

interface NoteProps {
  note: LibraryNote;
  version: number;
  onGo: (place: Place) => void;
}

/** Changes the text of a note, or removes it, with Undo. */
function useNoteChanges(
  { noteId, itemId, kind, quote, text, position, before, after }: LibraryNote,
  onDone: () => void,
) {
  const environment = useEnvironment();
  const path = { itemId, noteId };
  const renews = [libraryKey(environment)];
  const change = useChange(
    (written: string) =>
      api[environment].PATCH('/library/items/{itemId}/notes/{noteId}', { params: { path }, body: { text: written } }),
    { renews, onDone },
  );
  const again = useChange(
    () =>
      api[environment].POST('/library/items/{itemId}/notes', {
        params: { path: { itemId } },
        body: {
          kind,
          text,
          before,
          after,
          ...omitUndefined({ quote: quote ?? undefined, position: position ?? undefined }),
        },
      }),
    { renews },
  );
  const remove = useChange(
    () => api[environment].DELETE('/library/items/{itemId}/notes/{noteId}', { params: { path } }),
    {
      renews,
      onDone: () =>
        showToast({ icon: 'trash-2', message: texts.notes.removed({ kind }), onUndo: () => again.mutate() }),
    },
  );
  return { change, remove };
}

function Note({ note, version, onGo }: NoteProps) {
  const foreign = useForeignText();
  const { quote, text, position, createdAt } = note;
  const [isOpen, setOpen] = useState(false);
  const { change, remove } = useNoteChanges(note, () => setOpen(false));
  const where = placeWords(position);
  return (
    <li className="own-note">
      <div className="own-note-head">
        <span>
          {texts.notes.you} <Time at={createdAt} />
          {note.version !== version && joinTexts(['', texts.notes.ofVersion({ version: note.version })])}
        </span>
        {position !== null && (
          <button type="button" className="link-button" onClick={() => onGo({ ...position })}>
            {where}
          </button>
        )}
      </div>
      {quote !== null && (
        <q {...foreign} className="dim">
          {quote}
        </q>
      )}
      {isOpen ? (
        <NoteForm start={text} isPending={change.isPending} onSave={change.mutate} onLeave={() => setOpen(false)} />
      ) : (
        text !== '' && (
          <p dir="auto" className="own-note-text">
            {text}
          </p>
        )
      )}
      <div className="own-note-acts">
        <ActionIcon variant="subtle" color="gray" aria-label={texts.notes.edit} onClick={() => setOpen(!isOpen)}>
          <Icon name="pencil" size={14} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={texts.notes.remove}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="trash-2" size={14} />
        </ActionIcon>
      </div>
    </li>
  );
}

interface NewNoteProps {
  itemId: string;
  writing: Quoted | null;
  onWritten: () => void;
}

/** A note at some words, or on the whole item. */
function NewNote({ itemId, writing, onWritten }: NewNoteProps) {
  const foreign = useForeignText();
  const environment = useEnvironment();
  const [written, setWritten] = useState(0);
  const add = useChange(
    (text: string) =>
      api[environment].POST('/library/items/{itemId}/notes', {
        params: { path: { itemId } },
        body: { kind: 'note', text, ...quotedBody(writing) },
      }),
    {
      renews: [libraryKey(environment)],
      onDone: () => {
        setWritten((count) => count + 1);
        onWritten();
      },
    },
  );
  return (
    <div className="own-note" data-new={writing !== null}>
      {writing !== null && (
        <q {...foreign} className="dim">
          {writing.quote}
        </q>
      )}
      <NoteForm
        key={written}
        start=""
        focus={writing !== null}
        isPending={add.isPending}
        onSave={add.mutate}
        {...(writing === null ? {} : { onLeave: onWritten })}
      />
    </div>
  );
}

/** The words of a note as the server takes them. */
export function quotedBody(quoted: Quoted | null) {
  if (quoted === null) return { before: '', after: '' };
  const { quote, before, after, place } = quoted;
  return { before, after, ...omitUndefined({ quote: quote === '' ? undefined : quote, position: place ?? undefined }) };
}

interface NoteFormProps {
  start: string;
  focus?: boolean;
  isPending: boolean;
  onSave: (text: string) => void;
  onLeave?: () => void;
}

const NOTE_MAX = 20_000;

/** Enter keeps the note; Shift and Enter begin a line. */
function NoteForm({ start, focus = start !== '', isPending, onSave, onLeave }: NoteFormProps) {
  const [text, setText] = useState(start);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onSave(text);
      }}
    >
      <Textarea
        aria-label={texts.notes.label}
        placeholder={texts.notes.placeholder}
        autosize
        minRows={focus ? 2 : 1}
        maxRows={12}
        maxLength={NOTE_MAX}
        autoFocus={focus}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onLeave?.();
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
      {(text !== start || onLeave !== undefined) && (
        <Group gap="xs" mt="xs">
          <Button type="submit" size="xs" loading={isPending} disabled={text.trim() === ''}>
            {texts.notes.keep}
          </Button>
          {onLeave !== undefined && (
            <Button size="xs" variant="subtle" onClick={onLeave}>
              {texts.notes.leave}
            </Button>
          )}
        </Group>
      )}
    </form>
  );
}
