import { describe, expect, test } from 'vitest';
import { dataFolderOf, parseShellArguments, pathOfLink, readHandover } from '../../src-main/arguments.ts';
import { dataDirOf } from '../../src-server/platform/files/data-dir.ts';

const read = (...given: string[]) => parseShellArguments(given, '/home/a person');

describe('what the app was started with', () => {
  test('files, flags and their values are told apart', () => {
    expect(read('--port', '0', 'notes.docx', '--log-level=fatal', '/tmp/a b.pdf')).toEqual({
      flags: ['--port', '0', '--log-level=fatal'],
      hidden: false,
      path: null,
      files: ['/home/a person/notes.docx', '/tmp/a b.pdf'],
    });
  });

  test('files named by address, as Linux desktops name them, are files; other addresses are not', () => {
    expect(read('file:///tmp/a%20b.pdf', 'https://example.invalid/a.pdf', 'file://elsewhere/a.pdf').files).toEqual([
      '/tmp/a b.pdf',
    ]);
  });

  test('nothing that follows a link counts: a page that makes one cannot add flags or files', () => {
    expect(read('quarry://jobs/job_a', '--data-dir', '/tmp/theirs', '/etc/passwd')).toEqual({
      flags: [],
      hidden: false,
      path: '/jobs/job_a',
      files: [],
    });
    expect(read('quarry:anything', '/etc/passwd').files).toEqual([]);
  });

  test('what is meant for Chromium does not reach the server, and a flag that nobody knows does', () => {
    expect(read('--no-sandbox', '--ozone-platform=wayland', '--hidden', '--prot', '1')).toMatchObject({
      flags: ['--prot'],
      hidden: true,
    });
  });

  test('what a second start passes on is taken only in its own form', () => {
    expect(readHandover({ path: '/jobs/job_a', files: ['/tmp/a.pdf'] })).toEqual({
      path: '/jobs/job_a',
      files: ['/tmp/a.pdf'],
    });
    const foreign = { path: '/../admin?x', files: ['relative.pdf', 7, '/tmp/../etc/passwd'] };
    expect(readHandover(foreign)).toEqual({ path: null, files: [] });
    for (const value of [null, undefined, 'text', { files: 'x' }]) {
      expect(readHandover(value)).toEqual({ path: null, files: [] });
    }
  });
});

describe('the data folder that was chosen', () => {
  const HERE = '/home/a person';
  test.each([
    [['--port', '0', '--data-dir', './data'], {}, '/home/a person/data'],
    [['--data-dir=../other'], {}, '/home/other'],
    [['--data-dir', '/first', '--data-dir=/last'], { QUARRY_DATA_DIR: '/variable' }, '/last'],
    [['--port', '0'], { QUARRY_DATA_DIR: 'kept here' }, '/home/a person/kept here'],
    [['--data-dir='], {}, null],
    [[], { QUARRY_DATA_DIR: '' }, null],
    [[], {}, null],
  ])('of %j with %j is %s, absolute, as the server reads it', (flags, environment, folder) => {
    expect(dataFolderOf(flags, environment, HERE)).toBe(folder);
    // The server has no folder to be asked about but its own.
    if (folder !== null) expect(dataDirOf(flags, environment)).toBe(dataFolderOf(flags, environment, process.cwd()));
  });
});

describe('a link', () => {
  test.each([
    ['quarry://jobs/job_abc', '/jobs/job_abc'],
    ['quarry://job/job_abc', '/jobs/job_abc'],
    ['quarry://settings/', '/settings'],
    ['quarry://items/itm_a', '/items/itm_a'],
    ['quarry://library', '/library'],
    ['quarry://make/speak', '/make/speak'],
    ['quarry://run/extract/doc', '/run/extract/doc'],
  ])('%s opens %s', (link, path) => {
    expect(pathOfLink(link)).toBe(path);
  });

  test.each([
    'quarry://',
    'quarry:///jobs',
    'quarry://v1/jobs/job_abc',
    'quarry://admin/overview',
    'quarry://login#token',
    'quarry://jobs/../admin',
    'quarry://jobs/a?from=b',
    'quarry://jobs/%2e%2e',
    'quarry://127.0.0.1:8402/jobs',
    'quarry://jobs/a\n',
    'https://jobs/a',
    `quarry://jobs/${'a'.repeat(81)}`,
  ])('%j opens nothing', (link) => {
    expect(pathOfLink(link)).toBeNull();
  });
});
