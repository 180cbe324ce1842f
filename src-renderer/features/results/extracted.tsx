import { Text } from '@mantine/core';
import { Code } from '../../components/code.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { clockTime, number, words } from '../../components/format.ts';
import { Panel } from '../../components/page-elements.tsx';
import { readable } from './fields.tsx';
import { type Fields, fieldsOf, listOf, numberOf } from './shapes.ts';
import { results as texts } from './texts.ts';

/** The view of the values that a text model read into a JSON Schema; empty without any. */
export function extractedViews(result: Fields): { value: 'fields'; label: string }[] {
  const extracted = fieldsOf(result.extracted);
  if (extracted === null) return [];
  return [{ value: 'fields', label: texts.views.fields(number(listOf(extracted.fields).length)) }];
}

/** Values with their sources. */
export function ExtractedView({ result }: { result: Fields }) {
  const { model, data, fields } = fieldsOf(result.extracted) ?? {};
  const rows = listOf(fields);
  const columns = [
    { title: texts.extracted.field, cell: ({ path }: Fields) => nameOf(String(path)) },
    {
      title: texts.extracted.value,
      cell: ({ value }: Fields) =>
        value === null ? (
          <Text size="sm" c="dimmed">
            {texts.extracted.notStated}
          </Text>
        ) : (
          readable(value)
        ),
    },
    { title: texts.extracted.source, cell: ({ citations }: Fields) => <Sources citations={listOf(citations)} /> },
  ];
  return (
    <div className="details">
      <Panel title={texts.extracted.title} about={texts.extracted.about(String(model))}>
        <DataTable columns={columns} rows={rows} rowKey={({ path }) => String(path)} />
      </Panel>
      <Panel title={texts.extracted.json}>
        <Code value={JSON.stringify(data, null, 2)} label={texts.extracted.json} maxHeight={320} />
      </Panel>
    </div>
  );
}

/** `/lines/0/unitPrice` as `Lines 1, unit price`. */
function nameOf(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const names = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const shown = names.map((name) => (/^\d+$/.test(name) ? String(Number(name) + 1) : words(name)));
  const joined = shown.map((name, at) =>
    at === 0 ? name : /^\d+$/.test(name) ? ` ${name}` : `, ${name.toLowerCase()}`,
  );
  return joined.join('');
}

function Sources({ citations }: { citations: readonly Fields[] }) {
  return citations.map(({ chunkId, quote, page, seconds }) => {
    const time = numberOf(seconds);
    return (
      <span key={String(chunkId)}>
        “{String(quote)}”{' '}
        <Text span size="sm" c="dimmed">
          {time === null ? texts.page(Number(page)) : clockTime(time)}
        </Text>
      </span>
    );
  });
}
