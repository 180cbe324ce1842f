import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Embedder } from '../../src-server/features/search/embedder.ts';
import { EmbeddingEngine } from '../../src-server/features/search/embedding-model.ts';
import { IndexWriter } from '../../src-server/features/search/index-writer.ts';
import type { EmbeddingModel, Embeddings } from '../../src-server/features/search/schema.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import type { Db, Storage } from '../../src-server/platform/db/database.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { MIB } from '../../src-server/platform/units.ts';
import { until } from '../harness/until.ts';
import { addChunks, temporaryIndex } from './chunks.ts';

const MODEL: EmbeddingModel = { name: 'one', key: 'one 1' };
const log = { error: () => undefined };

/** A model whose vectors say how often it was asked. It has none for the text `bad`, and once dies on `deadly`. */
function standIn() {
  const asked: string[] = [];
  const state = { model: MODEL as EmbeddingModel | null, hold: Promise.resolve(), hangsAt: Number.POSITIVE_INFINITY };
  const embeddings: Embeddings = {
    current: async () => state.model,
    embedForPurpose: async (_, text, __, signal) => {
      await state.hold;
      asked.push(text);
      if (asked.length === state.hangsAt) await new Promise((_, reject) => signal.addEventListener('abort', reject));
      if (text === 'bad') throw new QuarryError('engine_failed', say`No vector for this text.`);
      const dies = text === 'deadly' && asked.filter((one) => one === text).length === 1;
      if (dies) throw new QuarryError('engine_failed', say`It stopped.`, { retryable: true });
      return [1, asked.length];
    },
  };
  return { asked, state, embeddings };
}

/** The index as the server reads it, and as its thread writes it. */
function indexOf(storage: Storage) {
  const writer = new IndexWriter({ index: storage, main: storage.db, chunksPathOf: () => 'none' });
  return {
    read: <Result>(work: (db: Db) => Result) => work(storage.db),
    writeVectors: async (...given: Parameters<IndexWriter['writeVectors']>) => {
      expect(writer.writeVectors(...given)).toBeNull();
    },
  };
}

function vectors({ db }: Storage): number {
  const rows = db.queryAll(db.selectFrom('search_signatures').select('seq'));
  return rows.length;
}

async function settled(embedder: Embedder): Promise<void> {
  await until(async () => (await embedder.embeddingFigures()).waitingChunks === 0);
}

test('every chunk gets its vector once, though the process that makes them ends in the middle', async () => {
  await using database = await temporaryIndex();
  const { storage } = database;
  const texts = Array.from({ length: 40 }, (_, number) => `chunk ${number}`);
  addChunks(storage, texts);
  const model = standIn();
  const first = new Embedder({ index: indexOf(storage), embeddings: model.embeddings, log });
  model.state.hangsAt = 20;
  first.kickEmbedder();
  await until(() => model.asked.length === 20);
  await first.closeEmbedder();
  const kept = vectors(storage);
  expect(kept).toBe(16);

  const second = new Embedder({ index: indexOf(storage), embeddings: model.embeddings, log });
  second.kickEmbedder();
  await settled(second);
  await second.closeEmbedder();
  expect(vectors(storage)).toBe(texts.length);
  expect(new Set(model.asked)).toEqual(new Set(texts));
  // What was asked twice was in the batch that was not kept.
  expect(model.asked.length - texts.length).toBeLessThanOrEqual(8);
});

test('a text that the model has no vector for is not tried for ever, one that its model died on is tried again', async () => {
  await using database = await temporaryIndex();
  const { storage } = database;
  addChunks(storage, ['good', 'bad', 'deadly', 'better']);
  const model = standIn();
  const embedder = new Embedder({ index: indexOf(storage), embeddings: model.embeddings, log });
  embedder.kickEmbedder();
  await settled(embedder);
  embedder.kickEmbedder();
  await embedder.closeEmbedder();
  expect(model.asked).toEqual(['good', 'bad', 'deadly', 'deadly', 'better']);
  expect(vectors(storage)).toBe(3);
});

test('another model makes all vectors again, and the old ones are compared with nothing', async () => {
  await using database = await temporaryIndex();
  const { storage } = database;
  addChunks(storage, ['one', 'two', 'three']);
  const model = standIn();
  const embedder = new Embedder({ index: indexOf(storage), embeddings: model.embeddings, log });
  embedder.kickEmbedder();
  await settled(embedder);
  model.state.model = { name: 'other', key: 'other 2' };
  expect(await embedder.embeddingFigures()).toEqual({ model: 'other', waitingChunks: 3 });
  embedder.kickEmbedder();
  await settled(embedder);
  await embedder.closeEmbedder();
  expect(model.asked).toHaveLength(6);
  const of = storage.db.queryAll(storage.db.selectFrom('search_signatures').select('embedder').distinct());
  expect(of).toHaveLength(1);
  expect(vectors(storage)).toBe(3);
});

test('a chunk that is corrected while its vector is made keeps no vector of what it said', async () => {
  await using database = await temporaryIndex();
  const { storage } = database;
  addChunks(storage, ['wrong']);
  const model = standIn();
  const gate = Promise.withResolvers<void>();
  model.state.hold = gate.promise;
  const embedder = new Embedder({ index: indexOf(storage), embeddings: model.embeddings, log });
  embedder.kickEmbedder();
  storage.transaction((tx) => tx.runStatement(tx.updateTable('search_chunks').set({ text: 'right' })));
  gate.resolve();
  await settled(embedder);
  await embedder.closeEmbedder();
  expect(model.asked.at(-1)).toBe('right');
  expect(vectors(storage)).toBe(1);
});

test('a model is told from another of its name and size, and not from its own copy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quarry model '));
  const path = join(folder, 'm-embed.gguf');
  let revision = '';
  const files = { list: async () => [{ name: 'm-embed', path, revision }], require: async () => undefined };
  const startChild = () => expect.fail('No model is asked for anything.');
  const engine = new EmbeddingEngine({ files, startChild, clock: systemClock });
  const keyOf = async (bytes: Buffer) => {
    writeFileSync(path, bytes);
    revision += 'x';
    return (await engine.current())?.key;
  };
  try {
    const bytes = Buffer.alloc(3 * MIB, 7);
    const first = await keyOf(bytes);
    expect(await keyOf(bytes)).toBe(first);
    // Other training changes weights all over a file, and neither its ends nor its size.
    expect(await keyOf(Buffer.from(bytes).fill(8, MIB + 1000, 2 * MIB - 1000))).not.toBe(first);
  } finally {
    rmSync(folder, { recursive: true });
  }
  revision = 'gone';
  expect(await engine.current()).toBeNull();
});
