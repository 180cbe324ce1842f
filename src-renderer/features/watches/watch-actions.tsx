import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { SiteWatch } from '../../api/generated/owner.ts';
import { watchesKey } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { resumeName } from '../../components/made-by-key.tsx';
import { toast } from '../../components/toast.tsx';
import { watches as texts } from './texts.ts';
import { nameOf } from './watch-words.tsx';

/** What can be done with a watch. */
export function useWatchActions(watch: SiteWatch, onRemoved: () => void = () => {}) {
  const environment = useEnvironment();
  const params = { path: { watchId: watch.watchId }, query: queryIn(environment, {}) };
  const renews = [watchesKey(environment)];
  const run = useChange(() => owner.POST('/admin/watches/{watchId}/run', { params }), {
    renews,
    onDone: () => toast({ icon: 'play', message: texts.started }),
  });
  const next = watch.status === 'active' ? 'paused' : 'active';
  const status = useChange(() => owner.PATCH('/admin/watches/{watchId}', { params, body: { status: next } }), {
    renews,
  });
  const remove = useChange(() => owner.DELETE('/admin/watches/{watchId}', { params }), { renews, onDone: onRemoved });
  return {
    isRunning: watch.lastRun?.status === 'running',
    run,
    status,
    statusName: next === 'paused' ? texts.pause : resumeName(watch, texts.resume),
    remove: () =>
      askFirst({
        title: texts.removeTitle,
        about: texts.removeAbout(nameOf(watch)),
        yes: texts.remove,
        no: texts.keep,
        onYes: () => remove.mutate(),
      }),
  };
}
