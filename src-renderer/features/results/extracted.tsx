import { Text } from '@mantine/core';
import { Code } from '../../components/code.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { clockTime, formatWholeNumber, humanizeName, joinTexts } from '../../components/format.ts';
import { Panel } from '../../components/page-elements.tsx';
import { readableValue } from './fields.tsx';
import { type Fields, numberOrNull, objectFields, recordList } from './shapes.ts';
import { results as texts } from './texts.ts';

/** The view of the values that a text model read into a JSON Schema; empty without any. */
export function extractedViews(result: Fields): { value: 'fields'; label: string }[] {
  const extracted = objectFields(result.extracted);
  if (extracted === null) return [];
  return [
    { value: 'fields', label: texts.views.fields({ count: formatWholeNumber(recordList(extracted.fields).length) }) },
  ];
}

/** Values with their sources. */
export function ExtractedView({ result }: { result: Fields }) {
  const { model, data, fields } = objectFields(result.extracted) ?? {};
  const rows = recordList(fields);
  const columns = [
    { title: texts.extracted.field, cell: ({ path }: Fields) => extractedFieldName(String(path)) },
    {
      title: texts.extracted.value,
      cell: ({ value }: Fields) =>
        value === null ? (
          <Text size="sm" c="dimmed">
            {texts.extracted.notStated}
          </Text>
        ) : (
          readableValue(value)
        ),
    },
    { title: texts.extracted.source, cell: ({ citations }: Fields) => <Sources citations={recordList(citations)} /> },
  ];
  return (
    <div className="details">
      <Panel title={texts.extracted.title} about={texts.extracted.about({ model: String(model) })}>
        <DataTable columns={columns} rows={rows} rowKey={({ path }) => String(path)} />
      </Panel>
      <Panel title={texts.extracted.json}>
        <Code value={JSON.stringify(data, null, 2)} label={texts.extracted.json} maxHeight={320} />
      </Panel>
    </div>
  );
}

/** `/lines/0/unitPrice` as `Lines 1, unit price`. */
function extractedFieldName(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const shown = names.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : humanizeName(name)));
  const joined = shown.map((name, at) =>
    at === 0 ? name : /^\d+$/.test(name) ? ` ${name}` : joinTexts(['', name.toLowerCase()]),
  );
  return joined.join('');
}

function Sources({ citations }: { citations: readonly Fields[] }) {
  return citations.map(({ chunkId, quote, page, seconds }) => {
    const time = numberOrNull(seconds);
    return (
      <span key={String(chunkId)}>
        “{String(quote)}”{' '}
        <Text span size="sm" c="dimmed">
          {time === null ? texts.page({ page: Number(page) }) : clockTime(time)}
        </Text>
      </span>
    );
  });
}
