import { Alert, Badge, Container, Group, Loader, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type OwnerOverview, readHealth, readOverview } from '../api/client.ts';

const REFRESH_MS = 5000;
const BYTES_PER_MB = 1024 * 1024;

export function Overview() {
  const health = useQuery({ queryKey: ['health'], queryFn: readHealth, refetchInterval: REFRESH_MS });
  const owner = useQuery({ queryKey: ['overview'], queryFn: readOverview, refetchInterval: REFRESH_MS });
  return (
    <Container component="main" size="sm" py="xl">
      <Stack>
        <Group justify="space-between">
          <Title order={1}>Quarry</Title>
          <SignInState signedIn={owner.data === undefined ? null : owner.data !== null} />
        </Group>
        {health.isError && (
          <Alert color="red" title="The server does not answer">
            {health.error.message}
          </Alert>
        )}
        {health.isPending && <Loader aria-label="Asking the server" />}
        {health.data && (
          <Figures
            label="Server"
            rows={[
              ['Version', health.data.version],
              ['Running for', `${health.data.uptimeSeconds} s`],
            ]}
          />
        )}
        {owner.isError && (
          <Alert color="red" title="Signing in failed">
            {owner.error.message}
          </Alert>
        )}
        {owner.data && <Figures label="Work" rows={workRows(owner.data)} />}
        {owner.data === null && <Text>Open the link that Quarry printed when it started to sign in.</Text>}
      </Stack>
    </Container>
  );
}

function SignInState({ signedIn }: { signedIn: boolean | null }) {
  if (signedIn === null) return null;
  return <Badge color={signedIn ? 'green' : 'gray'}>{signedIn ? 'Signed in as owner' : 'Not signed in'}</Badge>;
}

function Figures({ label, rows }: { label: string; rows: [string, string][] }) {
  return (
    <Table aria-label={label} variant="vertical">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function workRows({ queues, pool, memory, disk }: OwnerOverview): [string, string][] {
  const jobs = queues.map(({ environment, running, byStatus }): [string, string] => [
    `Jobs in ${environment}`,
    `${running} running, ${byStatus.queued ?? 0} queued`,
  ]);
  return [
    ...jobs,
    ['Worker threads', `${pool.busy} of ${pool.threads} busy`],
    ['Memory', `${Math.round(memory.residentBytes / BYTES_PER_MB)} MB`],
    ['Free disk', `${Math.round(disk.freeBytes / BYTES_PER_MB)} MB`],
  ];
}
