/**
 * The ledger of one crawl, a small database of its own in the job's folder: tens of thousands of URLs never pass
 * through the appliance's one writer, and go with the folder. Losing its last moments in a power cut loses nothing but
 * work, so it is not waited for.
 */
export const SCHEMA = `
  create table if not exists urls (
    id integer primary key,
    url text not null unique,
    host text not null,
    depth integer not null,
    hops integer not null,
    is_sitemap integer not null,
    state integer not null,
    attempts integer not null default 0,
    verdict text,
    reason text not null default '',
    target text,
    batch integer,
    status integer,
    content_type text,
    bytes integer,
    fetched_at integer,
    etag text,
    last_modified text,
    unchanged integer,
    hash text,
    canonical text
  );
  create index if not exists urls_waiting on urls (host, depth, id) where state = 0;
  create index if not exists urls_by_hash on urls (hash) where verdict = 'page';
`;

/**
 * How pages are read: raised when the same page would now be read otherwise. A later crawl takes unchanged pages as an
 * earlier one read them, but only where it would read them so itself; kept as the `user_version` of the database.
 */
export const READING = 4;
