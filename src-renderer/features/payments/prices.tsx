import { Button, NumberInput, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import type { Price } from '../../api/generated/owner.ts';
import { pricesQuery } from '../../api/queries.ts';
import { DataCell, DataFrame } from '../../components/data-table.tsx';
import { fromMoney, joinTexts, toMoney } from '../../components/format.ts';
import { KindTile } from '../../components/kind.tsx';
import { Money } from '../../components/money.tsx';
import { notify } from '../../components/notify.ts';
import { Empty, Failure, Panel, Skeletons } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { operationName, workOfOperation } from '../../components/work.ts';
import { perLanguage } from '../../language/locale.ts';
import { texts } from '../../texts.ts';
import { run as runTexts } from '../run/texts.ts';
import { payments as paymentsTexts } from './texts.ts';

const HEADS = perLanguage(
  () =>
    ({
      operation: { title: paymentsTexts.names.operation },
      price: { title: paymentsTexts.price },
      window: { title: paymentsTexts.window },
      save: { title: texts.common.save, titleHidden: true, align: 'right' },
    }) as const,
);

/** Prices of all operations. Each edited row has Save and Undo. */
export function Prices() {
  const environment = useEnvironment();
  const prices = useQuery(pricesQuery(environment));
  const t = paymentsTexts;
  return (
    <Panel title={t.tabs.prices} about={t.pricesAbout}>
      {prices.isPending && <Skeletons rows={6} />}
      {prices.isError && <Failure error={prices.error} retry={() => void prices.refetch()} />}
      {prices.data?.length === 0 && <Empty icon="wallet" title={runTexts.noOperations} />}
      {prices.data !== undefined && prices.data.length > 0 && (
        <DataFrame heads={Object.values(HEADS())}>
          {prices.data.map((price) => (
            <PriceRow key={`${environment} ${price.operationId}`} price={price} />
          ))}
        </DataFrame>
      )}
    </Panel>
  );
}

interface Terms {
  amount: number;
  timeoutSeconds: number;
}

interface Change {
  to: Terms;
  /** The values that Undo restores; null while Undo runs. */
  before: Terms | null;
}

/** Unsaved input of a row. An empty field is an empty string. */
interface Typed {
  amount?: number | string;
  timeoutSeconds?: number | string;
}

function withoutSentTerms({ amount, timeoutSeconds }: Typed, sent: Terms): Typed {
  return {
    ...omitUndefined({
      amount: amount === undefined || fromMoney(Number(amount)) === sent.amount ? undefined : amount,
      timeoutSeconds:
        timeoutSeconds === undefined || Number(timeoutSeconds) === sent.timeoutSeconds ? undefined : timeoutSeconds,
    }),
  };
}

function PriceRow({ price }: { price: Price }) {
  const environment = useEnvironment();
  const client = useQueryClient();
  const [typed, setTyped] = useState<Typed>({});
  const { amount = toMoney(price.amount), timeoutSeconds = price.timeoutSeconds } = typed;
  const t = paymentsTexts;
  const operation = operationName(price.operationId);
  const save = useMutation({
    mutationFn: ({ to }: Change) =>
      requestJson(adminPath(environment, `/prices/${price.operationId}`), { method: 'PUT', body: to }),
    onSuccess: async (_, { to, before }) => {
      if (before !== null) {
        const onUndo = () => save.mutate({ to: before, before: null });
        showToast({ id: `price ${price.operationId}`, message: t.saved({ operation }), onUndo });
      }
      await client.invalidateQueries({ queryKey: pricesQuery(environment).queryKey });
      // Keep the focus and the input typed while the request ran.
      setTyped((all) => withoutSentTerms(all, to));
    },
    onError: (error) => notify({ color: 'red', message: error.message }),
  });
  const changed = fromMoney(Number(amount)) !== price.amount || Number(timeoutSeconds) !== price.timeoutSeconds;
  const submitPrice = () => {
    const before = { amount: price.amount, timeoutSeconds: price.timeoutSeconds };
    save.mutate({ to: { amount: fromMoney(Number(amount)), timeoutSeconds: Number(timeoutSeconds) }, before });
  };
  return (
    <Table.Tr role="row">
      <DataCell head={HEADS().operation} named={false}>
        <PricedOperation price={price} />
      </DataCell>
      <DataCell head={HEADS().price}>
        <NumberInput
          w={130}
          aria-label={`${t.price}: ${operation}`}
          value={amount}
          min={0}
          step={0.01}
          decimalScale={6}
          onChange={(next) => setTyped((all) => ({ ...all, amount: next }))}
        />
        <Text size="xs" c="dimmed">
          {t.declared} <Money amount={price.declared.amount} />
          {price.history.length > 0 ? joinTexts(['', t.history({ count: price.history.length })]) : ''}
        </Text>
      </DataCell>
      <DataCell head={HEADS().window}>
        <NumberInput
          w={110}
          aria-label={`${t.window}: ${operation}`}
          value={timeoutSeconds}
          min={30}
          allowDecimal={false}
          onChange={(next) => setTyped((all) => ({ ...all, timeoutSeconds: next }))}
        />
      </DataCell>
      <DataCell head={HEADS().save}>
        <Button
          size="xs"
          disabled={!changed || amount === ''}
          loading={save.isPending}
          aria-label={t.savePrice({ operation })}
          onClick={submitPrice}
        >
          {texts.common.save}
        </Button>
      </DataCell>
    </Table.Tr>
  );
}

function PricedOperation({ price: { operationId, summary } }: { price: Price }) {
  return (
    <div className="priced">
      <KindTile work={workOfOperation(operationId)} />
      <div>
        <div className="label">{operationName(operationId)}</div>
        <div className="small dim">
          {summary} <code>{operationId}</code>
        </div>
      </div>
    </div>
  );
}
