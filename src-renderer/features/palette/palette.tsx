import { namedEntries } from '../../components/choices.ts';
import '@mantine/spotlight/styles.css';
import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { dataOf, owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { SearchHit } from '../../api/generated/public.ts';
import { jobsQuery, ONLY_ASKED } from '../../api/queries.ts';
import { markMatches } from '../../components/code.tsx';
import { clockTime, joinTexts } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { type KeyAction, useKeyActions } from '../../components/keys.ts';
import { Time } from '../../components/page-elements.tsx';
import { type Kind, workOf, workOfKind } from '../../components/work.ts';
import { texts } from '../../texts.ts';

const SHOWN_JOBS = 5;

const SHOWN_HITS = 4;

const SHOWN_ACTIONS = 8;

/** Shorter words match too much to be worth a search of all results. */
const SEARCHED_CHARS = 3;

const PAUSE_MS = 250;

/** Stands for the picture of a key in a message. */
const KEY_SLOT = '\u{fffc}';

const [store, spotlight] = createSpotlight();

interface PaletteProps {
  opened: boolean;
  onClose: () => void;
  typed: string;
  onType: (typed: string) => void;
}

/** Jobs by name, words in their results, pages and actions. Mounted when first wanted. */
export function Palette({ opened, onClose, typed, onType }: PaletteProps) {
  useEffect(() => {
    if (opened) spotlight.open();
    else spotlight.close();
  }, [opened]);
  const onlyActions = typed.startsWith('>');
  const words = onlyActions ? typed.slice(1).trim() : typed.trim();
  const [beforeKey, afterKey] = texts.palette.actionsOnly({ key: KEY_SLOT }).split(KEY_SLOT);
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={onType}
      onSpotlightClose={onClose}
      shortcut={null}
      size={640}
      yOffset="11vh"
      overlayProps={{ blur: 0 }}
      attributes={{ content: { 'aria-label': texts.palette.title } }}
    >
      <Spotlight.Search
        placeholder={texts.palette.hint}
        aria-label={texts.palette.title}
        leftSection={<Icon name="search" size={20} />}
      />
      <Spotlight.ActionsList mah="52vh" style={{ overflowY: 'auto' }}>
        {!onlyActions && <Jobs words={words} />}
        {!onlyActions && <Hits words={words} />}
        <Actions words={words} />
      </Spotlight.ActionsList>
      <div className="palette-foot">
        <span>
          <kbd>↑</kbd>
          <kbd>↓</kbd> {texts.palette.move}
        </span>
        <span>
          <kbd>↵</kbd> {texts.palette.open}
        </span>
        <span>
          {beforeKey}
          <kbd>&gt;</kbd>
          {afterKey}
        </span>
      </div>
    </Spotlight.Root>
  );
}

/**
 * Selects the first row when other rows appear, unless the keyboard has moved on, or an action that the words name is
 * selected: Enter runs what was seen. The library selects after each key only, and forgets the selection with its row.
 */
function useFirstRow(rows: string, words: string): void {
  const shown = useRef(words);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows decide, although the effect reads none of them.
  useEffect(() => {
    const areSameWords = shown.current === words;
    shown.current = words;
    const { selected } = store.getState();
    const actions = [...document.querySelectorAll('.palette-row')];
    const at = actions.findIndex((one) => one.hasAttribute('data-selected'));
    const isNamed = areSameWords && actions[at]?.hasAttribute('data-named') === true;
    const index = selected > 0 || isNamed ? Math.max(0, at) : 0;
    for (const one of actions) one.removeAttribute('data-selected');
    actions[index]?.setAttribute('data-selected', 'true');
    store.updateState((state) => ({ ...state, selected: index }));
  }, [rows, words]);
}

interface RowProps {
  icon: IconName;
  kind?: Kind;
  label: ReactNode;
  aside?: ReactNode;
  /** An action whose name has the words. */
  isNamed?: boolean;
  onClick: () => void;
}

function Row({ icon, kind, label, aside, isNamed = false, onClick }: RowProps) {
  return (
    <Spotlight.Action className="palette-row" data-named={isNamed || undefined} onClick={onClick}>
      <span className={`palette-icon ${kind === undefined ? '' : `k-${kind}`}`}>
        <Icon name={icon} />
      </span>
      <span className="truncate grow">
        <bdi>{label}</bdi>
      </span>
      <span className="palette-aside">{aside}</span>
    </Spotlight.Action>
  );
}

