import{a as e,n as t}from"./errors-Cmz9T5X5.mjs";import{d as n,u as r}from"./prepared-DNvNjd2b.mjs";import{n as i}from"./sqlite-DkWj6O_J.mjs";import{basename as a,join as o}from"node:path";import{existsSync as s,mkdirSync as c,readdirSync as l,renameSync as u}from"node:fs";import{setTimeout as d}from"node:timers/promises";import{mkdir as f,readdir as p,rename as m,rm as h,rmdir as g}from"node:fs/promises";import{randomUUID as _}from"node:crypto";var v=`source`,y=`files`,b=`work`,x=`chunks.jsonl`,S=`.accepting`,C=/^[a-z0-9_-]{2}$/,w=`.removing`,T=/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/,JobFolders=class{root;constructor(e){this.root=e,c(e,{recursive:!0})}jobFolderPath(e){return o(this.root,e.slice(4,6).toLowerCase(),e)}sourceFolderPath(e){return o(this.jobFolderPath(e),v)}filesFolderPath(e){return o(this.jobFolderPath(e),y)}workFolderPath(e){return o(this.jobFolderPath(e),b)}servedJobFilePath(e,t){return T.test(t)?o(this.filesFolderPath(e),t):null}async fileNames(e){return(await p(this.filesFolderPath(e)).catch(ignoreMissingFolder)??[]).filter(e=>T.test(e)).sort()}chunksFolderPath(e){return o(this.filesFolderPath(e),x)}async prepareJobFolder(e){await f(this.filesFolderPath(e),{recursive:!0}).catch(throwStorageError)}async claimUpload(e,t){await f(o(this.root,e+S)).catch(throwStorageError),await this.prepareJobFolder(e),await m(t,this.sourceFolderPath(e)).catch(throwStorageError)}async clearAcceptingMark(e){await g(o(this.root,e+S)).catch(ignoreMissingFolder)}async removeJobFolder(e){await h(this.jobFolderPath(e),{recursive:!0,force:!0})}moveSource(e,t){try{c(this.filesFolderPath(t),{recursive:!0}),u(this.sourceFolderPath(e),this.sourceFolderPath(t))}catch(e){throwStorageError(e)}}setJobFolderAside(e){c(o(this.root,w),{recursive:!0});let t=o(this.root,w,`${e}.${_()}`);try{return u(this.jobFolderPath(e),t),t}catch(e){return ignoreMissingFolder(e),null}}putBack(e,t){u(t,this.jobFolderPath(e))}async clearAside(e=o(this.root,w)){await h(e,{recursive:!0,force:!0})}async recoverJobFolders(e){for(let t of await p(o(this.root,w)).catch(()=>[])){let[n=``]=t.split(`.`);e(n)===`job`&&this.putBack(n,o(this.root,w,t))}await this.clearAside();let t=(await p(this.root)).filter(e=>e.endsWith(S));for(let n of t){let t=n.slice(0,-10),r=e(t);r===`nobody`&&await this.removeJobFolder(t),r!==`pending`&&await this.clearAcceptingMark(t)}}};function hasJobFolders(e){if(!s(e))return!1;let t=l(e,{withFileTypes:!0}),n=t.map(({name:e})=>e),r=new Set(n.filter(e=>e.endsWith(S)).map(e=>a(e,S)));return t.filter(e=>e.isDirectory()&&C.test(e.name)).some(({name:t})=>l(o(e,t)).some(e=>!r.has(e)))}function throwStorageError(n){throw t(n)?n:e(n)}function ignoreMissingFolder(e){if(e.code!==`ENOENT`)throw e}async function createSearch(e){await n`
    create table search_chunks (
      seq integer primary key,
      account_id text not null,
      job_id text,
      job_type text not null,
      contribution_id text,
      chunk_id text not null,
      kind text not null,
      language text,
      page integer not null,
      heading text,
      url text,
      source_name text,
      start_seconds real,
      text text not null,
      original_text text
    )`.execute(e),await n`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(e),await n`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(e),await n`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(e),await n`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(e),await n`
    create table search_jobs (
      job_id text not null primary key,
      indexed_chunks integer not null,
      state text not null check (state in ('waiting', 'indexed', 'failed'))
    )`.execute(e),await n`create index search_jobs_waiting on search_jobs (job_id) where state = 'waiting'`.execute(e)}async function addSearchByMeaning(e){await n`
    create table search_embedders (
      id integer primary key,
      model text not null unique
    )`.execute(e),await n`alter table search_chunks add column embedded_by integer not null default 0`.execute(e),await n`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(e),await n`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(e),await n`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(e),await n`
    create table search_shares (
      account_id text not null,
      job_id text not null,
      primary key (account_id, job_id)
    ) without rowid`.execute(e),await n`
    create table corrected_files (
      job_id text not null primary key,
      revision integer not null
    )`.execute(e),await n`create index search_shares_by_job on search_shares (job_id)`.execute(e)}async function queueSearch(e){await n`
    create table search_queue (
      seq integer primary key autoincrement,
      kind text not null check (kind in ('job', 'removal', 'correction', 'contribution')),
      subject text not null unique,
      job_id text,
      priority integer not null,
      payload text
    )`.execute(e),await n`create index search_queue_next on search_queue (priority, seq)`.execute(e),await n`create index search_queue_removals on search_queue (seq) where kind = 'removal'`.execute(e),await n`
    create table search_source (
      index_id text not null primary key,
      first_seq integer not null,
      last_seq integer not null
    )`.execute(e);let{rows:t}=await n`select 1 from search_chunks limit 1`.execute(e);if(!(t.length>0))for(let t of E)await n`drop table ${n.table(t)}`.execute(e)}var E=[`search_text`,`search_jobs`,`search_signatures`,`search_vectors`,`search_embedders`,`search_chunks`],D={"001-index":{up:createIndex},"002-topics":{up:addTopics}};async function createIndex(e){await n`create table search_identity (id text not null primary key)`.execute(e),await n`insert into search_identity (id) values (${_()})`.execute(e),await n`
    create table search_chunks (
      seq integer primary key,
      account_id text not null,
      job_id text,
      job_type text not null,
      contribution_id text,
      chunk_id text not null,
      kind text not null,
      language text,
      page integer not null,
      heading text,
      url text,
      source_name text,
      start_seconds real,
      text text not null,
      original_text text,
      embedded_by integer not null default 0
    )`.execute(e),await n`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(e),await n`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(e),await n`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(e),await n`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(e),await n`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(e),await n`insert into search_text (search_text, rank) values ('automerge', 0)`.execute(e),await n`create table search_embedders (id integer primary key, model text not null unique)`.execute(e),await n`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(e),await n`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(e)}async function addTopics(e){await n`alter table search_chunks add column folded_by integer not null default 0`.execute(e),await n`create index search_chunks_by_fold on search_chunks (folded_by, account_id)`.execute(e),await n`create index search_chunks_by_account on search_chunks (account_id)`.execute(e),await n`
    create table topic_fits (
      id integer primary key autoincrement,
      account_id text not null,
      is_current integer not null,
      chunks integer not null,
      changed integer not null,
      dimensions integer not null,
      cells blob not null
    )`.execute(e),await n`create index topic_fits_by_account on topic_fits (account_id)`.execute(e),await n`
    create table topic_terms (
      fit integer not null,
      term text not null,
      weight real not null,
      scale real not null,
      vector blob not null,
      primary key (fit, term)
    ) without rowid`.execute(e),await n`
    create table topic_signatures (
      fit integer not null,
      cell integer not null,
      seq integer not null,
      job_type text not null,
      kind text not null,
      language text,
      bits blob not null,
      primary key (fit, cell, seq)
    ) without rowid`.execute(e),await n`
    create table topic_vectors (
      seq integer primary key,
      fit integer not null,
      cell integer not null,
      vector blob not null
    )`.execute(e),await n`
    create table search_facts (
      seq integer primary key,
      job_type text not null,
      kind text not null,
      source text,
      day text
    )`.execute(e),await n`
    insert into search_facts select seq, job_type, kind, coalesce(
      case when instr(url, '://') > 0
        then substr(substr(url, instr(url, '://') + 3), 1, instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1)
      end, source_name), ''
    from search_chunks`.execute(e),await n`create index search_facts_by_source on search_facts (source, seq)`.execute(e),await n`create index search_facts_by_day on search_facts (day, seq)`.execute(e)}var O=100,k=5,A=5e3,j={search_signatures:`account_id, seq`,search_jobs:`job_id`};function hasOldTables(e){return E.some(t=>hasTable(e,t))}function hasTable(e,t){return e.queryFirst(n`select 1 from sqlite_master where type = 'table' and name = ${t}`)!==void 0}async function dropOldTables(e,t){let a=i(e,{fileMustExist:!0,timeout:A});a.unsafeMode();let{db:o,transaction:s}=r(a);try{for(let e of E)for(;hasTable(o,e);){if(t.aborted)return;s(t=>{deleteSomeRows(t,e===`search_text`?`search_text_data`:e)===0&&t.runStatement(n`drop table ${n.table(e)}`)}),await d(k)}}finally{a.close()}}function deleteSomeRows(e,t){let r=n.raw(j[t]??`rowid`),i=n.table(t);return e.runStatement(n`delete from ${i} where (${r}) in (select ${r} from ${i} limit ${O})`)}function oldVector(e,{job_id:t,contribution_id:r,chunk_id:i,text:a}){if(!hasTable(e,E[0]))return null;let o=t===null?n`c.contribution_id = ${r}`:n`c.job_id = ${t}`,s=e.queryFirst(n`
    select e.model, v.vector, s.bits from search_chunks as c
    join search_embedders as e on e.id = c.embedded_by
    left join search_vectors as v on v.seq = c.seq and v.embedder = c.embedded_by
    left join search_signatures as s
      on s.account_id = c.account_id and s.seq = c.seq and s.embedder = c.embedded_by
    where ${o} and c.chunk_id = ${i} and c.text = ${a} limit 1
  `);if(s===void 0)return null;let{model:c,vector:l,bits:u}=s;return{model:c,forms:l===null||u===null?null:{bits:u,bytes:l}}}export{addSearchByMeaning as a,JobFolders as c,D as i,hasJobFolders as l,hasOldTables as n,createSearch as o,oldVector as r,queueSearch as s,dropOldTables as t};