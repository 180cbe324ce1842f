-- What the migrations make of a new database. Generated: npm run generate
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE jobs (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null,
      operation_id text not null,
      status text not null check (status in ('queued', 'processing', 'completed', 'failed')),
      priority integer not null,
      queue_class text not null,
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
    , label text not null default '', stages text, on_missing text, waiting_for text, watch_id text, further_event text, key_id text, key_name text, tags text, metadata text, runs integer not null default 0, node text, traceparent text, private_host text);
CREATE INDEX jobs_ready on jobs (queue_class, account_id, priority, seq)
    where status = 'queued' and ready = 1;
CREATE INDEX jobs_waiting on jobs (status, ready, run_after_at)
    where status = 'queued' and ready = 0;
CREATE INDEX jobs_processing on jobs (status, account_id, queue_class) where status = 'processing';
CREATE INDEX jobs_expiring on jobs (expires_at) where expires_at is not null and purged_at is null;
CREATE INDEX jobs_purged on jobs (purged_at) where purged_at is not null;
CREATE INDEX jobs_dedupe on jobs (dedupe_key, seq) where dedupe_key is not null;
CREATE INDEX jobs_of_account on jobs (account_id, seq);
CREATE INDEX jobs_of_account_by_status on jobs (account_id, status, seq);
CREATE INDEX jobs_by_status on jobs (status, seq);
CREATE INDEX jobs_by_operation on jobs (operation_id, seq);
CREATE TABLE job_results (job_id text primary key, body text not null, chunks_bytes integer);
CREATE TABLE turns (
      queue_class text not null,
      account_id text not null,
      last_turn integer not null,
      primary key (queue_class, account_id)
    );
CREATE INDEX turns_next on turns (queue_class, last_turn);
CREATE TABLE run_times (
      operation_id text primary key,
      run_ms real not null,
      run_ms_per_mb real not null,
      runs integer not null
    );
CREATE TABLE settings (name text primary key, value text not null, updated_at integer not null);
CREATE TABLE payments (
      seq integer primary key autoincrement,
      id text not null unique,
      status text not null check (status in ('reserved', 'settled', 'failed')),
      mode text not null check (mode in ('sandbox', 'facilitator', 'onchain')),
      x402_version integer not null,
      network text not null,
      asset text not null,
      payer text not null,
      nonce text not null,
      pay_to text not null,
      amount integer not null,
      price integer,
      operation_id text,
      challenge text not null,
      proof text not null,
      request_hash text,
      draft text,
      job_id text,
      raw_transaction text,
      transaction_hash text,
      settle_attempts integer not null,
      error_code text,
      verified_at integer not null,
      broadcast_at integer,
      settled_at integer,
      failed_at integer,
      updated_at integer not null,
      rerun_expires_at integer,
      rerun_used_at integer, replaced_transactions text,
      unique (network, asset, payer, nonce)
    );
CREATE INDEX payments_by_status on payments (status, seq);
CREATE INDEX payments_by_operation on payments (operation_id, seq);
CREATE INDEX payments_by_payer on payments (payer, seq);
CREATE INDEX payments_of_job on payments (job_id) where job_id is not null;
CREATE TABLE challenge_counts (
      day integer not null,
      operation_id text not null,
      code text not null,
      answers integer not null,
      primary key (day, operation_id, code)
    );
CREATE TABLE price_changes (
      seq integer primary key autoincrement,
      operation_id text not null,
      amount integer not null,
      timeout_seconds integer not null,
      previous_amount integer not null,
      previous_timeout_seconds integer not null,
      changed_at integer not null
    );
CREATE INDEX price_changes_of_operation on price_changes (operation_id, seq);
CREATE TABLE sandbox_balances (
      address text primary key,
      balance integer not null check (balance >= 0),
      updated_at integer not null
    );
CREATE TABLE sandbox_wallets (
      address text primary key,
      private_key text not null,
      created_at integer not null
    );
CREATE TABLE sign_in_nonces (
      address text not null,
      nonce text not null,
      expires_at integer not null,
      primary key (address, nonce)
    );
CREATE INDEX sign_in_nonces_expiring on sign_in_nonces (expires_at);
CREATE TABLE accounts (
      account_id text not null primary key,
      plan text check (plan in ('studio', 'production', 'enterprise')),
      requests_per_minute integer,
      concurrency integer,
      first_seen integer not null,
      last_seen integer not null, blocked integer not null default 0 check (blocked in (0, 1)),
      check ((plan is not null and plan = 'enterprise') = (requests_per_minute is not null)),
      check ((plan is not null and plan = 'enterprise') = (concurrency is not null))
    );
