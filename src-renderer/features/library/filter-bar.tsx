import { Button, Menu, Popover, SegmentedControl, TextInput, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useRef, useState } from 'react';
import { useChange } from '../../api/changes.ts';
import { api, filledQuery, useEnvironment } from '../../api/client.ts';
import { type ItemFilter, type ItemOrder, libraryKey } from '../../api/library.ts';
import { dayBefore, inReadersDays } from '../../api/reader-days.ts';
import { serverNow } from '../../api/server-time.ts';
import { Icon } from '../../components/icon.tsx';
import { KeyHint } from '../../components/key-hint.tsx';
import { usePageSearch } from '../../components/keys.ts';
import { showToast } from '../../components/toast.tsx';
import { useTypedFilter } from '../jobs/typed-filter.ts';
import { ITEM_COLUMNS, useItemColumns } from './item-columns.ts';
import type { View } from './item-list.tsx';
import { dayWords, languageName } from './item-words.ts';
import { library as texts } from './texts.ts';

interface FilterBarProps {
  filter: ItemFilter;
  order: ItemOrder;
  view: View;
  /** Names of collections by identifier. */
  names: ReadonlyMap<string, string>;
  /** The collection of the page, which its filters do not name. */
  isCollection: boolean;
  onFilter: (filter: ItemFilter) => void;
  onOrder: (order: ItemOrder) => void;
  onView: (view: View) => void;
  onFilters: () => void;
  /** Opens the first item of the list. */
  onOpen: () => void;
  isNarrow: boolean;
}

