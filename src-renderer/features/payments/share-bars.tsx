import type { ReactNode } from 'react';

interface Share {
  key: string;
  name: ReactNode;
  value: number;
  said: string;
}

/** Sums beside each other, the largest first: the length of a bar is its share of the largest. */
export function ShareBars({ label, shares }: { label: string; shares: readonly Share[] }) {
  const most = Math.max(...shares.map(({ value }) => value), 1);
  return (
    <ul className="shares" aria-label={label}>
      {shares.map(({ key, name, value, said }) => (
        <li key={key}>
          <span className="share-name">{name}</span>
          <span className="share-bar" aria-hidden="true">
            <span style={{ width: `${(100 * value) / most}%` }} />
          </span>
          <span className="figures nowrap">{said}</span>
        </li>
      ))}
    </ul>
  );
}
