import { Icon } from './icon.tsx';
import { KINDS, type Kind } from './work.ts';

/** The tile of a kind of work, in its stone. `big` is for the head of a job. */
export function KindTile({ kind, big = false }: { kind: Kind; big?: boolean }) {
  return (
    <span className={`tile k-${kind}`} data-size={big ? 'big' : 'small'} aria-hidden="true">
      <Icon name={KINDS[kind].icon} size={big ? 20 : 16} />
    </span>
  );
}

/** A kind of work in a list: icon and noun. */
export function KindWord({ kind }: { kind: Kind }) {
  return (
    <span className={`kind k-${kind}`}>
      <Icon name={KINDS[kind].icon} size={14} />
      {KINDS[kind].noun}
    </span>
  );
}
