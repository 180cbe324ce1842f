import { TextInput } from '@mantine/core';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { formatWholeNumber, humanizeName } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { serverText } from '../../language/server-texts.ts';
import {
  type Choice,
  type Crawled,
  type CrawledPage,
  type Folder,
  foldersOf,
  type Shown,
  type SkippedUrl,
} from './crawled.ts';
import { results as texts } from './texts.ts';

interface CrawlTreeProps {
  crawled: Crawled;
  shown: Shown;
  choice: Choice;
  onChoose: (choice: Choice) => void;
  /** Number of chunks of all pages. */
  chunks: number;
}

/** A site up to this size is open at first. */
const OPEN_MAX = 40;

/** Entries of one folder or group shown before the rest is asked for. */
const ENTRIES_SHOWN = 60;

/** The pages of a crawl by folder, and the other addresses by reason. */
export function CrawlTree({ crawled, shown, choice, onChoose, chunks }: CrawlTreeProps) {
  const [typed, setTyped] = useState('');
  const wanted = useDeferredValue(typed.trim().toLowerCase());
  const matches = useMemo(() => {
    const hasWantedText = (text: string) => text.toLowerCase().includes(wanted);
    const isShown = ({ url, title, findings }: CrawledPage) =>
      (hasWantedText(url) || hasWantedText(title)) &&
      (shown !== 'risky' || findings > 0) &&
      (shown !== 'read' || findings === 0);
    const otherSkippedUrls = (entries: readonly SkippedUrl[]) =>
      entries.filter(({ url, reason }) => hasWantedText(url) || hasWantedText(serverText(reason)));
    return {
      folders: shown === 'skipped' || shown === 'failed' ? [] : foldersOf(crawled.pages.filter(isShown)),
      skipped: shown === 'all' || shown === 'skipped' ? otherSkippedUrls(crawled.skipped) : [],
      failed: shown === 'all' || shown === 'failed' ? otherSkippedUrls(crawled.failed) : [],
    };
  }, [crawled, wanted, shown]);
  const t = texts.crawl;
  const isOpen = crawled.pages.length <= OPEN_MAX || wanted !== '' || shown !== 'all';
  return (
    <>
      <TextInput
        className="tree-find"
        aria-label={t.find}
        placeholder={t.find}
        leftSection={<Icon name="search" size={14} />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <nav className="tree" aria-label={t.tree}>
        {wanted === '' && shown === 'all' && (
          <ul className="plain-list">
            <Entry icon="list-tree" current={choice.kind === 'summary'} onChoose={() => onChoose({ kind: 'summary' })}>
              {t.summary}
            </Entry>
            <Entry icon="rows-3" current={choice.kind === 'chunks'} onChoose={() => onChoose({ kind: 'chunks' })}>
              {texts.views.chunks({ count: formatWholeNumber(chunks) })}
            </Entry>
          </ul>
        )}
        <ul className="plain-list" key={`${isOpen}`}>
          {matches.folders.map((folder) => (
            <FolderRow key={folder.path} {...{ folder, choice, onChoose, isOpen }} level={0} opened />
          ))}
        </ul>
        <Others title={t.skippedTitle} icon="ban" entries={matches.skipped} {...{ choice, onChoose }} />
        <Others title={t.failedTitle} icon="file-x" entries={matches.failed} {...{ choice, onChoose }} />
      </nav>
    </>
  );
}

/** The pages of a running crawl, by folder. They can be chosen when the crawl has ended. */
export function LiveTree({ pages }: { pages: readonly CrawledPage[] }): ReactNode {
  const folders = useMemo(() => foldersOf(pages), [pages]);
  return (
    <nav className="tree" aria-label={texts.crawl.tree}>
      <ul className="plain-list">
        {folders.map((folder) => (
          <FolderRow key={folder.path} folder={folder} level={0} opened isOpen={false} />
        ))}
      </ul>
    </nav>
  );
}

interface FolderRowProps {
  folder: Folder;
  level: number;
  /** Open at first. */
  opened?: boolean;
  /** Whether folders inside are open at first. */
  isOpen: boolean;
  /** Absent while the crawl runs. */
  choice?: Choice;
  onChoose?: (choice: Choice) => void;
}

function FolderRow({ folder, level, opened = false, isOpen, ...chosen }: FolderRowProps) {
  const { choice } = chosen;
  const holds = choice?.kind === 'page' && isIn(folder, choice.page);
  const [open, setOpen] = useState(opened || isOpen || holds);
  return (
    <li>
      <button
        type="button"
        className="tree-row"
        style={indentStyle(level)}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'chevron-down' : 'chevron-right'} size={14} />
        <span className="truncate">{folder.name}</span>
        <span className="tree-count">{formatWholeNumber(folder.count)}</span>
      </button>
      {open && (
        <ul className="plain-list">
          <Limited entries={folder.pages} level={level + 1}>
            {(page) => <PageRow key={page.url} page={page} level={level + 1} {...chosen} />}
          </Limited>
          {folder.folders.map((inner) => (
            <FolderRow key={inner.path} folder={inner} level={level + 1} isOpen={isOpen} {...chosen} />
          ))}
        </ul>
      )}
    </li>
  );
}

