import { Text } from '@mantine/core';
import { State } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import type { CrawledUrl, CrawlNode } from './crawl-tree.ts';

interface CrawlBranchProps {
  node: CrawlNode;
  chosen: CrawledUrl | null;
  onChoose: (entry: CrawledUrl) => void;
  top?: boolean;
}

/** One level of the tree, and those below it. */
export function CrawlBranch({ node, chosen, onChoose, top = false }: CrawlBranchProps) {
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

/** What became of an address, in a word. */
export function Verdict({ entry }: { entry: CrawledUrl }) {
  const t = texts.jobs.crawl;
  if (entry.skipped !== null)
    return <State tone="idle">{t.verdicts[entry.skipped.verdict] ?? entry.skipped.verdict}</State>;
  if (entry.findings > 0) return <State tone="bad">{t.found(entry.findings)}</State>;
  return <State tone="good">{t.read}</State>;
}
