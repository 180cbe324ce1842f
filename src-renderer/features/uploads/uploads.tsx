import { ActionIcon, Anchor, Button, Progress } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { useEnvironment } from '../../api/client.ts';
import { serverNow } from '../../api/server-time.ts';
import { formatByteCount, shortDate } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { KindTile } from '../../components/kind.tsx';
import { showToast, toastFailure } from '../../components/toast.tsx';
import { type Kind, workOfKind } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import {
  addUploads,
  askAbout,
  cancelUpload,
  forgetUploads,
  hasEnded,
  noteHeard,
  retryUpload,
  type Upload,
  useUploads,
  useUploadToHear,
} from './queue.ts';
import { addressSources, canBeRead, droppedSources, fileSource, type Source } from './sources.ts';

/** Chooses files for the queue: the button for those who do not drop. */
export function AddFiles({ filled = false }: { filled?: boolean }) {
  const environment = useEnvironment();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.uploads.add}
        onChange={({ currentTarget }) => {
          addUploads(environment, [...(currentTarget.files ?? [])].map(fileSource));
          // Browsers fire no change event if the same file is chosen again.
          currentTarget.value = '';
        }}
      />
      <Button
        variant={filled ? 'filled' : 'default'}
        leftSection={<Icon name="upload" />}
        onClick={() => input.current?.click()}
      >
        {texts.uploads.add}
      </Button>
    </>
  );
}

/** Kinds of what is dragged over the window. Names are only known after the drop; `null`: a folder or unknown file. */
type Dragged = (Kind | null)[];

/** Takes everything dropped on or pasted into the window, on every page. A field for one file takes its own drops. */
export function DropAnywhere() {
  const environment = useEnvironment();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  useEffect(() => {
    const addDroppedSources = (sources: readonly Source[]) => addUploads(environment, sources);
    return listenOnWindow({ ...dragListeners(addDroppedSources, setDragged), ...pasteListener(addDroppedSources) });
  }, [environment]);
  useOpenToHear();
  return (
    <>
      {dragged !== null && <DropLayer dragged={dragged} />}
      <Tray />
    </>
  );
}

/** Opens what was added to be heard. Its page reads it aloud. */
function useOpenToHear(): void {
  const navigate = useNavigate();
  const upload = useUploadToHear();
  useEffect(() => {
    if (upload === undefined) return;
    const { id, environment, item, jobId } = upload;
    noteHeard(id);
    const staging = environment === 'staging' ? environment : undefined;
    const search = omitUndefined({ listen: true as const, environment: staging });
    if (item !== null) void navigate({ to: '/items/$itemId', params: { itemId: item.itemId }, search });
    else if (jobId !== null) void navigate({ to: '/items/of/$jobId', params: { jobId }, search });
  }, [upload, navigate]);
}

type Listeners = { [Name in keyof WindowEventMap]?: (event: WindowEventMap[Name]) => void };

/** Listens on the window until the returned function is called. */
function listenOnWindow(listeners: Listeners): () => void {
  const all = Object.entries(listeners) as [string, EventListener][];
  for (const [name, listener] of all) window.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of all) window.removeEventListener(name, listener);
  };
}

type Add = (sources: readonly Source[]) => void;

function dragListeners(add: Add, show: (dragged: Dragged | null) => void): Listeners {
  // A link or picture of this page that is dragged within it.
  let own = false;
  return {
    dragstart: () => {
      own = true;
    },
    dragend: () => {
      own = false;
    },
    dragover: (event) => {
      const data = event.dataTransfer;
      if (own || data === null || !isTaken(event, data)) return;
      event.preventDefault();
      show(isField(event.target) ? null : draggedKinds(data));
    },
    dragleave: ({ relatedTarget }) => {
      if (relatedTarget === null) show(null);
    },
    drop: (event) => {
      show(null);
      const data = event.dataTransfer;
      if (own || data === null || event.defaultPrevented || !isTaken(event, data)) return;
      event.preventDefault();
      droppedSources(data).then(({ sources, leftOut }) => {
        if (sources.length === 0) showToast({ icon: 'info', message: texts.uploads.empty });
        else add(sources);
        if (leftOut.length > 0) showToast({ icon: 'info', message: texts.uploads.leftOutOf(leftOut) });
      }, toastFailure);
    },
  };
}

function pasteListener(add: Add): Listeners {
  return {
    paste: ({ clipboardData, target }) => {
      if (clipboardData === null || isWritable(target)) return;
      const files = [...clipboardData.files];
      add(files.length > 0 ? files.map(fileSource) : (addressSources(clipboardData.getData('text')) ?? []));
    },
  };
}

/** Files anywhere, and addresses outside of text fields, which take them as text. */
function isTaken({ target }: DragEvent, { types }: DataTransfer): boolean {
  return types.includes('Files') || (types.includes('text/uri-list') && !isWritable(target));
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.drop') !== null;
}

function isWritable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}

