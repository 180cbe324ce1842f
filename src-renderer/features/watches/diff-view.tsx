import type { ReactNode } from 'react';
import { watches as texts } from './texts.ts';

const PARTS: Readonly<Record<string, 'ins' | 'del'>> = { '+': 'ins', '-': 'del' };

/** Unified hunks with their lines coloured; signs say the same without colour. */
export function DiffView({ diff }: { diff: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long diff scrolls by the keyboard.
    <section className="diff" aria-label={texts.diff} tabIndex={0}>
      {diff.split('\n').map((line, index) => {
        // Blank lines separate the blocks of Markdown and say nothing of a change.
        if (line.slice(1).trim() === '') return null;
        const sign = line.charAt(0);
        const Part = PARTS[sign] ?? 'span';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified by position only.
          <Part key={index} className="diff-line" data-hunk={sign === '@'}>
            {line}
          </Part>
        );
      })}
    </section>
  );
}
