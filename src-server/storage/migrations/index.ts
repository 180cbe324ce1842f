import type { Migration } from 'kysely/migration';
import * as jobs from './001-jobs.ts';
import * as payments from './002-payments.ts';
import * as accounts from './003-accounts.ts';
import * as webhooks from './004-webhooks.ts';
import * as search from './005-search.ts';
import * as contributions from './006-contributions.ts';
import * as chunksInFiles from './007-chunks-in-files.ts';
import * as searchByMeaning from './009-search-by-meaning.ts';
import * as replacedTransactions from './012-replaced-transactions.ts';
import * as jobLife from './013-job-life.ts';
import * as keptJobs from './014-kept-jobs.ts';
import * as paymentsByTime from './015-payments-by-time.ts';
import * as payingAccounts from './017-paying-accounts.ts';
import * as sessions from './018-sessions.ts';

/** Every migration in order. A released one is never edited. */
export const MIGRATIONS: Record<string, Migration> = {
  '001-jobs': jobs,
  '002-payments': payments,
  '003-accounts': accounts,
  '004-webhooks': webhooks,
  '005-search': search,
  '006-contributions': contributions,
  '007-chunks-in-files': chunksInFiles,
  '009-search-by-meaning': searchByMeaning,
  '012-replaced-transactions': replacedTransactions,
  '013-job-life': jobLife,
  '014-kept-jobs': keptJobs,
  '015-payments-by-time': paymentsByTime,
  '017-paying-accounts': payingAccounts,
  '018-sessions': sessions,
};