function draggedKinds({ items }: DataTransfer): Dragged {
  return [...items].flatMap(({ kind, type }) => {
    if (kind !== 'file') return type === 'text/uri-list' ? ['crawl' as const] : [];
    if (type === '') return [null];
    return [/^(audio|video)\//.test(type) ? ('transcribe' as const) : ('read' as const)];
  });
}

const DRAGGED_KINDS = ['transcribe', 'read', 'crawl'] as const;

function DropLayer({ dragged }: { dragged: Dragged }) {
  const t = texts.uploads;
  const unknown = dragged.filter((kind) => kind === null).length;
  return (
    <div className="drop-layer" role="status">
      <div>
        <Icon name="layers" size={44} />
        <p className="drop-title">{t.drop({ count: dragged.length })}</p>
        <p className="dim">{t.stays({ count: dragged.length })}</p>
        <ul>
          {DRAGGED_KINDS.map((kind) => {
            const count = dragged.filter((one) => one === kind).length;
            if (count === 0) return null;
            return (
              <li key={kind}>
                <KindTile work={workOfKind(kind)} big />
                <span>
                  <b>{t.dragged({ kind, count })}</b>
                  <br />
                  <span className="small dim">{t.willBeOf(kind)}</span>
                </span>
              </li>
            );
          })}
          {unknown > 0 && (
            <li>
              <span className="tile k-other" data-size="big">
                <Icon name="folder" size={20} />
              </span>
              <span>
                <b>{t.unknown({ count: unknown })}</b>
                <br />
                <span className="small dim">{t.unknownWillBe}</span>
              </span>
            </li>
          )}
        </ul>
      </div>
    </div>
  );
}

/** What became of all uploads, at the corner of every page, until it is closed. */
function Tray() {
  const uploads = useUploads();
  const [folded, { toggle }] = useDisclosure();
  const t = texts.uploads;
  if (uploads.length === 0) return null;
  const open = uploads.filter((one) => !hasEnded(one));
  const failed = uploads.filter(({ status }) => status === 'failed').length;
  const left = uploads.filter(({ status }) => status === 'left').length;
  const known = uploads.filter(({ status }) => status === 'known').length;
  const title = open.length > 0 ? t.adding({ count: open.length }) : t.added({ count: uploads.length - failed - left });
  return (
    <section className="tray" aria-label={t.tray}>
      <div className="tray-head">
        <span className="label" role="status">
          {title}
        </span>
        {known + left > 0 && <span className="small dim">{t.have({ count: known + left })}</span>}
        {failed > 0 && <span className="small tray-failed">{t.failed({ count: failed })}</span>}
        <ActionIcon variant="subtle" color="gray" ms="auto" aria-label={folded ? t.unfold : t.fold} onClick={toggle}>
          <Icon name={folded ? 'chevron-up' : 'chevron-down'} />
        </ActionIcon>
        {open.length === 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.close}
            onClick={() => forgetUploads(uploads.map(({ id }) => id))}
          >
            <Icon name="x" />
          </ActionIcon>
        )}
      </div>
      {!folded && (
        <ul>
          {uploads.map((one) => (
            <TrayRow key={one.id} one={one} />
          ))}
        </ul>
      )}
    </section>
  );
}

function TrayRow({ one }: { one: Upload }) {
  const { name, file } = one.source;
  return (
    <li data-failed={one.status === 'failed'} data-known={one.status === 'known'}>
      {one.status === 'failed' ? (
        <span className="tile tray-broken">
          <Icon name="file-x" />
        </span>
      ) : (
        <KindTile work={one.source.work} />
      )}
      <div className="grow">
        <div className="label truncate" title={one.source.address ?? name}>
          {name}
        </div>
        {(one.status === 'uploading' || (one.status === 'checking' && one.sent > 0)) && file !== null && (
          <Progress value={100 * one.sent} size="sm" my={3} aria-label={texts.uploads.progress({ name })} />
        )}
        <div className="small tray-said">{saidOf(one)}</div>
      </div>
      <TrayAction one={one} />
    </li>
  );
}

function saidOf({ status, sent, error, item, source: { file } }: Upload): string {
  const t = texts.uploads;
  if (status === 'failed') return error ?? '';
  if (status === 'known') return t.knownSince({ day: shortDate(item?.addedAt ?? '', serverNow()) });
  if (status !== 'uploading') return t[status];
  return file === null || sent >= 1
    ? t.sending
    : t.uploading({ sent: formatByteCount(sent * file.size), size: formatByteCount(file.size) });
}

function TrayAction({ one }: { one: Upload }) {
  const { name } = one.source;
  const t = texts.uploads;
  const search = one.environment === 'staging' ? { environment: one.environment } : {};
  if (one.status === 'left' && one.item !== null) {
    const { itemId } = one.item;
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link {...props} to="/items/$itemId" params={{ itemId }} search={search} aria-label={`${t.open} ${name}`} />
        )}
      >
        {t.open}
      </Anchor>
    );
  }
  if (one.status === 'known') {
    return (
      <Button size="compact-sm" variant="subtle" aria-label={`${t.choose}: ${name}`} onClick={() => askAbout(one.id)}>
        {t.choose}
      </Button>
    );
  }
  if (one.status === 'accepted' && one.jobId !== null) {
    const { jobId } = one;
    const link = (words: string, listens: boolean) => (
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link
            {...props}
            to="/items/of/$jobId"
            params={{ jobId }}
            search={listens ? { ...search, listen: true } : search}
            aria-label={`${words} ${name}`}
          />
        )}
      >
        {words}
      </Anchor>
    );
    return (
      <>
        {canBeRead(one.source) && link(texts.add.listen, true)}
        {link(t.open, false)}
      </>
    );
  }
  const ended = hasEnded(one);
  return (
    <>
      {one.status === 'failed' && (
        <Button size="compact-sm" variant="subtle" onClick={() => retryUpload(one.id)}>
          {t.again}
        </Button>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={ended ? t.remove({ name }) : t.cancel({ name })}
        onClick={() => (ended ? forgetUploads([one.id]) : cancelUpload(one.id))}
      >
        <Icon name="x" size={14} />
      </ActionIcon>
    </>
  );
}
