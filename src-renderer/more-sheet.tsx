import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts } from './texts.ts';

interface MoreSheetProps {
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The sheet of a phone with all other pages. */
export function MoreSheet({ opened, onClose, children }: MoreSheetProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="bottom"
      size="auto"
      title={texts.shell.more}
      closeButtonProps={{ 'aria-label': texts.common.close }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <div className="more-sheet">{children}</div>
    </Drawer>
  );
}
