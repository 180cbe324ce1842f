import type { ReactNode } from 'react';
import type { Account, AccountUsage, LimitsView } from '../../api/generated/owner.ts';
import { Copy } from '../../components/copy.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { formatWholeNumber } from '../../components/format.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Money, modeOf } from '../../components/money.tsx';
import { Time } from '../../components/page-elements.tsx';
import { Sparkline } from '../../components/plots.tsx';
import { perLanguage } from '../../language/locale.ts';
import { accountName, type PlannedAccount } from './change-plan.ts';
import { PlanMenu } from './plan-menu.tsx';
import { limits as limitsTexts } from './texts.ts';

/** From this share of a limit on, its bar warns. */
const CROWDED = 0.8;

/** One line of the table. The owner has no account. */
interface Line {
  account: PlannedAccount | null;
  /** Absent: nothing in the last minute. */
  usage: AccountUsage | undefined;
  /** Absent: nothing in the last hour or today. */
  hour: AccountHour | undefined;
  /** Null: now. */
  lastSeen: string | null;
  /** Null while unknown: the account has only just appeared. */
  paid: Account['paid'] | null;
}

type AccountHour = LimitsView['lastHour']['accounts'][number];

const { columns: titles } = limitsTexts;

/** Listed accounts with their usage, accounts that only the live usage knows first. The owner is the last line. */
function accountUsageLines(
  accounts: readonly Account[],
  { usage, lastHour }: LimitsView,
  isFound: (id: string) => boolean,
) {
  const used = new Map(usage.map((one) => [one.accountId, one]));
  const hours = new Map(lastHour.accounts.map((one) => [one.accountId, one]));
  const listed = new Set(accounts.map(({ accountId }) => accountId));
  const unlisted = usage.filter(({ accountId }) => !listed.has(accountId));
  const lines: Line[] = [
    ...unlisted.map((one) => ({
      account: one,
      usage: one,
      hour: hours.get(one.accountId),
      lastSeen: null,
      paid: null,
    })),
    ...accounts.map((account) => {
      const now = used.get(account.accountId);
      return {
        account,
        usage: now,
        hour: hours.get(account.accountId),
        lastSeen: now === undefined ? account.lastSeen : null,
        paid: account.paid,
      };
    }),
  ];
  return lines.filter(({ account }) => account !== null && isFound(account.accountId));
}

/** Jobs and open requests that count against the concurrency. */
function slotsOf({ jobsProcessing, inlineOpen }: AccountUsage): number {
  return jobsProcessing + inlineOpen;
}

/** Whether an account has used up a limit. A blocked one has none. */
export function isAccountFull(usage: AccountUsage): boolean {
  const { plan, requestsPassed, requestsRefused, allowance } = usage;
  if (plan.plan === 'blocked') return false;
  return (
    requestsRefused > 0 || requestsPassed >= allowance.requestsPerMinute || slotsOf(usage) >= allowance.concurrency
  );
}

interface AccountTableProps {
  accounts: readonly Account[];
  limits: LimitsView;
  /** In lower case; empty for all. */
  search: string;
  onCustom: (account: PlannedAccount) => void;
}

/** All accounts with their usage against their plan. */
export function AccountTable({ accounts, limits, search, onCustom }: AccountTableProps): ReactNode {
  const t = limitsTexts;
  const lines = accountUsageLines(accounts, limits, (id) => id.toLowerCase().includes(search));
  const owner: Line = { account: null, usage: undefined, hour: undefined, lastSeen: null, paid: null };
  const showsOwner = t.you.toLowerCase().includes(search) || t.owner.toLowerCase().includes(search);
  const columns: readonly Column<Line>[] = [
    ...USAGE_COLUMNS(),
    {
      title: titles.plan,
      align: 'right',
      width: 150,
      cell: ({ account }) =>
        account === null ? (
          <span className="label">{t.noLimit}</span>
        ) : (
          <PlanMenu account={account} plans={limits.plans} onCustom={() => onCustom(account)} />
        ),
    },
  ];
  const rows = showsOwner ? [...lines, owner] : lines;
  return (
    <>
      {lines.length === 0 && (
        <p className="dim" role="status">
          {search === '' ? `${t.noAccounts}. ${t.noAccountsWhy}` : t.notFound({ search })}
        </p>
      )}
      {rows.length > 0 && (
        <DataTable
          label={t.title}
          columns={columns}
          rows={rows}
          rowKey={({ account }) => account?.accountId ?? 'owner'}
          wide
        />
      )}
    </>
  );
}

