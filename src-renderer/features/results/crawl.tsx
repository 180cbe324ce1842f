import { Anchor, SegmentedControl, Skeleton } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import type { Job } from '../../api/generated/public.ts';
import { Code } from '../../components/code.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { formatByteCount, formatWholeNumber, humanizeName, joinTexts } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Facts, Failure, Time } from '../../components/page-elements.tsx';
import { serverText } from '../../language/server-texts.ts';
import { AccountLine } from './account.tsx';
import { ChunkViewer } from './chunks.tsx';
import { CrawlTree } from './crawl-tree.tsx';
import {
  type Choice,
  type Crawled,
  type CrawledPage,
  crawledOf,
  type Shown,
  type SkippedUrl,
  usePageText,
} from './crawled.ts';
import { ReadingText, useReading, useReadingPlace } from './reader.tsx';
import type { ResultProps } from './shapes.ts';
import {
  type Fields,
  type NamedFile,
  numberOrNull,
  objectFields,
  recordList,
  resultChunks,
  resultFiles,
  resultOf,
} from './shapes.ts';
import { StatedFacts } from './stated-facts.tsx';
import { useStickyPane } from './sticky-pane.ts';
import { results as texts } from './texts.ts';

/** A crawl: its pages at the left, the page as read in the middle, what was found in it at the right. */
export function CrawlResult({ job, record, chunkId }: ResultProps) {
  const result = resultOf(job);
  const crawled = useMemo(() => crawledOf(result), [result]);
  const chunks = useMemo(() => resultChunks(result), [result]);
  const files = useMemo(() => resultFiles(job, record), [job, record]);
  const aimed = chunks.find(({ id }) => id === chunkId)?.url;
  const [choice, setChoice] = useState<Choice>(() => firstChoice(crawled, aimed));
  const [shown, setShown] = useState<Shown>('all');
  const side = useStickyPane();
  const chooseCrawlEntry = (next: Choice) => {
    setChoice(next);
    document.querySelector('.crawl-page')?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <>
      <Tally crawled={crawled} shown={shown} onShow={(next) => setShown(shown === next ? 'all' : next)} />
      <div className="result crawl" data-result>
        <div className="crawl-side" ref={side}>
          <CrawlTree {...{ crawled, shown, choice }} onChoose={chooseCrawlEntry} chunks={chunks.length} />
        </div>
        {choice.kind === 'page' && (
          <PageView
            key={choice.page.url}
            {...{ job, chunkId, result, files }}
            page={choice.page}
            pagesFile={files.find(({ name }) => name === 'pages.jsonl')}
          />
        )}
        {choice.kind === 'skipped' && <SkippedView entry={choice.entry} />}
        {choice.kind === 'summary' && <Summary result={result} />}
        {choice.kind === 'chunks' && (
          <div className="crawl-page crawl-wide">
            <ChunkViewer job={job} chunks={chunks} paged={false} chunkId={chunkId} />
          </div>
        )}
      </div>
      <AccountLine result={result} />
    </>
  );
}

function firstChoice({ pages, failed, skipped }: Crawled, aimed: string | undefined): Choice {
  const page = pages.find(({ url }) => url === aimed) ?? pages[0];
  if (page !== undefined) return { kind: 'page', page };
  const entry = failed[0] ?? skipped[0];
  return entry === undefined ? { kind: 'summary' } : { kind: 'skipped', entry };
}

