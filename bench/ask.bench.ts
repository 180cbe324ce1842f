/**
 * Whether an answer can cite the right place: 50 questions about the guides of this project, each with words of the
 * passage that answers it. For each the search that feeds an answer must bring the passage among the eight that a text
 * model reads, and the check of quotations must take the sentence as the passage has it and refuse it with one word
 * changed. No text model takes part.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INDEX_MIGRATIONS } from '../src-server/features/search/migrations.ts';
import { SearchClient } from '../src-server/features/search/service.ts';
import { insertChunk } from '../src-server/features/search/store.ts';
import { indexedWordsOf } from '../src-server/features/search/words.ts';
import { openStorage, type Storage } from '../src-server/platform/db/database.ts';
import { quotedIn } from '../src-server/platform/text/quotation.ts';
import { expectTarget, printTable } from './figures.ts';
import { learnAll } from './search-index.ts';

const GUIDES = join(import.meta.dirname, '../resources/reference');
const OWNER = 'owner';
/** Results that an answer is made of. */
const READ = 8;
const CHUNK_CHARS = 1000;
const TARGET = 0.9;

/** Question, and words of the passage that answers it. */
const QUESTIONS: readonly (readonly [question: string, words: string])[] = [
  ['Does Quarry follow redirects of a webhook?', 'Redirects are not followed'],
  ['How many deliveries does the end of a job make?', 'exactly one delivery per webhook and event'],
  ['What happens to a webhook when its key ends?', 'pauses when the key ends'],
  ['Is a key shown again later?', 'It is shown once'],
  ['What does a key begin with?', 'begins with `qk_`'],
  ['How do I revoke an earlier key of the same name in a script?', '`--replace` revokes an earlier key'],
  ['Which jobs may a key cancel?', 'to the jobs that it made, and no others'],
  ['How many files can a batch take?', 'takes up to 200 files'],
  ['How many unfinished batches are allowed?', 'at most 100 may be unfinished'],
  ['Which scope does a named key need for a batch?', 'Named keys need the scope'],
  ['On which plan does an account start?', 'Every account starts on Studio'],
  ['Are the requests of the owner limited?', "The owner's own requests are not limited"],
  ['Is a refused request counted against the limit?', 'A refused request does not count'],
  ['Which window do rate limits use?', 'sliding window'],
  ['What status code says that the limit is exceeded?', '429 with `Retry-After`'],
  ['Do cancelled jobs raise alerts?', 'Cancelled jobs'],
  ['Which environment has the alerts about the disk?', 'those of disk and backup are in `production`'],
  ['Does a webhook receive alerts about itself?', 'does not receive alerts about itself'],
  ['How long does what I read stay in the library?', 'until you delete it'],
  ['What is an item of the library?', 'An item is a source over its versions'],
  ['How do I find out whether a file is in the library already?', '/library/lookup'],
  ['When is a deleted item gone for good?', 'for good after 30 days'],
  ['Which protocol do payments use?', 'The protocol is x402'],
  ['Does a new server take real money?', 'play money'],
  ['What does the header X-PAYMENT-RESPONSE contain?', 'is the settlement record'],
  ['Which content type do errors have?', 'application/problem+json'],
  ['Which field of an error should my program rely on?', '`code` is stable'],
  ['Are unknown fields of a request accepted?', 'Unknown fields are refused'],
  ['What happens if a name occurs twice in a JSON object?', 'the last value counts'],
  ['What does the answer to a crawl request contain?', '`rootUrl` (the normalised URL)'],
  ['Are addresses that differ only in percent-encoding one page?', 'are one page'],
  ['How long may a recording be?', '12 hours long'],
  ['Does the file name decide the format of a recording?', 'The bytes decide, not the name'],
  ['How often do words of a running transcription arrive?', 'half a minute|every half minute'],
  ['Are phonemes supported in pronunciations?', 'Phonemes are not supported'],
  ['Does the tempo decide whether a prompt becomes music?', '`tempo` never decides'],
  ['Are emoji spoken?', 'emoji are not spoken'],
  ['What are the previews of generated audio?', 'real clips of the opening seconds'],
  ['Which error says that a model is missing?', '`model_not_installed`'],
  ['What does a job that waits for a model do when it is installed?', 'it runs when the installation ends'],
  ['How often is a file of a watched folder tried that cannot be sent?', 'six times within a quarter of an hour'],
  ['What happens to watched folders on a full disk?', 'On a full disk all wait'],
  ['Which priority do jobs of folders and feeds have?', 'with low priority'],
  ['How many attempts does a job have?', 'at most three attempts'],
  ['Which states does a job go through?', 'from `queued` to `processing`'],
  ['Does an attempt count when the server is stopped?', 'stopped or killed does not count'],
  ['Does a heading start a chunk?', 'A heading starts a chunk'],
  ['How are tables cut that do not fit into a chunk?', 'is cut between rows'],
  ['How many letters in a row may stay unexplained?', 'more than 20 letters in a row'],
  ['How do I exclude a word from a search?', 'must not occur'],
];

