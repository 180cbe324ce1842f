import { ActionIcon, Anchor, Select, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { api, dataOf, useEnvironment } from '../../api/client.ts';
import type { SearchAnswer, SearchHit } from '../../api/generated/public.ts';
import { ONLY_ASKED } from '../../api/queries.ts';
import { choicesOf } from '../../components/choices.ts';
import { clockTime, formatWholeNumber } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { KindTile } from '../../components/kind.tsx';
import { Empty, Failure, PAGE_TITLE, Skeletons } from '../../components/page-elements.tsx';
import { type Kind, OPERATION_IDS, workOfKind, workOfOperation } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { TagField } from '../jobs/tags.tsx';
import { Ask, SuggestModel } from './ask.tsx';
import { FacetBar } from './facets.tsx';
import { search as searchTexts } from './texts.ts';

const route = getRouteApi('/search');

const RESULTS = 30;

const DEFAULT_MODE = 'hybrid';

/** Operations whose text can be searched. */
const KINDS_SEARCHED = OPERATION_IDS.filter((id) => workOfOperation(id).isSearched).map((id) => ({
  value: id,
  label: workOfOperation(id).plural,
}));

const NO_TAGS: readonly string[] = [];

const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'cs',
  'ru',
  'uk',
  'el',
  'tr',
  'ar',
  'zh',
  'ja',
  'ko',
];

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

/** Search over the text of all jobs. The query is in the URL. */
export function Search(): ReactNode {
  const environment = useEnvironment();
  const { q = '', mode = DEFAULT_MODE, jobType, language, source, tag, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const t = searchTexts;
  useDocumentTitle(`${t.title} · Quarry`);
  const filter = givenFields({ jobType, language, source, tags: tag === undefined ? tag : [tag], from, to });
  const found = useQuery({
    queryKey: ['search', environment, q, mode, filter],
    enabled: q !== '',
    // Each search is a job with webhooks, so never refetch automatically.
    staleTime: Number.POSITIVE_INFINITY,
    meta: ONLY_ASKED,
    queryFn: ({ signal }) =>
      dataOf(
        api[environment].POST('/search', {
          body: { query: q, mode, limit: RESULTS, offset: 0, filter, facets: true, answer: false },
          signal,
        }),
      ),
  });
  const answer = q !== '' && found.data && 'results' in found.data ? found.data : undefined;
  return (
    <div className="search">
      <VisuallyHidden>
        <h1 id={PAGE_TITLE}>{t.title}</h1>
      </VisuallyHidden>
      <Question key={q} answer={answer} />
      <div className="band search-hits">
        {q === '' && (
          <Empty icon="search" title={t.start}>
            {t.startHow}
          </Empty>
        )}
        {q !== '' && found.isPending && <Skeletons rows={5} height={60} />}
        {found.isError && <Failure error={found.error} retry={() => void found.refetch()} />}
        {answer?.facets && (
          <FacetBar
            facets={answer.facets}
            chosen={{ jobType, source, from, to }}
            kindOf={kindName}
            onChange={(changed) => void navigate({ search: (all) => givenFields({ ...all, ...changed }) })}
          />
        )}
        {answer && answer.results.length > 0 && (
          <Ask key={`${q} ${JSON.stringify(filter)}`} {...{ query: q, mode, filter }} />
        )}
        {answer?.meaning === 'lsi' && <SuggestModel />}
        {answer && <Hits answer={answer} />}
        {found.data && !answer && <Waiting jobId={found.data.jobId} />}
      </div>
    </div>
  );
}

/** Without the values that are not set. */
function givenFields<Fields extends Record<string, unknown>>(fields: Fields) {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return Object.fromEntries(kept) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}

function kindName(jobType: string): string {
  return KINDS_SEARCHED.find(({ value }) => value === jobType)?.label ?? jobType;
}

function Question({ answer }: { answer: SearchAnswer | undefined }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { q = '', mode = DEFAULT_MODE, jobType, language, tag = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [words, setWords] = useState(q);
  const t = searchTexts;
  const setFilter = (changed: { jobType?: string | null; language?: string | null }) => {
    const { jobType: operation, language: tongue } = { jobType, language, ...changed };
    const filter = omitUndefined({ jobType: operation || undefined, language: tongue || undefined });
    void navigate({ search: ({ jobType: _, language: __, ...rest }) => ({ ...rest, ...filter }) });
  };
  return (
    <form
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = words.trim();
        // Drop an older result of the same query.
        void client.resetQueries({ queryKey: ['search', environment, wanted] });
        if (wanted !== q) void navigate({ search: (all) => ({ ...all, q: wanted }) });
      }}
    >
      <SearchField value={words} onChange={setWords} />
      <div className="search-filters">
        <Select
          aria-label={t.kind}
          placeholder={t.anyKind}
          clearable
          w={150}
          leftSection={<Icon name="list-filter" size={14} />}
          data={KINDS_SEARCHED}
          value={jobType ?? null}
          onChange={(value) => setFilter({ jobType: value })}
        />
        <Select
          aria-label={t.language}
          placeholder={t.anyLanguage}
          clearable
          searchable
          w={160}
          leftSection={<Icon name="globe" size={14} />}
          data={LANGUAGES.map((value) => ({ value, label: languageNames.of(value) ?? value }))}
          value={language ?? null}
          onChange={(value) => setFilter({ language: value })}
        />
        <TagField
          tag={tag}
          known={NO_TAGS}
          keep={(next) => void navigate({ search: (all) => givenFields({ ...all, tag: next }) })}
        />
        <Select
          aria-label={t.mode}
          w={190}
          allowDeselect={false}
          data={choicesOf(t.modes)}
          value={mode}
          onChange={(value) => void navigate({ search: (all) => ({ ...all, mode: value ?? DEFAULT_MODE }) })}
        />
        {answer && (
          <Text size="sm" c="dimmed" className="search-count" role="status">
            {summaryOf(answer)}
          </Text>
        )}
      </div>
    </form>
  );
}

