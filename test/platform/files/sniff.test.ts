import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeKind, kindsWhere } from '../../../src-server/platform/files/kinds.ts';
import { sniffFile } from '../../../src-server/platform/files/sniff.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sniff '));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function sniff(bytes: Uint8Array | string, fileName: string | null = null) {
  const path = join(folder, 'file');
  await writeFile(path, bytes);
  return await sniffFile(path, fileName);
}

/** Bytes from Latin-1 text, filled up with zeros as the bodies of such files would be. */
function bytes(start: string, length = 600): Buffer {
  const buffer = Buffer.alloc(Math.max(length, start.length));
  buffer.write(start, 'latin1');
  return buffer;
}

function zip(...names: string[]): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(names.map((name) => [name, strToU8('x'.repeat(500))]))));
}

/** A compound file whose directory, in its first sector, has one stream of this name. */
function ole(stream: string): Buffer {
  const file = Buffer.alloc(512 * 4);
  file.write('d0cf11e0a1b11ae1', 'hex');
  file.writeUInt16LE(9, 30);
  file.writeUInt32LE(0, 48);
  file.writeUInt32LE(1, 76);
  for (let at = 80; at < 512; at += 4) file.writeUInt32LE(0xffffffff, at);
  file.write(stream, 512, 'utf16le');
  file.writeUInt16LE(stream.length * 2 + 2, 512 + 64);
  file.writeUInt32LE(0xfffffffe, 1024);
  return file;
}

