/** Crash reports of the app's processes. They hold parts of its memory, so they stay on this machine. */
import { globSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { app, crashReporter } from 'electron';
import { logLine } from './log.ts';

/** Older reports are removed at the start. Each is a few megabytes. */
const REPORTS_MAX = 10;

/** Call before Electron is ready. @returns the folder of the reports */
export function keepCrashReports(): string {
  const folder = join(app.getPath('userData'), 'crash-reports');
  mkdirSync(folder, { recursive: true });
  removeOldReports(folder);
  app.setPath('crashDumps', folder);
  crashReporter.start({ uploadToServer: false, compress: true });
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) => {
    if (reason !== 'clean-exit') logLine(`The process ${name ?? type} ended: ${reason}, code ${exitCode}.`);
  });
  // Electron's own handling follows; the monitor only logs.
  process.on('uncaughtExceptionMonitor', (error) => logLine(error.stack ?? error.message));
  return folder;
}

function removeOldReports(folder: string): void {
  const reports = globSync('**/*.dmp', { cwd: folder }).map((name) => join(folder, name));
  const ages = new Map(reports.map((file) => [file, statSync(file).mtimeMs]));
  const newestFirst = reports.toSorted((one, other) => (ages.get(other) ?? 0) - (ages.get(one) ?? 0));
  for (const file of newestFirst.slice(REPORTS_MAX)) rmSync(file, { force: true });
}