/** Paragraphs together, up to the length of a chunk, below their heading. */
function* chunksOf(text: string): Generator<{ heading: string; text: string }> {
  let heading = '';
  let chunk = '';
  for (const paragraph of text.split(/\n\s*\n/)) {
    const title = /^#+ (.*)/.exec(paragraph)?.[1];
    if (chunk !== '' && (title !== undefined || chunk.length + paragraph.length > CHUNK_CHARS)) {
      yield { heading, text: chunk };
      chunk = '';
    }
    heading = title ?? heading;
    if (title === undefined) chunk = chunk === '' ? paragraph : `${chunk}\n\n${paragraph}`;
  }
  if (chunk !== '') yield { heading, text: chunk };
}

function addGuides(storage: Storage): string[] {
  const texts: string[] = [];
  storage.transaction((tx) => {
    for (const name of readdirSync(GUIDES)) {
      for (const { heading, text } of chunksOf(readFileSync(join(GUIDES, name), 'utf8'))) {
        const chunk = {
          ...{ account_id: OWNER, job_id: name, job_type: 'extract/doc', contribution_id: null, kind: 'text' },
          ...{ chunk_id: String(texts.length), language: 'en', page: 1, heading, url: null, source_name: name },
          ...{ start_seconds: null, text, original_text: null },
        };
        insertChunk(tx, chunk, indexedWordsOf(chunk));
        texts.push(text);
      }
    }
  });
  return texts;
}

const folder = mkdtempSync(join(tmpdir(), 'quarry-ask-'));
const path = join(folder, 'search.db');
const storage = await openStorage(path, { migrations: INDEX_MIGRATIONS });
const entry = new URL('../src-server/features/search/search-thread.ts', import.meta.url);
const client = new SearchClient({ entry, indexPath: path });
try {
  const texts = addGuides(storage);
  await learnAll(storage);
  const flat = (text: string) => text.replace(/\s+/g, ' ');
  const rows = [];
  for (const topics of [false, true]) {
    let [read, first, cited, altered] = [0, 0, 0, 0];
    for (const [question, words] of QUESTIONS) {
      const asked = words.split('|');
      if (!texts.some((text) => asked.some((one) => flat(text).includes(one))))
        throw new Error(`No guide says: ${words}`);
      const { results } = await client.searchIndex({
        ...{ accountId: OWNER, jobs: { shared: [], removed: [] }, filter: {}, vector: null },
        ...{ query: question, limit: READ, lexical: true, topics },
      });
      const place = results.findIndex(({ text }) => asked.some((one) => flat(text).includes(one)));
      read += Number(place !== -1);
      first += Number(place === 0);
      const passage = results[place]?.text ?? '';
      const quote = asked.find((one) => flat(passage).includes(one)) ?? '';
      cited += Number(quote !== '' && quotedIn(passage, quote) !== null);
      altered += Number(quote !== '' && quotedIn(passage, quote.replace(/\w+/, 'zeppelin')) !== null);
      if (place === -1 && topics) process.stdout.write(`not among ${READ}: ${question}\n`);
    }
    rows.push({
      search: topics ? 'words and topics' : 'words',
      questions: QUESTIONS.length,
      read,
      first,
      cited,
      altered,
    });
  }
  printTable(rows);
  const last = rows.at(-1);
  const share = (last?.read ?? 0) / QUESTIONS.length;
  expectTarget(`the passage is among ${READ} for ${TARGET * 100} % of the questions`, share >= TARGET);
  expectTarget('every passage that is read can be cited', last?.cited === last?.read);
  expectTarget('no altered quotation is taken', last?.altered === 0);
} finally {
  await client.closeSearchClient();
  storage.close();
  rmSync(folder, { recursive: true, force: true });
}
