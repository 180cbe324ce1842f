import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Icon, type IconName } from '../../components/icon.tsx';
import { library as texts } from './texts.ts';

export interface Choice {
  /** The tag, or the identifier of the collection. */
  value: string;
  name: string;
  /** How many of all items have it. */
  count: number;
  /** How many of the chosen items have it. */
  here: number;
}

interface PickProps {
  opened: boolean;
  onOpened: (opened: boolean) => void;
  title: string;
  find: string;
  icon: IconName;
  choices: readonly Choice[];
  /** Number of chosen items. */
  all: number;
  newName: (name: string) => string;
  /** The longest name. */
  maxLength: number;
  onSet: (choice: Choice, wanted: boolean) => void;
  onNew: (name: string) => void;
  /** Opens it. */
  children: ReactNode;
}

const SHOWN = 8;

/** Tags or collections of one item or many: find or make one, and see what they have, also in part. */
export function PickPopover(props: PickProps): ReactNode {
  const { opened, onOpened, title, children } = props;
  return (
    <Popover
      opened={opened}
      onChange={onOpened}
      position="top-start"
      trapFocus
      returnFocus
      width={300}
      withinPortal={false}
    >
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown p={0} aria-label={title}>
        {opened && <Pick {...props} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function Pick({ title, find, icon, choices, all, newName, maxLength, onSet, onNew, onOpened }: PickProps) {
  const [typed, setTyped] = useState('');
  const words = typed.trim().replace(/\s+/g, ' ');
  const lower = words.toLowerCase();
  const matching = choices.filter(({ name }) => name.toLowerCase().includes(lower));
  const exact = matching.find(({ name }) => name.toLowerCase() === lower);
  // What begins with the typed words comes before what has them inside.
  const ranked = matching.sort((one, other) => startsWith(other, lower) - startsWith(one, lower));
  const here = choices.filter((choice) => choice.here > 0);
  const offered = (words === '' ? ranked.filter((choice) => choice.here === 0) : ranked).slice(0, SHOWN);
  const take = () => {
    const first = exact ?? offered[0];
    if (words === '') return;
    if (first === undefined) onNew(words);
    else onSet(first, first.here < all);
    setTyped('');
    onOpened(false);
  };
  return (
    <div className="pick">
      <TextInput
        aria-label={title}
        placeholder={find}
        leftSection={<Icon name={icon} size={14} />}
        value={typed}
        maxLength={maxLength}
        data-autofocus
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          take();
        }}
      />
      <ul className="plain-list">
        {offered.map((choice) => (
          <PickRow key={choice.value} {...{ choice, all, onSet }} said={texts.items({ count: choice.count })} />
        ))}
        {words !== '' && exact === undefined && (
          <NewRow
            label={newName(words)}
            onClick={() => {
              onNew(words);
              onOpened(false);
            }}
          />
        )}
      </ul>
      {words === '' && here.length > 0 && (
        <>
          <p className="pick-head">{texts.pick.here}</p>
          <ul className="plain-list">
            {here.map((choice) => (
              <PickRow
                key={choice.value}
                {...{ choice, all, onSet }}
                said={
                  all === 1 ? '' : choice.here === all ? texts.pick.onAll : texts.pick.on({ count: choice.here, all })
                }
              />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function NewRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <li>
      <Button size="compact-sm" variant="subtle" leftSection={<Icon name="plus" size={14} />} onClick={onClick}>
        <span className="truncate">{label}</span>
      </Button>
    </li>
  );
}

function startsWith({ name }: Choice, words: string): number {
  return name.toLowerCase().startsWith(words) ? 1 : 0;
}

interface PickRowProps {
  choice: Choice;
  all: number;
  said: string;
  onSet: (choice: Choice, wanted: boolean) => void;
}

function PickRow({ choice, all, said, onSet }: PickRowProps) {
  const { name, here } = choice;
  return (
    <li>
      <Checkbox
        size="xs"
        label={
          <>
            <span className="truncate">{name}</span>
            <span className="faint tiny">{said}</span>
          </>
        }
        checked={here === all}
        indeterminate={here > 0 && here < all}
        onChange={() => onSet(choice, here < all)}
      />
    </li>
  );
}

/** How many of some items have each value. */
export function countHere<Item>(items: readonly Item[], valuesOf: (item: Item) => readonly string[]) {
  const counts = new Map<string, number>();
  for (const item of items) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
