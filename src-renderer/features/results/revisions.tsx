import { Table, Text } from '@mantine/core';
import { Panel } from '../../components/page-elements.tsx';
import { texts } from '../../components/texts.ts';
import type { Fields } from './shapes.ts';

/** Comments and tracked changes, each with its author and what it is about. */
export function Revisions({ title, entries }: { title: string; entries: Fields[] }) {
  if (entries.length === 0) return null;
  return (
    <Panel title={title} flush>
      <div className="table-wrap">
        <Table verticalSpacing="xs">
          <Table.Tbody>
            {entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id and never move.
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