describe('documents are told by their bytes', () => {
  test.each([
    ['docx', zip('[Content_Types].xml', 'word/document.xml')],
    ['docx', zip('[Content_Types].xml', 'word/document.xml').subarray(0, 200)],
    ['odt', Buffer.from(zipSync({ mimetype: [strToU8('application/vnd.oasis.opendocument.text'), { level: 0 }] }))],
    ['odt', Buffer.from(zipSync({ mimetype: [strToU8('application/vnd.oasis.opendocument.text'), { level: 9 }] }))],
    ['odt', Buffer.from(zipSync({ a: strToU8('a'), mimetype: strToU8('application/vnd.oasis.opendocument.text') }))],
    [
      'epub',
      Buffer.from(zipSync({ mimetype: [strToU8('application/epub+zip'), { level: 0 }], 'a.xml': strToU8('a') })),
    ],
    ['xlsx', zip('[Content_Types].xml', 'xl/workbook.xml')],
    ['xlsx', zip('xl\\workbook.xml')],
    ['pptx', zip('[Content_Types].xml', 'ppt/presentation.xml')],
    ['xlsb', zip('[Content_Types].xml', 'xl/workbook.bin')],
    ['ods', Buffer.from(zipSync({ mimetype: strToU8('application/vnd.oasis.opendocument.spreadsheet') }))],
    ['odp', '<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.presentation">'],
    ['zip', zip('notes.txt')],
    ['zip', zip('word/notes.txt')],
    ['msg', ole('__properties_version1.0')],
    ['doc', ole('WordDocument')],
    ['encrypted', ole('EncryptedPackage')],
    ['xls', ole('Workbook')],
    ['xls', ole('Book')],
    ['ppt', ole('PowerPoint Document')],
    ['csv', 'sep=;\na;b\n'],
    ['rtf', '\ufeff\n{\\rtf1 a}'],
    ['pdf', '%PDF-1.7\n'],
    ['pdf', 'junk\n%PDF-1.4\n1 0 obj\n'],
    ['html', '<!-- c --><!DOCTYPE html><title>a</title>'],
    ['html', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">'],
    ['html', Buffer.from('\ufeff<html><p>a</html>', 'utf16le')],
    ['html', '<p>a paragraph</p>'],
    ['html', 'Date: Mon\r\nSubject: Exported\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\r\n<html>'],
    ['eml', 'Received: from a\r\nSubject: b\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\r\n--x'],
    ['eml', 'From: a@b.example\nTo: c@d.example\nDate: Mon, 2 Mar 2026 10:00:00 +0000\n\nHello'],
    ['text', 'From: here\nwe go, and Date: is a word\n\nDate: later'],
    ['vtt', '\ufeffWEBVTT - a talk\n\n00:01.000 --> 00:02.000\nHello'],
    ['srt', '1\r\n00:00:01,000 --> 00:00:02,000\r\nHello'],
    ['json', '{ "a": 1'],
    ['json', '[{"a": 1}]'],
    ['ipynb', '{"cells": [{"cell_type": "code", "source": []}]}'],
    ['text', '[1] a reference, {not a record}'],
    ['xml', '<?xml version="1.0"?><!DOCTYPE article SYSTEM "a.dtd"><article><title>a</title></article>'],
    ['tex', '% a paper\n\\documentclass{article}\n'],
    ['tex', '\n% of\n\n\\newcommand{\\a}{b}\n\\documentclass{article}\n'],
    ['text', 'A class is chosen by \\documentclass{article} before \\begin{document}.'],
    ['xml', '<?xml version="1.0"?><article><tex-math>\\documentclass{minimal}\\begin{document}</tex-math></article>'],
    ['html', '<h1>LaTeX</h1><p>Begin with <code>\\documentclass{article}</code>.</p>'],
    ['text', 'Note: a MIME-Version: 1.0\n\nMIME-Version: 1.0\nContent-Type: multipart/related;\n'],
    ['text', 'ID3 and BM are marks; so is %PDF-1.7 in files'],
    ['text', Buffer.from('plain words in UTF-16', 'utf16le')],
    ['text', Buffer.from('\xff\xe4\xeb in a code page', 'latin1')],
    ['text', 'a < b > c'],
    ['old-word', bytes('\xdb\xa5\x2d')],
    ['old-word', bytes('\x31\xbe\x00\x00')],
    ['empty', ''],
  ])('%s', async (kind, content) => {
    expect((await sniff(content, 'misleading.exe')).kind).toBe(kind);
  });

  test('a document of Word 6 or 95 in a compound file is an old one', async () => {
    const file = Buffer.concat([ole('WordDocument'), Buffer.alloc(8192)]);
    file.writeUInt32LE(2, 512 + 116);
    file.writeUInt32LE(5000, 512 + 120);
    file.writeUInt16LE(0xa5dc, 512 * 3);
    expect(await sniff(file)).toEqual({ kind: 'old-word', label: 'a Word 6 or 95 document' });
  });

  test('a real .doc is one, whatever it is called', async () => {
    const file = await readFile(new URL('../../fixtures/documents/harbour/harbour.doc', import.meta.url));
    expect((await sniff(file, 'picture.png')).kind).toBe('doc');
  });

  test('a flat OpenDocument text is one', async () => {
    const file = await readFile(new URL('../../fixtures/documents/harbour/harbour.fodt', import.meta.url));
    expect((await sniff(file)).kind).toBe('odt');
  });
});

describe('pictures, sound and video are told by their bytes', () => {
  test.each([
    ['image', bytes('\x89PNG\r\n\x1a\n')],
    ['image', bytes('\xff\xd8\xff\xe0')],
    ['image', bytes('GIF89a')],
    ['image', bytes('RIFF\x24\0\0\0WEBPVP8 ')],
    ['image', bytes('II*\0')],
    ['image', bytes('BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0')],
    ['image', bytes('\0\0\0\x1cftypheic')],
    ['other-image', bytes('\0\0\0\x1cftypavif')],
    ['other-image', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['audio', bytes('RIFF\x24\0\0\0WAVEfmt ')],
    ['audio', bytes('ID3\x04\0')],
    ['audio', bytes('\xff\xfb\x90\x64\0\0')],
    ['audio', bytes('\xff\xf1\x50\x80\0\0')],
    ['audio', bytes('fLaC\0')],
    ['audio', bytes(`OggS\0\x02${'\0'.repeat(22)}OpusHead`)],
    ['audio', bytes('\0\0\0\x20ftypM4A ')],
    ['video', bytes('\0\0\0\x20ftypisom')],
    ['video', bytes('\0\0\0\x14ftypqt  ')],
    ['video', bytes('\0\0\x10\0moov')],
    ['video', bytes('\x1aE\xdf\xa3\x01\0webm')],
    ['video', bytes('RIFF\x24\0\0\0AVI LIST')],
    ['video', bytes(['', '', '', '', ''].map(() => `G${'\0'.repeat(187)}`).join(''))],
    ['video', bytes(`OggS\0\x02${'\0'.repeat(22)}\x80theora`)],
    ['archive', gzipSync(strToU8('text'))],
    ['archive', bytes('7z\xbc\xaf\x27\x1c')],
    ['unknown', bytes('MZ\x90\0')],
    ['unknown', bytes('\x01\x02\x03')],
  ])('%s', async (kind, content) => {
    expect((await sniff(content, 'misleading.docx')).kind).toBe(kind);
  });
});

test('a signature that no text begins with decides also in a file that holds nothing else', async () => {
  const alone = (text: string) => Buffer.from(text, 'latin1');
  expect(await sniff(alone('\x89PNG\r\n\x1a\n'), 'a.docx')).toEqual({ kind: 'image', label: 'a PNG image' });
  expect((await sniff(alone('\xff\xd8\xff'), 'a.docx')).kind).toBe('image');
  expect((await sniff(alone('\x1f\x8b\x08'), 'a.docx')).kind).toBe('archive');
  for (const words of ['ID3', 'BM', 'GIF89a', 'Rar', '1AY&SY', 'é', '\ufeffa']) {
    expect((await sniff(words, 'a.docx')).kind).toBe('text');
  }
});

test('a name decides only between texts: Markdown and tables by their ending, a page by its content', async () => {
  expect((await sniff('# a\n', 'a.MD')).kind).toBe('markdown');
  expect((await sniff('# a\n', 'a.txt')).kind).toBe('text');
  expect((await sniff('<div align="center">logo</div>\n# a', 'README.md')).kind).toBe('markdown');
  expect((await sniff('<!doctype html><p>a', 'a.md')).kind).toBe('html');
  expect((await sniff('just words', 'a.html')).kind).toBe('text');
  expect((await sniff('a,b\n1,2\n', 'a.CSV')).kind).toBe('csv');
  expect((await sniff('a,b\n1,2\n', 'a.txt')).kind).toBe('text');
  expect((await sniff('<!doctype html><p>a', 'a.csv')).kind).toBe('html');
});

test('labels are words for a sentence, and every kind has one', async () => {
  expect((await sniff(bytes('\x89PNG\r\n\x1a\n'))).label).toBe('a PNG image');
  expect((await sniff(ole('EncryptedPackage'))).label).toBe('a password-protected Office document');
  for (const kind of kindsWhere(() => true)) expect(describeKind(kind)).toMatch(/^an? [A-Za-z]/);
});

test('damaged containers are answered at once', async () => {
  const loop = ole('Unnamed');
  loop.writeUInt32LE(0, 1024);
  expect((await sniff(loop)).kind).toBe('ole');
  expect((await sniff('PK\u0003\u0004')).kind).toBe('zip');
  const cut = zip('word/document.xml');
  cut.writeUInt32LE(0xfffffff0, cut.length - 6);
  expect((await sniff(cut)).kind).toBe('docx');
  expect((await sniff(bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 20))).kind).toBe('ole');
});
