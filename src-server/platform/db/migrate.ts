import type { Migration } from 'kysely/migration';
import { addPayingAccounts, createAccounts, createSessions } from '../../features/accounts/migrations.ts';
import { createContributions } from '../../features/contributions/migrations.ts';
import { addJobLife, addKeptJobs, createJobs, moveChunksToFiles } from '../../features/jobs/migrations.ts';
import { addReplacedTransactions, createPayments, indexPaymentsByTime } from '../../features/payments/migrations.ts';
import { addSearchByMeaning, createSearch } from '../../features/search/migrations.ts';
import { createWebhooks } from '../../features/webhooks/migrations.ts';

/** Every migration in order. A released one is never edited. */
export const MIGRATIONS: Record<string, Migration> = {
  '001-jobs': { up: createJobs },
  '002-payments': { up: createPayments },
  '003-accounts': { up: createAccounts },
  '004-webhooks': { up: createWebhooks },
  '005-search': { up: createSearch },
  '006-contributions': { up: createContributions },
  '007-chunks-in-files': { up: moveChunksToFiles },
  '009-search-by-meaning': { up: addSearchByMeaning },
  '012-replaced-transactions': { up: addReplacedTransactions },
  '013-job-life': { up: addJobLife },
  '014-kept-jobs': { up: addKeptJobs },
  '015-payments-by-time': { up: indexPaymentsByTime },
  '017-paying-accounts': { up: addPayingAccounts },
  '018-sessions': { up: createSessions },
};
