/** Pages that ask for more work than any page is worth: what they say is read, or the result says what is not. */
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIRST_EXTRA, rule, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const CLEAR = /^(?:corrupt_input|source_too_large|out_of_memory|timeout)$/;

/** A grey picture without letters, in an object of a PDF. */
function greyPicture(width: number, height: number): string {
  const data = deflateSync(Buffer.alloc(width * height, 0xee), { level: 1 }).toString('latin1');
  const format = '/ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode';
  return `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} ${format} /Length ${data.length} >>
stream
${data}
endstream`;
}

/** A white PNG of one bit a pixel with strokes that climb by 44°. */
function slantedPng(width: number, height: number): Buffer {
  const piece = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  const rowBytes = Math.ceil(width / 8) + 1;
  const rows = Buffer.alloc(rowBytes * height, 0xff);
  for (let y = 0; y < height; y += 1) {
    rows[y * rowBytes] = 0;
    for (let x = Math.floor(y * 1.035) % 400; x < width; x += 400) rows[y * rowBytes + 1 + (x >> 3)] = 0;
  }
  const parts = [piece('IHDR', header), piece('IDAT', deflateSync(rows, { level: 1 })), piece('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

test('a picture of 30,000 pixels on a page, turned by 44°, leaves the text beside it whole', async () => {
  const [cosine, sine] = [Math.cos((44 * Math.PI) / 180), Math.sin((44 * Math.PI) / 180)];
  const drawn = `q ${cosine} ${sine} ${-sine} ${cosine} 300 100 cm 400 0 0 40 0 0 cm /P Do Q`;
  const pdf = writePdf({
    pages: [`${text(60, 60, ['The pier is closed at night.'], 14)}\n${drawn}`],
    extra: [greyPicture(30_000, 3000)],
    resources: `/XObject << /P ${FIRST_EXTRA} 0 R >>`,
  });
  const { error, text: read } = await readDocument(appliance, pdf, 'page.pdf');
  if (error === null) expect(read).toContain('The pier is closed at night.');
  else expect(error.code).toMatch(CLEAR);
});

test.each([
  ['30,000 pixels each way', 30_000, 30_000],
  ['30,000 by 3,300 pixels', 30_000, 3300],
])('an image of %s ends with a clear error or a result', async (_what, width, height) => {
  const { status, error } = await readDocument(appliance, slantedPng(width, height), 'page.png');
  if (status !== 'completed') expect(error?.code).toMatch(CLEAR);
  if (width * height > 100_000_000) expect(error?.code).toBe('source_too_large');
});

test('a table of 100,000 rules is read as text, with a warning, and no letter is lost', async () => {
  const across = Array.from({ length: 50_000 }, (_, at) => rule(60, 100 + at * 0.01, 560, 100 + at * 0.01));
  const down = Array.from({ length: 50_000 }, (_, at) => rule(60 + at * 0.01, 100, 60 + at * 0.01, 600));
  const cells = Array.from({ length: 20 }, (_, at) => text(70, 110 + at * 20, [`Berth ${at}`, ''], 10));
  const pdf = writePdf({ pages: [[...across, ...down, ...cells].join('\n')] });
  const { text: read, warnings, result } = await readDocument(appliance, pdf, 'rules.pdf');
  for (let at = 0; at < 20; at += 1) expect(read).toContain(`Berth ${at}`);
  expect(warnings).toEqual([expect.stringMatching(/^Page 1 has too many lines and shapes/)]);
  expect(result.account).toMatchObject({ leftOut: [], unexplained: 0 });
});

test('a font that maps all its letters to one is read from its picture', async () => {
  const sentences = ['The harbour was quiet today.', 'No ship came in, and none went out to sea.'];
  const { text: read, result } = await readDocument(
    appliance,
    writePdf({ pages: [text(60, 100, sentences, 14, 'F4')] }),
    'one-letter.pdf',
  );
  for (const sentence of sentences) expect(read).toContain(sentence);
  expect(read).not.toMatch(/A{3}/);
  expect(result.account).toMatchObject({ unexplained: 0 });
});
