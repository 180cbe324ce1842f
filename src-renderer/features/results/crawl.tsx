import { Anchor, Group, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { Code } from '../../components/code.tsx';
import { bytes, number, words } from '../../components/format.ts';
import { CopyId, Facts, Figure, Panel } from '../../components/page-elements.tsx';
import { State } from '../../components/state.tsx';
import { texts } from '../../texts.ts';
import { type Fields, fieldsOf, listOf, numberOf } from './shapes.ts';

type Shown = 'all' | 'pages' | 'findings' | 'skipped';

const KEPT: Record<Shown, (one: CrawledUrl) => boolean> = {
  all: () => true,
  pages: ({ page }) => page !== null,
  findings: ({ findings }) => findings > 0,
  skipped: ({ page }) => page === null,
};

/** A crawl result: a tree of all URLs with their skip reasons, and the details of each page. */
export function CrawlViewer({ result }: { result: Fields }) {
  const urls = useMemo(() => crawledUrlsOf(result), [result]);
  const [shown, setShown] = useState<Shown>('all');
  const [chosen, setChosen] = useState<CrawledUrl | null>(urls.find(({ page }) => page !== null) ?? null);
  const tree = useMemo(() => treeOf(urls.filter(KEPT[shown])), [urls, shown]);
  const t = texts.jobs.crawl;
  const count = (kind: Shown) => number(urls.filter(KEPT[kind]).length);
  return (
    <>
      <Group gap="md" grow>
        <Figure label={t.pages} value={count('pages')} note={t.rootNote(String(result.rootUrl ?? ''))} />
        <Figure label={t.skipped} value={count('skipped')} note={t.skippedNote} />
        <Figure
          label={t.findings}
          value={count('findings')}
          note={t.findingsNote}
          {...(urls.some(KEPT.findings) ? { tone: 'bad' as const } : {})}
        />
      </Group>
      <div className="crawl">
        <Panel
          title={t.tree}
          aside={
            <SegmentedControl
              size="xs"
              aria-label={t.show}
              value={shown}
              data={Object.entries(t.filters).map(([value, label]) => ({ value, label }))}
              onChange={(value) => setShown(value as Shown)}
            />
          }
        >
          <div className="list-body crawl-tree">
            <CrawlBranch node={tree} chosen={chosen} onChoose={setChosen} top />
          </div>
        </Panel>
        {chosen !== null && <CrawlPage chosen={chosen} result={result} />}
      </div>
      <Outputs result={result} />
    </>
  );
}

/** The site summary for LLM prompts and the crawl details. */
function Outputs({ result }: { result: Fields }) {
  const context = fieldsOf(result.context);
  const stats = fieldsOf(result.stats) ?? {};
  const agents = listOf(fieldsOf(result.guardrails)?.aiAgents).filter(({ allowed }) => allowed === false);
  const t = texts.jobs.crawl;
  return (
    <>
      {typeof context?.digest === 'string' && (
        <Panel title={t.digest} about={t.digestAbout(number(numberOf(context.tokens) ?? 0))}>
          <Code value={context.digest} label={t.digest} maxHeight={260} />
        </Panel>
      )}
      <Panel title={t.run}>
        <Facts
          rows={[
            [t.urlsSeen, number(numberOf(stats.urlsSeen) ?? 0)],
            [t.bytes, bytes(numberOf(stats.bytes) ?? 0)],
            [t.endedBy, String(stats.endedBy ?? '–')],
            [t.withoutText, number(numberOf(stats.withoutText) ?? 0)],
            [t.boilerplate, number(numberOf(stats.boilerplateBlocks) ?? 0)],
            [t.agents, agents.length === 0 ? t.noAgents : agents.map(({ agent }) => String(agent)).join(', ')],
          ]}
        />
      </Panel>
    </>
  );
}

const KEYWORDS = 8;

/** The details of one URL. */
function CrawlPage({ chosen, result }: { chosen: CrawledUrl; result: Fields }) {
  const { page, skipped } = chosen;
  const t = texts.jobs.crawl;
  return (
    <Panel title={String(page?.title ?? chosen.url)}>
      <Stack gap="md">
        <Verdict entry={chosen} />
        <CopyId value={chosen.url} full label={t.address} />
        {skipped !== null && <Text size="sm">{skipped.reason}</Text>}
        {page !== null && <PageFacts chosen={chosen} page={page} result={result} />}
        {chosen.guardrails !== null && <Findings guardrails={chosen.guardrails} />}
      </Stack>
    </Panel>
  );
}

function PageFacts({ chosen, page, result }: { chosen: CrawledUrl; page: Fields; result: Fields }) {
  const t = texts.jobs.crawl;
  const weighed = listOf(fieldsOf(result.search)?.pages).find(({ url }) => url === chosen.url);
  const context = listOf(fieldsOf(result.context)?.pages).find(({ url }) => url === chosen.url);
  const keywords = listOf(weighed?.keywords).slice(0, KEYWORDS);
  const rows: [string, ReactNode][] = [
    [t.status, String(page.status)],
    [t.depth, String(page.depth)],
    [t.language, String(page.language ?? '–')],
    [t.bytes, bytes(numberOf(page.bytes) ?? 0)],
    [t.links, number(Array.isArray(page.links) ? page.links.length : 0)],
    [t.linkRank, String(weighed?.linkRank ?? '–')],
    [t.tokens, number(numberOf(context?.tokens) ?? 0)],
    [t.keywords, keywords.map(({ term }) => String(term)).join(', ') || '–'],
  ];
  return (
    <>
      {typeof page.description === 'string' && <Text size="sm">{page.description}</Text>}
      <Facts rows={rows} />
    </>
  );
}

/** Detector results of a page, including "none found", so that the reader knows the check ran. */
function Findings({ guardrails }: { guardrails: Fields }) {
  const t = texts.jobs.crawl;
  const signs = listOf(guardrails.signs);
  const personal = listOf(guardrails.personalData);
  const listed = (value: unknown) => (Array.isArray(value) && value.length > 0 ? value.map(textOf).join(', ') : t.none);
  return (
    <section aria-label={t.guardrails}>
      <Text fw={600} size="sm" mb={6}>
        {t.guardrails}
      </Text>
      {signs.length === 0 && <Text size="sm">{t.noSigns}</Text>}
      <List size="sm" mb="sm">
        {signs.map((sign, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: signs may repeat and never move.
          <List.Item key={index}>
            <State tone={sign.confidence === 'high' ? 'bad' : 'warn'}>{words(String(sign.kind))}</State>{' '}
            {t.signIn(words(String(sign.where)).toLowerCase(), String(sign.confidence))}
            {typeof sign.excerpt === 'string' && <q className="excerpt">{sign.excerpt}</q>}
          </List.Item>
        ))}
      </List>
      <Facts
        rows={[
          [t.personal, personal.map(({ kind, count }) => `${words(String(kind))}: ${count}`).join(', ') || t.none],
          [t.aiUse, listed(guardrails.aiUse)],
          [t.robots, listed(guardrails.robots)],
          [t.licence, licenceOf(guardrails.licence)],
          [t.topics, listed(guardrails.sensitiveTopics)],
        ]}
      />
    </section>
  );
}

/** A directive or topic: a string or an object with details. */
function textOf(value: unknown): string {
  const fields = fieldsOf(value);
  return fields === null
    ? String(value)
    : Object.values(fields)
        .filter((one) => one !== null)
        .join(': ');
}

function licenceOf(licence: unknown): ReactNode {
  if (licence === null || licence === undefined) return texts.jobs.crawl.none;
  const text = textOf(licence);
  return /^https:\/\//.test(text) ? (
    <Anchor href={text} target="_blank" rel="noreferrer" size="sm">
      {text}
    </Anchor>
  ) : (
    text
  );
}

