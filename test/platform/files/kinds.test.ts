import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import packaging from '../../../electron-builder.config.ts';
import { operationForName } from '../../../src-renderer/components/file-kinds.ts';
import { isDocument, isNamedAsDocument } from '../../../src-server/features/crawl/linked-documents.ts';
import { isNamedAsAsset } from '../../../src-server/features/crawl/scope.ts';
import { operationFor } from '../../../src-server/features/jobs/request-checks.ts';
import { OPERATIONS } from '../../../src-server/features.ts';
import {
  describeKind,
  endingsOf,
  FILE_KINDS,
  type FileKind,
  type FileKindFacts,
  kindOfName,
  kindsReadAs,
  kindsWhere,
  typesOfKind,
} from '../../../src-server/platform/files/kinds.ts';
import { PARSERS } from '../../../workers/documents/extract-document.ts';

const ALL = kindsWhere(() => true);

const READ = kindsWhere(({ reader }) => reader !== undefined);

const REFERENCE = join(import.meta.dirname, '../../../resources/reference');

const ENDING = /\.([a-z][a-z0-9]{1,8})\b/g;

test.each(ALL)('%s: no other kind has its endings', (kind) => {
  for (const ending of Object.keys(endingsOf(kind))) expect(kindOfName(`a.${ending.toUpperCase()}`)).toBe(kind);
});

test('exactly the kinds of documents have a parser', () => {
  expect(Object.keys(PARSERS).sort()).toEqual(kindsReadAs('document', 'pdf').sort());
});

test.each(READ)('%s: an operation takes it, and every other one names that operation', (kind) => {
  const isFetched = readerOf(kind) === 'stream';
  const taking = OPERATIONS.filter(({ source }) => source !== undefined);
  const taken = taking.flatMap((operation) => {
    try {
      return [operationFor(operation, { kind, isFetched }, OPERATIONS).id];
    } catch (error) {
      expect((error as Error).message).toMatch(/ to POST \/[a-z/-]+/);
      return [];
    }
  });
  expect(taken).not.toEqual([]);
});

test.each(READ)('%s: the window and the shell send files with its endings to an operation that takes it', (kind) => {
  for (const ending of Object.keys(endingsOf(kind))) {
    const operation = OPERATIONS.find(({ id }) => id === operationForName(`talk.${ending}`));
    const isFetched = readerOf(kind) === 'stream';
    expect(() => operation && operationFor(operation, { kind, isFetched }, OPERATIONS)).not.toThrow();
    expect(operation).toBeDefined();
  }
});

test('a name that says nothing goes to the operation for documents', () => {
  expect(operationForName('notes')).toBe(operationForName('notes.txt'));
  expect(operationForName('notes.unheard-of')).toBe(operationForName('notes.txt'));
});

test.each(kindsWhere(({ linked }) => linked === true))('%s: a crawl reads linked files of it', (kind) => {
  for (const ending of Object.keys(endingsOf(kind)))
    expect(isNamedAsDocument(new URL(`http://h/a.${ending}`))).toBe(true);
  for (const type of typesOfKind(kind)) expect(isDocument('http://h/a', type)).toBe(true);
});

test.each(kindsReadAs('recording'))('%s: a crawl does not fetch it', (kind) => {
  for (const ending of Object.keys(endingsOf(kind))) expect(isNamedAsAsset(`http://h/a.${ending}`)).toBe(true);
});

test('the package of the desktop app opens exactly the kinds that the table says', () => {
  const opened = kindsWhere((facts) => facts.opened === true);
  const associated = packaging.mac.fileAssociations.flatMap(({ ext }) => ext);
  expect(associated.sort()).toEqual(opened.flatMap((kind) => Object.keys(endingsOf(kind))).sort());
  for (const kind of opened) expect(packaging.linux.mimeTypes).toEqual(expect.arrayContaining(typesOfKind(kind)));
});

test('the guides on formats and the description of the operation name endings of the table, and miss no kind', () => {
  const guides = readdirSync(REFERENCE).filter((name) => name.startsWith('format-'));
  const texts = guides.map((name) => readFileSync(join(REFERENCE, name), 'utf8'));
  const headings = texts.map((text) => text.slice(0, text.indexOf('\n')));
  const description = OPERATIONS.find(({ source }) => source?.kinds.includes('docx'))?.description ?? '';
  const named = [...headings, description]
    .map((text) => text.replaceAll(/`[^`]*`/g, ''))
    .flatMap((text) => [...text.matchAll(ENDING)]);
  for (const [, ending = ''] of named) expect(readerOf(kindOfName(`a.${ending}`)), ending).toMatch(/document|pdf/);
  const all = texts.join('\n').toLowerCase();
  const missing = kindsReadAs('document', 'pdf').filter(
    (kind) => !Object.keys(endingsOf(kind)).some((ending) => new RegExp(`\\b${ending}\\b`).test(all)),
  );
  expect(missing).toEqual([]);
});

test('every kind has words for a sentence', () => {
  for (const kind of ALL) expect(describeKind(kind)).toMatch(/^an? [A-Za-z]/);
});

function readerOf(kind: FileKind | null): string | undefined {
  const facts: FileKindFacts | null = kind === null ? null : FILE_KINDS[kind];
  return facts?.reader;
}
