import type { ReactNode } from 'react';
import type { PaymentSummary } from '../../api/generated/owner.ts';
import type { MoneyKind } from '../../api/names.ts';
import { dayBefore, localDay } from '../../api/reader-days.ts';
import { serverNow } from '../../api/server-time.ts';
import { formatMoneyAmount, shortDate } from '../../components/format.ts';
import { Money, modeOf } from '../../components/money.tsx';
import { Bars } from '../../components/plots.tsx';
import { texts } from '../../texts.ts';
import { payments as paymentsTexts } from './texts.ts';

/** Sums per day, including days without payments. Play money is hatched, real money is copper. */
export function DayBars({ sums: { money: kind, byDay, from, to } }: { sums: PaymentSummary }): ReactNode {
  const plays = kind === 'play';
  const t = paymentsTexts;
  const known = new Map(byDay.map(({ day, amount }) => [day, Number(amount)]));
  const rows = daysBetween(from, to).map((day) => {
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

/** The days of the reader from one time to another, which is the first one after them. */
function daysBetween(from: string, to: string): string[] {
  const [first, last] = [localDay(from), localDay(Date.parse(to) - 1)];
  const days = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS);
  return Array.from({ length: days + 1 }, (_, index) => dayBefore(Date.parse(to) - 1, days - index));
}

const DAY_MS = 86_400_000;

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
