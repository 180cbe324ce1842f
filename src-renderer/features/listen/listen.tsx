import '../../styles/listen.css';
import { ActionIcon, Button, Menu, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { apiPath, saveAs, useEnvironment } from '../../api/client.ts';
import type { LibraryItem, Reading } from '../../api/generated/public.ts';
import { voicesQuery } from '../../api/queries.ts';
import { IS_DEVICE } from '../../api/session.ts';
import { clockTime, formatByteCount } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Failure, Skeletons } from '../../components/page-elements.tsx';
import { toastFailure } from '../../components/toast.tsx';
import { Feeds } from './feeds.tsx';
import { type PlaylistPlace, usePlaylistPlace } from './playlist.ts';
import { listen as t } from './texts.ts';
import { type ReadingPlayer, startOf, useReading, useReadingPlayer } from './use-reading.ts';

const BACK_SECONDS = 15;

const FORWARD_SECONDS = 30;

const PACES = [0.8, 1, 1.25, 1.5, 1.75, 2];

/** Reads an item aloud: its player, the words that are heard, and what can be kept of it. */
export function Listen({ item, onClose }: { item: LibraryItem; onClose: () => void }): ReactNode {
  const { reading, begin, remove } = useReading(item.itemId);
  const known = reading.data ?? null;
  const { mutate } = begin;
  const isOld = known !== null && known.jobId !== item.jobId;
  // The owner opened it to listen.
  const begins = reading.isSuccess && (known === null || isOld);
  useEffect(() => {
    if (begins) mutate({});
  }, [begins, mutate]);
  const error = begin.error ?? reading.error;
  if (error !== null) return <Failure error={error} retry={() => mutate({})} />;
  if (known === null || isOld) return <Skeletons rows={3} />;
  return (
    <OpenReading
      key={known.createdAt}
      {...{ item, reading: known, onClose }}
      onVoice={(voice) => mutate({ voice })}
      onAgain={() => mutate({ voice: known.voice.slug, speed: known.speed })}
      onRemove={() => {
        remove.mutate();
        onClose();
      }}
    />
  );
}

interface OpenProps {
  item: LibraryItem;
  reading: Reading;
  onVoice: (voice: string) => void;
  onAgain: () => void;
  onRemove: () => void;
  onClose: () => void;
}

function OpenReading({ item, reading, onVoice, onAgain, onRemove, onClose }: OpenProps) {
  const place = usePlaylistPlace(item.itemId);
  const openNext = useOpenNext(place);
  const player = useReadingPlayer(reading, openNext);
  const { play } = player;
  const start = useRef(startOf(reading));
  useEffect(() => play(start.current.number, start.current.rest), [play]);
  useLockScreen(item, reading, player);
  const message = player.failure?.message ?? reading.error?.message ?? null;
  return (
    <section className="listen" aria-label={t.title}>
      <audio ref={player.element} {...player.events} />
      <div className="listen-head">
        <strong>{t.title}</strong>
        <span className="small dim grow">{t.by({ voice: reading.voice.name })}</span>
        {place !== null && <span className="small num">{t.listed(place)}</span>}
        {place?.next != null && (
          <Button size="compact-sm" variant="default" className="listen-next" onClick={openNext}>
            {t.next({ title: place.next.title })}
          </Button>
        )}
        <ActionIcon variant="subtle" color="gray" aria-label={t.close} onClick={onClose}>
          <Icon name="x" />
        </ActionIcon>
      </div>
      <Controls {...{ reading, player }} onVoice={onVoice} />
      {message !== null && (
        <p className="listen-problem" role="alert">
          {message}
          <Button size="compact-sm" variant="default" onClick={onAgain}>
            {t.failed}
          </Button>
        </p>
      )}
      <Words player={player} />
      <ListenFoot {...{ reading, onRemove }} title={item.title} />
    </section>
  );
}

/** Goes on with the next item of the list; at its end nothing happens. */
function useOpenNext(place: PlaylistPlace | null): () => void {
  const navigate = useNavigate();
  return () => {
    if (place?.next == null) return;
    const { itemId } = place.next;
    void navigate({ to: '/items/$itemId', params: { itemId }, search: { listen: true } });
  };
}

interface ControlsProps {
  reading: Reading;
  player: ReadingPlayer;
  onVoice: (voice: string) => void;
}