CREATE INDEX accounts_by_last_seen on accounts (last_seen, account_id);
CREATE INDEX accounts_with_plan on accounts (account_id) where plan is not null;
CREATE TABLE webhooks (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null,
      job_id text,
      url text not null,
      on_completed integer not null,
      on_failed integer not null,
      secret text,
      previous_secret text,
      previous_secret_expires_at integer,
      secret_mark text not null,
      status text not null check (status in ('active', 'paused', 'disabled')),
      notice text,
      lane_id text not null,
      failing_since integer,
      last_delivery_id text,
      last_delivery_status text,
      last_response_status integer,
      last_attempt_at integer,
      created_at integer not null,
      updated_at integer not null,
      deleted_at integer
    , name text, on_changed integer not null default 0, on_alert_raised integer not null default 0, on_alert_cleared integer not null default 0, failures integer not null default 0, key_id text, key_name text);
CREATE INDEX webhooks_rotating on webhooks (previous_secret_expires_at)
    where previous_secret_expires_at is not null;
CREATE INDEX webhooks_deleted on webhooks (deleted_at) where deleted_at is not null;
CREATE TABLE webhook_lanes (
      id text primary key,
      next_due_at integer,
      held integer not null,
      lease_owner text,
      lease_ends_at integer
    );
CREATE INDEX webhook_lanes_due on webhook_lanes (next_due_at)
    where held = 0 and next_due_at is not null;
CREATE TABLE webhook_deliveries (
      seq integer primary key autoincrement,
      id text not null unique,
      webhook_id text not null,
      lane_id text not null,
      account_id text not null,
      kind text not null check (kind in ('job', 'test')),
      job_id text not null,
      event text not null,
      job_ended_at integer not null,
      status text not null check (status in ('pending', 'delivered', 'exhausted', 'cancelled')),
      attempts integer not null,
      tries integer not null,
      manual integer not null,
      next_attempt_at integer,
      last_response_status integer,
      last_error_class text,
      body_sha256 text,
      created_at integer not null,
      updated_at integer not null
    );
CREATE UNIQUE INDEX webhook_deliveries_once
    on webhook_deliveries (job_id, webhook_id, event, job_ended_at);
CREATE INDEX webhook_deliveries_due on webhook_deliveries (lane_id, next_attempt_at, seq)
    where status = 'pending';
CREATE INDEX webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, seq);
CREATE INDEX webhook_deliveries_by_status on webhook_deliveries (status, seq);
CREATE TABLE webhook_attempts (
      seq integer primary key autoincrement,
      delivery_seq integer not null,
      number integer not null,
      manual integer not null,
      url text not null,
      started_at integer not null,
      duration_ms real not null,
      request_headers text not null,
      request_body_sha256 text not null,
      request_body_bytes integer not null,
      request_body blob,
      request_body_encoding text,
      response_status integer,
      response_headers text,
      response_body blob,
      response_truncated integer not null,
      error_class text,
      error_message text,
      next_attempt_at integer
    );
CREATE INDEX webhook_attempts_of_delivery on webhook_attempts (delivery_seq, number);
CREATE TABLE webhook_selections (
      id text primary key,
      filter text not null,
      deliveries integer not null,
      created_at integer not null,
      expires_at integer not null,
      applied_at integer
    );
CREATE TABLE webhook_selection_items (
      selection_id text not null,
      delivery_seq integer not null,
      primary key (selection_id, delivery_seq)
    );
CREATE TABLE webhook_inboxes (
      seq integer primary key autoincrement,
      name text not null unique,
      label text not null,
      secret text,
      behaviour text not null,
      created_at integer not null
    );
CREATE TABLE webhook_inbox_messages (
      seq integer primary key autoincrement,
      inbox_name text not null,
      received_at integer not null,
      headers text not null,
      body blob not null,
      body_bytes integer not null,
      verdict text not null,
      answer text not null
    );
CREATE INDEX webhook_inbox_messages_of on webhook_inbox_messages (inbox_name, seq);
CREATE TABLE contributions (
      seq integer primary key autoincrement,
      id text not null unique,
      account_id text not null,
      kind text not null check (kind in ('correction', 'annotation', 'source')),
      status text not null check (status in ('pending', 'approved', 'rejected')),
      job_id text,
      chunk_id text,
      text text not null,
      url text,
      author text,
      license text,
      reason text,
      reports integer not null default 0,
      created_at integer not null,
      updated_at integer not null,
      decided_at integer, quote text, quote_start integer,
      check (kind != 'correction' or (job_id is not null and chunk_id is not null))
    );
