import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { Feed } from '../../api/generated/owner.ts';
import { watchesKey } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { number } from '../../components/format.ts';
import { resumeName } from '../../components/made-by-key.tsx';
import { toast } from '../../components/toast.tsx';
import { watches as all, folders, feeds as texts } from './texts.ts';
import { addressOf } from './watch-words.tsx';

export function feedName({ name, title, url }: Feed): string {
  return name ?? title ?? addressOf(url);
}

export function feedWork({ recipe }: Feed): string {
  return texts.works[recipe.operation] ?? recipe.operation;
}

export function entryCounts({ counts }: Feed): string {
  const said = folders.counts(number(counts.completed), number(counts.failed));
  const open = counts.waiting + counts.processing;
  return open === 0 ? said : `${said}, ${folders.open(number(open))}`;
}

/** What can be done with a feed. */
export function useFeedActions(feed: Feed, onRemoved: () => void = () => {}) {
  const environment = useEnvironment();
  const params = { path: { feedId: feed.feedId }, query: queryIn(environment, {}) };
  const renews = [watchesKey(environment)];
  const next = feed.status === 'active' ? 'paused' : 'active';
  const status = useChange(() => owner.PATCH('/admin/feeds/{feedId}', { params, body: { status: next } }), { renews });
  const run = useChange(() => owner.POST('/admin/feeds/{feedId}/run', { params }), {
    renews,
    onDone: () => toast({ icon: 'play', message: texts.started }),
  });
  const remove = useChange(() => owner.DELETE('/admin/feeds/{feedId}', { params }), { renews, onDone: onRemoved });
  return {
    status,
    statusName: next === 'paused' ? all.pause : resumeName(feed, all.resume),
    run,
    remove: () =>
      askFirst({
        title: texts.removeTitle,
        about: texts.removeAbout(feedName(feed)),
        yes: all.remove,
        no: all.keep,
        onYes: () => remove.mutate(),
      }),
  };
}
