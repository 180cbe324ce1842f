import { Alert, Button, Group, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ApiError, fieldErrorText } from '../api/client.ts';
import { useTimedText } from '../api/server-time.ts';
import { messages } from '../language/start-messages.ts';
import { texts } from '../texts.ts';
import { Copy } from './copy.tsx';
import { fullTime, shortId, timeAgo } from './format.ts';
import { Icon, type IconName } from './icon.tsx';
import { KindTile } from './kind.tsx';
import { wordsBy } from './literals.ts';
import { TableName } from './table-name.ts';
import type { Work } from './work.ts';

/** ID of the page heading, which names the page for screen readers. */
export const PAGE_TITLE = 'page-title';

/** For a label that is heard and not seen. */
export const HIDDEN_LABEL = { className: 'hidden-text' };

/** A fact about a page or job. A tone colours what needs attention; most facts have none. */
export interface Fact {
  said: ReactNode;
  tone?: 'bad' | 'wait' | 'run' | undefined;
}

/** One line of facts with dots between them; it wraps where there is no room. */
function StateLine({ facts }: { facts: readonly (Fact | string)[] }) {
  const all = facts.map((fact) => (typeof fact === 'string' ? { said: fact, tone: undefined } : fact));
  return (
    <div className="head-state">
      {all.map(({ said, tone }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: facts may repeat and keep their places.
        <span key={index} data-tone={tone}>
          {said}
        </span>
      ))}
    </div>
  );
}

interface PageHeadProps {
  title: string;
  /** One line of state: "2 jobs running", "4 things need you". No description of the page. */
  facts?: readonly (Fact | string)[];
  about?: string;
  /** Actions, at most one of them filled. */
  children?: ReactNode;
}

/** The head of a page: title, one line of state, actions. */
export function PageHead({ title, facts, about, children }: PageHeadProps) {
  useDocumentTitle(`${title} · Quarry`);
  return (
    <header className="head">
      <div className="head-words">
        <Title order={1} id={PAGE_TITLE} className="written" title={title}>
          {title}
        </Title>
        {facts !== undefined && facts.length > 0 && <StateLine facts={facts} />}
        {about !== undefined && <StateLine facts={[about]} />}
      </div>
      {children !== undefined && <div className="head-acts">{children}</div>}
    </header>
  );
}

/** The head of a job: tile of its kind, its name, one line of state, actions. The result begins below it. */
export function JobHead({
  work,
  title,
  facts = [],
  below,
  children,
}: PageHeadProps & { work: Work; below: ReactNode }) {
  useDocumentTitle(`${title} · Quarry`);
  return (
    <header className="head head-job">
      <KindTile work={work} big />
      <Title order={1} id={PAGE_TITLE} className="written" title={title}>
        {title}
      </Title>
      {children !== undefined && <div className="head-acts">{children}</div>}
      <StateLine facts={facts} />
      {below}
    </header>
  );
}

interface NeedProps {
  tone: 'bad' | 'wait' | 'calm';
  icon: IconName;
  /** What: "“Newsletter bot” is not answering". */
  title: ReactNode;
  /** Why, in one line: "Last 9 calls failed, error 500 since 13:20". */
  why: ReactNode;
  /** One small button. */
  children: ReactNode;
}

/** Something that waits for the owner. Goes into `Rows`. */
export function Need({ tone, icon, title, why, children }: NeedProps) {
  return (
    <li className="need" data-tone={tone}>
      <Icon name={icon} />
      <div className="grow">
        <div className="label">{title}</div>
        <div className="small dim">{why}</div>
      </div>
      {children}
    </li>
  );
}

/** A short list with lines between its rows. Its children are `li` elements. */
export function Rows({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <ul className="rows" aria-label={label}>
      {children}
    </ul>
  );
}

/** Renders server text: field names are between backticks. */
function withCode(text: string): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position only.
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

interface PanelProps {
  title?: string;
  about?: string;
  /** At the end of the heading's line: a link or a small control. */
  aside?: ReactNode;
  children: ReactNode;
  /** A full-width layer on the brightest surface, for what a page is about. */
  band?: boolean;
}

/** A section of a page with a heading. It has no box: depth comes from the layers. */
export function Panel({ title, about, aside, children, band = false }: PanelProps) {
  return (
    <section className={band ? 'band' : 'panel'} aria-label={title}>
      {title !== undefined && (
        <div className="section-head">
          <div className="section-words">
            <Title order={2} className="written">
              {title}
            </Title>
            {about !== undefined && (
              <Text size="sm" c="dimmed">
                {withCode(about)}
              </Text>
            )}
          </div>
          {aside}
        </div>
      )}
      <TableName value={title}>{children}</TableName>
    </section>
  );
}

/** A relative time that updates itself, with the full time on hover. */
export function Time({ at, long = false }: { at: string; long?: boolean }) {
  const said = useTimedText((now) => timeAgo(at, now, long));
  const full = fullTime(at);
  return (
    <time dateTime={at} title={full} className="nowrap">
      {said}
    </time>
  );
}

/** A shortened ID or address with a button that copies the full value. */
export function CopyId({ value, full = false, label = 'id' }: { value: string; full?: boolean; label?: string }) {
  return (
    <Group gap={2} wrap="nowrap" className="copy-id">
      <Text span dir="ltr" ff="monospace" size="sm" title={value} {...(full ? { className: 'break' } : {})}>
        {full ? value : shortId(value)}
      </Text>
      <Copy value={value} label={label} />
    </Group>
  );
}

/** An empty state: what is missing, and the button or sentence that leads on. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <span className="faint">
        <Icon name={icon} size={28} />
      </span>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text component="div" size="sm" c="dimmed" className="note-words">
          {children}
        </Text>
      )}
    </div>
  );
}

/** An error with the server's text and a retry button. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const fields = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const message = error instanceof Error ? error.message : texts.common.unknownError;
  // The message repeats the first field error, so show it once.
  const isOfField = fields[0] !== undefined && message.startsWith(`${fields[0].path}: `);
  const title = errorTitle(error);
  const more = message.startsWith(`${title}. `) ? message.slice(title.length + '. '.length) : message;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<Icon name="triangle-alert" />}
      title={title}
      role="alert"
      className="alert"
    >
      <Stack gap="xs" align="flex-start">
        {!isOfField && more !== title && <Text size="sm">{more}</Text>}
        {fields.map(({ path, message: said }) => (
          // A field can have several errors.
          <Text size="sm" key={`${path} ${said}`}>
            <code>{path}</code>: {fieldErrorText(said)}
          </Text>
        ))}
        {retry !== undefined && (
          <Button size="xs" variant="default" onClick={retry}>
            {texts.common.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function errorTitle(error: unknown): string {
  if (!(error instanceof ApiError)) return texts.common.failed;
  if (error.status === 0) return texts.common.unreachable;
  const { code = '', title } = error.problem;
  return wordsBy(messages.errors)[code]?.title ?? title ?? texts.common.failed;
}

/** Placeholder in the shape of what comes. Visible after 300 ms; a screen reader hears it at once. */
export function Skeletons({ rows = 4, height = 20 }: { rows?: number; height?: number }) {
  return (
    <div className="skeletons" role="status">
      <VisuallyHidden>{texts.common.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are equal and never move.
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </div>
  );
}

/** A list of names and values. */
export function Facts({ rows }: { rows: [string, ReactNode][] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat and entries never move.
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
