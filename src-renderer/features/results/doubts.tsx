import type { ReactNode } from 'react';
import type { Doubt } from '../../api/generated/public.ts';
import { clockTime } from '../../components/format.ts';
import { type Fields, numberOrNull, recordList } from './shapes.ts';
import { results as texts } from './texts.ts';

/** Places whose text may be wrong, with page or time; nothing without any. */
export function Doubts({ result }: { result: Fields }): ReactNode {
  const doubts = listDoubts(result);
  const open = doubts.filter(({ isCorrected }) => isCorrected !== true);
  if (doubts.length === 0) return null;
  return (
    <details className="doubts">
      <summary>{open.length === 0 ? texts.doubts.settled(doubts.length) : texts.doubts.count(open.length)}</summary>
      <ul className="plain-list">
        {doubts.map(({ reason, quote, page, startSeconds, isCorrected }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID and never move.
          <li key={index}>
            <q dir="auto">{quote}</q>
            <span className="dim">
              {[
                doubtPlaceText(page, startSeconds),
                texts.doubts.reasons[reason],
                isCorrected === true ? texts.doubts.corrected : '',
              ]
                .filter((text) => text !== '')
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function doubtPlaceText(page: number | undefined, startSeconds: number | undefined): string {
  if (startSeconds !== undefined) return clockTime(startSeconds);
  return page === undefined ? '' : texts.doubts.page(page);
}

/** A mark for a text that may be wrong. */
export function Doubtful({ children }: { children: ReactNode }): ReactNode {
  return (
    <span className="doubtful" title={texts.doubts.mark}>
      {children}
    </span>
  );
}

/** The doubtful texts of a result, as they stand in it. */
export function doubtfulTexts(result: Fields): string[] {
  const open = listDoubts(result).filter(({ isCorrected }) => isCorrected !== true);
  return open.map(({ quote }) => quote.replace(/…$/, ''));
}

function listDoubts(result: Fields): Doubt[] {
  return recordList(result.doubts).flatMap(({ reason, quote, page, startSeconds, endSeconds, isCorrected }) => {
    if (typeof quote !== 'string' || quote === '') return [];
    const place = {
      page: numberOrNull(page),
      startSeconds: numberOrNull(startSeconds),
      endSeconds: numberOrNull(endSeconds),
    };
    const known = Object.entries(place).filter(([, value]) => value !== null);
    return [
      {
        reason: reason as Doubt['reason'],
        quote,
        ...Object.fromEntries(known),
        ...(isCorrected === true && { isCorrected }),
      },
    ];
  });
}
