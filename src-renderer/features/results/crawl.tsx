import { Group, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Code } from '../../components/code.tsx';
import { bytes, number } from '../../components/format.ts';
import { Facts, Figure, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { CrawlBranch } from './crawl-branch.tsx';
import { CrawlPage } from './crawl-page.tsx';
import { type CrawledUrl, crawledUrlsOf, treeOf } from './crawl-tree.ts';
import { type Fields, fieldsOf, listOf, numberOf } from './shapes.ts';

type Shown = 'all' | 'pages' | 'findings' | 'skipped';

const KEPT: Record<Shown, (one: CrawledUrl) => boolean> = {
  all: () => true,
  pages: ({ page }) => page !== null,
  findings: ({ findings }) => findings > 0,
  skipped: ({ page }) => page === null,
};

/** A crawl: every address with its verdict, as the tree that addresses are, and what was found on each page. */
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

/** What the crawl is for: a digest for a model's context, and how the run went. */
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
