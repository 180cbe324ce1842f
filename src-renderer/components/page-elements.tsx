import {
  ActionIcon,
  Alert,
  Box,
  Button,
  Center,
  CopyButton,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { useTimedText } from '../api/server-time.ts';
import { texts } from '../texts.ts';
import { fullTime, shortId, timeAgo } from './format.ts';
import { Icon, type IconName } from './icon.tsx';

/** ID of the page heading, which names the page for screen readers. */
export const PAGE_TITLE = 'page-title';

/** Page heading with an optional subtitle and actions. */
export function PageHead({ title, about, children }: { title: string; about?: string; children?: ReactNode }) {
  useDocumentTitle(`${title} · Quarry`);
  return (
    <Group justify="space-between" align="flex-start" wrap="wrap" gap="sm" mb="lg">
      <Box className="page-words">
        <Title order={1} id={PAGE_TITLE} className="written">
          {title}
        </Title>
        {about !== undefined && (
          <Text c="dimmed" mt={2}>
            {about}
          </Text>
        )}
      </Box>
      {children !== undefined && <Group gap="sm">{children}</Group>}
    </Group>
  );
}

/** Renders server text: field names are between backticks. */
function withCode(text: string): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts are identified by position only.
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}

/** A section with a heading. */
export function Panel(props: {
  title?: string;
  about?: string;
  aside?: ReactNode;
  children: ReactNode;
  flush?: boolean;
}) {
  const { title, about, aside, children, flush = false } = props;
  return (
    <Paper component="section" className="panel" withBorder aria-label={title}>
      {title !== undefined && (
        <Group justify="space-between" px="md" py="sm" className="panel-head" wrap="wrap" gap="xs">
          <Box className="panel-words">
            <Title order={2} className="written">
              {title}
            </Title>
            {about !== undefined && (
              <Text size="sm" c="dimmed">
                {withCode(about)}
              </Text>
            )}
          </Box>
          {aside}
        </Group>
      )}
      <Box p={flush ? 0 : 'md'}>{children}</Box>
    </Paper>
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
      <Text span ff="monospace" size="sm" title={value} {...(full ? { className: 'break' } : {})}>
        {full ? value : shortId(value)}
      </Text>
      <Copy value={value} label={label} />
    </Group>
  );
}

export function Copy({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={copied ? texts.common.copied : texts.common.copy(label)}
          onClick={(event) => {
            event.stopPropagation();
            event.preventDefault();
            copy();
          }}
        >
          <Icon name={copied ? 'check' : 'copy'} size={14} />
        </ActionIcon>
      )}
    </CopyButton>
  );
}

/** An empty state with the next step. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <Center py={48} px="md">
      <Stack align="center" gap={6} maw={460} ta="center">
        <Box c="dimmed">
          <Icon name={icon} size={32} />
        </Box>
        <Text fw={600}>{title}</Text>
        {children !== undefined && (
          <Text component="div" size="sm" c="dimmed">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

/** An error with the server's text and a retry button. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const fields = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const message = error instanceof Error ? error.message : texts.common.unknownError;
  // The message repeats the first field error, so show it once.
  const isOfField = fields[0] !== undefined && message.startsWith(`${fields[0].path}: `);
  const title = titleOf(error);
  const more = message.startsWith(`${title}. `) ? message.slice(title.length + '. '.length) : message;
  return (
    <Alert color="red" variant="light" icon={<Icon name="warning" />} title={title} role="alert" className="alert">
      <Stack gap="xs" align="flex-start">
        {!isOfField && <Text size="sm">{more}</Text>}
        {fields.map(({ path, message: said }) => (
          // A field can have several errors.
          <Text size="sm" key={`${path} ${said}`}>
            <code>{path}</code>: {said}
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

function titleOf(error: unknown): string {
  if (!(error instanceof ApiError)) return texts.common.failed;
  return error.status === 0 ? texts.common.unreachable : (error.problem.title ?? texts.common.failed);
}

/** Placeholder for rows that are loading. */
export function Loading({ rows = 4, height = 20 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="sm" p="md" role="status">
      <VisuallyHidden>{texts.common.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are equal and never move.
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  );
}

/** A figure with its label. */
export function Figure(props: { label: string; value: ReactNode; note?: ReactNode; tone?: 'good' | 'bad' | 'busy' }) {
  const { label, value, note, tone } = props;
  return (
    <Paper withBorder p="md" className="panel figure">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text className="figure-value" {...(tone ? { c: `var(--${tone})` } : {})}>
        {value}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        {note ?? '\u00a0'}
      </Text>
    </Paper>
  );
}

export type Tone = 'good' | 'bad' | 'busy' | 'idle' | 'warn';

/** A status as shape, word and colour. */
export function State({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`state state-${tone}`}>
      <span className="state-dot" aria-hidden="true" />
      {children}
    </span>
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