interface CrawlBranchProps {
  node: CrawlNode;
  chosen: CrawledUrl | null;
  onChoose: (entry: CrawledUrl) => void;
  top?: boolean;
}

/** A branch of the tree. */
function CrawlBranch({ node, chosen, onChoose, top = false }: CrawlBranchProps) {
  return (
    <ul {...(top ? { className: 'tree' } : {})}>
      {[...node.children.values()].map((child) => (
        <li key={child.name}>
          {child.entry === null ? (
            <Text span c="dimmed" size="sm" className="tree-folder">
              {child.name}/
            </Text>
          ) : (
            <Leaf name={child.name} entry={child.entry} current={child.entry.url === chosen?.url} onChoose={onChoose} />
          )}
          {child.children.size > 0 && <CrawlBranch node={child} chosen={chosen} onChoose={onChoose} />}
        </li>
      ))}
    </ul>
  );
}

interface LeafProps {
  name: string;
  entry: CrawledUrl;
  current: boolean;
  onChoose: (entry: CrawledUrl) => void;
}

function Leaf({ name, entry, current, onChoose }: LeafProps) {
  return (
    <button
      type="button"
      className="leaf"
      title={entry.url}
      {...(current ? { 'aria-current': true } : {})}
      onClick={() => onChoose(entry)}
    >
      <span className="truncate">{name}</span>
      <Verdict entry={entry} />
    </button>
  );
}