/** The newest jobs, or those with all the words in their name. */
function Jobs({ words }: { words: string }) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(words, PAUSE_MS);
  const found = useInfiniteQuery(jobsQuery(environment, asked === '' ? {} : { text: asked }));
  const listed = found.data?.pages[0]?.jobs ?? [];
  // Until the words are asked for, the jobs are those of the words before.
  const named = asked === words ? listed : listed.filter((job) => hasAllWords(job.label || workOf(job).noun, words));
  const jobs = named.slice(0, SHOWN_JOBS);
  useFirstRow(jobs.map(({ jobId }) => jobId).join(), words);
  if (jobs.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={texts.palette.jobs}>
      {jobs.map((job) => {
        const { group, icon, noun } = workOf(job);
        return (
          <Row
            key={job.jobId}
            icon={icon}
            kind={group}
            label={markMatches(job.label || noun, words)}
            aside={
              <>
                {joinTexts([noun, ''])}
                <Time at={job.createdAt} />
              </>
            }
            onClick={() => void navigate({ to: '/items/of/$jobId', params: { jobId: job.jobId } })}
          />
        );
      })}
    </Spotlight.ActionsGroup>
  );
}

/** Words in results. The route of the owner makes no job. */
function Hits({ words }: { words: string }) {
  const environment = useEnvironment();
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(words, PAUSE_MS);
  const found = useQuery({
    queryKey: ['palette', environment, asked],
    enabled: asked.length >= SEARCHED_CHARS,
    staleTime: Number.POSITIVE_INFINITY,
    meta: ONLY_ASKED,
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/search', {
          params: { query: { ...queryIn(environment, { limit: SHOWN_HITS }), query: asked } },
          signal,
        }),
      ),
  });
  const hits = asked === words ? (found.data?.results ?? []) : [];
  useFirstRow(hits.map(({ chunkId }) => chunkId).join(), words);
  if (hits.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={texts.palette.said}>
      {hits.map((hit) => {
        const { jobId, chunkId, snippet } = hit;
        const { group, icon, noun } = workOfKind(kindOfHit(hit));
        return (
          <Row
            key={chunkId}
            icon={icon}
            kind={group}
            label={markMatches(snippet, words)}
            aside={placedName(hit.sourceName ?? noun, paletteHitPlace(hit))}
            onClick={() => {
              if (jobId !== null)
                void navigate({ to: '/items/of/$jobId', params: { jobId }, search: { chunk: chunkId } });
            }}
          />
        );
      })}
    </Spotlight.ActionsGroup>
  );
}

/** A hit does not name its operation: a time is from a recording, an address from a site. */
function kindOfHit({ startSeconds, url }: SearchHit): Kind {
  if (startSeconds !== undefined) return 'transcribe';
  return url === null ? 'read' : 'crawl';
}

function paletteHitPlace({ startSeconds, page }: SearchHit): string {
  if (startSeconds !== undefined) return texts.palette.second({ time: clockTime(startSeconds) });
  return page > 1 ? texts.palette.page({ page }) : '';
}

/** Actions of the page first, then those of the frame. */
function Actions({ words }: { words: string }) {
  const navigate = useNavigate();
  const actions = useKeyActions().filter(
    ({ group, name, onlyKey }) => group !== 'list' && !onlyKey && hasAllWords(name, words),
  );
  const order: readonly KeyAction['group'][] = ['page', 'run', 'window'];
  const sorted = order.flatMap((group) => actions.filter((one) => one.group === group)).slice(0, SHOWN_ACTIONS);
  useFirstRow(sorted.map(({ name }) => name).join(), words);
  return (
    <Spotlight.ActionsGroup label={texts.palette.do}>
      {sorted.map(({ keys, name, icon = 'arrow-right', run }) => (
        <Row
          key={`${keys} ${name}`}
          icon={icon}
          label={markMatches(name, words)}
          aside={<Keys keys={keys} />}
          isNamed={words !== ''}
          onClick={run}
        />
      ))}
      {words !== '' && (
        <Row
          icon="search"
          label={texts.palette.searchFor({ words })}
          onClick={() => void navigate({ to: '/search', search: { q: words } })}
        />
      )}
    </Spotlight.ActionsGroup>
  );
}

function hasAllWords(name: string, words: string): boolean {
  const lower = name.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

function Keys({ keys }: { keys: string }) {
  return keys.split(' ').map((key) => (
    <Fragment key={key}>
      <kbd>{key === 'Enter' ? '↵' : key}</kbd>{' '}
    </Fragment>
  ));
}

/** All keys that work on this page. */
export function KeySheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const actions = useKeyActions();
  const { groups, keys: title } = texts.palette;
  return (
    <Modal opened={opened} onClose={onClose} title={title} size="lg">
      <div className="key-sheet">
        {namedEntries(groups).map(([group, name]) => {
          const known = actions.filter((one) => one.group === group);
          if (known.length === 0) return null;
          return (
            <section key={group} aria-label={name}>
              <h3>{name}</h3>
              <dl>
                {known.map(({ keys, name: said }) => (
                  <div key={`${keys} ${said}`}>
                    <dt>{said}</dt>
                    <dd>
                      <Keys keys={keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Modal>
  );
}

function placedName(kind: string, place: string): string {
  return place === '' ? kind : texts.palette.at({ kind, place });
}
