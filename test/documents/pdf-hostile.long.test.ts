import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hugeJbig2Pdf,
  hugePicturePdf,
  inflatingPdf,
  nestedFormsPdf,
  operatorsPdf,
  widePagePdf,
} from '../harness/hostile-documents.ts';
import { openPdfBed } from './pdf-bed.ts';
import { encryptPdf, text, writePdf } from './pdf-writer.ts';

let bed: Awaited<ReturnType<typeof openPdfBed>>;
beforeAll(async () => {
  // Honest ranges here take a few milliseconds; the hostile one never ends.
  bed = await openPdfBed({ rangeLimitMs: 3000 });
});
afterAll(() => bed.close());

const honest = writePdf({ pages: [text(60, 100, ['An honest page with one sentence.'])] });

describe('files that are no readable PDF end in a clear error', () => {
  test.each([
    ['no bytes at all', Buffer.alloc(0), 'corrupt_input'],
    ['random bytes', randomBytes(5000), 'corrupt_input'],
    ['a PDF head and random bytes', Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(5000)]), 'corrupt_input'],
    ['the first third of a file', honest.subarray(0, Math.floor(honest.length / 3)), 'corrupt_input'],
    ['a catalogue without pages', writePdf({ pages: [] }), 'corrupt_input'],
    ['a zip that calls itself a PDF', Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(2000)]), 'corrupt_input'],
    [
      'a picture',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
        'base64',
      ),
      'unsupported_media',
    ],
    ['a file under a password', encryptPdf(honest, { user: 'secret', owner: 'boss' }), 'encrypted_input'],
    ['more pages than one job may have', writePdf({ pages: Array<string>(2001).fill('') }), 'source_too_large'],
  ])('%s', async (_name, bytes, code) => {
    await expect(bed.extract(bytes)).rejects.toMatchObject({ name: 'QuarryError', code });
  });
});

test('a file that only its owner may change is read without a password', async () => {
  const { document } = await bed.extract(encryptPdf(honest, { owner: 'boss' }));
  expect(document.blocks).toMatchObject([{ text: 'An honest page with one sentence.' }]);
});

test('a file whose end is missing is read as far as it goes, with a warning', async () => {
  const pages = [text(60, 100, ['The page that is still there.']), text(60, 100, ['The second page of it.'])];
  const whole = writePdf({ pages }).toString('latin1');
  const { result } = await bed.extract(Buffer.from(whole.slice(0, whole.indexOf('xref')), 'latin1'));
  expect(result.chunks[0]?.text).toContain('The page that is still there.');
  expect(result.warnings.join(' ')).toContain('damaged');
});

test('one damaged page costs only itself and is named', async () => {
  const pdf = writePdf({ pages: [text(60, 100, ['First.']), '', text(60, 100, ['Third.'])] }).toString('latin1');
  const kids = '1000 0 R 1002 0 R 1004 0 R';
  const { result } = await bed.extract(Buffer.from(pdf.replace(kids, '1000 0 R 0005 0 R 1004 0 R'), 'latin1'));
  const all = result.chunks.map((chunk) => chunk.text).join('\n');
  expect(all).toContain('First.');
  expect(all).toContain('Third.');
});

test('two kilobytes of nested forms end in a timeout for their own job, while another job is read', async () => {
  const bomb = nestedFormsPdf();
  expect(bomb.length).toBeLessThan(6000);
  const ends = expect(bed.extract(bomb)).rejects.toMatchObject({
    code: expect.stringMatching(/^(timeout|out_of_memory)$/),
  });
  const other = await bed.extract(honest);
  expect(other.result.chunks[0]?.text).toBe('An honest page with one sentence.');
  await ends;
  const after = await Promise.all([bed.extract(honest), bed.extract(honest)]);
  expect(after.map(({ result }) => result.chunks.length)).toEqual([1, 1]);
});

test('a cancelled job stops, and the pool takes the next one', async () => {
  const abort = new AbortController();
  const pages = Array.from({ length: 400 }, (_, index) => text(60, 100, [`Page ${index}.`]));
  const running = bed.extract(writePdf({ pages }), { signal: abort.signal });
  abort.abort(new Error('cancelled by the test'));
  await expect(running).rejects.toThrow('cancelled by the test');
  expect((await bed.extract(honest)).result.chunks).toHaveLength(1);
});

test('a page a mile wide is read like any other', async () => {
  const wide = widePagePdf(text(60, 100, ['Small text on a page of enormous size.']));
  expect((await bed.extract(wide)).result.chunks[0]?.text).toContain('Small text on a page');
});

test('a page of 100,000 rules is a drawing: its texts are read by their columns', async () => {
  const rules = Array.from({ length: 50_000 }, (_, at) => {
    const [x, y] = [50 + (at % 5000) * 0.1, 20 + (at % 7000) * 0.1];
    return `50 ${y} m 550 ${y} l S ${x} 20 m ${x} 780 l S`;
  });
  const rows = Array.from({ length: 30 }, (_, at) => [`Port ${at}`, `${at}.25`, `${at + 3}.75`]);
  const cells = rows.flatMap((row, y) => row.map((cell, x) => text(60 + x * 120, 100 + y * 18, [cell])));
  const { document } = await bed.extract(writePdf({ pages: [`0.1 w\n${rules.join('\n')}\n${cells.join('\n')}`] }));
  expect(document.blocks).toMatchObject([{ kind: 'table', rows }]);
});

test('a page of 20,000 small areas of one colour is read in time', async () => {
  const areas = Array.from({ length: 19_900 }, (_, at) => {
    return `${50 + (at % 140) * 3.5} ${20 + Math.floor(at / 140) * 5} 5 5 re f`;
  });
  const { document } = await bed.extract(
    writePdf({ pages: [`0.8 g\n${areas.join('\n')}\n0 g\n${text(60, 100, ['The ships are in.'])}`] }),
  );
  expect(document.blocks).toMatchObject([{ kind: 'paragraph', text: 'The ships are in.' }]);
});

test('a tag tree nested without end does not cost the text', async () => {
  const nested = `${'/Div <</MCID 0>> BDC '.repeat(5000)}${text(60, 100, ['Text inside of five thousand tags.'])}${' EMC'.repeat(5000)}`;
  const { result } = await bed.extract(writePdf({ pages: [nested], catalogue: '/MarkInfo << /Marked true >>' }));
  expect(result.chunks[0]?.text).toContain('five thousand tags');
});

const MIB = 2 ** 20;

describe('a few bytes that stand for very much end within bounds, are not called damage, and the pool reads on', () => {
  test.each([
    ['a picture of 100,000 pixels each way in JBIG2', async () => hugeJbig2Pdf(100_000)],
    ['a picture of 20,000 pixels each way', () => hugePicturePdf(20_000)],
    ['a page of 200,000 points full of ink', async () => widePagePdf('0 0 200000 200000 re f')],
    ['a drawing program of 500 MB', () => inflatingPdf(' ', 500 * MIB)],
    ['one and a half million operators', operatorsPdf],
  ])('%s', async (_what, make) => {
    const bytes = await make();
    expect(bytes.length).toBeLessThan(4 * MIB);
    const outcome = await bed.extract(bytes).then(
      ({ result }) => result.document.format,
      (error: { name: string; code: string }) => `${error.name} ${error.code}`,
    );
    expect(outcome).toMatch(/^(pdf|QuarryError (source_too_large|out_of_memory|timeout))$/);
    const after = await Promise.all([bed.extract(honest), bed.extract(honest)]);
    expect(after.map(({ result }) => result.chunks.length)).toEqual([1, 1]);
  });
});