CREATE INDEX contributions_by_status on contributions (status, seq);
CREATE INDEX contributions_by_account on contributions (account_id, seq);
CREATE INDEX contributions_by_job on contributions (job_id, chunk_id) where job_id is not null;
CREATE TABLE contribution_events (
      seq integer primary key autoincrement,
      contribution_id text not null,
      action text not null check (action in ('submitted', 'approved', 'rejected', 'reported')),
      actor text not null,
      reason text,
      created_at integer not null
    );
CREATE INDEX contribution_events_in_order on contribution_events (contribution_id, seq);
CREATE TABLE search_shares (
      account_id text not null,
      job_id text not null,
      primary key (account_id, job_id)
    ) without rowid;
CREATE TABLE corrected_files (
      job_id text not null primary key,
      revision integer not null
    );
CREATE INDEX search_shares_by_job on search_shares (job_id);
CREATE INDEX jobs_kept on jobs (seq) where purged_at is null;
CREATE INDEX payments_by_time on payments (verified_at);
CREATE TABLE sessions (
      id text not null primary key,
      cookie_hash text not null unique,
      secret_hash text not null,
      user_agent text not null,
      created_at integer not null,
      last_used_at integer not null
    , device_name text);
CREATE TABLE search_queue (
      seq integer primary key autoincrement,
      kind text not null check (kind in ('job', 'removal', 'correction', 'contribution')),
      subject text not null unique,
      job_id text,
      priority integer not null,
      payload text
    );
CREATE INDEX search_queue_next on search_queue (priority, seq);
CREATE INDEX search_queue_removals on search_queue (seq) where kind = 'removal';
CREATE TABLE search_source (
      index_id text not null primary key,
      first_seq integer not null,
      last_seq integer not null
    );
CREATE INDEX jobs_waiting_for on jobs (seq) where waiting_for is not null;
CREATE INDEX payments_settled on payments (settled_at, operation_id, payer, amount, mode)
    where settled_at is not null;
CREATE TABLE ended_jobs (
      hour integer not null,
      operation_id text not null,
      completed integer not null,
      failed integer not null,
      primary key (hour, operation_id)
    ) without rowid;
CREATE TABLE earned_hours (
      money text not null check (money in ('play', 'real')),
      hour integer not null,
      payments integer not null,
      amount integer not null,
      primary key (money, hour)
    ) without rowid;
CREATE TABLE earned_from (
      money text not null check (money in ('play', 'real')),
      payer text not null,
      payments integer not null,
      amount integer not null,
      primary key (money, payer)
    ) without rowid;
CREATE INDEX payments_by_money on payments ((mode = 'sandbox'), seq);
CREATE INDEX jobs_by_time on jobs (created_at, seq) where purged_at is null;
CREATE TABLE voices (
      id text primary key,
      account_id text not null,
      name text not null,
      model text not null,
      vector blob not null,
      seconds real not null,
      samples integer not null,
      created_at integer not null,
      heard_at integer not null,
      unique (account_id, model, name)
    );
CREATE TABLE site_watches (
      seq integer primary key autoincrement,
      id text not null unique,
      name text,
      crawl text not null,
      every_minutes integer not null,
      time_of_day text,
      webhook text,
      status text not null check (status in ('active', 'paused')),
      next_run_at integer,
      baseline_run integer,
      last_run integer,
      last_change_at integer,
      created_at integer not null,
      updated_at integer not null
    , key_id text, key_name text);
CREATE INDEX site_watches_due on site_watches (next_run_at) where next_run_at is not null;
CREATE TABLE site_watch_runs (
      seq integer primary key autoincrement,
      watch_seq integer not null,
      job_id text not null unique,
      cause text not null check (cause in ('schedule', 'owner')),
      status text not null check (status in ('running', 'completed', 'failed')),
      baseline_run integer,
      is_first integer,
      counts text,
      changes integer not null default 0,
      error text,
      diff_bytes integer not null default 0,
      begun_at integer not null,
      ended_at integer
    );
