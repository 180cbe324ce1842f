import { ActionIcon, TextInput } from '@mantine/core';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { usePageSearch } from '../../components/keys.ts';
import { results as texts } from './texts.ts';

/** A search in a text that is laid out in part: the browser's own finds only what is laid out. */
export interface Finder {
  typed: string;
  type: (typed: string) => void;
  /** The words to mark; empty without a search. */
  words: string;
  /** Rows that contain the words. */
  rows: readonly number[];
  /** Place of the current match among them. */
  at: number;
  go: (step: number) => void;
}

/** @param rowsWith must be the same function while the text does not change */
export function useFinder(rowsWith: (words: string) => readonly number[], onShow: (row: number) => void): Finder {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const words = useDeferredValue(typed.trim());
  const rows = useMemo(() => (words === '' ? [] : rowsWith(words)), [rowsWith, words]);
  const show = useRef(onShow);
  show.current = onShow;
  const row = rows[at];
  useEffect(() => {
    if (row !== undefined) show.current(row);
  }, [row]);
  const typeFindText = (value: string) => {
    setTyped(value);
    setAt(0);
  };
  const goToFoundRow = (step: number) => setAt(rows.length === 0 ? 0 : (at + step + rows.length) % rows.length);
  return { typed, type: typeFindText, words, rows, at, go: goToFoundRow };
}

/** The field of a search in the page. The key `/` goes there. */
export function FindField({ finder, label }: { finder: Finder; label: string }) {
  const field = useRef<HTMLInputElement>(null);
  const { typed, type, words, rows, at, go } = finder;
  usePageSearch(field, label);
  return (
    <div className="find-field">
      <TextInput
        ref={field}
        aria-label={label}
        placeholder={label}
        leftSection={<Icon name="search" size={14} />}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={({ key, shiftKey }) => {
          if (key === 'Enter') go(shiftKey ? -1 : 1);
          if (key === 'Escape') type('');
        }}
      />
      {words !== '' && (
        <>
          <span className="find-count" role="status">
            {rows.length === 0
              ? texts.find.none
              : texts.find.place({ at: formatWholeNumber(at + 1), all: formatWholeNumber(rows.length) })}
          </span>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.find.before}
            disabled={rows.length < 2}
            onClick={() => go(-1)}
          >
            <Icon name="chevron-up" size={14} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.find.next}
            disabled={rows.length < 2}
            onClick={() => go(1)}
          >
            <Icon name="chevron-down" size={14} />
          </ActionIcon>
        </>
      )}
    </div>
  );
}
