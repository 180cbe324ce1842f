import '../../styles/item.css';
import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { useEnvironment } from '../../api/client.ts';
import { itemQuery, itemVersionsQuery } from '../../api/library.ts';
import { jobQuery, jobRecordQuery } from '../../api/queries.ts';
import { ContentLanguage, useForeignText } from '../../components/foreign-text.ts';
import { Icon } from '../../components/icon.tsx';
import { useKeys } from '../../components/keys.ts';
import { Empty, Failure, PageHead, Skeletons, Time } from '../../components/page-elements.tsx';
import { jobResultText } from '../jobs/job-head.tsx';
import { type ListHandle, WindowList } from '../results/window-list.tsx';
import { comparison as texts } from './comparison-texts.ts';
import { useShowVersion } from './show-version.ts';
import type { Change, Changes, Run } from './text-changes.ts';

const route = getRouteApi('/items/$itemId/compare');

/** Two readings of the same source side by side: the words that differ are marked, what is the same is folded. */
export function Compare(): ReactNode {
  const environment = useEnvironment();
  const { itemId } = route.useParams();
  const { a = 1, b = 2 } = route.useSearch();
  const navigate = useNavigate();
  const item = useQuery(itemQuery(environment, itemId));
  const versions = useQuery(itemVersionsQuery(environment, itemId));
  const [one, other] = [a, b].map((version) => versions.data?.find(({ number }) => number === version));
  const before = useVersionText(one?.jobId);
  const after = useVersionText(other?.jobId);
  const changes = useChangesOf(before.data, after.data);
  const useVersion = useShowVersion(itemId, () => void navigate({ to: '/items/$itemId', params: { itemId } }));
  const error = item.error ?? versions.error ?? before.error ?? after.error ?? changes.error;
  const isMissing = versions.data !== undefined && (one === undefined || other === undefined);
  return (
    <div className="compare-page">
      <div className="crumb">
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/library" />}>
          {texts.library}
        </Anchor>
        <Icon name="chevron-right" size={14} />
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/items/$itemId" params={{ itemId }} />}>
          <bdi lang={item.data?.language ?? ''}>{item.data?.title ?? '…'}</bdi>
        </Anchor>
      </div>
      <PageHead title={texts.title({ a, b })} facts={changes.data === undefined ? [] : factsOf(changes.data, a, b)}>
        {item.data?.version !== b && other !== undefined && (
          <Button
            leftSection={<Icon name="check" />}
            loading={useVersion.isPending}
            onClick={() => useVersion.mutate(b)}
          >
            {texts.use({ version: b })}
          </Button>
        )}
        {item.data?.version !== a && one !== undefined && (
          <Button variant="default" loading={useVersion.isPending} onClick={() => useVersion.mutate(a)}>
            {texts.use({ version: a })}
          </Button>
        )}
      </PageHead>
      {error !== null && <Failure error={error} />}
      {isMissing && <Empty icon="git-compare-arrows" title={texts.missing} />}
      {error === null && !isMissing && changes.data === undefined && <Skeletons rows={8} />}
      {changes.data !== undefined && one !== undefined && other !== undefined && (
        <div className="compare-sides">
          <div className="compare-heads">
            {[one, other].map(({ number, createdAt }) => (
              <h2 key={number}>
                {texts.version({ version: number })} <Time at={createdAt} />
                {number === item.data?.version && <span className="tag">{texts.shown}</span>}
              </h2>
            ))}
          </div>
          {changes.data.changed === 0 ? (
            <Empty icon="check" title={texts.same} />
          ) : (
            <ContentLanguage value={item.data?.language ?? null}>
              <Sides changes={changes.data} versions={[a, b]} />
            </ContentLanguage>
          )}
        </div>
      )}
    </div>
  );
}

function factsOf({ changed, wordsBefore, wordsAfter }: Changes, a: number, b: number): string[] {
  return [
    texts.changes({ count: changed }),
    texts.words({ version: a, count: wordsBefore }),
    texts.words({ version: b, count: wordsAfter }),
  ];
}

/** The whole text of a reading. */
function useVersionText(jobId: string | undefined) {
  const environment = useEnvironment();
  const job = useQuery({ ...jobQuery(environment, jobId ?? ''), enabled: jobId !== undefined });
  const record = useQuery({ ...jobRecordQuery(environment, jobId ?? ''), enabled: jobId !== undefined });
  const text = useQuery({
    queryKey: ['version-text', environment, jobId, job.data?.updatedAt],
    enabled: job.data !== undefined && record.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const source = job.data === undefined || job.data.result === null ? null : jobResultText(job.data, record.data);
      if (source === null) throw new Error(texts.noText);
      return typeof source === 'string' ? source : await source();
    },
  });
  return { data: text.data, error: job.error ?? record.error ?? text.error };
}

