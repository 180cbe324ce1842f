import { Alert, Badge, Box, Grid, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEnvironment } from '../../api/client.ts';
import type { OperationForm } from '../../api/operations.ts';
import { jobRecordQuery, operationsQuery, pricesQuery } from '../../api/queries.ts';
import { money } from '../../components/format.ts';
import { Empty, Failure, PageHead, Panel, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { sourceFileQuery } from './run-again.ts';
import { RunForm } from './run-form.tsx';

const route = getRouteApi('/run/$');

/** All operations with their forms. */
export function Run() {
  const environment = useEnvironment();
  const { _splat: id } = useParams({ strict: false });
  const operations = useQuery(operationsQuery());
  const prices = useQuery(pricesQuery(environment));
  const priced = operations.data?.map((operation) => {
    const current = prices.data?.find(({ operationId }) => operationId === operation.id);
    return current === undefined ? operation : { ...operation, amount: String(current.amount) };
  });
  const chosen = priced?.find((operation) => operation.id === id) ?? priced?.[0];
  return (
    <>
      <PageHead title={texts.run.title} />
      {operations.isPending && <Skeletons rows={8} />}
      {operations.isError && <Failure error={operations.error} retry={() => void operations.refetch()} />}
      {priced?.length === 0 && (
        <Panel>
          <Empty icon="play" title={texts.run.noOperations} />
        </Panel>
      )}
      {priced !== undefined && chosen !== undefined && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 3 }}>
            <Operations operations={priced} chosen={chosen.id} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 9 }}>
            <ChosenForm key={`${environment} ${chosen.id}`} operation={chosen} />
          </Grid.Col>
        </Grid>
      )}
    </>
  );
}

function ChosenForm({ operation }: { operation: OperationForm }) {
  const environment = useEnvironment();
  const { from } = route.useSearch({ shouldThrow: false } as never) as { from?: string };
  const earlier = useQuery({ ...jobRecordQuery(environment, from ?? ''), enabled: from !== undefined });
  const file = useQuery({ ...sourceFileQuery(environment, earlier.data), enabled: earlier.data !== undefined });
  if (from !== undefined && (earlier.isPending || file.isPending) && !earlier.isError) return <Skeletons rows={6} />;
  const lost = operation.takesFile && earlier.data?.request.file !== undefined && file.data == null;
  return (
    <Stack gap="md">
      {lost && <Alert color="orange" title={texts.run.fileGone} />}
      <RunForm operation={operation} start={fieldsOf(earlier.data?.request, operation)} startFile={file.data ?? null} />
    </Stack>
  );
}

/** The fields of a previous request that this form has. */
function fieldsOf(request: Record<string, unknown> | undefined, operation: OperationForm): Record<string, unknown> {
  const known = new Set(Object.keys(operation.schema.properties ?? {}));
  return Object.fromEntries(Object.entries(request ?? {}).filter(([name]) => known.has(name) && name !== 'file'));
}

function Operations({ operations, chosen }: { operations: OperationForm[]; chosen: string }) {
  const navigate = useNavigate();
  const groups = [...new Set(operations.map(({ group }) => group))];
  return (
    <Box component="nav" aria-label={texts.run.operations}>
      <Select
        hiddenFrom="md"
        aria-label={texts.run.operations}
        data={operations.map(({ id }) => id)}
        value={chosen}
        allowDeselect={false}
        onChange={(id) => id !== null && void navigate({ to: '/run/$', params: { _splat: id } })}
      />
      <Stack gap="md" visibleFrom="md">
        {groups.map((group) => (
          <div key={group}>
            <Text size="sm" c="dimmed" fw={600} mb={4} px={12}>
              {group}
            </Text>
            {operations
              .filter((operation) => operation.group === group)
              .map((operation) => (
                <Link
                  key={operation.id}
                  to="/run/$"
                  params={{ _splat: operation.id }}
                  className="operation"
                  {...(operation.id === chosen ? { 'aria-current': 'page' as const } : {})}
                >
                  <Group justify="space-between" wrap="nowrap" gap="xs">
                    <Text size="sm" fw={600} className="truncate">
                      {operation.id}
                    </Text>
                    <Badge variant="default" size="sm" className="price">
                      {operation.amount === null ? texts.run.free : money(operation.amount)}
                    </Badge>
                  </Group>
                  <Text size="xs" c="dimmed">
                    {operation.summary}
                  </Text>
                </Link>
              ))}
          </div>
        ))}
      </Stack>
    </Box>
  );
}