CREATE INDEX site_watch_runs_of on site_watch_runs (watch_seq, seq);
CREATE UNIQUE INDEX site_watch_runs_open on site_watch_runs (watch_seq) where status = 'running';
CREATE TABLE site_page_versions (
      watch_seq integer not null,
      url text not null,
      run_seq integer not null,
      change text not null,
      title text,
      moved_to text,
      before text,
      after text,
      added_lines integer,
      removed_lines integer,
      changed_share real,
      diff_at integer not null,
      diff_bytes integer not null,
      diff_truncated integer not null,
      primary key (watch_seq, url, run_seq)
    ) without rowid;
CREATE INDEX site_page_versions_of_run on site_page_versions (watch_seq, run_seq, url);
CREATE TABLE keys (
      id text not null primary key,
      hash text not null unique,
      shown text not null,
      name text not null unique,
      scopes text not null,
      requests_per_minute integer,
      open_jobs integer,
      created_at integer not null,
      expires_at integer,
      last_used_at integer
    );
CREATE INDEX jobs_open_by_key on jobs (key_id)
    where key_id is not null and status in ('queued', 'processing');
CREATE TABLE audit (
      seq integer primary key autoincrement,
      at integer not null,
      kind text not null check (kind in ('change', 'run')),
      key_id text,
      key_name text,
      method text not null,
      route text not null,
      target text,
      status integer not null,
      code text,
      request_id text not null
    );
CREATE INDEX audit_by_time on audit (at);
CREATE INDEX audit_by_kind on audit (kind, seq);
CREATE INDEX audit_by_key on audit (key_id, seq);
CREATE TABLE folder_watches (
      seq integer primary key autoincrement,
      id text not null unique,
      name text,
      path text not null,
      recipe text not null,
      recipe_hash text not null,
      extensions text,
      results text not null check (results in ('quarry', 'beside')),
      settle_seconds integer not null,
      status text not null check (status in ('active', 'paused')),
      device text,
      processing integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      created_at integer not null,
      updated_at integer not null
    );
CREATE TABLE folder_files (
      seq integer primary key autoincrement,
      id text not null unique,
      watch_seq integer not null,
      recipe_hash text not null,
      hash text,
      path text not null,
      size_bytes integer not null,
      job_id text unique,
      status text not null check (status in ('processing', 'completed', 'failed')),
      error text,
      results text not null check (results in ('none', 'due', 'written', 'failed')),
      results_error text,
      found_at integer not null,
      ended_at integer
    );
CREATE UNIQUE INDEX folder_files_once on folder_files (watch_seq, hash, recipe_hash);
CREATE INDEX folder_files_of on folder_files (watch_seq, seq);
CREATE INDEX folder_files_in on folder_files (watch_seq, status, seq);
CREATE INDEX folder_files_due on folder_files (watch_seq, seq) where results = 'due';
CREATE TABLE folder_paths (
      watch_seq integer not null,
      path text not null,
      size_bytes integer not null,
      modified_ns text not null,
      inode text not null,
      file_seq integer not null,
      primary key (watch_seq, path)
    ) without rowid;
CREATE INDEX folder_paths_by_inode on folder_paths (watch_seq, inode);
CREATE INDEX folder_paths_of_file on folder_paths (file_seq);
CREATE TABLE feeds (
      seq integer primary key autoincrement,
      id text not null unique,
      name text,
      title text,
      url text not null,
      recipe text not null,
      takes text not null check (takes in ('auto', 'enclosure', 'link')),
      first_entries integer not null,
      every_minutes integer not null,
      time_of_day text,
      status text not null check (status in ('active', 'paused')),
      next_run_at integer,
      etag text,
      last_modified text,
      read_at integer,
      checked_at integer,
      error text,
      waiting integer not null default 0,
      processing integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      skipped integer not null default 0,
      created_at integer not null,
      updated_at integer not null
    , forgotten_until integer, key_id text, key_name text);
CREATE INDEX feeds_due on feeds (next_run_at) where next_run_at is not null;
CREATE TABLE feed_entries (
      seq integer primary key autoincrement,
      id text not null unique,
      feed_seq integer not null,
      guid_hash text not null,
      title text,
      url text,
      published_at integer,
      job_id text,
      status text not null check (status in ('waiting', 'processing', 'completed', 'failed', 'skipped')),
      error text,
      found_at integer not null,
      ended_at integer
    );
