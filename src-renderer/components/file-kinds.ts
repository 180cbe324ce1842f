/** Kinds of files by their names. The server judges the bytes. */
import { FILE_KINDS } from '../api/generated/tables.ts';

export type FileKind = keyof typeof FILE_KINDS;

interface FileKindFacts {
  reader: 'document' | 'pdf' | 'recording' | 'stream' | null;
  /** Whether the desktop app opens such files. */
  opened: boolean;
  endings: readonly string[];
  /** The operation that reads them. */
  operationId: string | null;
}

const KINDS: Readonly<Record<FileKind, FileKindFacts>> = FILE_KINDS;

const KIND_OF_ENDING = new Map(
  (Object.keys(KINDS) as FileKind[]).flatMap((kind) => KINDS[kind].endings.map((ending) => [ending, kind] as const)),
);

/** The kind that the end of a name says; null for an unknown end. */
export function kindOfName(name: string): FileKind | null {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return KIND_OF_ENDING.get(ending) ?? null;
}

export function factsOfKind(kind: FileKind): FileKindFacts {
  return KINDS[kind];
}

/** The operation for a file with this name. Documents are tried where the name says nothing. */
export function operationForName(name: string): string {
  return KINDS[kindOfName(name) ?? 'text'].operationId ?? FILE_KINDS.text.operationId;
}
