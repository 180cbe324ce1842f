import type { ReactNode } from 'react';
import { countedPages, isReadWhole, leftOutOf, NAMED_MAX } from '../../../src-server/platform/text/account-words.ts';
import type { LeftOut, SourceAccount } from '../../api/generated/public.ts';
import { useForeignText } from '../../components/foreign-text.ts';
import { formatElapsedTime, formatWholeNumber, joinTexts } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { inSentence } from '../../language/locale.ts';
import { type Fields, objectFields } from './shapes.ts';
import { results as texts } from './texts.ts';

/** What the source held and where it went, in one line, with what was left out on demand. */
export function AccountLine({ result }: { result: Fields }): ReactNode {
  const account = parseSourceAccount(result.account);
  const letters = parseSourceAccount(result.letters);
  if (account === null)
    return result.account === null ? <p className="source-account">{texts.account.uncounted}</p> : null;
  const both = [account, ...(letters === null ? [] : [letters])];
  const line = accountLine(both, readText(account, countedPages(objectFields(result.document)) ?? 1));
  const unexplained = both
    .filter((one) => one.unexplained > 0)
    .map((one) => texts.account.unexplained({ amount: amountText(one.unexplained, one.unit) }));
  const entries = both.flatMap((one) =>
    one.leftOut.filter(({ count }) => count > 0).map((entry) => ({ ...entry, unit: one.unit })),
  );
  return (
    <div className="source-account" role="note" aria-label={texts.account.label}>
      {entries.length === 0 ? (
        <p>{line}</p>
      ) : (
        <details>
          <summary>{line}</summary>
          <ul className="plain-list">
            {entries.map((entry, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID and never move.
              <Entry key={index} {...entry} />
            ))}
          </ul>
        </details>
      )}
      {unexplained.map((text) => (
        <p key={text} className="account-open">
          <Icon name="triangle-alert" size={14} />
          {text}
        </p>
      ))}
    </div>
  );
}

function Entry({ reason, count, where, sample, unit }: LeftOut & { unit: SourceAccount['unit'] }) {
  const foreign = useForeignText();
  return (
    <li>
      <span>{texts.account.reasons[reason]}</span>
      <span className="dim">{where}</span>
      <span className="dim">{amountText(count, unit)}</span>
      {sample !== undefined && sample !== '' && (
        <q {...foreign} className="dim">
          {sample}
        </q>
      )}
    </li>
  );
}

/** `All 14 pages read. Left out: 312 letters (repeated header or footer)`. */
function accountLine(accounts: readonly SourceAccount[], read: string): string {
  const t = texts.account;
  const left = accounts.flatMap((one) =>
    leftOutOf(one).map(([reason, count]) =>
      t.entry({ amount: amountText(count, one.unit), reason: inSentence(t.reasons[reason]) }),
    ),
  );
  const shown = left.length > NAMED_MAX + 1 ? left.slice(0, NAMED_MAX) : left;
  const rest = left.length - shown.length;
  const list = joinTexts(rest > 0 ? [...shown, t.others({ count: rest })] : shown);
  return left.length === 0 ? read : t.leftOut({ read, list });
}

function readText(account: SourceAccount, pages: number): string {
  const t = texts.account;
  const { unit, source, delivered } = account;
  const amount = amountText(source, unit);
  if (!isReadWhole(account)) {
    if (unit === 'seconds') return t.partHeard({ part: amountText(delivered, unit), amount });
    return t.part({ part: formatWholeNumber(delivered), amount });
  }
  if (unit === 'seconds') return t.wholeHeard({ amount });
  if (unit === 'letters' && pages > 1) return t.whole({ amount: t.amounts.pages({ count: pages }) });
  return source < 2 ? t.some({ amount }) : t.whole({ amount });
}

/** `312 letters`, `1 cell`, `2 min 5 s`. */
function amountText(count: number, unit: SourceAccount['unit']): string {
  return unit === 'seconds' ? formatElapsedTime(count * 1000) : texts.account.amounts[unit]({ count });
}

function parseSourceAccount(value: unknown): SourceAccount | null {
  const fields = objectFields(value);
  return fields !== null && Array.isArray(fields.leftOut) ? (value as SourceAccount) : null;
}
