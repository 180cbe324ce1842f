import { Table, Text } from '@mantine/core';
import { useState } from 'react';
import { recordOf } from '../../../src-server/platform/records.ts';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { Panel } from '../../components/page-elements.tsx';
import { serverText } from '../../language/server-texts.ts';
import { FieldsPanel, factName } from './fields.tsx';
import { type Fields, objectFields, recordList } from './shapes.ts';
import { results as texts } from './texts.ts';

/** Fields with a view of their own. The rest are names and values. */
const VIEWED = new Set([
  'account',
  'analysis',
  'audio',
  'captions',
  'changes',
  'chapters',
  'chunks',
  'comments',
  'content',
  'digest',
  'extracted',
  'doubts',
  'files',
  'frames',
  'letters',
  'previews',
  'segments',
  'warnings',
]);

/** What a result says beyond its content: comments, changes, and all facts. */
export function Details({ result }: { result: Fields }) {
  const rest = Object.entries(result).filter(([name]) => !VIEWED.has(name));
  const plain = rest.filter(([, value]) => objectFields(value) === null);
  const groups = rest.filter(([, value]) => objectFields(value) !== null);
  return (
    <div className="details">
      <Revisions title={texts.comments} entries={recordList(result.comments)} />
      <Revisions title={texts.changes} entries={recordList(result.changes)} />
      {groups.map(([name, value]) => (
        <FieldsPanel
          key={name}
          title={(Object.hasOwn(texts.groups, name) ? texts.groups[name] : undefined) ?? factName(name)}
          fields={recordOf(value)}
        />
      ))}
      {plain.length > 0 && <FieldsPanel title={texts.otherFacts} fields={Object.fromEntries(plain)} />}
    </div>
  );
}

/** Warnings shown before the rest is asked for. */
const WARNINGS_SHOWN = 2;

/** What could not be read or heard, above the content. */
export function Warnings({ result }: { result: Fields }) {
  const [all, setAll] = useState(false);
  const warnings = Array.isArray(result.warnings) ? result.warnings.map(String) : [];
  if (warnings.length === 0) return null;
  const shown = all ? warnings : warnings.slice(0, WARNINGS_SHOWN);
  return (
    <div className="note note-wait" role="note" aria-label={texts.warnings}>
      <Icon name="triangle-alert" />
      <ul>
        {shown.map((warning, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: warnings may repeat and never move.
          <li key={index}>{serverText(warning)}</li>
        ))}
        {shown.length < warnings.length && (
          <li>
            <button type="button" className="link-button" onClick={() => setAll(true)}>
              {texts.moreWarnings({ count: formatWholeNumber(warnings.length - shown.length) })}
            </button>
          </li>
        )}
      </ul>
    </div>
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
                      {texts.on} “{String(entry.anchor)}”
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
