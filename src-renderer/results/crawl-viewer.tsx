import { Badge, Group, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { number } from '../components/format.ts';
import { Facts, Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import { readable } from './generic-viewer.tsx';
import { type Fields, fieldsOf, listOf } from './shapes.ts';

interface Node {
  name: string;
  page: Fields | null;
  children: Map<string, Node>;
}

/** A crawl: its pages as the tree of their addresses, what was found in each, and what was left out with the reason. */
export function CrawlViewer({ result }: { result: Fields }) {
  const pages = useMemo(() => listOf(result.pages), [result]);
  const guardrails = useMemo(() => byUrl(listOf(fieldsOf(result.guardrails)?.pages ?? result.guardrails)), [result]);
  const [chosen, setChosen] = useState<Fields | null>(pages[0] ?? null);
  const tree = useMemo(() => treeOf(pages), [pages]);
  const skipped = listOf(result.skipped);
  const findings = chosen === null ? undefined : guardrails.get(String(chosen.url));
  return (
    <>
      <Group align="stretch" gap="md" grow wrap="wrap" preventGrowOverflow={false}>
        <Panel title={`${texts.jobs.crawl}: ${number(pages.length)}`} about={texts.jobs.crawlTree}>
          <div className="list-body" style={{ maxHeight: 460 }}>
            <Branch node={tree} chosen={chosen} onChoose={setChosen} top />
          </div>
        </Panel>
        {chosen !== null && (
          <Panel title={String(chosen.title ?? chosen.url)}>
            <Facts rows={plainRows({ ...chosen, ...(findings ?? {}) })} />
          </Panel>
        )}
      </Group>
      {skipped.length > 0 && (
        <Panel title={`${texts.jobs.skipped}: ${number(skipped.length)}`} flush>
          <div className="table-wrap">
            <Table>
              <Table.Tbody>
                {skipped.map((one) => (
                  <Table.Tr key={String(one.url)}>
                    <Table.Td className="break">{String(one.url)}</Table.Td>
                    <Table.Td className="nowrap">{String(one.verdict ?? '')}</Table.Td>
                    <Table.Td>{String(one.reason)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        </Panel>
      )}
    </>
  );
}

function plainRows(page: Fields): [string, React.ReactNode][] {
  return Object.entries(page)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .map(([name, value]) => [name, readable(value)]);
}

function byUrl(entries: Fields[]): Map<string, Fields> {
  return new Map(entries.map((entry) => [String(entry.url), entry]));
}

function treeOf(pages: readonly Fields[]): Node {
  const root: Node = { name: '', page: null, children: new Map() };
  for (const page of pages) {
    const url = URL.parse(String(page.url));
    if (url === null) continue;
    const parts = [url.host, ...url.pathname.split('/').filter((part) => part !== '')];
    if (url.search !== '') parts.push(url.search);
    let node = root;
    for (const part of parts) {
      const next = node.children.get(part) ?? { name: part, page: null, children: new Map() };
      node.children.set(part, next);
      node = next;
    }
    node.page = page;
  }
  return root;
}

interface BranchProps {
  node: Node;
  chosen: Fields | null;
  onChoose: (page: Fields) => void;
  top?: boolean;
}

function Branch({ node, chosen, onChoose, top = false }: BranchProps) {
  return (
    <ul {...(top ? { className: 'tree' } : {})}>
      {[...node.children.values()].map((child) => (
        <li key={child.name}>
          {child.page === null ? (
            <Text span c="dimmed" size="sm">
              {child.name}
            </Text>
          ) : (
            <PageButton node={child} page={child.page} current={child.page === chosen} onChoose={onChoose} />
          )}
          {child.children.size > 0 && <Branch node={child} chosen={chosen} onChoose={onChoose} />}
        </li>
      ))}
    </ul>
  );
}

interface PageButtonProps {
  node: Node;
  page: Fields;
  current: boolean;
  onChoose: (page: Fields) => void;
}

function PageButton({ node, page, current, onChoose }: PageButtonProps) {
  return (
    <button
      type="button"
      className="line"
      style={{ display: 'flex' }}
      {...(current ? { 'aria-current': true } : {})}
      onClick={() => onChoose(page)}
    >
      <span className="truncate">{node.name}</span>
      {page.status !== undefined && <Badge variant="default">{String(page.status)}</Badge>}
    </button>
  );
}