CREATE UNIQUE INDEX feed_entries_once on feed_entries (feed_seq, guid_hash);
CREATE INDEX feed_entries_of on feed_entries (feed_seq, seq);
CREATE INDEX feed_entries_in on feed_entries (feed_seq, status, seq);
CREATE INDEX feed_entries_of_job on feed_entries (job_id) where job_id is not null;
CREATE TABLE batches (
      seq integer primary key autoincrement,
      id text not null unique,
      recipe text not null,
      key_id text,
      status text not null check (status in ('processing', 'completed', 'cancelled')),
      waiting integer not null default 0,
      processing integer not null default 0,
      completed integer not null default 0,
      failed integer not null default 0,
      cancelled integer not null default 0,
      created_at integer not null,
      cancelled_at integer,
      ended_at integer,
      expires_at integer
    , account_id text not null default 'owner', payment_id text, tags text, metadata text, on_missing text check (on_missing in ('install', 'ask')), key_name text);
CREATE INDEX batches_open on batches (seq) where status = 'processing';
CREATE INDEX batches_expiring on batches (expires_at) where expires_at is not null;
CREATE TABLE batch_items (
      seq integer primary key autoincrement,
      batch_seq integer not null,
      number integer not null,
      source text not null,
      job_id text,
      is_own integer not null default 0,
      status text not null check (status in ('waiting', 'processing', 'completed', 'failed', 'cancelled')),
      error text,
      ended_at integer
    );
CREATE UNIQUE INDEX batch_items_of on batch_items (batch_seq, number);
CREATE INDEX batch_items_in on batch_items (batch_seq, status, number);
CREATE INDEX batch_items_of_job on batch_items (job_id) where job_id is not null;
CREATE TABLE job_tags (
      tag text not null,
      seq integer not null,
      account_id text not null,
      primary key (tag, seq)
    ) without rowid;
CREATE INDEX job_tags_of_account on job_tags (account_id, tag, seq);
CREATE INDEX job_tags_of_job on job_tags (seq);
CREATE TABLE idempotency_keys (
      scope text not null,
      key text not null,
      request_hash text not null,
      job_id text not null,
      created_at integer not null,
      primary key (scope, key)
    ) without rowid;
CREATE INDEX idempotency_keys_by_time on idempotency_keys (created_at);
CREATE TABLE fleet_nodes (
      id text primary key,
      name text not null unique,
      public_key text not null,
      draining integer not null default 0,
      created_at integer not null,
      last_seen_at integer
    , abilities text);
CREATE TABLE fleet_choices (
      id integer primary key check (id = 1),
      choices text not null
    );
CREATE TABLE fleet_cursor (
      id integer primary key check (id = 1),
      stream text not null,
      sequence integer not null
    );
CREATE TABLE alerts (
      seq integer primary key autoincrement,
      id text not null unique,
      kind text not null,
      subject text not null,
      facts text not null,
      raised_at integer not null,
      updated_at integer not null,
      cleared_at integer
    );
CREATE UNIQUE INDEX alerts_open on alerts (kind, subject) where cleared_at is null;
CREATE INDEX batches_of_account on batches (account_id, seq);
CREATE TABLE fleet_copies (
      node_id text not null,
      model text not null,
      created_at integer not null,
      error text,
      primary key (node_id, model)
    );
CREATE UNIQUE INDEX webhooks_of_account on webhooks (account_id, url, secret_mark, coalesce(key_id, ''))
    where job_id is null and deleted_at is null;
CREATE UNIQUE INDEX webhooks_of_job on webhooks (job_id, account_id, url, secret_mark, coalesce(key_id, ''))
    where job_id is not null;
CREATE TABLE network_door (
      id integer not null primary key check (id = 1),
      is_on integer not null check (is_on in (0, 1)),
      address text,
      port integer not null
    );
CREATE TABLE library_items (
      seq integer primary key autoincrement,
      id text not null unique,
      kind text not null,
      title text not null,
      title_given integer not null default 0,
      state text not null check (state in ('reading', 'ready', 'failed')),
      source_key text,
      source_name text,
      source_url text,
      source_sha256 text,
      language text,
      pages integer,
      words integer,
      seconds real,
      position text,
      job_id text not null,
      version integer not null,
      added_at integer not null,
      updated_at integer not null,
      dated_at integer,
      deleted_at integer,
      unread integer not null default 0
    , cover text check (cover in ('drawn', 'none')), excerpt text, peaks text, bytes integer, original_bytes integer not null default 0);
