import { Alert, List, Stack, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { JobRecord } from '../../api/generated/owner.ts';
import type { Job } from '../../api/generated/public.ts';
import { duration, number, words } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Facts, Panel } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { ChunkViewer } from './chunks.tsx';
import { CrawlViewer } from './crawl.tsx';
import { FieldsPanel } from './fields.tsx';
import { Frames, MediaViewer } from './media.tsx';
import {
  chunksOf,
  type Fields,
  fieldsOf,
  filesOf,
  framesOf,
  linesOf,
  listOf,
  mediaOf,
  numberOf,
  peaksOf,
  sourceMediaOf,
} from './shapes.ts';
import { Transcript } from './transcript.tsx';

/** Fields with a viewer of their own. The rest is shown as names and values. */
const VIEWED = new Set([
  'chunks',
  'segments',
  'files',
  'warnings',
  'comments',
  'changes',
  'frames',
  'content',
  'captions',
  'previews',
  'audio',
]);

const VIEWED_OF_SOUND = new Set(['analysis', 'durationSeconds', 'sampleRate', 'channels']);

const VIEWED_OF_CRAWL = new Set(['pages', 'search', 'context', 'guardrails', 'skipped', 'stats', 'rootUrl']);

interface ResultViewProps {
  job: Job;
  record: JobRecord | undefined;
  /** The chunk to scroll to. */
  chunkId: string | undefined;
}

/** Shows a result by its fields: the content first, then the details. */
export function ResultView({ job, record, chunkId }: ResultViewProps) {
  const result = job.result as Fields;
  const chunks = useMemo(() => chunksOf(result), [result]);
  const warnings = Array.isArray(result.warnings) ? result.warnings.map(String) : [];
  const isCrawl = listOf(result.pages)[0]?.url !== undefined;
  const isSound = fieldsOf(result.analysis) !== null;
  const aim = chunks.find(({ id }) => id === chunkId);
  return (
    <Stack gap="md">
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      {typeof result.content === 'string' && (
        <Panel title={texts.jobs.text}>
          <div className="chunk-text">{result.content}</div>
        </Panel>
      )}
      <Recording job={job} record={record} startSeconds={aim?.startSeconds ?? null} />
      {isSound && <AudioFacts result={result} />}
      {isCrawl && <CrawlViewer result={result} />}
      {chunks.length > 0 && (
        <ChunkViewer
          job={job}
          chunks={chunks}
          paged={!isCrawl}
          chunkId={chunkId}
          isPdf={record?.source?.kind === 'pdf'}
        />
      )}
      <Revisions title={texts.jobs.comments} entries={listOf(result.comments)} />
      <Revisions title={texts.jobs.changes} entries={listOf(result.changes)} />
      <Rest
        result={result}
        viewed={(name) =>
          VIEWED.has(name) || (isSound && VIEWED_OF_SOUND.has(name)) || (isCrawl && VIEWED_OF_CRAWL.has(name))
        }
      />
    </Stack>
  );
}

/** The player with transcript and frames. */
function Recording(props: { job: Job; record: JobRecord | undefined; startSeconds: number | null }) {
  const { job, record, startSeconds } = props;
  const environment = useEnvironment();
  const result = job.result as Fields;
  const files = useMemo(() => filesOf(job, record), [job, record]);
  const lines = useMemo(() => linesOf(result), [result]);
  const frames = framesOf(result, files);
  const media = mediaOf(files) ?? sourceMediaOf(environment, record);
  const captions = files.find(({ name }) => name.endsWith('.vtt'));
  const peaks = useMemo(() => peaksOf(result), [result]);
  if (media === null) {
    return (
      <>
        {lines.length > 0 && <Transcript lines={lines} time={-1} />}
        {frames.length > 0 && <Frames frames={frames} />}
      </>
    );
  }
  return <MediaViewer {...{ media, lines, frames, peaks, captions, startSeconds }} />;
}

function Rest({ result, viewed }: { result: Fields; viewed: (name: string) => boolean }) {
  const rest = Object.entries(result).filter(([name]) => !viewed(name));
  const plain = rest.filter(([, value]) => fieldsOf(value) === null);
  const groups = rest.filter(([, value]) => fieldsOf(value) !== null);
  return (
    <>
      {groups.map(([name, value]) => (
        <FieldsPanel key={name} title={texts.jobs.groups[name] ?? words(name)} fields={fieldsOf(value) as Fields} />
      ))}
      {plain.length > 0 && <FieldsPanel title={texts.jobs.details} fields={Object.fromEntries(plain)} />}
    </>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <Alert
      color="orange"
      variant="light"
      icon={<Icon name="triangle-alert" />}
      title={texts.jobs.warnings}
      className="alert"
    >
      <List size="sm">
        {warnings.map((warning, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: warnings may repeat and never move.
          <List.Item key={index}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Comments and tracked changes with author and context. */
function Revisions({ title, entries }: { title: string; entries: Fields[] }) {
  if (entries.length === 0) return null;
  return (
    <Panel title={title}>
      <div className="table-wrap">
        <Table verticalSpacing="xs">
          <Table.Tbody>
            {entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID and never move.
              <Table.Tr key={index}>
                <Table.Td className="nowrap" w={200}>
                  <Text size="sm" fw={600}>
                    {String(entry.author ?? '–')}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {String(entry.kind ?? entry.date ?? '')}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <RevisionText kind={String(entry.kind ?? '')} text={String(entry.text ?? '')} />
                  {entry.anchor != null && (
                    <Text size="sm" c="dimmed">
                      {texts.jobs.on} “{String(entry.anchor)}”
                    </Text>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Panel>
  );
}

function RevisionText({ kind, text }: { kind: string; text: string }) {
  if (kind === 'insertion' || kind === 'move-to') return <ins className="diff-added">{text}</ins>;
  if (kind === 'deletion' || kind === 'move-from') return <del className="diff-removed">{text}</del>;
  return <span>{text}</span>;
}

const SECOND_MS = 1000;

const KILO = 1000;

/** Audio levels of generated sound. */
function AudioFacts({ result }: { result: Fields }) {
  const analysis = fieldsOf(result.analysis) ?? {};
  const t = texts.jobs.audio;
  const measured = (name: string, unit: string): string => {
    const value = numberOf(analysis[name]);
    return value === null ? t.notMeasured : `${value} ${unit}`;
  };
  const channels = numberOf(result.channels);
  const seconds = numberOf(result.durationSeconds);
  const rate = numberOf(result.sampleRate);
  return (
    <Panel title={t.title} about={t.about}>
      <Facts
        rows={[
          [t.length, seconds === null ? t.notMeasured : duration(seconds * SECOND_MS)],
          [t.loudness, `${measured('integratedLufs', 'LUFS')} ${t.goal(String(analysis.targetLufs ?? '–'))}`],
          [t.rms, measured('rmsDbfs', 'dBFS')],
          [t.range, measured('loudnessRangeLu', 'LU')],
          [t.peak, measured('truePeakDbtp', 'dBTP')],
          [t.clipped, number(numberOf(analysis.clippedSamples) ?? 0)],
          [t.format, `${(rate ?? 0) / KILO} kHz, ${channels === 1 ? t.mono : t.stereo}`],
        ]}
      />
    </Panel>
  );
}