/** The large field. The key `/` moves the focus to it. */
function SearchField({ value, onChange }: { value: string; onChange: (words: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (field.current?.value === '') field.current.focus();
  }, []);
  return (
    <TextInput
      ref={field}
      size="lg"
      type="search"
      data-find
      aria-label={searchTexts.query}
      placeholder={searchTexts.hint}
      leftSection={<Icon name="search" size={20} />}
      rightSection={
        <ActionIcon type="submit" variant="subtle" aria-label={searchTexts.go}>
          <Icon name="arrow-right" />
        </ActionIcon>
      }
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** “9 places in 5 sources, by words and meaning (as learned from your files). Searched “harbour”: “harbor” occurs…”. */
function summaryOf({ results, legs, meaning, corrected }: SearchAnswer): string {
  const t = searchTexts;
  const sources = new Set(results.map(({ jobId, chunkId }) => jobId ?? chunkId)).size;
  const by = t.by(legs.includes('lexical'), meaning === 'lsi' ? t.learned : meaning);
  const found = t.found(t.places(formatWholeNumber(results.length)), t.sources(formatWholeNumber(sources)), by);
  return [found, ...corrected.map(({ from, to }) => t.respelt(to, from))].join('. ');
}

/** The search needs a model that is not installed. Its job offers the choices. */
function Waiting({ jobId }: { jobId: string }) {
  const t = searchTexts;
  return (
    <Empty icon="search" title={t.waits}>
      <Anchor renderRoot={(props) => <Link {...props} to="/jobs/$jobId" params={{ jobId }} />}>{t.waitsHow}</Anchor>
    </Empty>
  );
}

function Hits({ answer }: { answer: SearchAnswer }) {
  const t = searchTexts;
  return (
    <>
      {answer.warnings.map((warning) => (
        <Text key={warning} size="sm" c="dimmed" py={6} className="note-words">
          {warning}
        </Text>
      ))}
      {answer.results.length === 0 && (
        <Empty icon="search" title={t.none}>
          {t.noneHow}
        </Empty>
      )}
      {answer.results.map((hit) => (
        <Hit key={hit.chunkId} hit={hit} />
      ))}
    </>
  );
}

function Hit({ hit }: { hit: SearchHit }) {
  const t = searchTexts;
  const { kind, icon, place } = searchHitPlace(hit);
  const name = (hit.url === null ? hit.sourceName : shortUrl(hit.url)) ?? t.contribution;
  return (
    <article className="hit">
      <KindTile work={workOfKind(kind)} />
      <div className="grow">
        <div className="hit-head">
          <Text fw={600} className="hit-name" title={hit.url ?? name}>
            {hit.heading !== null && kind === 'crawl' ? `${name}, ${hit.heading}` : name}
          </Text>
          {hit.jobId !== null && (
            <Anchor
              fw={500}
              size="sm"
              className="hit-place"
              aria-label={t.openAt(name, place)}
              renderRoot={(props) => (
                <Link
                  {...props}
                  to="/items/of/$jobId"
                  params={{ jobId: hit.jobId ?? '' }}
                  search={{ chunk: hit.chunkId }}
                />
              )}
            >
              <Icon name={icon} size={14} />
              {place}
            </Anchor>
          )}
          {hit.kind !== 'text' && (
            <Text size="sm" c="dimmed">
              {texts.common.chunkKinds[hit.kind] ?? hit.kind}
            </Text>
          )}
          {hit.originalText !== undefined && (
            <Text size="sm" c="dimmed">
              {t.corrected}
            </Text>
          )}
        </div>
        <div className="hit-text">{withHighlights(hit)}</div>
      </div>
    </article>
  );
}

/** Where in its source a hit is: a second, a web page, or the page of a document. */
function searchHitPlace({ startSeconds, url, page, jobId }: SearchHit): { kind: Kind; icon: IconName; place: string } {
  const t = searchTexts;
  if (jobId === null) return { kind: 'other', icon: 'message-square-plus', place: t.contribution };
  if (startSeconds !== undefined) {
    return { kind: 'transcribe', icon: 'play', place: t.play(clockTime(startSeconds)) };
  }
  if (url !== null) return { kind: 'crawl', icon: 'globe', place: t.onThePage };
  return { kind: 'read', icon: 'file-text', place: t.page(formatWholeNumber(page)) };
}

/** `tidemills.example/notes` of an address. */
function shortUrl(url: string): string {
  return url.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '');
}

function withHighlights({ snippet, highlights }: SearchHit) {
  let at = 0;
  const parts = [...highlights]
    .sort((one, other) => one.start - other.start)
    .flatMap(({ start, end }) => {
      const before = snippet.slice(at, start);
      at = end;
      return [before, <mark key={start}>{snippet.slice(start, end)}</mark>];
    });
  return [...parts, snippet.slice(at)];
}
