import { wordsBy } from './components/literals.ts';
import { add } from './features/add/texts.ts';
import { jobs } from './features/jobs/texts.ts';
import { language } from './features/make/texts.ts';
import { models } from './features/models/texts.ts';
import { palette } from './features/palette/texts.ts';
import { run } from './features/run/texts.ts';
import { uploads } from './features/uploads/texts.ts';
import { watches } from './features/watches/texts.ts';

const notFound = {
  title: 'Page not found',
  why: 'No page has this address. Check the spelling of the link.',
  home: 'Go to Home',
  reference: 'Read the API reference',
};

const common = {
  chunkKinds: wordsBy({ 'frame-text': 'text in an image', table: 'table', caption: 'caption', comment: 'comment' }),
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  copyAll: 'Copy all',
  wordsCopied: (count: string, one: boolean) => `${count} ${one ? 'word' : 'words'} copied`,
  otherForms: 'Download in another form',
  close: 'Close',
  loading: 'Loading…',
  failed: 'The request failed',
  unknownError: 'An unexpected error occurred in this window. Reload the page.',
  unreachable: 'The server does not answer',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  save: 'Save',
  undo: 'Undo',
  all: 'All',
  automatic: 'Automatic',
  add: 'Add',
  edit: 'Edit',
  yes: 'yes',
  no: 'no',
  value: 'value',
  find: 'Find',
  findIn: (what: string) => `Find in ${what}`,
  findBefore: 'Previous match',
  findNext: 'Next match',
  notFound: 'no matches',
  placeOf: (place: string, count: string) => `${place} of ${count}`,
};

const overview = {
  title: 'Activity',
  running: 'Running',
  runs: (count: string) => (count === '1' ? '1 job running' : `${count} jobs running`),
  waits: (count: string) => `${count} waiting`,
  activity: {
    title: 'Over time',
    range: 'Time span',
    ranges: { day: '24 hours', month: '30 days' },
    jobsIn: {
      day: (count: number) => (count === 1 ? 'job in 24 hours' : 'jobs in 24 hours'),
      month: (count: number) => (count === 1 ? 'job in 30 days' : 'jobs in 30 days'),
    },
    jobsBy: { day: 'Jobs an hour, by kind of work', month: 'Jobs a day, by kind of work' },
    top: { day: (most: string) => `${most} an hour`, month: (most: string) => `${most} a day` },
    failed: (count: string) => `${count} failed`,
    failedOnes: 'Failed',
    noneFailed: 'none failed',
    earnedIn: { day: 'USDC in 24 hours', month: 'USDC in 30 days' },
    earnedBy: {
      day: { play: 'Play money earned an hour, USDC', real: 'Real money earned an hour, USDC' },
      month: { play: 'Play money earned a day, USDC', real: 'Real money earned a day, USDC' },
    },
    playMoney: 'play money',
    realMoney: 'real money',
  },
  recent: 'Finished lately',
  nothingRuns: 'Nothing runs now.',
  needsYou: 'Needs you',
  needYou: (count: number) => (count === 1 ? '1 thing needs you' : `${count} things need you`),
  nothingNeedsYou: 'Nothing needs you now.',
  moreNeeds: (count: number) => `${count} more`,
  cleared: (count: number) => (count === 1 ? '1 cleared recently' : `${count} cleared recently`),
  installing: 'Installing',
  openEndpoint: 'Open endpoint',
  openSettings: 'Open settings',
  show: 'Show',
  allJobs: 'All jobs',
  noJobs: 'No jobs yet',
  noJobsHow: 'Drop a file into the window, or call the API.',
  trouble: 'Recent failures',
  noTrouble: 'No failures',
  noTroubleWhy: 'Failed jobs and what to do about them appear here.',
  deliveriesFailed: (count: string) =>
    count === '1' ? '1 webhook delivery failed' : `${count} webhook deliveries failed`,
  deliveriesWaiting: (count: string) =>
    count === '1' ? '1 webhook delivery is waiting' : `${count} webhook deliveries are waiting`,
  machine: 'This computer',
  version: 'Version',
  uptime: 'Uptime',
  memory: 'Server memory',
  disk: 'Free disk space',
  diskOf: (free: string, total: string) => `${free} of ${total}`,
  threads: 'Worker threads',
  pool: (busy: number, threads: number, waiting: number) =>
    `${busy} of ${threads} busy, ${waiting === 1 ? '1 task' : `${waiting} tasks`} waiting`,
  limits: 'Busiest accounts',
  limitsWhy: 'Requests in the last minute and the limit of the plan.',
  noCallers: 'No other account sent requests in the last minute',
  perMinute: (used: string, limit: string) => `${used} of ${limit} per minute`,
  checkNames: wordsBy({ database: 'Database', disk: 'Disk space', settlement: 'Payment settlement' }),
  fine: 'OK',
  unknown: 'Not available',
  drop: {
    title: 'Upload a file',
    about: 'Quarry extracts the text of a document, PDF, recording or video. Your own jobs are free.',
  },
  first: {
    about: 'Give Quarry a document, a recording or the address of a site, and it gives you the words.',
    drop: 'Drop a file or a folder',
    dropMore: 'or paste an address, or choose from this computer. Nothing leaves it.',
    try: 'Nothing at hand? Try one of these',
    examples: {
      read: { title: 'A report with a table', about: 'A Word document that comes with Quarry', run: 'Read it' },
      speak: { title: 'A sentence, spoken', about: 'English voices are built in', run: 'Speak it' },
      compose: { title: 'Thirty seconds of calm piano', about: 'Composed and played here', run: 'Compose it' },
    },
    spoken: 'Good to see you. This sentence is spoken on your own computer.',
    composed: 'Calm piano music',
    exampleGone: 'The example document is not part of this build. Drop a file of your own.',
    works: 'What works already',
    always: 'Documents, PDFs and crawling',
    asks: (size: string) => `asks for a download of ${size} first`,
    asksFor: (what: string) => `asks for ${what} first`,
    install: 'Install now',
    installFor: (work: string) => `Install now: ${work}`,
    how: 'How to install',
    others: 'Want others to use it and pay you?',
    prices: 'Set your prices when you are ready.',
  },
};

