import { type ReactNode, useId } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface StripPart<Name extends string> {
  name: Name;
  icon: IconName;
  /** A word that administrators know: Timeline, Payment, Webhooks, Request, JSON. */
  title: string;
  /** What it says while closed: "6 steps, 3 min 12 s". */
  note?: ReactNode;
  body: () => ReactNode;
}

interface StripProps<Name extends string> {
  parts: readonly StripPart<Name>[];
  /** The open part; null while all are closed. Keep it in the address, so that a link opens it. */
  open: Name | null;
  onOpen: (name: Name | null) => void;
  /** At the end of the line: "Deleted in 3 days". */
  aside?: ReactNode;
}

/**
 * How the result of a page came about, in one line at the bottom, closed. It opens upward. It is the last element of a
 * page and directly in it, without a `Stack` around: so it stays at the bottom of the window.
 */
export function Strip<Name extends string>({ parts, open, onOpen, aside }: StripProps<Name>) {
  const id = useId();
  const shown = parts.find(({ name }) => name === open);
  return (
    <section className="strip">
      {shown !== undefined && (
        <section className="strip-body" id={id} aria-label={shown.title}>
          {shown.body()}
        </section>
      )}
      <div className="strip-tabs">
        {parts.map(({ name, icon, title, note }) => (
          <button
            key={name}
            type="button"
            className="strip-tab"
            aria-expanded={name === open}
            {...(name === open ? { 'aria-controls': id } : {})}
            onClick={() => onOpen(name === open ? null : name)}
          >
            <Icon name={icon} size={14} />
            <b>{title}</b>
            {note !== undefined && <span>{note}</span>}
          </button>
        ))}
        {aside !== undefined && <span className="strip-aside">{aside}</span>}
      </div>
    </section>
  );
}
