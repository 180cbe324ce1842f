import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../api/client.ts';
import type { Payment } from '../api/generated/owner.ts';
import type { MoneyKind } from '../api/names.ts';
import { settlementQuery } from '../api/queries.ts';
import { IS_DEVICE } from '../api/session.ts';
import { texts } from '../texts.ts';
import { formatMoneyAmount } from './format.ts';
import { Icon } from './icon.tsx';

/** Whether payments settle in the sandbox, with play money. True until known: play money never looks like income. */
export function usePlayMoney(): boolean {
  const settlement = useQuery(settlementQuery(useEnvironment()));
  return !IS_DEVICE && (settlement.data === undefined || settlement.data.status.mode === 'sandbox');
}

/** For `Money`, a way of settlement that brings this kind of money. */
export function modeOf(kind: MoneyKind): Payment['mode'] {
  return kind === 'play' ? 'sandbox' : 'onchain';
}

interface MoneyProps {
  /** In the 6-decimal unit. */
  amount: number | string;
  /** How a payment was settled. Without it, the sum is a price under the current settlement. */
  mode?: Payment['mode'];
  /** Shows the asset behind a real sum. */
  unit?: boolean;
}

/**
 * The only way to print a sum: play money always says "test", real money is copper. Never add sums of both modes.
 */
export function Money({ amount, mode, unit = false }: MoneyProps) {
  if (mode === undefined) return <Price amount={amount} unit={unit} />;
  return <Sum amount={amount} unit={unit} plays={mode === 'sandbox'} />;
}

/** Follows the settlement. Rows of a long list give the mode instead, since each price watches a query. */
function Price(props: Omit<SumProps, 'plays'>) {
  return <Sum {...props} plays={usePlayMoney()} />;
}

interface SumProps {
  amount: number | string;
  unit: boolean;
  plays: boolean;
}

function Sum({ amount, unit, plays }: SumProps) {
  return (
    <span className="money" data-real={!plays}>
      {formatMoneyAmount(amount)}
      {plays && <span className="money-test"> {texts.money.test}</span>}
      {unit && ` ${texts.money.asset}`}
    </span>
  );
}

/** The band above the head of every page of the Service half. Absent while payments are real. */
export function SandboxBand() {
  if (!usePlayMoney()) return null;
  return (
    <div className="sandbox" role="note">
      <Icon name="flask-conical" />
      <span>
        <b>{texts.money.sandbox}</b> {texts.money.play} <span className="sandbox-more">{texts.money.noIncome}</span>
      </span>
      <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/payments" search={{ tab: 'settlement' }} />}>
        {texts.money.takeReal}
      </Anchor>
    </div>
  );
}