function isIn(folder: Folder, page: CrawledPage): boolean {
  return folder.pages.includes(page) || folder.folders.some((inner) => isIn(inner, page));
}

const INDENT = 20;

const EDGE = 8;

function indentStyle(level: number) {
  return { paddingInlineStart: EDGE + level * INDENT };
}

function Limited<Item>({
  entries,
  level,
  children,
}: {
  entries: readonly Item[];
  level: number;
  children: (entry: Item) => ReactNode;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? entries : entries.slice(0, ENTRIES_SHOWN);
  return (
    <>
      {shown.map(children)}
      {shown.length < entries.length && (
        <li>
          <button type="button" className="tree-row" style={indentStyle(level)} onClick={() => setAll(true)}>
            {texts.crawl.more({ count: formatWholeNumber(entries.length - shown.length) })}
          </button>
        </li>
      )}
    </>
  );
}

interface PageRowProps extends Pick<FolderRowProps, 'choice' | 'onChoose'> {
  page: CrawledPage;
  level: number;
}

function PageRow({ page, level, choice, onChoose }: PageRowProps) {
  const { url, title, findings } = page;
  return (
    <Entry
      icon="file-text"
      level={level}
      title={url}
      current={choice?.kind === 'page' && choice.page.url === url}
      {...(onChoose === undefined ? {} : { onChoose: () => onChoose({ kind: 'page', page }) })}
      aside={findings > 0 ? <span className="tree-risk">{texts.crawl.risks({ count: findings })}</span> : null}
    >
      {title || URL.parse(url)?.pathname || url}
    </Entry>
  );
}

interface EntryProps {
  icon: IconName;
  level?: number;
  title?: string;
  current: boolean;
  /** Absent where there is nothing to show. */
  onChoose?: () => void;
  aside?: ReactNode;
  children: ReactNode;
}

function Entry({ icon, level = 0, title, current, onChoose, aside, children }: EntryProps) {
  return (
    <li>
      <button
        type="button"
        className="tree-row"
        style={indentStyle(level)}
        title={title}
        {...(current ? { 'aria-current': true } : {})}
        {...(onChoose === undefined ? { disabled: true } : { onClick: onChoose })}
      >
        <Icon name={icon} size={14} />
        <span className="truncate">{children}</span>
        {aside}
      </button>
    </li>
  );
}

interface OthersProps {
  title: string;
  icon: IconName;
  entries: readonly SkippedUrl[];
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** Addresses without a page, by reason. */
function Others({ title, icon, entries, choice, onChoose }: OthersProps) {
  const groups = useMemo(
    () => [...Map.groupBy(entries, ({ verdict }) => verdict)].sort((one, other) => other[1].length - one[1].length),
    [entries],
  );
  if (entries.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="tree-title">{title}</h2>
      <ul className="plain-list">
        {groups.map(([verdict, members]) => (
          <Group key={verdict} {...{ verdict, icon, members, choice, onChoose }} />
        ))}
      </ul>
    </section>
  );
}

interface GroupProps extends Pick<OthersProps, 'icon' | 'choice' | 'onChoose'> {
  verdict: string;
  members: readonly SkippedUrl[];
}

function Group({ verdict, icon, members, choice, onChoose }: GroupProps) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <button type="button" className="tree-row tree-other" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={icon} size={14} />
        <span className="truncate">{texts.crawl.reasons[verdict] ?? humanizeName(verdict)}</span>
        <span className="tree-count">{formatWholeNumber(members.length)}</span>
      </button>
      {open && (
        <ul className="plain-list">
          <Limited entries={members} level={1}>
            {(entry) => (
              <Entry
                key={entry.url}
                icon={icon}
                level={1}
                title={`${entry.url}\n${serverText(entry.reason)}`}
                current={choice.kind === 'skipped' && choice.entry.url === entry.url}
                onChoose={() => onChoose({ kind: 'skipped', entry })}
              >
                {shortUrlPath(entry.url)}
              </Entry>
            )}
          </Limited>
        </ul>
      )}
    </li>
  );
}

/** The path is enough for an address of the same site; others keep their host. */
function shortUrlPath(url: string): string {
  return url.replace(/^https?:\/\//, '');
}
