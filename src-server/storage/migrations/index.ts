import type { Migration } from 'kysely';
import * as jobs from './001-jobs.ts';

/** Every migration in order. A released one is never edited. */
export const MIGRATIONS: Record<string, Migration> = {
  '001-jobs': jobs,
};