/** How many addresses ended in which way. Each part filters the list. */
function Tally({ crawled, shown, onShow }: { crawled: Crawled; shown: Shown; onShow: (shown: Shown) => void }) {
  const { pages, skipped, failed } = crawled;
  const risky = pages.filter(({ findings }) => findings > 0).length;
  const t = texts.crawl.tally;
  const parts: [Shown, string, number, string][] = [
    ['read', t.read, pages.length - risky, 'var(--q-kind-crawl)'],
    ['risky', t.risky, risky, 'var(--q-bad)'],
    ['skipped', t.skipped, skipped.length, 'var(--q-plot-faint)'],
    ['failed', t.failed, failed.length, 'var(--q-kind-write)'],
  ];
  return (
    <div className="tally">
      <div className="tally-bar" aria-hidden="true">
        {parts.map(([name, , count, colour]) =>
          count === 0 ? null : <i key={name} style={{ flexGrow: count, background: colour }} />,
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of filters, not fields of a form. */}
      <div className="tally-parts" role="group" aria-label={t.label}>
        {parts.map(([name, label, count, colour]) =>
          count === 0 ? null : (
            <button key={name} type="button" aria-pressed={shown === name} onClick={() => onShow(name)}>
              <i style={{ background: colour }} aria-hidden="true" />
              <b>{formatWholeNumber(count)}</b> {label}
            </button>
          ),
        )}
      </div>
    </div>
  );
}

type PageMode = 'page' | 'markdown' | 'links';

interface PageViewProps {
  job: Job;
  chunkId: string | undefined;
  result: Fields;
  files: readonly NamedFile[];
  page: CrawledPage;
  pagesFile: { name: string; url: string } | undefined;
}

/** A page as read, with its findings marked in place. */
function PageView({ job, chunkId, result, files, page, pagesFile }: PageViewProps) {
  const [mode, setMode] = useState<PageMode>('page');
  const chunks = useMemo(() => resultChunks(result).filter(({ url }) => url === page.url), [result, page.url]);
  const read = usePageText(pagesFile, page.url, job.updatedAt);
  const joined = chunks.map(({ text }) => text).join('\n\n');
  const markdown = read.data?.markdown ?? (read.isPending ? undefined : joined);
  const reading = useReading(markdown, chunks);
  const place = useReadingPlace();
  const risky = useMemo(() => riskyPassages(page, read.data?.text ?? ''), [page, read.data]);
  const marks = useMemo(() => ({ words: '', risky }), [risky]);
  const links = Array.isArray(page.fields.links) ? page.fields.links.map(String) : [];
  const t = texts.crawl;
  const path = URL.parse(page.url);
  return (
    <>
      <section className="crawl-page" aria-label={page.title || page.url}>
        <div className="tools">
          <Anchor
            className="crawl-path"
            href={page.url}
            target="_blank"
            rel="noreferrer"
            title={page.url}
            aria-label={t.open({ url: page.url })}
          >
            <span className="truncate">{path === null ? page.url : path.pathname + path.search}</span>
            <Icon name="external-link" size={14} />
          </Anchor>
          <SegmentedControl
            size="xs"
            aria-label={texts.views.label}
            value={mode}
            data={[
              { value: 'page', label: t.modes.page },
              { value: 'markdown', label: t.modes.markdown },
              { value: 'links', label: t.modes.links({ count: formatWholeNumber(links.length) }) },
            ]}
            onChange={setMode}
          />
          <CopyButton text={markdown ?? ''} label={t.copyPage} />
        </div>
        {read.isError && <Failure error={read.error} retry={() => void read.refetch()} />}
        {read.isPending && <Skeleton height={120} />}
        {mode === 'page' && reading !== null && reading.blocks.length === 0 && <p className="dim">{t.noText}</p>}
        {mode === 'page' && reading !== null && reading.blocks.length > 0 && (
          <ReadingText
            {...{ reading, chunkId, marks }}
            jobId={job.jobId}
            handle={place.handle}
            onFirst={place.setFirst}
          />
        )}
        {mode === 'markdown' && <Code value={markdown ?? ''} label={t.modes.markdown} maxHeight={100_000} />}
        {mode === 'links' && <Links links={links} />}
      </section>
      <PageFindings {...{ page, result, files }} />
    </>
  );
}

/** Passages of the text that are signs of an attack. An excerpt may be cut, so the text itself is taken. */
function riskyPassages({ signs }: CrawledPage, text: string): string[] {
  return signs
    .filter(({ where }) => where === 'text')
    .map(({ start, end, excerpt }) => {
      const [from, to] = [numberOrNull(start), numberOrNull(end)];
      return from === null || to === null || text === '' ? String(excerpt ?? '') : text.slice(from, to);
    })
    .flatMap((passage) => passage.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function Links({ links }: { links: readonly string[] }) {
  return (
    <ul className="crawl-links">
      {links.map((link) => (
        <li key={link} className="break">
          {/^https?:\/\//.test(link) ? (
            <Anchor href={link} target="_blank" rel="noreferrer" size="sm">
              {link}
            </Anchor>
          ) : (
            link
          )}
        </li>
      ))}
    </ul>
  );
}

const KEYWORDS = 6;

/** What was found in a page, including "none", so that the reader knows the check ran. */
function PageFindings({ page, result, files }: Pick<PageViewProps, 'page' | 'result' | 'files'>) {
  const { guardrails, signs, fields } = page;
  const personal = recordList(guardrails?.personalData);
  const t = texts.crawl;
  const weighed = recordList(objectFields(result.search)?.pages).find(({ url }) => url === page.url);
  const context = recordList(objectFields(result.context)?.pages).find(({ url }) => url === page.url);
  const keywords = recordList(weighed?.keywords).slice(0, KEYWORDS);
  return (
    <aside className="crawl-findings" aria-label={t.findings}>
      {signs.length > 0 && <Signs signs={signs} />}
      <section aria-label={t.checked}>
        <h2>{t.checked}</h2>
        <ul className="plain-list">
          {signs.length === 0 && <Finding icon="check">{t.noSigns}</Finding>}
          {personal.length === 0 && <Finding icon="check">{t.noPersonal}</Finding>}
          {personal.map(({ kind, count }) => (
            <Finding key={String(kind)} icon="circle-alert" bad>
              {`${t.personal[String(kind)] ?? humanizeName(String(kind))}: ${count}`}
            </Finding>
          ))}
          <Finding icon={hasAny(guardrails?.aiUse) ? 'circle-alert' : 'check'}>
            {hasAny(guardrails?.aiUse) ? t.aiUse({ rules: joinValues(guardrails?.aiUse) }) : t.noAiUse}
          </Finding>
          <Finding icon={guardrails?.licence ? 'info' : 'check'}>
            {guardrails?.licence ? t.licence({ licence: String(guardrails.licence) }) : t.noLicence}
          </Finding>
          {hasAny(guardrails?.robots) && (
            <Finding icon="info">{t.robots({ rules: joinValues(guardrails?.robots) })}</Finding>
          )}
          {recordList(guardrails?.sensitiveTopics).map(({ topic, hits }) => (
            <Finding key={String(topic)} icon="info">
              {t.topic({ topic: t.topics[String(topic)] ?? humanizeName(String(topic)), hits: String(hits) })}
            </Finding>
          ))}
        </ul>
      </section>
      <section aria-label={t.thePage}>
        <h2>{t.thePage}</h2>
        <PageFiles fields={fields} files={files} />
        {typeof fields.description === 'string' && <p className="break">{fields.description}</p>}
        <dl className="page-facts">
          <StatedFacts fields={fields} />
          <Fact name={t.depth} value={t.links({ count: Number(fields.depth ?? 0) })} />
          <Fact name={t.status} value={String(fields.status)} />
          {fields.rendered === true && <Fact name={t.rendered} value={t.wereRun} />}
          <Fact name={t.size} value={formatByteCount(numberOrNull(fields.bytes) ?? 0)} />
          <Fact name={t.tokens} value={formatWholeNumber(numberOrNull(context?.tokens) ?? 0)} />
          <Fact name={t.rank} value={rankText(weighed?.linkRank)} />
          <Fact name={t.about} value={joinTexts(keywords.map(({ term }) => String(term))) || '–'} />
          {typeof fields.fetchedAt === 'string' && <Fact name={t.fetched} value={<Time at={fields.fetchedAt} />} />}
        </dl>
      </section>
    </aside>
  );
}

/** Places of a page that speak to machines. */
function Signs({ signs }: Pick<PageViewProps['page'], 'signs'>) {
  const t = texts.crawl;
  return (
    <section aria-label={t.signs({ count: signs.length })}>
      <h2 className="bad">
        <Icon name="shield-alert" /> {t.signs({ count: signs.length })}
      </h2>
      <p>{t.signsAbout}</p>
      <ul className="plain-list">
        {signs.map((sign, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: signs may repeat and never move.
          <Finding key={index} icon={sign.where === 'text' ? 'eye' : 'ban'}>
            <b>{signName(sign)}</b>
            <span className="dim">{t.confidence[String(sign.confidence)]}</span>
            {typeof sign.excerpt === 'string' && <q>{sign.excerpt}</q>}
          </Finding>
        ))}
      </ul>
    </section>
  );
}

/** The screenshot of a page as a thumbnail, and its PDF. */
function PageFiles({ fields, files }: { fields: Fields; files: readonly NamedFile[] }) {
  const crawlFileByUrl = (url: unknown) =>
    files.find(({ name }) => typeof url === 'string' && url.endsWith(`/${name}`));
  const [screenshot, pdf] = [crawlFileByUrl(fields.screenshot), crawlFileByUrl(fields.pdf)];
  const t = texts.crawl;
  return (
    <>
      {screenshot !== undefined && (
        <a className="page-shot" href={screenshot.url} target="_blank" rel="noreferrer" aria-label={t.openScreenshot}>
          <img src={screenshot.url} alt={t.screenshot} loading="lazy" />
        </a>
      )}
      {pdf !== undefined && (
        <Anchor href={pdf.url} target="_blank" rel="noreferrer" size="sm">
          {t.openPdf}
        </Anchor>
      )}
    </>
  );
}

function signName({ kind, where }: Fields): string {
  const { kinds, places } = texts.crawl;
  return joinTexts([kinds[String(kind)] ?? humanizeName(String(kind)), places[String(where)] ?? String(where)]);
}

function Finding({ icon, bad = false, children }: { icon: IconName; bad?: boolean; children: ReactNode }) {
  return (
    <li data-bad={bad}>
      <Icon name={icon} size={14} />
      <span className="finding-words">{children}</span>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const RANK_DIGITS = 2;

function rankText(value: unknown): string {
  return typeof value === 'number' ? value.toPrecision(RANK_DIGITS) : '–';
}

function hasAny(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function joinValues(value: unknown): string {
  return Array.isArray(value) ? joinTexts(value.map(String)) : '';
}

/** An address without a page, and why. */
function SkippedView({ entry: { url, verdict, reason } }: { entry: SkippedUrl }) {
  return (
    <section className="crawl-page crawl-wide" aria-label={url}>
      <h2 className="crawl-skipped-title">{texts.crawl.reasons[verdict] ?? humanizeName(verdict)}</h2>
      <p className="break">{serverText(reason)}</p>
      <Code value={url} label={texts.crawl.address} />
    </section>
  );
}

/** The site summary for prompts, and the details of the crawl. */
function Summary({ result }: { result: Fields }) {
  const context = objectFields(result.context);
  const stats = objectFields(result.stats) ?? {};
  const agents = recordList(objectFields(result.guardrails)?.aiAgents).filter(({ allowed }) => allowed === false);
  const t = texts.crawl;
  return (
    <section className="crawl-page crawl-wide" aria-label={t.summary}>
      <h2>{t.summary}</h2>
      <p>{t.summaryAbout({ tokens: formatWholeNumber(numberOrNull(context?.tokens) ?? 0) })}</p>
      {typeof context?.digest === 'string' && <Code value={context.digest} label={t.summary} maxHeight={100_000} />}
      <h2>{t.run}</h2>
      <Facts
        rows={[
          [t.urlsSeen, formatWholeNumber(numberOrNull(stats.urlsSeen) ?? 0)],
          [t.size, formatByteCount(numberOrNull(stats.bytes) ?? 0)],
          [t.endedBy, t.ends[String(stats.endedBy)] ?? String(stats.endedBy ?? '–')],
          [t.renderedPages, formatWholeNumber(numberOrNull(objectFields(stats.rendered)?.pages) ?? 0)],
          [t.withoutText, formatWholeNumber(numberOrNull(stats.withoutText) ?? 0)],
          [t.boilerplate, formatWholeNumber(numberOrNull(stats.boilerplateBlocks) ?? 0)],
          [t.agents, agents.length === 0 ? t.noAgents : joinTexts(agents.map(({ agent }) => String(agent)))],
        ]}
      />
      {Array.isArray(result.warnings) && result.warnings.length > 0 && (
        <>
          <h2>{t.warnings}</h2>
          <ul>
            {result.warnings.map((warning) => (
              <li key={String(warning)} className="break">
                {serverText(String(warning))}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