const USAGE_COLUMNS = perLanguage((): readonly Column<Line>[] => [
  { title: titles.account, cell: ({ account }) => <Name account={account} /> },
  {
    title: titles.requests,
    width: 196,
    cell: ({ account, usage }) => (
      <Share
        used={usage?.requestsPassed ?? 0}
        of={account?.allowance.requestsPerMinute}
        label={titles.requests}
        isOver={(usage?.requestsRefused ?? 0) > 0}
      />
    ),
  },
  {
    title: titles.hour,
    width: 126,
    cell: ({ account, hour }) =>
      account === null ? '–' : <Hour hour={hour} limit={account.allowance.requestsPerMinute} />,
  },
  {
    title: titles.slots,
    width: 166,
    cell: ({ account, usage }) => (
      <Share
        used={usage === undefined ? 0 : slotsOf(usage)}
        of={account?.allowance.concurrency}
        label={titles.slots}
        isOver={false}
      />
    ),
  },
  {
    title: titles.refused,
    align: 'right',
    width: 90,
    className: 'figures',
    cell: ({ account, hour }) => (account === null ? '–' : <Refused count={hour?.refusedToday ?? 0} />),
  },
  {
    title: titles.paid,
    align: 'right',
    width: 96,
    className: 'figures',
    cell: ({ account, paid }) => (account === null ? '–' : <PaidInTotal paid={paid} />),
  },
  {
    title: titles.seen,
    align: 'right',
    width: 88,
    cell: ({ lastSeen }) => (
      <span className="faint">{lastSeen === null ? limitsTexts.now : <Time at={lastSeen} />}</span>
    ),
  },
]);

/** Requests of the last hour by minute, as high as the plan allows; minutes with refused requests are red. */
function Hour({ hour, limit }: { hour: AccountHour | undefined; limit: number }) {
  const t = limitsTexts;
  const { passed = [], refused = [] } = hour ?? {};
  const total = [...passed, ...refused].reduce((sum, count) => sum + count, 0);
  if (total === 0) return <span className="faint">{t.noRequests}</span>;
  const label = t.hourOf({
    requests: total,
    most: formatWholeNumber(Math.max(...passed)),
    limit: formatWholeNumber(limit),
  });
  return (
    <span title={label} className="account-hour">
      <Sparkline
        values={passed}
        most={Math.max(1, limit)}
        label={label}
        colourAt={(minute) => ((refused[minute] ?? 0) > 0 ? 'var(--q-bad)' : 'var(--q-line-control)')}
      />
    </span>
  );
}

/** Play money and real money apart: they are never added. */
function PaidInTotal({ paid }: { paid: Account['paid'] | null }) {
  const play = Number(paid?.play ?? 0);
  const real = Number(paid?.real ?? 0);
  if (play + real === 0) return <span className="faint">{limitsTexts.nothingPaid}</span>;
  return (
    <>
      {real > 0 && <Money amount={real} mode={modeOf('real')} />}
      {real > 0 && play > 0 && <br />}
      {play > 0 && <Money amount={play} mode={modeOf('play')} />}
    </>
  );
}

function Refused({ count }: { count: number }) {
  return <span className={count > 0 ? 'at-limit' : 'faint'}>{formatWholeNumber(count)}</span>;
}

function Name({ account }: { account: PlannedAccount | null }) {
  const t = limitsTexts;
  if (account === null) return <Tiled icon="user" name={t.you} about={t.owner} />;
  const { accountId } = account;
  const isAddress = accountId.startsWith('ip:');
  return (
    <Tiled
      icon={isAddress ? 'globe' : 'wallet'}
      name={<span title={accountId}>{accountName(accountId)}</span>}
      about={isAddress ? t.address : t.wallet}
    >
      <Copy value={accountId} label={t.copyName} />
    </Tiled>
  );
}

function Tiled(props: { icon: IconName; name: ReactNode; about: string; children?: ReactNode }) {
  const { icon, name, about, children } = props;
  return (
    <div className="account">
      <span className="tile k-other">
        <Icon name={icon} />
      </span>
      <div className="truncate">
        <div className="label truncate">{name}</div>
        <div className="small faint">{about}</div>
      </div>
      {children}
    </div>
  );
}

interface ShareProps {
  used: number;
  /** Undefined: no limit, and nothing is counted. */
  of: number | undefined;
  label: string;
  isOver: boolean;
}

/** A bar of usage against its limit, with both numbers. */
function Share({ used, of, label, isOver }: ShareProps) {
  const t = limitsTexts;
  if (of === undefined) return <span className="faint">{t.notCounted}</span>;
  const share = of === 0 ? 1 : Math.min(1, used / of);
  const tone = isOver || share === 1 ? 'full' : share > CROWDED ? 'crowded' : 'calm';
  return (
    <div className="usage">
      <meter className="hidden-text" min={0} max={of} value={used} aria-label={label} />
      <span className="usage-bar" data-tone={tone} aria-hidden="true">
        <span style={{ width: `${100 * share}%` }} />
      </span>
      <span className="figures nowrap">{t.of({ used: formatWholeNumber(used), limit: formatWholeNumber(of) })}</span>
    </div>
  );
}
