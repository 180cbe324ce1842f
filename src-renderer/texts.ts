import { jobs } from './features/jobs/texts.ts';
import { limits } from './features/limits/texts.ts';
import { mediaTools, models, settings } from './features/models/texts.ts';
import { payments } from './features/payments/texts.ts';
import { run } from './features/run/texts.ts';
import { contributions, search } from './features/search/texts.ts';
import { webhooks } from './features/webhooks/texts.ts';

const notFound = {
  title: 'There is no such page',
  why: 'Nothing is at this address. It may be mistyped, or come from an old link.',
  home: 'Go to the overview',
  reference: 'Read the API reference',
};

const common = {
  copy: (what: string) => `Copy ${what}`,
  copied: 'Copied',
  close: 'Close',
  loading: 'Loading…',
  failed: 'That did not work',
  unknownError: 'Something unexpected happened in this window. Reload the page.',
  unreachable: 'The server does not answer',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  save: 'Save',
  undo: 'Undo',
  all: 'All',
  add: 'Add',
  edit: 'Edit',
  yes: 'yes',
  no: 'no',
  value: 'value',
  find: 'Find',
  findIn: (what: string) => `Find in ${what}`,
  findBefore: 'The place before',
  findNext: 'The next place',
  notFound: 'nowhere',
  placeOf: (place: string, count: string) => `${place} of ${count}`,
};

const overview = {
  title: 'Overview',
  about: 'What runs, what failed, and what was earned.',
  running: 'Running now',
  runningNote: (busy: number, threads: number) => `${busy} of ${threads} worker threads busy`,
  queued: 'Waiting',
  queuedNote: 'accepted, not begun',
  failed: 'Failed',
  failedNote: 'of those kept',
  completed: 'Completed',
  completedNote: 'of those kept',
  revenue: 'Earned, 30 days',
  revenueNote: (payments: string) => `USDC, settled: ${payments}`,
  recent: 'Newest jobs',
  allJobs: 'All jobs',
  noJobs: 'No jobs yet',
  noJobsHow: 'Send a first document from the Run page, or call the API.',
  goRun: 'Run something',
  trouble: 'What failed last',
  noTrouble: 'Nothing failed',
  noTroubleWhy: 'Failed jobs and what to do about them appear here.',
  callbacksGivenUp: (count: string) => (count === '1' ? '1 callback was given up' : `${count} callbacks were given up`),
  callbacksWaiting: (count: string) =>
    count === '1' ? '1 callback is waiting or retried' : `${count} callbacks are waiting or retried`,
  machine: 'This machine',
  version: 'Version',
  uptime: 'Running for',
  memory: 'Memory of the server',
  disk: 'Free disk',
  diskOf: (free: string, total: string) => `${free} of ${total}`,
  threads: 'Worker threads',
  pool: (busy: number, threads: number, waiting: number) => `${busy} of ${threads} busy, ${waiting} tasks waiting`,
  limits: 'Busiest callers',
  limitsWhy: 'Requests of the last minute, against what their plan allows.',
  noCallers: 'Nobody but you called in the last minute',
  perMinute: (used: string, limit: string) => `${used} of ${limit} per minute`,
  checkNames: { database: 'Database', disk: 'Disk space', settlement: 'Settlement of payments' } as Record<
    string,
    string
  >,
  fine: 'fine',
  unknown: 'Not known at the moment',
  drop: {
    title: 'Hand in a file',
    about: 'A document, PDF, recording or video: its text is extracted at once, free for you as the owner.',
  },
  start: 'First steps',
  startAbout: (done: number, all: number) => `${done} of ${all} done`,
  steps: {
    job: ['Run a first job', 'Send a document and read its text.'],
    payment: ['Take a first payment', 'In the sandbox, with play money: choose “as a customer” on the Run page.'],
    webhook: ['Hear a callback', 'Register a webhook, or use the built-in inbox.'],
    price: ['Look at your prices', 'What each operation costs, and who is paid.'],
  } as Record<string, [string, string]>,
  stepDone: 'Done:',
  stepOpen: 'To do:',
  hide: 'Hide',
};

const shell = {
  skip: 'Skip to the content',
  menu: 'Open or close the menu',
  pages: 'Pages',
  pageFailure: 'This page cannot be shown',
  names: {
    overview: 'Overview',
    jobs: 'Jobs',
    run: 'Run',
    webhooks: 'Webhooks',
    payments: 'Payments',
    limits: 'Limits',
    models: 'Models',
    search: 'Search',
    contributions: 'Contributions',
    settings: 'Settings',
  },
  live: 'Live',
  liveAbout: 'Changes appear by themselves.',
  paused: 'Not live',
  pausedAbout: 'The connection to the server is interrupted; it is being made again.',
  environment: 'Environment',
  production: 'Production',
  staging: 'Staging',
  schemes: { auto: 'as the system', light: 'light', dark: 'dark' },
  scheme: (now: string, next: string) => `Colours: ${now}. Switch to ${next}.`,
};

const signIn = {
  title: 'Sign in to Quarry',
  why: 'This is the owner’s view of the appliance, and this browser is not signed in yet.',
  browser: 'With the link',
  browserHow: 'When Quarry starts, it prints a link in its terminal. Open it once in this browser:',
  lost: 'The terminal is closed? This prints the token; put it behind the # of the address above:',
  again: 'I have signed in',
};

/** Every English text of the window, by page. What the server says (summaries, errors) is shown as it comes. */

export const texts = {
  common,
  shell,
  signIn,
  notFound,
  overview,
  jobs,
  run,
  search,
  contributions,
  webhooks,
  payments,
  limits,
  models,
  mediaTools,
  settings,
};
