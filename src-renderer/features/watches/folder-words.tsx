import type { ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { owner, queryIn, useEnvironment } from '../../api/client.ts';
import type { FolderWatch } from '../../api/generated/owner.ts';
import { watchesKey } from '../../api/queries.ts';
import { askFirst } from '../../components/confirm.tsx';
import { number } from '../../components/format.ts';
import { State, type Tone } from '../../components/state.tsx';
import { toast } from '../../components/toast.tsx';
import { watches as all, folders as texts } from './texts.ts';

/** The name of a watched folder, else the end of its path. */
export function folderName({ name, path }: FolderWatch): string {
  return name ?? path.split(/[\\/]/).at(-1) ?? path;
}

export function workOf({ recipe }: Pick<FolderWatch, 'recipe'>): string {
  return texts.works[recipe.operation] ?? recipe.operation;
}

export function countsOf({ counts, settling }: FolderWatch): string {
  const said = texts.counts(number(counts.completed), number(counts.failed));
  const open = counts.processing + settling;
  return open === 0 ? said : `${said}, ${texts.open(number(open))}`;
}

const TONES: Readonly<Record<FolderWatch['state'], Tone>> = {
  looking: 'busy',
  watching: 'good',
  paused: 'idle',
  missing: 'bad',
  unreadable: 'bad',
  too_many: 'bad',
  waiting: 'warn',
};

export function FolderStateWords({ folder }: { folder: FolderWatch }): ReactNode {
  return (
    <State tone={TONES[folder.state]}>
      <span title={folder.message ?? undefined}>{texts.states[folder.state]}</span>
    </State>
  );
}

/** What can be done with a watched folder. */
export function useFolderActions(folder: FolderWatch, onRemoved: () => void = () => {}) {
  const environment = useEnvironment();
  const params = { path: { watchId: folder.watchId }, query: queryIn(environment, {}) };
  const renews = [watchesKey(environment)];
  const next = folder.status === 'active' ? 'paused' : 'active';
  const status = useChange(() => owner.PATCH('/admin/folders/{watchId}', { params, body: { status: next } }), {
    renews,
  });
  const onDone = () => toast({ icon: 'search', message: texts.looked });
  const look = useChange(() => owner.POST('/admin/folders/{watchId}/look', { params }), { renews, onDone });
  const retry = useChange(() => owner.POST('/admin/folders/{watchId}/retry', { params }), { renews, onDone });
  const remove = useChange(() => owner.DELETE('/admin/folders/{watchId}', { params }), { renews, onDone: onRemoved });
  return {
    status,
    statusName: next === 'paused' ? all.pause : all.resume,
    look,
    retry,
    remove: () =>
      askFirst({
        title: texts.removeTitle,
        about: texts.removeAbout(folder.path),
        yes: all.remove,
        no: all.keep,
        onYes: () => remove.mutate(),
      }),
  };
}