CREATE INDEX library_items_by_source on library_items (source_key) where source_key is not null;
CREATE INDEX library_items_by_time on library_items (added_at, seq) where deleted_at is null;
CREATE INDEX library_items_deleted on library_items (deleted_at) where deleted_at is not null;
CREATE INDEX library_items_unread on library_items (seq) where unread = 1;
CREATE TABLE library_versions (
      job_id text primary key,
      item_seq integer not null,
      number integer not null,
      state text not null,
      created_at integer not null, bytes integer, original_bytes integer not null default 0, original_goes integer not null default 0,
      unique (item_seq, number)
    ) without rowid;
CREATE TABLE library_tags (
      item_seq integer not null,
      tag text not null,
      primary key (item_seq, tag)
    ) without rowid;
CREATE INDEX library_tags_by_tag on library_tags (tag, item_seq);
CREATE TABLE library_collections (
      seq integer primary key autoincrement,
      id text not null unique,
      name text not null unique,
      filter text
    );
CREATE TABLE library_members (
      collection_seq integer not null,
      item_seq integer not null,
      primary key (collection_seq, item_seq)
    ) without rowid;
CREATE INDEX library_members_by_item on library_members (item_seq);
CREATE TABLE library_notes (
      seq integer primary key autoincrement,
      id text not null unique,
      item_seq integer not null,
      kind text not null check (kind in ('note', 'highlight')),
      text text not null,
      quote text,
      before text not null,
      after text not null,
      position text,
      version integer not null,
      created_at integer not null,
      updated_at integer not null
    );
CREATE INDEX library_notes_by_item on library_notes (item_seq, seq);
CREATE TABLE library_adoption (before_seq integer);
CREATE INDEX library_items_uncovered on library_items (seq) where cover is null and unread = 0
    and state = 'ready';
CREATE TABLE library_mirrors (
      seq integer primary key autoincrement,
      id text not null unique,
      path text not null,
      filter text not null,
      state text not null default 'waiting' check (state in ('waiting', 'ok', 'failed')),
      message text,
      kept text not null default '[]',
      kept_count integer not null default 0,
      synced_at integer
    );
CREATE INDEX library_versions_unmeasured on library_versions (job_id) where bytes is null
    and state <> 'reading';
CREATE TABLE library_speakers (
      item_seq integer not null,
      speaker text not null,
      primary key (item_seq, speaker)
    ) without rowid;
CREATE INDEX library_speakers_by_name on library_speakers (speaker, item_seq);
CREATE INDEX library_items_by_change on library_items (updated_at, seq) where deleted_at is null;
CREATE INDEX library_items_by_title on library_items (title collate nocase, seq)
    where deleted_at is null;
CREATE INDEX library_items_by_size on library_items (bytes, seq) where deleted_at is null;
CREATE TABLE readings (
      id text primary key,
      item_id text not null unique,
      job_id text not null,
      state text not null check (state in ('reading', 'ready', 'failed')),
      error_code text,
      error_message text,
      voice text not null,
      voice_name text not null,
      speed real not null,
      position real not null default 0,
      created_at integer not null,
      updated_at integer not null
    );
CREATE TABLE listen_feeds (
      id text primary key,
      name text not null,
      created_at integer not null,
      used_at integer
    );
CREATE TABLE listen_secret (only integer primary key check (only = 1), secret text not null);
CREATE INDEX library_versions_marked on library_versions (job_id) where original_goes = 1;
insert into kysely_migration (name, timestamp) values
  ('001-jobs', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('002-payments', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('003-accounts', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('004-webhooks', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('005-search', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('006-contributions', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('007-chunks-in-files', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('009-search-by-meaning', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('012-replaced-transactions', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('013-job-life', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('014-kept-jobs', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('015-payments-by-time', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('017-paying-accounts', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('018-sessions', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('019-search-queue', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('021-waiting-jobs', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('022-settled-by-mode', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('023-ended-jobs', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('024-earnings', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('025-webhook-names', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('026-jobs-by-time', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('027-voices', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('028-watched-sites', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('029-keys', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('030-audit', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('031-folders-and-feeds', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('032-batches', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('033-labels', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('034-idempotency', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('035-runs', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('036-nodes', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('037-fleet', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('038-alerts', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('039-traces', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('042-paid-batches', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('043-forgotten-entries', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('044-node-abilities', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('045-model-copies', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('046-corrected-files', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('047-private-hosts', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('048-keys-of-makers', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('049-quoted-words', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('050-uncounted-results', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('051-devices', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('052-library', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('053-covers', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('054-mirrors', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('055-library-sizes', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('056-listen', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('057-more-covers', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('058-originals', strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  ('059-blocked-accounts', strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0);
