/** All texts of the shell. */

const jobs = (count: number): string => (count === 1 ? '1 job' : `${count} jobs`);

export const texts = {
  alreadyOpen: 'Quarry is already open. Its window moves to the front.',
  couldNotStart: 'Quarry could not start',
  portTaken: (port: number) => `Another program uses port ${port}`,
  portTakenDetail:
    'Close that program, then try again. On a free port, tools that use the current address cannot reach Quarry.',
  portAgain: 'Try again',
  portFree: 'Use a free port this time',

  open: 'Open Quarry',
  newJob: 'New job…',
  pauseNotifications: 'Pause notifications',
  openAtLogin: 'Open at login',
  checkForUpdates: 'Check for updates…',
  quit: 'Quit Quarry',
  stay: 'Cancel quitting',
  starting: 'Starting…',
  idle: 'Nothing is running',
  working: (running: number, queued: number) => `${running} running, ${queued} waiting`,
  leaving: (open: number) => `Quits when ${jobs(open)} ${open === 1 ? 'is' : 'are'} finished`,

  siteChanged: 'Watched site changed',
  finished: 'Job finished',
  failed: 'Job failed',
  ended: (count: number, more: boolean) => (more ? `More than ${jobs(count)} ended` : `${jobs(count)} ended`),
  outcome: (completed: number, failed: number) => `${completed} finished, ${failed} failed`,

  tooManyFiles: (most: number) => `Quarry accepts ${most} files at once. Add this file again.`,
  filesRefused: (count: number) => (count === 1 ? '1 file was not accepted' : `${count} files were not accepted`),

  quitTitle: (open: number) => `${jobs(open)} ${open === 1 ? 'is' : 'are'} not finished`,
  quitDetail: 'If you quit now, they continue at the next start.',
  quitNow: 'Quit now',
  quitWhenDone: 'Quit when finished',
  cancel: 'Cancel',

  unsaved: 'Leave without saving?',
  unsavedDetail: 'Your changes on this page are not saved.',
  stayOnPage: 'Stay',
  leavePage: 'Leave',

  feedRefused: 'Updates are off because the update URL is invalid. Enter a URL that starts with https://.',
  updateFound: (version: string) => `Quarry ${version} is available`,
  updateFoundDetail: 'Quarry downloads it only if you agree.',
  updateDownload: 'Download',
  updateReady: (version: string) => `Quarry ${version} is ready to install`,
  updateReadyDetail: 'Quarry closes to install it. Unfinished jobs continue after the restart.',
  updateInstall: 'Close and install',
  later: 'Later',
  updateNone: 'Quarry is up to date',
  updateFailed: 'The update check failed',
  updateFailedDetail: 'Check your internet connection, then try again.',
} as const;
