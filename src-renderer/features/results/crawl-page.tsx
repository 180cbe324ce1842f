import { Anchor, List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytes, number, words } from '../../components/format.ts';
import { CopyId, Facts, Panel, State } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { Verdict } from './crawl-branch.tsx';
import type { CrawledUrl } from './crawl-tree.ts';
import { type Fields, fieldsOf, listOf, numberOf } from './shapes.ts';

const KEYWORDS = 8;

/** One address of a crawl: what was read there, what to beware of, and how it weighs in search. */
export function CrawlPage({ chosen, result }: { chosen: CrawledUrl; result: Fields }) {
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

/** What the detectors say of a page. Nothing found is said too: silence would read as not looked for. */
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
          // biome-ignore lint/suspicious/noArrayIndexKey: two may stand at the same place, and none moves.
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

/** A directive or topic: a word, or an object that says more. */
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
