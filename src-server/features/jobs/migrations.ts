import { type Kysely, sql } from 'kysely';

/** Jobs, their results, the queue's turns, learned run times and settings. Frozen: later changes are new migrations. */
export async function createJobs(db: Kysely<never>): Promise<void> {
  await sql`
    create table jobs (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null,
      operation_id text not null,
      status text not null check (status in ('queued', 'processing', 'completed', 'failed')),
      priority integer not null,
      lane text not null,
      request text not null,
      source_name text,
      source text,
      dedupe_key text,
      events text not null,
      attempts integer not null,
      crashes integer not null,
      ready integer not null,
      run_after_at integer,
      lease_owner text,
      lease_expires_at integer,
      progress_percent real not null,
      progress_stage text not null,
      progress_message text not null,
      estimated_ms integer,
      error text,
      payment_id text unique,
      revision integer not null,
      created_at integer not null,
      updated_at integer not null,
      started_at integer,
      ended_at integer,
      expires_at integer,
      purged_at integer
    )`.execute(db);
  // Each index serves one query of the queue or of a list, so that no query scans the table.
  await sql`
    create index jobs_ready on jobs (lane, account_id, priority, seq)
    where status = 'queued' and ready = 1`.execute(db);
  await sql`
    create index jobs_waiting on jobs (status, ready, run_after_at)
    where status = 'queued' and ready = 0`.execute(db);
  await sql`create index jobs_processing on jobs (status, account_id, lane) where status = 'processing'`.execute(db);
  await sql`create index jobs_expiring on jobs (expires_at) where expires_at is not null and purged_at is null`.execute(
    db,
  );
  await sql`create index jobs_purged on jobs (purged_at) where purged_at is not null`.execute(db);
  await sql`create index jobs_dedupe on jobs (dedupe_key, seq) where dedupe_key is not null`.execute(db);
  await sql`create index jobs_of_account on jobs (account_id, seq)`.execute(db);
  await sql`create index jobs_of_account_by_status on jobs (account_id, status, seq)`.execute(db);
  await sql`create index jobs_by_status on jobs (status, seq)`.execute(db);
  await sql`create index jobs_by_operation on jobs (operation_id, seq)`.execute(db);
  await sql`create table job_results (job_id text primary key, body text not null)`.execute(db);
  await sql`
    create table turns (
      lane text not null,
      account_id text not null,
      last_turn integer not null,
      primary key (lane, account_id)
    )`.execute(db);
  await sql`create index turns_next on turns (lane, last_turn)`.execute(db);
  await sql`
    create table run_times (
      operation_id text primary key,
      run_ms real not null,
      run_ms_per_mb real not null,
      runs integer not null
    )`.execute(db);
  await sql`create table settings (name text primary key, value text not null, updated_at integer not null)`.execute(
    db,
  );
}

/** Labels of jobs, and the start of each stage. */
export async function addJobLife(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column label text not null default ''`.execute(db);
  await sql`alter table jobs add column stages text`.execute(db);
}

/** Index of kept jobs: a list would otherwise read 30 days of removed jobs. */
export async function addKeptJobs(db: Kysely<never>): Promise<void> {
  await sql`create index jobs_kept on jobs (seq) where purged_at is null`.execute(db);
}

/**
 * Large chunk lists move to a file of the job; null when the result contains them. The full-text index merges its
 * segments only on demand, in small steps.
 */
export async function moveChunksToFiles(db: Kysely<never>): Promise<void> {
  await sql`alter table job_results add column chunks_bytes integer`.execute(db);
  await sql`insert into search_text (search_text, rank) values ('automerge', 0)`.execute(db);
}

/** Jobs that wait for an installation, and the queue class by its name. */
export async function addWaitingJobs(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs rename column lane to queue_class`.execute(db);
  await sql`alter table turns rename column lane to queue_class`.execute(db);
  await sql`alter table jobs add column on_missing text`.execute(db);
  await sql`alter table jobs add column waiting_for text`.execute(db);
  await sql`create index jobs_waiting_for on jobs (seq) where waiting_for is not null`.execute(db);
}

/** Counts of ended jobs by hour and operation, from the jobs that are remembered on. */
export async function countEndedJobs(db: Kysely<never>): Promise<void> {
  await sql`
    create table ended_jobs (
      hour integer not null,
      operation_id text not null,
      completed integer not null,
      failed integer not null,
      primary key (hour, operation_id)
    ) without rowid`.execute(db);
  await sql`
    insert into ended_jobs
    select ended_at / 3600000 * 3600000, operation_id, sum(status = 'completed'), sum(status = 'failed')
    from jobs
    where ended_at is not null and status in ('completed', 'failed')
      and coalesce(error, '') not like '{"code":"cancelled"%'
      and not (operation_id = 'search' and account_id = 'owner')
    group by 1, 2`.execute(db);
}

/** Numbers the runs of a job. A run that lost its job changes nothing. */
export async function numberRuns(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column runs integer not null default 0`.execute(db);
}

/** Tags and metadata of jobs. Lists by tag seek in `job_tags`. */
export async function addLabels(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column tags text`.execute(db);
  await sql`alter table jobs add column metadata text`.execute(db);
  await sql`
    create table job_tags (
      tag text not null,
      seq integer not null,
      account_id text not null,
      primary key (tag, seq)
    ) without rowid`.execute(db);
  await sql`create index job_tags_of_account on job_tags (account_id, tag, seq)`.execute(db);
  await sql`create index job_tags_of_job on job_tags (seq)`.execute(db);
}

/** Keys of requests that must not be done twice, for a day. */
export async function createIdempotencyKeys(db: Kysely<never>): Promise<void> {
  await sql`
    create table idempotency_keys (
      scope text not null,
      key text not null,
      request_hash text not null,
      job_id text not null,
      created_at integer not null,
      primary key (scope, key)
    ) without rowid`.execute(db);
  await sql`create index idempotency_keys_by_time on idempotency_keys (created_at)`.execute(db);
}

/** The node that a run was handed to. */
export async function nameNodes(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column node text`.execute(db);
}

/** Finds the jobs of a time. */
export async function indexJobsByTime(db: Kysely<never>): Promise<void> {
  await sql`create index jobs_by_time on jobs (created_at, seq) where purged_at is null`.execute(db);
}

/** Jobs of watched sites, and the event of an operation beside the end of its job. */
export async function addWatchedJobs(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column watch_id text`.execute(db);
  await sql`alter table jobs add column further_event text`.execute(db);
}

/** The private host that the owner named in a job's request. */
export async function grantPrivateHosts(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column private_host text`.execute(db);
}

/** The trace that a job belongs to. */
export async function traceJobs(db: Kysely<never>): Promise<void> {
  await sql`alter table jobs add column traceparent text`.execute(db);
}

/** Results of versions that kept no account of their sources say so. Frozen. */
export async function markUncounted(db: Kysely<never>): Promise<void> {
  await sql`
    update job_results set body = substr(body, 1, length(body) - 1) || ',"account":null}'
    where case when json_valid(body) then json_type(body, '$.account') is null else false end
      and job_id in (
        select id from jobs
        where operation_id in ('crawl', 'extract/doc', 'extract/pdf', 'extract/video', 'extract/hosted-video')
      )`.execute(db);
}
