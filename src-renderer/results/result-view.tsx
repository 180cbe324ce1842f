import { Alert, List, Stack, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Job } from '../api/types.ts';
import { Icon } from '../components/icon.tsx';
import { Panel } from '../components/parts.tsx';
import { texts } from '../texts.ts';
import { ChunkViewer } from './chunk-viewer.tsx';
import { CrawlViewer } from './crawl-viewer.tsx';
import { FieldsPanel, words } from './generic-viewer.tsx';
import { MediaViewer, Transcript } from './media-viewer.tsx';
import { chunksOf, type Fields, fieldsOf, filesOf, linesOf, listOf, mediaOf, peaksOf } from './shapes.ts';

/** Fields with a viewer of their own; the rest is shown as names and values. */
const VIEWED = new Set([
  'chunks',
  'segments',
  'files',
  'warnings',
  'comments',
  'changes',
  'waveform',
  'peaks',
  'pages',
  'guardrails',
  'skipped',
  'content',
  'captions',
  'previews',
  'audio',
]);

/** Shows a result by what it holds. */
export function ResultView({ job }: { job: Job }) {
  const result = job.result as Fields;
  const files = useMemo(() => filesOf(job), [job]);
  const chunks = chunksOf(result);
  const lines = linesOf(result);
  const media = mediaOf(files);
  const pages = listOf(result.pages);
  const warnings = Array.isArray(result.warnings) ? result.warnings.map(String) : [];
  const pdf = files.find(({ name }) => name.toLowerCase().endsWith('.pdf'));
  const captions = files.find(({ name }) => name.endsWith('.vtt'));
  const plain = Object.entries(result).filter(([name, value]) => !VIEWED.has(name) && fieldsOf(value) === null);
  const groups = Object.entries(result).filter(([name, value]) => !VIEWED.has(name) && fieldsOf(value) !== null);
  return (
    <Stack gap="md">
      {warnings.length > 0 && <Warnings warnings={warnings} />}
      {typeof result.content === 'string' && (
        <Panel title={texts.jobs.text}>
          <div className="chunk-text">{result.content}</div>
        </Panel>
      )}
      {media !== null && <MediaViewer media={media} lines={lines} peaks={peaksOf(result)} captions={captions} />}
      {media === null && lines.length > 0 && <Transcript lines={lines} time={-1} onSeek={() => {}} />}
      {pages.length > 0 && pages[0]?.url !== undefined && <CrawlViewer result={result} />}
      {groups.map(([name, value]) => (
        <FieldsPanel key={name} title={words(name)} fields={fieldsOf(value) as Fields} />
      ))}
      {plain.length > 0 && <FieldsPanel title={texts.jobs.details} fields={Object.fromEntries(plain)} />}
      {chunks.length > 0 && <ChunkViewer chunks={chunks} pdfUrl={pdf?.url ?? null} />}
      <Revisions title={texts.jobs.comments} entries={listOf(result.comments)} />
      <Revisions title={texts.jobs.changes} entries={listOf(result.changes)} />
    </Stack>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <Alert color="orange" variant="light" icon={<Icon name="warning" />} title={texts.jobs.warnings} className="alert">
      <List size="sm">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** Comments and tracked changes, each with its author and what it is about. */
function Revisions({ title, entries }: { title: string; entries: Fields[] }) {
  if (entries.length === 0) return null;
  return (
    <Panel title={title} flush>
      <div className="table-wrap">
        <Table verticalSpacing="xs">
          <Table.Tbody>
            {entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id and never move.
              <Table.Tr key={index}>
                <Table.Td className="nowrap">
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
