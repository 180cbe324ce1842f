import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../components/icon.tsx';
import { PageHead } from '../../components/page-elements.tsx';
import { workOfKind } from '../../components/work.ts';
import { MAKE_KINDS, type MakeKind } from '../../pages.ts';
import { listen } from '../listen/texts.ts';
import { make as t } from './texts.ts';

/** The head of Make: what can be made of a text, and listening to what is read. */
export function MakeTabs({ current }: { current: MakeKind | 'listen' }): ReactNode {
  const mark = (isCurrent: boolean) =>
    isCurrent ? { 'aria-current': 'page' as const } : { 'aria-current': undefined };
  return (
    <>
      <PageHead title={t.title} />
      <nav className="make-tabs" aria-label={t.title}>
        {MAKE_KINDS.map((one) => (
          <Link key={one} to="/make/$kind" params={{ kind: one }} search={{}} {...mark(one === current)}>
            <Icon name={workOfKind(one).icon} />
            {t.kinds[one]}
          </Link>
        ))}
        <Link to="/make/listen" {...mark(current === 'listen')}>
          <Icon name="volume-2" />
          {listen.open}
        </Link>
      </nav>
    </>
  );
}
