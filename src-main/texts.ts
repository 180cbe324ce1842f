/** Every sentence that the shell says. */

const jobs = (count: number): string => (count === 1 ? '1 job' : `${count} jobs`);

export const texts = {
  alreadyOpen: 'Quarry is already open; its window comes to the front.',
  couldNotStart: 'Quarry could not start',
  portTaken: (port: number) => `Port ${port} is taken by another program`,
  portTakenDetail:
    'End that program, then try again. On another port Quarry works too, but tools that know its address miss it.',
  portAgain: 'Try again',
  portFree: 'Use a free port this time',

  open: 'Open Quarry',
  newJob: 'New job…',
  pauseNotifications: 'Pause notifications',
  openAtLogin: 'Open at login',
  checkForUpdates: 'Check for updates…',
  quit: 'Quit Quarry',
  stay: 'Stay open after all',
  starting: 'Starting…',
  idle: 'Nothing is running',
  working: (running: number, queued: number) => `${running} running, ${queued} waiting`,
  leaving: (open: number) => `Quits when ${jobs(open)} ${open === 1 ? 'is' : 'are'} done`,

  finished: 'Job finished',
  failed: 'Job failed',
  ended: (count: number, more: boolean) => (more ? `More than ${jobs(count)} ended` : `${jobs(count)} ended`),
  outcome: (completed: number, failed: number) => `${completed} finished, ${failed} failed`,

  tooManyFiles: (most: number) => `Only ${most} files are taken at once.`,
  filesRefused: (count: number) => (count === 1 ? 'A file was not taken' : `${count} files were not taken`),

  quitTitle: (open: number) => `${jobs(open)} ${open === 1 ? 'is' : 'are'} not done yet`,
  quitDetail: 'If you quit now, they are kept and go on at the next start.',
  quitNow: 'Quit now',
  quitWhenDone: 'Quit when they are done',
  cancel: 'Cancel',

  feedRefused: 'The address of updates is not usable: it must begin with https://. Updates stay off.',
  updateFound: (version: string) => `Quarry ${version} is available`,
  updateFoundDetail: 'Nothing is downloaded without your word.',
  updateDownload: 'Download',
  updateReady: (version: string) => `Quarry ${version} is ready to install`,
  updateReadyDetail: 'Quarry has to close for it. Jobs that are not done are kept and go on afterwards.',
  updateInstall: 'Close and install',
  later: 'Later',
  updateNone: 'Quarry is up to date',
  updateFailed: 'Looking for updates did not work',
  updateFailedDetail: 'See whether this computer is online, and try again later.',
} as const;
