import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from '../texts.ts';
import { Icon, type IconName } from './icon.tsx';
import { useKeys } from './keys.ts';
import { hideNotification, notify } from './notify.ts';

/** How long an irreversible action waits for Undo. */
const CHANGE_OF_MIND_MS = 6000;

/** Browsers have no `randomUUID` on plain http, where linked devices open this window. */
let lastToast = 0;

interface Toast {
  message: ReactNode;
  icon?: IconName;
  /** Replaces the toast with the same ID. */
  id?: string;
  /** Adds the button Undo while the toast is visible. */
  onUndo?: () => void;
}

/** Reports an action after it: what happened, in words, with Undo where possible. */
export function showToast({ message, icon = 'check', id, onUndo }: Toast): void {
  const shown = id ?? `toast-${++lastToast}`;
  const undoToastAction = () => {
    hideNotification(shown);
    onUndo?.();
  };
  notify({
    id: shown,
    withCloseButton: onUndo === undefined,
    autoClose: CHANGE_OF_MIND_MS,
    message: (
      <Group gap="sm" wrap="nowrap">
        <Icon name={icon} />
        <span className="break grow">{message}</span>
        {onUndo !== undefined && <Undo onUndo={undoToastAction} />}
      </Group>
    ),
  });
}

/** While it is shown, Ctrl Z does the same: a toast is gone before the Tab key gets there. */
function Undo({ onUndo }: { onUndo: () => void }) {
  useKeys([{ keys: 'Ctrl z', name: texts.common.undo, group: 'window', run: onUndo }]);
  return (
    <Button size="compact-sm" variant="subtle" aria-keyshortcuts="Control+Z" onClick={onUndo}>
      {texts.common.undo}
    </Button>
  );
}

/** Reports an action that failed, with the server's sentence. */
export function toastFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : texts.common.unknownError;
  notify({
    withCloseButton: true,
    message: (
      <Group gap="sm" wrap="nowrap" c="var(--q-bad)">
        <Icon name="circle-alert" />
        <span className="break grow">{message}</span>
      </Group>
    ),
  });
}

/** Runs an irreversible action after the time for Undo. If the window closes before, the action does not run. */
export function unlessUndone(change: {
  id: string;
  message: ReactNode;
  apply: () => Promise<unknown>;
  onUndo?: () => void;
}): void {
  const { id, message, apply, onUndo } = change;
  const timer = setTimeout(() => {
    apply().catch(toastFailure);
  }, CHANGE_OF_MIND_MS);
  const takeBack = () => {
    clearTimeout(timer);
    onUndo?.();
  };
  showToast({ id, message, icon: 'trash-2', onUndo: takeBack });
}
