import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { apiPath, errorOf, fetchApi, useEnvironment } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { Way } from '../../components/way.tsx';
import { saveBlob } from '../results/save-text.ts';
import { KINDS } from './item-words.ts';
import { library } from './texts.ts';

const texts = library.exporting;

const WAYS = ['zip', 'markdown', 'epub'] as const;

type ExportWay = (typeof WAYS)[number];

const ENDINGS: Record<ExportWay, string> = { zip: 'zip', markdown: 'md', epub: 'epub' };

/** Items that the preview names. */
const NAMED = 6;

interface ExportDialogProps {
  /** None: closed. */
  items: readonly LibraryItem[];
  onClose: () => void;
}

/** Writes items as one file, and shows before what is written. */
export function ExportDialog({ items, onClose }: ExportDialogProps): ReactNode {
  return (
    <Modal opened={items.length > 0} onClose={onClose} size={680} title={texts.title(items.length)}>
      {items.length > 0 && <ExportForm items={items} onClose={onClose} />}
    </Modal>
  );
}

function ExportForm({ items, onClose }: ExportDialogProps) {
  const environment = useEnvironment();
  const [way, setWay] = useState<ExportWay>('zip');
  const ready = items.filter(({ state }) => state === 'ready');
  const write = useMutation({
    mutationFn: async () => {
      const body = { items: items.map(({ itemId }) => itemId), as: way };
      const answer = await fetchApi(apiPath(environment, '/library/export'), { method: 'POST', body });
      if (!answer.ok) throw await errorOf(answer);
      const [only] = ready;
      const name = `${ready.length === 1 && only !== undefined ? fileName(only.title) : library.title}.${ENDINGS[way]}`;
      saveBlob(name, await answer.blob());
      return name;
    },
    onSuccess: (name) => {
      showToast({ icon: 'download', message: texts.done(name) });
      onClose();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        write.mutate();
      }}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {kindCounts(items)}
        </Text>
        <Stack gap="xs" role="group" aria-label={texts.way}>
          {WAYS.map((one) => (
            <Way key={one} {...texts.ways[one]} chosen={one === way} onChoose={() => setWay(one)} />
          ))}
        </Stack>
        <Preview items={ready} way={way} />
        <LeftOut items={items.filter(({ state }) => state !== 'ready')} />
        {write.isError && <Failure error={write.error} />}
        <Group justify="flex-end" gap="sm">
          <Button
            type="submit"
            data-autofocus
            leftSection={<Icon name="share" />}
            loading={write.isPending}
            disabled={ready.length === 0}
          >
            {texts.go}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What has no result, by name: the file names it, too. */
function LeftOut({ items }: { items: readonly LibraryItem[] }) {
  if (items.length === 0) return null;
  const rest = items.length - NAMED;
  return (
    <section className="export-preview" aria-label={texts.leftOut(items.length)}>
      <h3>{texts.leftOut(items.length)}</h3>
      <ul className="plain-list">
        {items.slice(0, NAMED).map(({ itemId, title, state }) => (
          <li key={itemId} className="truncate">
            {title} <span className="faint">{library.states[state]}</span>
          </li>
        ))}
        {rest > 0 && <li className="faint">{texts.rest(rest)}</li>}
      </ul>
    </section>
  );
}

/** The names of the first items, as folders or as headings. */
function Preview({ items, way }: { items: readonly LibraryItem[]; way: ExportWay }) {
  const rest = items.length - NAMED;
  return (
    <section className="export-preview" aria-label={texts.preview}>
      <h3>{texts.preview}</h3>
      <ul className="plain-list">
        {items.slice(0, NAMED).map(({ itemId, title }) => (
          <li key={itemId} className="truncate">
            {way === 'zip' ? <Icon name="folder" size={14} /> : <span aria-hidden="true">#</span>}
            {title}
          </li>
        ))}
        {rest > 0 && <li className="faint">{texts.rest(rest)}</li>}
      </ul>
    </section>
  );
}

/** `14 documents, 6 talks`. */
function kindCounts(items: readonly LibraryItem[]): string {
  return KINDS.flatMap((kind) => {
    const count = items.filter((item) => item.kind === kind).length;
    return count === 0 ? [] : [library.countedKind(kind, count)];
  }).join(', ');
}

const NAME_MAX = 80;

function fileName(title: string): string {
  return (
    title
      .replaceAll(/[<>:"|?*/\\\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, NAME_MAX) || library.title
  );
}
