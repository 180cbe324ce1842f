import { Icon } from './icon.tsx';
import type { Work } from './work.ts';

/** The tile of some work, in the stone of its kind. `big` is for the head of a job. */
export function KindTile({
  work: { group, icon },
  big = false,
}: {
  work: Pick<Work, 'group' | 'icon'>;
  big?: boolean;
}) {
  return (
    <span className={`tile k-${group}`} data-size={big ? 'big' : 'small'} aria-hidden="true">
      <Icon name={icon} size={big ? 20 : 16} />
    </span>
  );
}

/** Work in a list: icon and noun. */
export function KindWord({ work: { group, icon, noun } }: { work: Work }) {
  return (
    <span className={`kind k-${group}`}>
      <Icon name={icon} size={14} />
      {noun}
    </span>
  );
}
