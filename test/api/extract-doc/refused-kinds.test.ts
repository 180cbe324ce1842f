import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { compoundFile } from '../../harness/compound-file.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const startingWith = (start: string, at = 0) => {
  return Buffer.concat([Buffer.alloc(at), Buffer.from(start, 'latin1'), Buffer.alloc(600)]);
};
const zip = (...names: string[]) => zipSync(Object.fromEntries(names.map((name) => [name, strToU8('<x/>')])));

describe('a file of a kind that is not read is refused by its name, with what to do', () => {
  test.each([
    ['notes.one', startingWith('\xe4R\\{\x8c\xd8\xa7M\xae\xb1Sx\xd0)\x96\xd3'), 'OneNote', '.pdf'],
    ['mail.pst', startingWith('!BDN'), '.pst', '.eml'],
    ['plan.vsd', compoundFile({ '/VisioDocument': 'x' }), 'Visio', '.pdf'],
    ['letter.wps', compoundFile({ '/MatOST': 'x', '/CONTENTS': 'y' }), 'Works', '.docx'],
    ['scan.djvu', startingWith('AT&TFORM'), 'DjVu', '.pdf'],
    ['novel.mobi', startingWith('BOOKMOBI', 60), 'Kindle', '.epub'],
    ['letter.pages', zip('buildVersionHistory.plist', 'index.xml', 'QuickLook/Thumbnail.jpg'), 'iWork', '.pdf'],
    ['talk.key', zip('index.apxl', 'QuickLook/Thumbnail.jpg'), 'iWork', '.pdf'],
  ])('%s', async (name, content, kind, remedy) => {
    const { error } = await readDocument(appliance, content, name);
    expect(error).toMatchObject({ code: 'unsupported_media' });
    expect(error?.message).toContain(kind);
    expect(error?.message).toContain(remedy);
  });

  test('a mail without a body is read', async () => {
    const { status, text } = await readDocument(appliance, 'From: a@b\r\nDate: Mon, 2 Mar 2026\r\n\r\n', 'a.eml');
    expect(status).toBe('completed');
    expect(text).toContain('From: a@b');
  });
});
