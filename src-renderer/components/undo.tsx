import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { texts } from './texts.ts';

/** How long something that cannot be taken back waits for a change of mind. */
const CHANGE_OF_MIND_MS = 6000;

/** Says what was done, with a way to take it back for as long as it stands there. */
export function notifyWithUndo({ id, message, onUndo }: { id: string; message: ReactNode; onUndo: () => void }): void {
  const undo = () => {
    notifications.hide(id);
    onUndo();
  };
  const said = (
    <Group justify="space-between" wrap="nowrap">
      <span className="break">{message}</span>
      <Button size="compact-sm" variant="subtle" onClick={undo}>
        {texts.common.undo}
      </Button>
    </Group>
  );
  notifications.show({ id, message: said, autoClose: CHANGE_OF_MIND_MS });
}

/** Does what cannot be taken back after a while in which it can be. With the window closed meanwhile it is not done. */
export function unlessUndone(change: { id: string; message: ReactNode; apply: () => Promise<void> }): void {
  const { id, message, apply } = change;
  const timer = setTimeout(() => {
    apply().catch((error: Error) => notifications.show({ color: 'red', message: error.message }));
  }, CHANGE_OF_MIND_MS);
  notifyWithUndo({ id, message, onUndo: () => clearTimeout(timer) });
}
