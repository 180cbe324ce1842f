import { posix } from 'node:path';
import type { SourceLedger } from '../source-ledger.ts';
import { encodingOf } from '../xml.ts';
import type { OfficePackage } from '../zip-package.ts';
import { attributeOf, scanXml } from './scan-xml.ts';

/** An office file to count. */
export interface OfficeSource {
  source: OfficePackage;
  /** Name of its main part. */
  main: string;
  ledger: SourceLedger;
  includeComments: boolean;
}

interface Relation {
  id: string;
  /** Last step of its type. */
  type: string;
  target: string;
}

/** The text of a part; empty without one. */
export function decodePart(bytes: Buffer | null): string {
  if (bytes === null) return '';
  const encoding = encodingOf(bytes);
  return encoding === 'utf-8' && bytes[0] !== 0xef ? bytes.toString('utf8') : new TextDecoder(encoding).decode(bytes);
}

/** The relations of a part to others in the package; '' is the package itself. */
export function relationsOf(source: OfficePackage, part: string): Relation[] {
  const folder = posix.dirname(part);
  const found: Relation[] = [];
  scanXml(decodePart(source.read(posix.join(folder, '_rels', `${posix.basename(part)}.rels`))), {
    open(name, tag) {
      if (name !== 'Relationship' || attributeOf(tag, 'TargetMode') === 'External') return;
      const target = attributeOf(tag, 'Target') ?? '';
      found.push({
        id: attributeOf(tag, 'Id') ?? '',
        type: attributeOf(tag, 'Type')?.split('/').at(-1) ?? '',
        target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
    close() {},
    text() {},
  });
  return found;
}
