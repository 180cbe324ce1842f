import type { Migration } from 'kysely/migration';
import * as payingAccounts from '../../features/accounts/017-paying-accounts.ts';
import * as sessions from '../../features/accounts/018-sessions.ts';
import * as accounts from '../../features/accounts/migrations.ts';
import * as contributions from '../../features/contributions/migrations.ts';
import * as chunksInFiles from '../../features/jobs/007-chunks-in-files.ts';
import * as jobLife from '../../features/jobs/013-job-life.ts';
import * as keptJobs from '../../features/jobs/014-kept-jobs.ts';
import * as jobs from '../../features/jobs/migrations.ts';
import * as replacedTransactions from '../../features/payments/012-replaced-transactions.ts';
import * as paymentsByTime from '../../features/payments/015-payments-by-time.ts';
import * as payments from '../../features/payments/migrations.ts';
import * as searchByMeaning from '../../features/search/009-search-by-meaning.ts';
import * as search from '../../features/search/migrations.ts';
import * as webhooks from '../../features/webhooks/migrations.ts';

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
