import { Menu, nativeImage, Tray } from 'electron';

export interface TrayActions {
  /** Shows the window. */
  open(): void;
  /** Ends the window, the server and the app. */
  quit(): void;
}

/** The sign that the appliance is working while its window is closed, and the way back to it. */
export function createTray(iconFile: string, actions: TrayActions): Tray {
  const tray = new Tray(nativeImage.createFromPath(iconFile));
  tray.setToolTip('Quarry');
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'Open Quarry', click: () => actions.open() },
      { type: 'separator' },
      { label: 'Quit Quarry', click: () => actions.quit() },
    ]),
  );
  tray.on('click', () => actions.open());
  return tray;
}
