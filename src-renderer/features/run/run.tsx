import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { OperationForm } from '../../api/operations.ts';
import { jobRecordQuery, operationsQuery, pricesQuery } from '../../api/queries.ts';
import { Empty, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { type Intent, Intents, useIntent } from './intents.tsx';
import { sourceFileQuery } from './run-again.ts';
import { RunForm } from './run-form.tsx';
import { run as runTexts } from './texts.ts';

const route = getRouteApi('/service/api/$');

/** What to run, by intent, and the form of the chosen operation. */
export function Run(): ReactNode {
  const environment = useEnvironment();
  const { _splat: id } = useParams({ strict: false });
  const operations = useQuery(operationsQuery());
  const prices = useQuery(pricesQuery(environment));
  const priced = operations.data?.map((operation) => {
    const current = prices.data?.find(({ operationId }) => operationId === operation.id);
    return current === undefined ? operation : { ...operation, amount: String(current.amount) };
  });
  const chosen = priced?.find((operation) => operation.id === id) ?? priced?.[0];
  const intent = useIntent(chosen?.id);
  return (
    <>
      <PageHead title={runTexts.title} about={runTexts.about} />
      {operations.isPending && <Skeletons rows={8} />}
      {operations.isError && <Failure error={operations.error} retry={() => void operations.refetch()} />}
      {priced?.length === 0 && (
        <Panel>
          <Empty icon="play" title={runTexts.noOperations} />
        </Panel>
      )}
      {priced !== undefined && chosen !== undefined && (
        <Stack gap="md">
          <Intents operations={priced} chosen={intent} chosenId={chosen.id} />
          <ChosenForm key={`${environment} ${chosen.id} ${intent}`} operation={chosen} intent={intent} />
        </Stack>
      )}
    </>
  );
}

function ChosenForm({ operation, intent }: { operation: OperationForm; intent: Intent | undefined }) {
  const environment = useEnvironment();
  const { from } = route.useSearch({ shouldThrow: false } as never) as { from?: string };
  const earlier = useQuery({ ...jobRecordQuery(environment, from ?? ''), enabled: from !== undefined });
  const file = useQuery({ ...sourceFileQuery(environment, earlier.data), enabled: earlier.data !== undefined });
  if (from !== undefined && (earlier.isPending || file.isPending) && !earlier.isError) return <Skeletons rows={6} />;
  const lost = operation.takesFile && earlier.data?.request.file !== undefined && file.data == null;
  return (
    <Stack gap="md">
      {lost && <Alert color="orange" title={runTexts.fileGone} />}
      <RunForm
        key={from ?? ''}
        operation={operation}
        intent={intent}
        start={requestFormFields(earlier.data?.request, operation)}
        startFile={file.data ?? null}
      />
    </Stack>
  );
}

/** The fields of a previous request that this form has. */
function requestFormFields(
  request: Record<string, unknown> | undefined,
  operation: OperationForm,
): Record<string, unknown> {
  const known = new Set(Object.keys(operation.schema.properties ?? {}));
  return Object.fromEntries(Object.entries(request ?? {}).filter(([name]) => known.has(name) && name !== 'file'));
}