/** The status of a URL in one word. */
function Verdict({ entry }: { entry: CrawledUrl }) {
  const t = texts.jobs.crawl;
  if (entry.skipped !== null)
    return <State tone="idle">{t.skipReasons[entry.skipped.verdict] ?? entry.skipped.verdict}</State>;
  if (entry.findings > 0) return <State tone="bad">{t.found(entry.findings)}</State>;
  return <State tone="good">{t.read}</State>;
}

/** URLs of a crawl with their status. */

interface CrawledUrl {
  url: string;
  /** Null if the URL was skipped. */
  page: Fields | null;
  guardrails: Fields | null;
  /** The skip reason; null for a page. */
  skipped: { verdict: string; reason: string } | null;
  /** Number of prompt injection signs and kinds of personal data. */
  findings: number;
}

interface CrawlNode {
  name: string;
  entry: CrawledUrl | null;
  children: Map<string, CrawlNode>;
}

function crawledUrlsOf(result: Fields): CrawledUrl[] {
  const guardrails = new Map(listOf(fieldsOf(result.guardrails)?.pages).map((entry) => [String(entry.url), entry]));
  const pages = listOf(result.pages).map((page): CrawledUrl => {
    const found = guardrails.get(String(page.url)) ?? null;
    const findings = listOf(found?.signs).length + listOf(found?.personalData).length;
    return { url: String(page.url), page, guardrails: found, skipped: null, findings };
  });
  const skipped = listOf(result.skipped).map((one): CrawledUrl => {
    const why = { verdict: String(one.verdict ?? ''), reason: String(one.reason ?? '') };
    return { url: String(one.url), page: null, guardrails: null, skipped: why, findings: 0 };
  });
  return [...pages, ...skipped];
}

/** Shows the full URL if its path is already in use or empty: `/guide/` beside `/guide`. */
function addFullUrl(node: CrawlNode, entry: CrawledUrl): void {
  node.children.set(entry.url, { name: entry.url, entry, children: new Map() });
}

/** Builds a tree of URLs by path. */
function treeOf(urls: readonly CrawledUrl[]): CrawlNode {
  const root: CrawlNode = { name: '', entry: null, children: new Map() };
  for (const entry of urls) {
    const url = URL.parse(entry.url);
    if (url === null) {
      addFullUrl(root, entry);
      continue;
    }
    const parts = [url.host, ...url.pathname.split('/').filter((part) => part !== '')];
    if (url.search !== '') parts.push(url.search);
    let node = root;
    for (const part of parts) {
      const next = node.children.get(part) ?? { name: part, entry: null, children: new Map() };
      node.children.set(part, next);
      node = next;
    }
    if (node.entry === null) node.entry = entry;
    else addFullUrl(node, entry);
  }
  return root;
}
