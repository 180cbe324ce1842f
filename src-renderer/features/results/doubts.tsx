import type { ReactNode } from 'react';
import type { Doubt } from '../../api/generated/public.ts';
import { useForeignText } from '../../components/foreign-text.ts';
import { clockTime } from '../../components/format.ts';
import { type Fields, numberOrNull, recordList } from './shapes.ts';
import { results as texts } from './texts.ts';

/** Places whose text may be wrong, with page or time; nothing without any. */
export function Doubts({ result }: { result: Fields }): ReactNode {
  const foreign = useForeignText();
  const doubts = listDoubts(result);
  const open = doubts.filter(({ isCorrected }) => isCorrected !== true);
  if (doubts.length === 0) return null;
  return (
    <details className="doubts">
      <summary>
        {open.length === 0
          ? texts.doubts.settled({ count: doubts.length })
          : texts.doubts.count({ count: open.length })}
      </summary>
      <ul className="plain-list">
        {doubts.map(({ reason, quote, page, startSeconds, isCorrected }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no ID and never move.
          <li key={index}>
            <q {...foreign}>{quote}</q>
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
  return page === undefined ? '' : texts.doubts.page({ page });
}

/** A mark for a text that may be wrong. */
export function Doubtful({ children }: { children: ReactNode }): ReactNode {
  return (
    <span className="doubtful" title={texts.doubts.mark}>
      {children}
    </span>
  );
}

/** A text that may be wrong, as it stands in a result. */
export interface DoubtfulText {
  text: string;
  /** What stands before a single word; null for a longer text, which no other is like. */
  before: string | null;
}

/** The doubtful texts of a result. */
export function doubtfulTexts(result: Fields): DoubtfulText[] {
  const open = listDoubts(result).filter(({ isCorrected }) => isCorrected !== true);
  return open.map(({ reason, quote, before = '' }) => ({
    text: quote.replace(/…$/, ''),
    before: reason === 'unsure-word' ? before : null,
  }));
}

const IN_WORD = /[\p{L}\p{N}]/u;

/** Where a doubtful text stands in a piece of the document; -1 if it does not, or if several places are equal. */
export function doubtPlace(piece: string, { text, before }: DoubtfulText): number {
  if (before === null) return piece.indexOf(text);
  const sought = before === '' ? text : `${before} ${text}`;
  const places: number[] = [];
  for (let at = piece.indexOf(sought); at >= 0; at = piece.indexOf(sought, at + 1)) {
    const [left = '', right = ''] = [piece[at - 1], piece[at + sought.length]];
    if (!IN_WORD.test(left) && !IN_WORD.test(right)) places.push(at);
  }
  const [place = -1] = places;
  return places.length === 1 ? place + sought.length - text.length : -1;
}

function listDoubts(result: Fields): Doubt[] {
  return recordList(result.doubts).flatMap(({ reason, quote, before, page, startSeconds, endSeconds, isCorrected }) => {
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
        ...(typeof before === 'string' && { before }),
        ...Object.fromEntries(known),
        ...(isCorrected === true && { isCorrected }),
      },
    ];
  });
}
