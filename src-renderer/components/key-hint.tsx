import type { ReactNode } from 'react';

/** The picture of a key beside what it does. It is no word of the control's name. */
export function KeyHint({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <span aria-hidden="true">
      <kbd className={className}>{children}</kbd>
    </span>
  );
}
