import { Badge, Button, Grid, Group, NumberInput, Stack, Table, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { SandboxWallet } from '../../api/generated/owner.ts';
import { walletsQuery } from '../../api/queries.ts';
import { formatMoneyAmount, fromMoney } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { notify } from '../../components/notify.ts';
import { CopyId, Empty, Failure, Panel, Skeletons } from '../../components/page-elements.tsx';
import { texts } from '../../texts.ts';
import { payments as paymentsTexts } from './texts.ts';

const DEFAULT_AMOUNT = 100;

const CONFLICT = 409;

/** Play money: balances and faucet. */
export function Sandbox() {
  const environment = useEnvironment();
  const wallets = useQuery(walletsQuery(environment));
  const t = paymentsTexts;
  if (wallets.isPending) return <Skeletons rows={6} />;
  if (wallets.isError) {
    if (wallets.error instanceof ApiError && wallets.error.status === CONFLICT) {
      return (
        <Panel>
          <Empty icon="wallet" title={t.sandboxOff}>
            {t.sandboxOffWhy}
          </Empty>
        </Panel>
      );
    }
    return <Failure error={wallets.error} retry={() => void wallets.refetch()} />;
  }
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Wallets wallets={wallets.data} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Faucet />
      </Grid.Col>
    </Grid>
  );
}

function Wallets({ wallets }: { wallets: readonly SandboxWallet[] }) {
  const t = paymentsTexts;
  return (
    <Panel title={t.wallets}>
      <Table verticalSpacing="sm" aria-label={t.wallets}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.address}</Table.Th>
            <Table.Th ta="right">{t.balance}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {wallets.map(({ address, balance, demo }) => (
            <Table.Tr key={address}>
              <Table.Td>
                <Group gap="sm">
                  <CopyId value={address} label={t.address} />
                  {demo && <Badge variant="default">{t.demo}</Badge>}
                </Group>
              </Table.Td>
              <Table.Td ta="right" className="figures">
                <Money amount={balance} mode="sandbox" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function Faucet() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [address, setAddress] = useState('');
  const [amount, setAmount] = useState<number | string>(DEFAULT_AMOUNT);
  const t = paymentsTexts;
  const give = useMutation({
    mutationFn: () => {
      const body = { amount: fromMoney(Number(amount)), address: address || undefined };
      return requestJson<SandboxWallet>(adminPath(environment, '/sandbox/faucet'), { method: 'POST', body });
    },
    onSuccess: async ({ balance }) => {
      notify({ message: t.given({ amount: `${formatMoneyAmount(balance)} ${texts.money.test}` }) });
      await client.invalidateQueries({ queryKey: walletsQuery(environment).queryKey });
    },
  });
  return (
    <Panel title={t.faucet} about={t.faucetAbout}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          give.mutate();
        }}
      >
        <Stack>
          <TextInput
            label={t.faucetAddress}
            description={t.faucetAddressHint}
            placeholder="0x…"
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
          />
          <NumberInput label={t.amountIn} value={amount} min={0} decimalScale={6} onChange={setAmount} />
          {give.isError && <Failure error={give.error} />}
          <Button type="submit" loading={give.isPending} style={{ alignSelf: 'flex-start' }}>
            {t.give}
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