function Controls({ reading, player, onVoice }: ControlsProps) {
  const { part, time, playing, toggle, skip, play, element } = player;
  const start = part === null ? null : (reading.parts[part.number]?.startSeconds ?? null);
  const chapter = part === null ? 0 : (reading.parts[part.number]?.chapter ?? 0);
  const firstOf = (index: number) => reading.parts.findIndex((one) => one.chapter === index);
  return (
    <div className="listen-controls">
      <ActionIcon variant="default" size={34} aria-label={t.back} onClick={() => skip(-BACK_SECONDS)}>
        <Icon name="rotate-ccw" />
      </ActionIcon>
      <ActionIcon size={40} aria-label={playing ? t.pause : t.play} disabled={part === null} onClick={toggle}>
        <Icon name={playing ? 'pause' : 'play'} />
      </ActionIcon>
      <ActionIcon variant="default" size={34} aria-label={t.forward} onClick={() => skip(FORWARD_SECONDS)}>
        <Icon name="rotate-cw" />
      </ActionIcon>
      <span className="num small">
        {start === null ? '' : clockTime(start + time)}
        {reading.seconds === null ? '' : ` / ${clockTime(reading.seconds)}`}
      </span>
      {reading.chapters.length > 1 && (
        <Select
          className="grow"
          aria-label={t.chapter}
          data={reading.chapters.map(({ title }, index) => ({ value: String(index), label: title }))}
          value={String(chapter)}
          allowDeselect={false}
          onChange={(index) => index !== null && play(firstOf(Number(index)), 0)}
        />
      )}
      <Select
        className="listen-pace"
        aria-label={t.pace}
        data={PACES.map((pace) => ({ value: String(pace), label: t.paceOf({ rate: pace }) }))}
        defaultValue="1"
        allowDeselect={false}
        onChange={(pace) => {
          if (element.current !== null) element.current.playbackRate = Number(pace ?? 1);
        }}
      />
      <VoiceChoice reading={reading} onVoice={onVoice} />
    </div>
  );
}

function VoiceChoice({ reading: { voice }, onVoice }: { reading: Reading; onVoice: (voice: string) => void }) {
  const voices = useQuery(voicesQuery(useEnvironment()));
  const data = (voices.data ?? []).map(({ slug, name, recommended }) => {
    return { value: slug, label: recommended ? t.recommended({ voice: name }) : name };
  });
  return (
    <Select
      aria-label={t.voice}
      data={data.length === 0 ? [{ value: voice.slug, label: voice.name }] : data}
      value={voice.slug}
      searchable
      allowDeselect={false}
      onChange={(slug) => slug !== null && slug !== voice.slug && onVoice(slug)}
    />
  );
}

/** The sentences of the part that is heard. The one that is read lights up. */
function Words({ player: { part, time, element } }: { player: ReadingPlayer }) {
  const box = useRef<HTMLDivElement>(null);
  const lit = part === null ? -1 : part.cues.findLastIndex(({ start }) => start <= time + 0.05);
  useEffect(() => {
    const cue = box.current?.children[lit];
    cue?.scrollIntoView({ block: 'nearest' });
  }, [lit]);
  if (part === null) return <p className="listen-words dim">{t.waiting}</p>;
  return (
    <div className="listen-words" ref={box}>
      {part.cues.map(({ start, text }, index) => (
        <button
          key={start}
          type="button"
          className={index === lit ? 'cue cue-lit' : 'cue'}
          aria-current={index === lit}
          onClick={() => {
            if (element.current !== null) element.current.currentTime = start;
          }}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

function ListenFoot({ reading, title, onRemove }: { reading: Reading; title: string; onRemove: () => void }) {
  const environment = useEnvironment();
  const unread = t.named(reading.leftUnread);
  const path = (form: string) => apiPath(environment, `/library/items/${reading.itemId}/reading/files/${form}`);
  return (
    <div className="listen-foot small">
      {reading.state === 'reading' && (
        <span>{t.spoken({ percent: Math.floor((100 * reading.spokenParts) / reading.parts.length) })}</span>
      )}
      {unread !== null && <span className="dim">{unread}</span>}
      {reading.unspoken > 0 && <span className="dim">{t.unspoken({ count: reading.unspoken })}</span>}
      <span className="grow" />
      {reading.files.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button size="compact-sm" variant="default" leftSection={<Icon name="download" size={14} />}>
              {t.whole}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {reading.files.map(({ form, sizeBytes }) => (
              <Menu.Item
                key={form}
                rightSection={<span className="faint tiny">{formatByteCount(sizeBytes)}</span>}
                onClick={() => void saveAs(path(form), `${title}.${form}`).catch(toastFailure)}
              >
                {t.files[form]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {!IS_DEVICE && <Feeds />}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={onRemove}>
        {t.remove}
      </Button>
    </div>
  );
}

/** The keys of headphones, and the lock screen of phones. */
function useLockScreen(item: LibraryItem, { chapters, parts, voice }: Reading, player: ReadingPlayer): void {
  const { part, toggle, skip } = player;
  const acts = useRef({ toggle, skip });
  acts.current = { toggle, skip };
  const chapter = chapters[parts[part?.number ?? 0]?.chapter ?? 0]?.title ?? item.title;
  useEffect(() => {
    const { mediaSession } = navigator;
    if (mediaSession === undefined) return;
    mediaSession.metadata = new MediaMetadata({
      title: chapter,
      artist: t.by({ voice: voice.name }),
      album: item.title,
    });
    mediaSession.setActionHandler('play', () => acts.current.toggle());
    mediaSession.setActionHandler('pause', () => acts.current.toggle());
    mediaSession.setActionHandler('seekbackward', () => acts.current.skip(-BACK_SECONDS));
    mediaSession.setActionHandler('seekforward', () => acts.current.skip(FORWARD_SECONDS));
    return () => {
      mediaSession.metadata = null;
      for (const act of ['play', 'pause', 'seekbackward', 'seekforward'] as const) {
        mediaSession.setActionHandler(act, null);
      }
    };
  }, [chapter, item.title, voice.name]);
}