const shell = {
  skip: 'Skip to the content',
  pages: 'Pages',
  more: 'More',
  find: 'Find or do',
  findHere: 'Search on the page, or find anywhere',
  pageFailure: 'The page failed to load',
  service: 'Service',
  names: {
    home: 'Home',
    library: 'Library',
    activity: 'Activity',
    jobs: 'Jobs',
    api: 'API',
    make: 'Make',
    add: 'Add',
    watches: watches.title,
    webhooks: 'Webhooks',
    payments: 'Payments',
    limits: 'Limits',
    models: 'Models',
    search: 'Search',
    contributions: 'Corrections',
    settings: 'Settings',
  },
  alerts: (count: string) => (count === '1' ? '1 alert' : `${count} alerts`),
  running: (count: string) => `${count} running`,
  failing: (count: string) => `${count} failing`,
  waiting: (count: string) => `${count} to review`,
  live: 'Live',
  where: 'on this computer',
  liveAbout: 'Changes appear automatically.',
  paused: 'Not live',
  pausedAbout: 'The connection to the server is lost. Quarry reconnects automatically.',
  sandbox: 'sandbox',
  sandboxAbout: 'Payments are play money. Nothing is income.',
  environment: (name: string) => `Environment: ${name}`,
  environments: { production: 'Production', staging: 'Staging' },
  keys: 'Keys',
  signOutDevice: 'Sign out this device',
  schemes: { auto: 'system', light: 'light', dark: 'dark' },
  scheme: (now: string, next: string) => `Colours: ${now}. Switch to ${next}.`,
};

const money = {
  test: 'test',
  asset: 'USDC',
  sandbox: 'Sandbox.',
  play: 'Payments are play money.',
  noIncome: 'Nothing you see here is income.',
  takeReal: 'Take real payments',
};

/** Of files, entries and items that become jobs. */
const entryStates = {
  waiting: 'Waiting',
  processing: 'Running',
  completed: 'Done',
  failed: 'Failed',
  skipped: 'Not taken',
  cancelled: 'Cancelled',
};

/** What a key made: webhooks, watches, feeds, batches. */
const madeByKey = {
  by: (key: string) => `Made by the key ${key}`,
  ended: 'Its key has ended',
  takeOver: 'Take over',
};

const notLinked = {
  title: 'This device is not linked',
  why: 'It was signed out, or was not used for 30 days.',
  how: 'On the computer, open Settings, then “Open on your phone”, and scan the code with this device.',
  owners: 'Only on the computer',
  ownersHow: 'Linked devices do not have this page. Open it on the computer that Quarry runs on.',
};

const unsaved = {
  title: 'Leave without saving?',
  about: 'Your changes on this page are not saved.',
  leave: 'Leave',
  stay: 'Stay',
};

const signIn = {
  title: 'Sign in to Quarry',
  why: 'This page is for the owner. This browser is not signed in.',
  browser: 'Open the sign-in link',
  browserHow: 'Quarry prints a link in its terminal when it starts. Open the link in this browser:',
  lost: 'If the terminal is closed, print the token with this command and add it after the # of the link above:',
  again: 'I have signed in',
};

/** All texts of the window, by page. Texts from the server (summaries, errors) are shown unchanged. */
export const texts = {
  common,
  shell,
  unsaved,
  palette,
  uploads,
  money,
  signIn,
  notLinked,
  madeByKey,
  entryStates,
  notFound,
  overview,
  jobs,
  run,
  add,
  language,
  models,
};
