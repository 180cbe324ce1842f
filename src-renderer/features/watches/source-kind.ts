import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChange } from '../../api/changes.ts';
import { adminPath, requestJson, useEnvironment } from '../../api/client.ts';
import { type SourcePath, watchesKey } from '../../api/queries.ts';
import type { Column } from '../../components/data-table.tsx';
import type { IconName } from '../../components/icon.tsx';
import { resumeName } from '../../components/made-by-key.tsx';
import type { Fact } from '../../components/page-elements.tsx';
import { showToast } from '../../components/toast.tsx';
import { watches as texts } from './texts.ts';

/** What watched sites, folders and feeds have in common. */
export interface Source {
  status: 'active' | 'paused';
  keyName?: string | undefined;
  notice?: string | undefined;
}

/** `POST /admin/<kind>/{id}/<path>`. */
export interface SourceAction<Row> {
  path: 'run' | 'look' | 'retry';
  label: string;
  icon: IconName;
  /** Said once it has begun. */
  done: string;
  isDisabled(source: Row): boolean;
  isShown?(source: Row): boolean;
  /** Whether its row in the list has it too. */
  inList?: boolean;
}

/** A kind of source in the window: what its list, its page and its form show. */
export interface SourceKind<Row extends Source> {
  path: SourcePath;
  idOf(source: Row): string;
  nameOf(source: Row): string;
  /** Its address or path. */
  placeOf(source: Row): string;
  linkOf(source: Row): LinkProps;
  factsOf(source: Row): Fact[];
  /** Between its name and its actions. */
  columns: readonly Column<Row>[];
  actions: readonly SourceAction<Row>[];
  words: {
    title: string;
    /** Column of the names. */
    one: string;
    none: string;
    noneHow: string;
    /** Name of the button that opens the form. */
    edit: string;
    removeTitle: string;
  };
  removeAbout(source: Row): string;
  /** @param source to change; undefined for a new one */
  form(source: Row | undefined, close: () => void): ReactNode;
}

/** A new source, or a change of one. Absent fields stay. @param id null for a new one */
export function useSaveSource<Entered>(
  path: SourcePath,
  id: string | null,
  bodyOf: (entered: Entered) => object,
  onDone: () => void,
) {
  const environment = useEnvironment();
  const place = adminPath(environment, id === null ? `/${path}` : `/${path}/${id}`);
  const saveWatchedSource = async (entered: Entered) => ({
    data: await requestJson(place, { method: id === null ? 'POST' : 'PATCH', body: bodyOf(entered) }),
  });
  return useChange(saveWatchedSource, { renews: [watchesKey(environment)], onDone, showsError: true });
}

/** What can be done with a source. */
export function useSourceActions<Row extends Source>(kind: SourceKind<Row>, source: Row, onRemoved = () => {}) {
  const environment = useEnvironment();
  const renews = [watchesKey(environment)];
  const sendSourceRequest = async (method: 'POST' | 'PATCH' | 'DELETE', action = '', body?: object) => {
    const place = adminPath(environment, `/${kind.path}/${kind.idOf(source)}${action}`);
    return { data: await requestJson(place, { method, body }) };
  };
  const next = source.status === 'active' ? 'paused' : 'active';
  const act = useChange(({ path }: SourceAction<Row>) => sendSourceRequest('POST', `/${path}`), {
    renews,
    onDone: (_, { icon, done }) => showToast({ icon, message: done }),
  });
  const status = useChange(() => sendSourceRequest('PATCH', '', { status: next }), { renews });
  const remove = useChange(() => sendSourceRequest('DELETE'), { renews, onDone: onRemoved });
  const statusName = next === 'paused' ? texts.pause : resumeName(source, texts.resume);
  const actions = kind.actions.map((action) => ({
    ...action,
    isPending: act.isPending && act.variables === action,
    onClick: () => act.mutate(action),
  }));
  return { actions, status, statusName, remove };
}
