/** The operations that read files. The server judges the bytes, so a name is enough here. */
import { type FileKind, kindOfName } from '../../src-server/platform/files/kinds.ts';
import { FILE_OPERATIONS } from '../api/generated/tables.ts';

/** The operation for a file with this name. Documents are tried where the name says nothing. */
export function operationForName(name: string): string {
  return operationForKind(kindOfName(name) ?? 'text');
}

export function operationForKind(kind: FileKind): string {
  return FILE_OPERATIONS[kind] ?? FILE_OPERATIONS.text;
}
