import '../../styles/covers.css';
import { Button, Checkbox, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { LibraryItem } from '../../api/generated/public.ts';
import { libraryKey } from '../../api/library.ts';
import { serverNow } from '../../api/server-time.ts';
import { shortDate } from '../../components/format.ts';
import { KeyHint } from '../../components/key-hint.tsx';
import { Facts } from '../../components/page-elements.tsx';
import { toastFailure } from '../../components/toast.tsx';
import { Way } from '../../components/way.tsx';
import { texts } from '../../texts.ts';
import { type KnownUpload, leaveKnown, putAside, readKnownAgain, useKnownUploads } from '../uploads/queue.ts';
import { Cover } from './cover.tsx';
import { sourceName } from './item-words.ts';

const t = texts.uploads.known;

/** What was added is in the library: open it, or read it again as a version. */
export function KnownDialog() {
  const known = useKnownUploads();
  const asked = known.find(({ isAside }) => !isAside);
  if (asked === undefined) return null;
  return (
    <Modal
      opened
      onClose={() => putAside(known.map(({ id }) => id))}
      size={760}
      title={t.title[asked.item.kind]}
      closeButtonProps={{ 'aria-label': texts.common.close }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <KnownForm key={asked.id} upload={asked} others={known.filter((one) => one !== asked)} />
    </Modal>
  );
}

interface KnownFormProps {
  /** What the library has already. */
  upload: KnownUpload;
  /** Others that it has, too. */
  others: readonly KnownUpload[];
}

const WAYS = ['open', 'again'] as const;

function KnownForm({ upload, others }: KnownFormProps) {
  const { item, environment } = upload;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [way, setWay] = useState<(typeof WAYS)[number]>('open');
  const [isForAll, setForAll] = useState(false);
  const ids = [upload, ...(isForAll ? others : [])].map(({ id }) => id);
  const open = async () => {
    const { itemId } = item;
    leaveKnown(ids);
    if (item.deletedAt !== null) {
      await api[environment].PATCH('/library/items/{itemId}', {
        params: { path: { itemId } },
        body: { deleted: false },
      });
      await client.invalidateQueries({ queryKey: libraryKey(environment) });
    }
    const search = environment === 'staging' ? { environment } : {};
    await navigate({ to: '/items/$itemId', params: { itemId }, search });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (way === 'again') readKnownAgain(ids);
        else void open().catch(toastFailure);
      }}
    >
      <div className="known">
        <Cover item={item} />
        <div>
          <Facts rows={factsOf(upload)} />
          <fieldset className="known-ways" aria-label={t.what}>
            {WAYS.map((one) => (
              <Way key={one} {...wordsOf(one, item)} chosen={way === one} onChoose={() => setWay(one)} />
            ))}
          </fieldset>
        </div>
      </div>
      <div className="add-foot">
        <span className="grow">
          {others.length > 0 && (
            <Checkbox
              label={t.others({ count: others.length })}
              checked={isForAll}
              onChange={(event) => setForAll(event.currentTarget.checked)}
            />
          )}
        </span>
        <Button variant="default" onClick={() => leaveKnown(ids)}>
          {t.leave}
        </Button>
        <Button type="submit" data-autofocus rightSection={<KeyHint className="make-key">↵</KeyHint>}>
          {wordsOf(way, item).name}
        </Button>
      </div>
    </form>
  );
}

function wordsOf(way: (typeof WAYS)[number], { versions, deletedAt }: LibraryItem) {
  if (way === 'again') return { name: t.again({ version: versions + 1 }), about: t.againAbout };
  return deletedAt === null ? { name: t.open, about: t.openAbout } : { name: t.back, about: t.backAbout };
}

function factsOf({ source, item }: KnownUpload): [string, string][] {
  const now = serverNow();
  const { notes, tags, collections, deletedAt } = item;
  const rows: [string, string][] = [
    [t.given({ isFile: source.file !== null }), source.address ?? source.name],
    [t.here, item.title],
    [t.added, t.addedFrom({ day: shortDate(item.addedAt, now), source: sourceName(item) })],
    [t.same, source.file === null ? t.sameAddress : t.sameBytes],
    [t.yours, t.own({ notes, tags: tags.length, collections: collections.length })],
  ];
  if (deletedAt !== null) rows.splice(3, 0, [t.deleted, shortDate(deletedAt, now)]);
  return rows;
}
