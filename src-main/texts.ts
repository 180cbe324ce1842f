/** All texts of the shell. */

const jobCountText = (count: number): string => (count === 1 ? '1 job' : `${count} jobs`);

export const texts = {
  alreadyOpen: 'Quarry is already open. Its window moves to the front.',
  couldNotStart: 'Quarry could not start',
  showLog: 'Show log',
  showCrashReports: 'Show crash reports',
  fileMenu: 'File',
  viewMenu: 'View',
  lookUp: 'Look up',
  copyLink: 'Copy link',
  reload: 'Reload',
  wait: 'Wait',
  blankPage: 'The window cannot show its page',
  blankPageDetail: 'Reloading did not help. Running jobs and the API are not affected.',
  hungPage: 'The window does not respond',
  hungPageDetail: 'If you reload, changes on this page that are not saved are lost. Running jobs are not affected.',
  noSandbox: 'The window cannot be protected on this system',
  noSandboxDetail:
    'Chromium’s sandbox does not work here, so a fault in the window could reach your files. On Ubuntu and Debian, ' +
    'install the deb package of Quarry, which enables the sandbox.',
  openAnyway: 'Open anyway',
  stillRunning: 'Quarry is still running',
  stillRunningDetail: 'Jobs and the API continue. To open the window or to quit, use the Quarry icon in the tray.',
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
  leaving: (open: number) => `Quits when ${jobCountText(open)} ${open === 1 ? 'is' : 'are'} finished`,

  siteChanged: 'Watched site changed',
  finished: 'Job finished',
  failed: 'Job failed',
  ended: (count: number, more: boolean) =>
    more ? `More than ${jobCountText(count)} ended` : `${jobCountText(count)} ended`,
  outcome: (completed: number, failed: number) => `${completed} finished, ${failed} failed`,

  tooManyFiles: (most: number) => `Quarry accepts ${most} files at once. Add this file again.`,
  filesRefused: (count: number) => (count === 1 ? '1 file was not accepted' : `${count} files were not accepted`),

  quitTitle: (open: number) => `${jobCountText(open)} ${open === 1 ? 'is' : 'are'} not finished`,
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
  updateFoundDetail: (notes: string) => `Quarry downloads it only if you agree.${notes === '' ? '' : `\n\n${notes}`}`,
  updateDownload: 'Download',
  updateReady: (version: string) => `Quarry ${version} is ready to install`,
  updateReadyDetail: 'Quarry closes to install it. Unfinished jobs continue after the restart.',
  updateInstall: 'Close and install',
  later: 'Later',
  updateNone: 'Quarry is up to date',
  updateFailed: 'The update check failed',
  updateFailedDetail: 'Check your internet connection, then try again.',
} as const;