function useChangesOf(before: string | undefined, after: string | undefined) {
  return useQuery({
    queryKey: ['text-changes', before, after],
    // The key has both texts.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: before !== undefined && after !== undefined,
    queryFn: ({ signal }) =>
      new Promise<Changes>((resolve, reject) => {
        const worker = new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' });
        const end = () => worker.terminate();
        signal.addEventListener('abort', end);
        worker.addEventListener('message', ({ data }: MessageEvent<Changes>) => {
          end();
          resolve(data);
        });
        worker.addEventListener('error', ({ message }) => {
          end();
          reject(new Error(message === '' ? texts.failed : message));
        });
        worker.postMessage({ before, after });
      }),
  });
}

/** Blocks around a change that stay open. */
const AROUND = 1;

type ShownRow = Change | { kind: 'fold'; from: number; change: Change & { kind: 'same' } };

function Sides({ changes, versions }: { changes: Changes; versions: readonly [number, number] }) {
  const foreign = useForeignText();
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const rows = useMemo(() => foldRows(changes.rows, opened), [changes, opened]);
  const handle = useRef<ListHandle>(null);
  const [current, setCurrent] = useState(-1);
  const go = (step: number) => {
    const places = rows.flatMap(({ kind }, row) => (kind === 'change' ? [row] : []));
    const next = step > 0 ? places.find((row) => row > current) : places.findLast((row) => row < current);
    if (next === undefined) return;
    setCurrent(next);
    handle.current?.show(next, 'nearest');
  };
  useKeys([
    { keys: 'j', name: texts.next, group: 'list', run: () => go(1) },
    { keys: 'k', name: texts.previous, group: 'list', run: () => go(-1) },
  ]);
  return (
    <WindowList
      count={rows.length}
      estimate={(row) => (rows[row]?.kind === 'fold' ? 38 : 80)}
      label={texts.list}
      handle={handle}
      attributesOf={(row) => (row === current ? { 'aria-current': true } : {})}
    >
      {(row) => {
        const shown = itemAt(rows, row);
        if (shown.kind === 'fold') {
          return (
            <button
              type="button"
              className="compare-fold"
              onClick={() => setOpened((before) => new Set([...before, shown.from]))}
            >
              <Icon name="chevrons-up-down" size={14} />
              {texts.fold({ count: shown.change.blocks.length })}
              <span className="num">{texts.foldWords({ count: shown.change.words })}</span>
            </button>
          );
        }
        if (shown.kind === 'same') {
          const text = shown.blocks.join('\n\n');
          return (
            <div className="compare-row" data-same>
              <p {...foreign}>{text}</p>
              <p {...foreign} aria-hidden="true">
                {text}
              </p>
            </div>
          );
        }
        return (
          <div className="compare-row">
            <Side runs={shown.before} version={versions[0]} />
            <Side runs={shown.after} version={versions[1]} />
          </div>
        );
      }}
    </WindowList>
  );
}

/** Long stretches that are the same become one line, but for the blocks beside a change. */
function foldRows(rows: readonly Change[], opened: ReadonlySet<number>): ShownRow[] {
  return rows.flatMap((row, from): ShownRow[] => {
    if (row.kind === 'change' || opened.has(from) || row.blocks.length <= 2 * AROUND + 1) return [row];
    const isFirst = from === 0;
    const isLast = from === rows.length - 1;
    const head = isFirst ? [] : row.blocks.slice(0, AROUND);
    const tail = isLast ? [] : row.blocks.slice(-AROUND);
    const folded = row.blocks.slice(head.length, row.blocks.length - tail.length);
    const words = folded.join(' ').split(/\s+/).length;
    const open = (blocks: readonly string[]): ShownRow[] =>
      blocks.length === 0 ? [] : [{ kind: 'same', blocks, words: 0 }];
    return [...open(head), { kind: 'fold', from, change: { kind: 'same', blocks: folded, words } }, ...open(tail)];
  });
}

function Side({ runs, version }: { runs: readonly Run[] | null; version: number }) {
  const foreign = useForeignText();
  if (runs === null) {
    return (
      <p className="compare-none">
        <span className="compare-none-words">{texts.notIn({ version })}</span>
      </p>
    );
  }
  return (
    <p {...foreign}>
      {runs.map(({ value, kind }, index) => {
        const Mark = kind === 'removed' ? 'del' : 'ins';
        // biome-ignore lint/suspicious/noArrayIndexKey: runs are identified by position only.
        return kind === 'same' ? value : <Mark key={index}>{value}</Mark>;
      })}
    </p>
  );
}