/** The field, the date, the order and the look of the list; below it the filters in force. */
export function FilterBar(props: FilterBarProps): ReactNode {
  const { filter, order, view, onFilter, onOrder, onView, onFilters, onOpen, isNarrow } = props;
  const field = useRef<HTMLInputElement>(null);
  usePageSearch(field, texts.find);
  const [typed, type] = useTypedFilter(filter.text ?? '', (text) =>
    onFilter({ ...filter, text: text === '' ? undefined : text }),
  );
  return (
    <div className="library-tools">
      <TextInput
        ref={field}
        className="library-find"
        type="search"
        aria-label={texts.find}
        placeholder={texts.find}
        leftSection={<Icon name="search" size={14} />}
        rightSection={<KeyHint>/</KeyHint>}
        maxLength={200}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') field.current?.blur();
          if (event.key === 'Enter') {
            if (typed === (filter.text ?? '')) onOpen();
            else onFilter({ ...filter, text: typed === '' ? undefined : typed });
          }
          if (event.key === 'Backspace' && typed === '') onFilter(withoutLast(filter));
        }}
      />
      {(isNarrow || view === 'list') && (
        <Button variant="default" leftSection={<Icon name="list-filter" />} onClick={onFilters}>
          {texts.filters}
        </Button>
      )}
      <DateMenu filter={filter} onFilter={onFilter} />
      <Menu position="bottom-start">
        <Menu.Target>
          <Button variant="default" className="wide-only" leftSection={<Icon name="arrow-up-down" />}>
            {texts.orders[order]}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {ORDERS.map((one) => (
            <Menu.Item
              key={one}
              leftSection={<Icon name={one === order ? 'check' : 'arrow-up-down'} size={14} />}
              onClick={() => onOrder(one)}
            >
              {texts.orders[one]}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {view === 'list' && <ColumnsMenu />}
      <SegmentedControl
        className="library-view"
        size="xs"
        aria-label={texts.view}
        value={view}
        data={[
          { value: 'grid', label: <ViewLabel icon="layout-grid" name={texts.grid} /> },
          { value: 'list', label: <ViewLabel icon="list" name={texts.list} /> },
        ]}
        onChange={(value) => onView(value as View)}
      />
    </div>
  );
}

const ORDERS: readonly ItemOrder[] = ['added', 'updated', 'title'];

/** The columns of the list; the menu stays open for several. */
function ColumnsMenu() {
  const { columns, isUsual, toggle, reset } = useItemColumns();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="default" className="wide-only" leftSection={<Icon name="sliders-horizontal" />}>
          {texts.columns.menu}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {ITEM_COLUMNS.map((name) => (
          <Menu.CheckboxItem key={name} checked={columns.includes(name)} onChange={() => toggle(name)}>
            {texts.columns[name]}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item disabled={isUsual} leftSection={<Icon name="undo-2" size={14} />} onClick={reset}>
          {texts.columns.usual}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function ViewLabel({ icon, name }: { icon: 'layout-grid' | 'list'; name: string }) {
  return (
    <span title={name} className="view-label">
      <Icon name={icon} />
      <VisuallyHidden>{name}</VisuallyHidden>
    </span>
  );
}

const DAYS = { today: 1, week: 7, month: 30 } as const;

function DateMenu({ filter, onFilter }: Pick<FilterBarProps, 'filter' | 'onFilter'>) {
  const now = new Date(serverNow());
  const set = (from: string | undefined) => onFilter({ ...filter, from, to: undefined });
  const choices = [
    ...(['today', 'week', 'month'] as const).map((name) => ({ name, from: dayBefore(now.getTime(), DAYS[name] - 1) })),
    { name: 'year' as const, from: `${now.getFullYear()}-01-01` },
  ];
  const isSet = filter.from !== undefined || filter.to !== undefined;
  const known = filter.to === undefined ? choices.find(({ from }) => from === filter.from) : undefined;
  const label = isSet ? (known === undefined ? texts.dates.own : texts.dates[known.name]) : texts.dates.any;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          className="wide-only"
          aria-label={`${texts.dateFilter}: ${label}`}
          leftSection={<Icon name="calendar" />}
          rightSection={<Icon name="chevron-down" size={14} />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => set(undefined)}>{texts.dates.any}</Menu.Item>
        {choices.map(({ name, from }) => (
          <Menu.Item key={name} onClick={() => set(from)}>
            {texts.dates[name]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type FilterName = keyof typeof texts.filterNames;

const FILTER_NAMES = Object.keys(texts.filterNames) as FilterName[];

/** The filters in force, as a person says them. */
export function filterWords(
  filter: ItemFilter,
  names: ReadonlyMap<string, string>,
): { name: FilterName; label: string; value: string }[] {
  return FILTER_NAMES.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, label: texts.filterNames[name], value: wordsOf(filter, name, names) }];
  });
}

function wordsOf(filter: ItemFilter, name: FilterName, names: ReadonlyMap<string, string>): string {
  const value = filter[name] ?? '';
  if (name === 'kind' && filter.kind !== undefined) return texts.kinds[filter.kind];
  if (name === 'state' && filter.state !== undefined) return texts.states[filter.state];
  if (name === 'language') return languageName(value);
  if (name === 'source') return texts.sourceNames[filter.source ?? 'file'];
  if (name === 'collection') return names.get(value) ?? value;
  if (name !== 'from' && name !== 'to') return value;
  const { name: day, date } = dayWords(value, serverNow());
  return date === '' ? day : date;
}

/** The filter without the one that stands last. */
function withoutLast(filter: ItemFilter): ItemFilter {
  const last = FILTER_NAMES.findLast((name) => name !== 'text' && filter[name] !== undefined);
  return last === undefined ? filter : { ...filter, [last]: undefined };
}

type ChipsProps = Pick<FilterBarProps, 'filter' | 'names' | 'onFilter' | 'isCollection'> & { isSaved: boolean };

/** A chip for each filter in force, and the way to keep them as a collection. */
export function FilterChips({ filter, names, isCollection, isSaved, onFilter }: ChipsProps): ReactNode {
  const shown = filterWords(isCollection ? { ...filter, collection: undefined } : filter, names);
  if (shown.length === 0) return null;
  return (
    <div className="library-chips">
      <ul className="plain-list">
        {shown.map(({ name, label, value }) => (
          <li key={name} className="filter-chip">
            <span className="chip-name">{label}</span>
            <b>{value}</b>
            <button
              type="button"
              aria-label={texts.drop({ filter: `${label}: ${value}` })}
              onClick={() => onFilter({ ...filter, [name]: undefined })}
            >
              <Icon name="x" size={14} />
            </button>
          </li>
        ))}
      </ul>
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => onFilter(isCollection ? { collection: filter.collection } : {})}
      >
        {texts.clear}
      </Button>
      {!isCollection && !isSaved && <SaveFilter filter={filter} />}
    </div>
  );
}

/** Keeps the filters in force as a smart collection. */
function SaveFilter({ filter }: { filter: ItemFilter }) {
  const environment = useEnvironment();
  const [opened, setOpened] = useState(false);
  const [name, setName] = useState('');
  const save = useChange(
    () => api[environment].POST('/library/collections', { body: { name, filter: filledQuery(inReadersDays(filter)) } }),
    {
      renews: [libraryKey(environment)],
      showsError: true,
      onDone: () => {
        setOpened(false);
        showToast({ icon: 'bookmark-plus', message: texts.saved({ name }) });
        setName('');
      },
    },
  );
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      trapFocus
      returnFocus
      position="bottom-end"
      width={300}
      withinPortal={false}
    >
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="default"
          ms="auto"
          leftSection={<Icon name="bookmark" size={14} />}
          onClick={() => setOpened(!opened)}
        >
          {texts.save}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={texts.save}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() !== '') save.mutate();
          }}
        >
          <TextInput
            label={texts.saveName}
            description={texts.saveAbout}
            value={name}
            maxLength={100}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
            error={save.isError ? save.error.message : undefined}
          />
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
