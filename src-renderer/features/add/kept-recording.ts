/**
 * What the microphone hears is kept in this browser second by second, so that a crash, a closed window or an empty
 * battery costs one second. It goes once the file was taken.
 */

const DATABASE = 'quarry-recordings';

const PARTS = 'parts';

interface KeptPart {
  /** Of the recording: when it began, in milliseconds. */
  startedAt: number;
  type: string;
  bytes: ArrayBuffer;
}

export interface KeptRecording {
  startedAt: number;
  type: string;
  blob: Blob;
}

function openDatabase(): Promise<IDBDatabase> {
  const asked = indexedDB.open(DATABASE, 1);
  asked.onupgradeneeded = () => {
    asked.result.createObjectStore(PARTS, { autoIncrement: true }).createIndex('startedAt', 'startedAt');
  };
  return answerOf(asked);
}

function answerOf<Value>(asked: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

async function inParts<Value>(
  mode: IDBTransactionMode,
  work: (parts: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await openDatabase();
  try {
    return await answerOf(work(database.transaction(PARTS, mode).objectStore(PARTS)));
  } finally {
    database.close();
  }
}

export async function keepPart(startedAt: number, part: Blob): Promise<void> {
  const kept: KeptPart = { startedAt, type: part.type, bytes: await part.arrayBuffer() };
  await inParts('readwrite', (parts) => parts.add(kept));
}

/** Recordings that were not taken, the oldest first. */
export async function keptRecordings(): Promise<KeptRecording[]> {
  const parts = await inParts<KeptPart[]>('readonly', (all) => all.getAll());
  const byStart = Map.groupBy(parts, ({ startedAt }) => startedAt);
  return [...byStart].map(([startedAt, own]) => {
    const type = own[0]?.type ?? '';
    return {
      startedAt,
      type,
      blob: new Blob(
        own.map(({ bytes }) => bytes),
        { type },
      ),
    };
  });
}

export async function dropRecording(startedAt: number): Promise<void> {
  const index = (parts: IDBObjectStore) => parts.index('startedAt');
  const keys = await inParts('readonly', (parts) => index(parts).getAllKeys(startedAt));
  for (const key of keys) await inParts('readwrite', (parts) => parts.delete(key));
}
