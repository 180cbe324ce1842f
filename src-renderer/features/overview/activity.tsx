import { Anchor, SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../api/client.ts';
import type { Activity as ActivityAnswer } from '../../api/generated/owner.ts';
import { activityQuery } from '../../api/queries.ts';
import { serverNow } from '../../api/server-time.ts';
import { choicesOf } from '../../components/choices.ts';
import { clockOfDay, formatMoneyAmount, formatWholeNumber, shortDate } from '../../components/format.ts';
import { Money, modeOf, usePlayMoney } from '../../components/money.tsx';
import { Failure, Panel, Skeletons } from '../../components/page-elements.tsx';
import { Bars, FigureLine } from '../../components/plots.tsx';
import { type Sum, sumOf } from '../../components/work.ts';
import { texts } from '../../texts.ts';
import { payments as paymentsTexts } from '../payments/texts.ts';

type Range = ActivityAnswer['range'];

type Bucket = ActivityAnswer['buckets'][number];

const t = texts.overview.activity;

/** Jobs and earnings over time: the last 24 hours or 30 days. */
export function Activity(): ReactNode {
  const [range, setRange] = useState<Range>('month');
  // The plots of the other range stay until the new ones are there.
  const activity = useQuery({ ...activityQuery(useEnvironment(), range), placeholderData: keepPreviousData });
  const choice = (
    <SegmentedControl size="xs" aria-label={t.range} value={range} data={choicesOf(t.ranges)} onChange={setRange} />
  );
  return (
    <Panel band title={t.title} aside={choice}>
      {activity.isPending && <Skeletons rows={2} height={80} />}
      {activity.isError && <Failure error={activity.error} retry={() => void activity.refetch()} />}
      {activity.data && (
        <div className="activity">
          <Throughput activity={activity.data} />
          <Earnings activity={activity.data} />
        </div>
      )}
    </Panel>
  );
}

/** The name of a bucket on the axis: `14:00`, `22 Nov`. */
function bucketName({ from }: Bucket, range: Range): string {
  return range === 'day' ? clockOfDay(from) : shortDate(from, serverNow());
}

function Throughput({ activity: { range, buckets } }: { activity: ActivityAnswer }) {
  const sums = new Map<string, Sum>();
  const rows = buckets.map((bucket) => {
    const counts = new Map<string, number>([['failed', bucket.failed]]);
    for (const { operationId, completed } of bucket.byOperation) {
      const sum = sumOf(operationId);
      sums.set(sum.key, sum);
      counts.set(sum.key, (counts.get(sum.key) ?? 0) + completed);
    }
    return { at: bucketName(bucket, range), ...Object.fromEntries(counts) } as { at: string } & Record<string, number>;
  });
  const throughputTotal = (name: string) => rows.reduce((sum, row) => sum + (row[name] ?? 0), 0);
  const kinds = [...sums.values()]
    .filter(({ key }) => throughputTotal(key) > 0)
    .toSorted((one, other) => one.place - other.place)
    .map(({ key, label, colour }) => ({ name: key, label, colour }));
  const failed = throughputTotal('failed');
  const sumOfAll = throughputTotalOf(buckets);
  const ended = buckets.map((bucket) => bucket.completed + bucket.failed);
  return (
    <div>
      <FigureLine
        value={formatWholeNumber(sumOfAll)}
        about={t.jobsIn[range]({ count: sumOfAll })}
        aside={failed === 0 ? t.noneFailed : <FailedJobs count={failed} />}
      />
      <Bars
        rows={rows}
        series={failed === 0 ? kinds : [...kinds, { name: 'failed', label: t.failedOnes, colour: 'var(--q-bad)' }]}
        label={t.jobsBy[range]}
        top={t.top[range]({ most: formatWholeNumber(Math.max(...ended)) })}
        legend
      />
    </div>
  );
}

function throughputTotalOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { completed, failed }) => sum + completed + failed, 0);
}

function FailedJobs({ count }: { count: number }) {
  return (
    <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/jobs" search={{ status: 'failed' }} />}>
      {t.failed({ count: formatWholeNumber(count) })}
    </Anchor>
  );
}

/** Play money and real money have a plot each: they are never added. */
function Earnings({ activity }: { activity: ActivityAnswer }) {
  const current = usePlayMoney() ? 'play' : 'real';
  const other = current === 'play' ? 'real' : 'play';
  const hasOther = activity.buckets.some(({ earned }) => Number(earned[other]) > 0);
  return (
    <div className="earnings">
      <Earned activity={activity} kind={current} />
      {hasOther && <Earned activity={activity} kind={other} />}
    </div>
  );
}

function Earned({ activity: { range, buckets }, kind }: { activity: ActivityAnswer; kind: 'play' | 'real' }) {
  const amounts = buckets.map(({ earned }) => Number(earned[kind]));
  const plays = kind === 'play';
  const earnedAmountText = (amount: number) =>
    plays ? `${formatMoneyAmount(amount)} ${texts.money.test}` : formatMoneyAmount(amount);
  return (
    <div>
      <FigureLine
        value={<Money amount={amounts.reduce((sum, amount) => sum + amount, 0)} mode={modeOf(kind)} />}
        about={t.earnedIn[range]}
        aside={plays ? t.playMoney : t.realMoney}
      />
      <Bars
        rows={buckets.map((bucket, index) => ({ at: bucketName(bucket, range), amount: amounts[index] ?? 0 }))}
        series={[{ name: 'amount', label: paymentsTexts.amountIn, colour: plays ? 'play' : 'var(--q-copper)' }]}
        label={t.earnedBy[range][kind]}
        top={t.top[range]({ most: earnedAmountText(Math.max(...amounts)) })}
        format={earnedAmountText}
      />
    </div>
  );
}
