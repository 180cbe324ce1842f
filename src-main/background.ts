/** Whether the app goes on without a window. */

/** Desktops that show no tray unless the user adds an extension. Ubuntu's GNOME has one. */
const WITHOUT_TRAY = ['GNOME', 'GNOME-CLASSIC', 'PANTHEON'];

const WITH_TRAY = ['UBUNTU'];

/**
 * Whether the user can see the tray icon. Electron cannot tell: it creates an icon also where nothing shows it.
 * @param environment has `XDG_CURRENT_DESKTOP`, names separated by colons
 */
export function hasTray(platform: NodeJS.Platform, environment: Readonly<Record<string, string | undefined>>): boolean {
  if (platform !== 'linux') return true;
  const names = (environment.XDG_CURRENT_DESKTOP ?? '').toUpperCase().split(':');
  return names.some((name) => WITH_TRAY.includes(name)) || !names.some((name) => WITHOUT_TRAY.includes(name));
}

/** The tray icon's file, in `resources`. Electron adds `@2x` on sharper displays; macOS colours a Template itself. */
export function trayIconName(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'trayTemplate.png';
  return platform === 'win32' ? 'tray.ico' : 'tray.png';
}
