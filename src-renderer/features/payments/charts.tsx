import type { ReactNode } from 'react';
import type { PaymentSummary } from '../../api/generated/owner.ts';
import type { MoneyKind } from '../../api/names.ts';
import { serverNow } from '../../api/server-time.ts';
import { formatMoneyAmount, shortDate } from '../../components/format.ts';
import { Money, modeOf } from '../../components/money.tsx';
import { Bars } from '../../components/plots.tsx';
import { texts } from '../../texts.ts';
import { payments as paymentsTexts } from './texts.ts';

const DAY_MS = 86_400_000;

/** Sums per day, including days without payments. Play money is hatched, real money is copper. */
export function DayBars({ sums: { money: kind, byDay, from, to } }: { sums: PaymentSummary }): ReactNode {
  const plays = kind === 'play';
  const t = paymentsTexts;
  const known = new Map(byDay.map(({ day, amount }) => [day, Number(amount)]));
  const first = Math.floor(Date.parse(from) / DAY_MS);
  const last = Math.floor((Date.parse(to) - 1) / DAY_MS);
  const rows = Array.from({ length: last - first + 1 }, (_, index) => {
    const day = new Date((first + index) * DAY_MS).toISOString().slice(0, 10);
    return { at: shortDate(`${day}T12:00:00`, serverNow()), amount: known.get(day) ?? 0 };
  });
  const paymentSumText = (amount: number) =>
    plays ? `${formatMoneyAmount(amount)} ${texts.money.test}` : formatMoneyAmount(amount);
  return (
    <Bars
      rows={rows}
      series={[{ name: 'amount', label: t.amountIn, colour: plays ? 'play' : 'var(--q-copper)' }]}
      label={t.perDay}
      top={paymentSumText(Math.max(...rows.map(({ amount }) => amount)))}
      format={paymentSumText}
    />
  );
}

interface Share {
  key: string;
  name: ReactNode;
  /** In the 6-decimal unit. */
  amount: string;
  payments: number;
}

/** Sums as bars, largest first. The length is the share of the largest. */
export function ShareBars(props: { label: string; kind: MoneyKind; shares: readonly Share[] }): ReactNode {
  const { label, kind, shares } = props;
  const most = Math.max(...shares.map(({ amount }) => Number(amount)), 1);
  return (
    <ul className="shares" aria-label={label}>
      {shares.map(({ key, name, amount, payments }) => (
        <li key={key} title={paymentsTexts.count({ payments })}>
          <span className="share-name">{name}</span>
          <span className="share-bar" data-play={kind === 'play'} aria-hidden="true">
            <span style={{ width: `${(100 * Number(amount)) / most}%` }} />
          </span>
          <Money amount={amount} mode={modeOf(kind)} />
        </li>
      ))}
    </ul>
  );
}
