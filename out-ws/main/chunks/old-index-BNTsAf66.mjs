import{a as storageUnavailable,n as isDiskFull}from"./errors-Cmz9T5X5.mjs";import{d as sql,u as storageOn}from"./prepared-DNvNjd2b.mjs";import{n as openSqlite}from"./sqlite-DkWj6O_J.mjs";import{basename,join}from"node:path";import{existsSync,mkdirSync,readdirSync,renameSync}from"node:fs";import{setTimeout}from"node:timers/promises";import{mkdir,readdir,rename,rm,rmdir}from"node:fs/promises";import{randomUUID}from"node:crypto";var SOURCE=`source`;var FILES=`files`;var WORK=`work`;var CHUNKS=`chunks.jsonl`;var ACCEPTING=`.accepting`;var SHARD=/^[a-z0-9_-]{2}$/;var ASIDE=`.removing`;var FILE_NAME=/^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;var JobFolders=class{root;constructor(root){this.root=root;mkdirSync(root,{recursive:true})}jobFolderPath(jobId){return join(this.root,jobId.slice(4,6).toLowerCase(),jobId)}sourceFolderPath(jobId){return join(this.jobFolderPath(jobId),SOURCE)}filesFolderPath(jobId){return join(this.jobFolderPath(jobId),FILES)}workFolderPath(jobId){return join(this.jobFolderPath(jobId),WORK)}servedJobFilePath(jobId,name){return FILE_NAME.test(name)?join(this.filesFolderPath(jobId),name):null}async fileNames(jobId){return(await readdir(this.filesFolderPath(jobId)).catch(ignoreMissingFolder)??[]).filter(name=>FILE_NAME.test(name)).sort()}chunksFolderPath(jobId){return join(this.filesFolderPath(jobId),CHUNKS)}async prepareJobFolder(jobId){await mkdir(this.filesFolderPath(jobId),{recursive:true}).catch(throwStorageError)}async claimUpload(jobId,uploadPath){await mkdir(join(this.root,jobId+ACCEPTING)).catch(throwStorageError);await this.prepareJobFolder(jobId);await rename(uploadPath,this.sourceFolderPath(jobId)).catch(throwStorageError)}async clearAcceptingMark(jobId){await rmdir(join(this.root,jobId+ACCEPTING)).catch(ignoreMissingFolder)}async removeJobFolder(jobId){await rm(this.jobFolderPath(jobId),{recursive:true,force:true})}moveSource(from,to){try{mkdirSync(this.filesFolderPath(to),{recursive:true});renameSync(this.sourceFolderPath(from),this.sourceFolderPath(to))}catch(error){throwStorageError(error)}}setJobFolderAside(jobId){mkdirSync(join(this.root,ASIDE),{recursive:true});const aside=join(this.root,ASIDE,`${jobId}.${randomUUID()}`);try{renameSync(this.jobFolderPath(jobId),aside);return aside}catch(error){ignoreMissingFolder(error);return null}}putBack(jobId,aside){renameSync(aside,this.jobFolderPath(jobId))}async clearAside(aside=join(this.root,ASIDE)){await rm(aside,{recursive:true,force:true})}async recoverJobFolders(fateOf){for(const name of await readdir(join(this.root,ASIDE)).catch(()=>[])){const[jobId=``]=name.split(`.`);if(fateOf(jobId)===`job`)this.putBack(jobId,join(this.root,ASIDE,name))}await this.clearAside();const marks=(await readdir(this.root)).filter(name=>name.endsWith(ACCEPTING));for(const mark of marks){const jobId=mark.slice(0,-10);const fate=fateOf(jobId);if(fate===`nobody`)await this.removeJobFolder(jobId);if(fate!==`pending`)await this.clearAcceptingMark(jobId)}}};function hasJobFolders(root){if(!existsSync(root))return false;const entries=readdirSync(root,{withFileTypes:true});const names=entries.map(({name})=>name);const accepting=new Set(names.filter(name=>name.endsWith(ACCEPTING)).map(name=>basename(name,ACCEPTING)));return entries.filter(entry=>entry.isDirectory()&&SHARD.test(entry.name)).some(({name})=>readdirSync(join(root,name)).some(jobId=>!accepting.has(jobId)))}function throwStorageError(error){throw isDiskFull(error)?error:storageUnavailable(error)}function ignoreMissingFolder(error){if(error.code!==`ENOENT`)throw error}async function createSearch(db){await sql`
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
    )`.execute(db);await sql`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(db);await sql`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(db);await sql`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(db);await sql`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(db);await sql`
    create table search_jobs (
      job_id text not null primary key,
      indexed_chunks integer not null,
      state text not null check (state in ('waiting', 'indexed', 'failed'))
    )`.execute(db);await sql`create index search_jobs_waiting on search_jobs (job_id) where state = 'waiting'`.execute(db)}async function addSearchByMeaning(db){await sql`
    create table search_embedders (
      id integer primary key,
      model text not null unique
    )`.execute(db);await sql`alter table search_chunks add column embedded_by integer not null default 0`.execute(db);await sql`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(db);await sql`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(db);await sql`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(db);await sql`
    create table search_shares (
      account_id text not null,
      job_id text not null,
      primary key (account_id, job_id)
    ) without rowid`.execute(db);await sql`
    create table corrected_files (
      job_id text not null primary key,
      revision integer not null
    )`.execute(db);await sql`create index search_shares_by_job on search_shares (job_id)`.execute(db)}async function queueSearch(db){await sql`
    create table search_queue (
      seq integer primary key autoincrement,
      kind text not null check (kind in ('job', 'removal', 'correction', 'contribution')),
      subject text not null unique,
      job_id text,
      priority integer not null,
      payload text
    )`.execute(db);await sql`create index search_queue_next on search_queue (priority, seq)`.execute(db);await sql`create index search_queue_removals on search_queue (seq) where kind = 'removal'`.execute(db);await sql`
    create table search_source (
      index_id text not null primary key,
      first_seq integer not null,
      last_seq integer not null
    )`.execute(db);const{rows}=await sql`select 1 from search_chunks limit 1`.execute(db);if(rows.length>0)return;for(const table of OLD_TABLES)await sql`drop table ${sql.table(table)}`.execute(db)}var OLD_TABLES=[`search_text`,`search_jobs`,`search_signatures`,`search_vectors`,`search_embedders`,`search_chunks`];var INDEX_MIGRATIONS={"001-index":{up:createIndex},"002-topics":{up:addTopics}};async function createIndex(db){await sql`create table search_identity (id text not null primary key)`.execute(db);await sql`insert into search_identity (id) values (${randomUUID()})`.execute(db);await sql`
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
    )`.execute(db);await sql`create index search_chunks_by_job on search_chunks (job_id, chunk_id) where job_id is not null`.execute(db);await sql`create index search_chunks_by_contribution on search_chunks (contribution_id)
    where contribution_id is not null`.execute(db);await sql`create index search_chunks_by_embedder on search_chunks (embedded_by)`.execute(db);await sql`
    create virtual table search_text using fts5 (
      scope, heading, body, content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    )`.execute(db);await sql`insert into search_text (search_text, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(db);await sql`insert into search_text (search_text, rank) values ('automerge', 0)`.execute(db);await sql`create table search_embedders (id integer primary key, model text not null unique)`.execute(db);await sql`
    create table search_signatures (
      account_id text not null,
      seq integer not null,
      embedder integer not null,
      bits blob not null,
      job_type text not null,
      kind text not null,
      language text,
      primary key (account_id, seq)
    ) without rowid`.execute(db);await sql`
    create table search_vectors (
      seq integer primary key,
      embedder integer not null,
      vector blob not null
    )`.execute(db)}async function addTopics(db){await sql`alter table search_chunks add column folded_by integer not null default 0`.execute(db);await sql`create index search_chunks_by_fold on search_chunks (folded_by, account_id)`.execute(db);await sql`create index search_chunks_by_account on search_chunks (account_id)`.execute(db);await sql`
    create table topic_fits (
      id integer primary key autoincrement,
      account_id text not null,
      is_current integer not null,
      chunks integer not null,
      changed integer not null,
      dimensions integer not null,
      cells blob not null
    )`.execute(db);await sql`create index topic_fits_by_account on topic_fits (account_id)`.execute(db);await sql`
    create table topic_terms (
      fit integer not null,
      term text not null,
      weight real not null,
      scale real not null,
      vector blob not null,
      primary key (fit, term)
    ) without rowid`.execute(db);await sql`
    create table topic_signatures (
      fit integer not null,
      cell integer not null,
      seq integer not null,
      job_type text not null,
      kind text not null,
      language text,
      bits blob not null,
      primary key (fit, cell, seq)
    ) without rowid`.execute(db);await sql`
    create table topic_vectors (
      seq integer primary key,
      fit integer not null,
      cell integer not null,
      vector blob not null
    )`.execute(db);await sql`
    create table search_facts (
      seq integer primary key,
      job_type text not null,
      kind text not null,
      source text,
      day text
    )`.execute(db);await sql`
    insert into search_facts select seq, job_type, kind, coalesce(
      case when instr(url, '://') > 0
        then substr(substr(url, instr(url, '://') + 3), 1, instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1)
      end, source_name), ''
    from search_chunks`.execute(db);await sql`create index search_facts_by_source on search_facts (source, seq)`.execute(db);await sql`create index search_facts_by_day on search_facts (day, seq)`.execute(db)}var EMPTIED_ROWS=100;var PAUSE_MS=5;var BUSY_TIMEOUT_MS=5e3;var KEYS={search_signatures:`account_id, seq`,search_jobs:`job_id`};function hasOldTables(db){return OLD_TABLES.some(table=>hasTable(db,table))}function hasTable(db,name){return db.queryFirst(sql`select 1 from sqlite_master where type = 'table' and name = ${name}`)!==void 0}async function dropOldTables(databasePath,signal){const sqlite=openSqlite(databasePath,{fileMustExist:true,timeout:BUSY_TIMEOUT_MS});sqlite.unsafeMode();const{db,transaction}=storageOn(sqlite);try{for(const table of OLD_TABLES)while(hasTable(db,table)){if(signal.aborted)return;transaction(tx=>{if(deleteSomeRows(tx,table===`search_text`?`search_text_data`:table)===0)tx.runStatement(sql`drop table ${sql.table(table)}`)});await setTimeout(PAUSE_MS)}}finally{sqlite.close()}}function deleteSomeRows(db,table){const key=sql.raw(KEYS[table]??`rowid`);const rows=sql.table(table);return db.runStatement(sql`delete from ${rows} where (${key}) in (select ${key} from ${rows} limit ${EMPTIED_ROWS})`)}function oldVector(main,{job_id,contribution_id,chunk_id,text}){if(!hasTable(main,OLD_TABLES[0]))return null;const where=job_id===null?sql`c.contribution_id = ${contribution_id}`:sql`c.job_id = ${job_id}`;const row=main.queryFirst(sql`
    select e.model, v.vector, s.bits from search_chunks as c
    join search_embedders as e on e.id = c.embedded_by
    left join search_vectors as v on v.seq = c.seq and v.embedder = c.embedded_by
    left join search_signatures as s
      on s.account_id = c.account_id and s.seq = c.seq and s.embedder = c.embedded_by
    where ${where} and c.chunk_id = ${chunk_id} and c.text = ${text} limit 1
  `);if(row===void 0)return null;const{model,vector,bits}=row;return{model,forms:vector===null||bits===null?null:{bits,bytes:vector}}}export{addSearchByMeaning as a,JobFolders as c,INDEX_MIGRATIONS as i,hasJobFolders as l,hasOldTables as n,createSearch as o,oldVector as r,queueSearch as s,dropOldTables as t};