import type { ReactNode } from 'react';
import {
  accountSentence,
  amountOf,
  countedPages,
  UNCOUNTED,
  unexplainedSentence,
} from '../../../src-server/platform/text/account-words.ts';
import type { LeftOut, SourceAccount } from '../../api/generated/public.ts';
import { Icon } from '../../components/icon.tsx';
import { type Fields, objectFields } from './shapes.ts';
import { results as texts } from './texts.ts';

/** What the source held and where it went, in one line, with what was left out on demand. */
export function AccountLine({ result }: { result: Fields }): ReactNode {
  const account = parseSourceAccount(result.account);
  const letters = parseSourceAccount(result.letters);
  if (account === null) return result.account === null ? <p className="source-account">{UNCOUNTED}</p> : null;
  const both = [account, ...(letters === null ? [] : [letters])];
  const line = accountSentence(account, letters, countedPages(objectFields(result.document)));
  const unexplained = both.flatMap((one) => unexplainedSentence(one) ?? []);
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
  return (
    <li>
      <span>{texts.account.reasons[reason]}</span>
      <span className="dim">{where}</span>
      <span className="dim">{amountOf(count, unit)}</span>
      {sample !== undefined && sample !== '' && (
        <q dir="auto" className="dim">
          {sample}
        </q>
      )}
    </li>
  );
}

function parseSourceAccount(value: unknown): SourceAccount | null {
  const fields = objectFields(value);
  return fields !== null && Array.isArray(fields.leftOut) ? (value as SourceAccount) : null;
}
