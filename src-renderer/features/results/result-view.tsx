import { Alert, List, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import type { Job, JobRecord } from '../../api/types.ts';
import { words } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import { AudioFacts } from './audio-facts.tsx';
import { ChunkViewer } from './chunks.tsx';
import { CrawlViewer } from './crawl.tsx';
import { FieldsPanel } from './fields.tsx';
import { Frames, MediaViewer } from './media.tsx';
import { Revisions } from './revisions.tsx';
import {
  chunksOf,
  type Fields,
  fieldsOf,
  filesOf,
  framesOf,
  linesOf,
  listOf,
  mediaOf,
  peaksOf,
  sourceMediaOf,
} from './shapes.ts';
import { Transcript } from './transcript.tsx';

/** Fields with a viewer of their own; the rest is shown as names and values. */
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
  /** The chunk to go to, if one was asked for. */
  chunkId: string | undefined;
}

/** Shows a result by what it holds: first what one came for, then facts about it. */
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

/** What can be heard or seen, and what was said. */
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
    <Alert color="orange" variant="light" icon={<Icon name="warning" />} title={texts.jobs.warnings} className="alert">
      <List size="sm">
        {warnings.map((warning, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same may be said of two places, and none moves.
          <List.Item key={index}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
