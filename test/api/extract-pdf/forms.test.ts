import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { FIRST_EXTRA, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

/** What is typed over a page, stamped, signed and filled in belongs to its text. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

interface Result {
  chunks: { text: string }[];
  comments?: { author: string | null; text: string }[];
  warnings: string[];
  account: { source: number; unexplained: number; leftOut: { reason: string; count: number; sample?: string }[] };
  document: { ocr?: { pages: number[] } };
}

async function read(pdf: Uint8Array, fields: Record<string, string> = {}) {
  const init = { method: 'POST', body: fileForm(pdf, 'form.pdf', fields), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/pdf', init)).json()) as Job;
  expect(job).toMatchObject({ jobType: 'extract/pdf', status: 'completed' });
  const result = job.result as unknown as Result;
  expect(result.document.ocr).toBeUndefined();
  return {
    text: result.chunks.map((chunk) => chunk.text).join('\n'),
    comments: result.comments,
    warnings: result.warnings,
    account: result.account,
  };
}

/** An appearance that draws a line of text; a signature has its own within another. */
const drawing = (content: string, resources: string) =>
  `<< /Type /XObject /Subtype /Form /BBox [0 0 300 30] /Resources << ${resources} >> /Length ${content.length} >>
stream
${content}
endstream`;
const line = (words: string) => drawing(`BT /F1 10 Tf 4 10 Td (${words}) Tj ET`, '/Font << /F1 3 0 R >>');

/** A form of five rows with an annotation beside each label; more objects follow the annotations. */
function form(annotations: string[], more: string[] = [], catalogue = ''): Buffer {
  const labels = ['Name:', 'Place:', 'Remark:', 'State:', 'Signature:'];
  return writePdf({
    pages: [labels.map((label, row) => text(60, 100 + row * 40, [label])).join('\n')],
    extra: [...annotations.map((entries) => `<< /Type /Annot /P 1000 0 R ${entries} >>`), ...more],
    pageEntries: `/Annots [${annotations.map((_, index) => `${FIRST_EXTRA + index} 0 R`).join(' ')}]`,
    catalogue,
  });
}
/** The rectangle beside the label of a row. */
const beside = (row: number) => `/Rect [150 ${675 - row * 40} 450 ${697 - row * 40}]`;
const NAME = `/Subtype /Widget /FT /Tx /T (name) /V (Ada Lovelace) ${beside(0)}`;
const PLACE = `/Subtype /FreeText /Contents (London) /T (A. Clerk) /DA (/Helv 10 Tf 0 g) ${beside(1)}`;

describe('POST /extract/pdf of a form', () => {
  test('reads fields, text typed over the page, stamps and signatures beside their labels', async () => {
    const pdf = form(
      [
        NAME,
        PLACE,
        // <FEFF…>: "Привет" in UTF-16, with an appearance that the file does not have.
        `/Subtype /FreeText /Contents <FEFF041F04400438043204350442> /DA (/Helv 10 Tf 0 g) ${beside(2)}`,
        `/Subtype /Stamp ${beside(3)} /AP << /N 25 0 R >>`,
        `/Subtype /Widget /FT /Sig /T (sig) /V << /Type /Sig >> ${beside(4)} /AP << /N 26 0 R >>`,
      ],
      [line('Seen by the office'), drawing('/Inner Do', '/XObject << /Inner 27 0 R >>'), line('Signed by Ada')],
      `/AcroForm << /Fields [20 0 R 24 0 R] >>`,
    );
    // Labels beside values in five rows are a table.
    expect((await read(pdf)).text.replace(/[\s|]+/g, ' ')).toBe(
      'Name: Ada Lovelace Place: London Remark: Привет State: Seen by the office Signature: Signed by Ada',
    );
  });

  test('reads what a choice field shows, and each button by its own state', async () => {
    const choice = '/Subtype /Widget /FT /Ch /Opt [[(K1) (Kiel)] [(C2) (Cork)] (Oslo)]';
    const button = (row: number, state: string) =>
      `/Subtype /Widget /FT /Btn /Ff 32768 /V /yes /AS /${state} /T (pick${row}) ${beside(row)}`;
    const { text: all } = await read(
      form([
        `${choice} /Ff 131072 /T (port) /V (K1) ${beside(0)}`,
        `${choice} /T (ports) /V [(C2) (Oslo)] ${beside(1)}`,
        button(2, 'Off'),
        button(3, 'yes'),
      ]),
    );
    expect(all.replace(/[\s|]+/g, ' ')).toBe('Name: Kiel Place: Cork, Oslo Remark: State: ☒ pick3 Signature:');
  });

  test('leaves out fields that nobody sees, and text that the page prints in the field', async () => {
    const field = '/Subtype /Widget /FT /Tx /T (secret)';
    const printed = `/Subtype /Widget /FT /Tx /T (place) /V (Place:) /Rect [50 620 300 670]`;
    const { text: all, account } = await read(
      form([
        `${field} /V (hidden) /F 2 ${beside(0)}`,
        `${field} /V (unseen) /F 32 ${beside(2)}`,
        `${field} /V (nowhere) /Rect [0 0 0 0]`,
        printed,
        `/Subtype /Widget /FT /Ch /Opt [(Kiel) (Cork)] /T (c) /V (Cork) /F 2 ${beside(1)}`,
        `/Subtype /Widget /FT /Tx /Ff 8192 /T (p) /V (password) /F 2 ${beside(1)}`,
        `/Subtype /Widget /FT /Btn /Ff 65536 /T (b) /MK << /CA (Send it) >> ${beside(1)}`,
        `${PLACE} /F 2`,
      ]),
    );
    expect(all.replace(/[\s|]+/g, ' ')).toBe('Name: Place: Remark: State: Signature:');
    expect(account).toEqual({
      unit: 'letters',
      source: 69,
      delivered: 29,
      leftOut: [
        { reason: 'overprinted-copy', count: 5, where: 'page 1', sample: 'Place:' },
        { reason: 'hidden', count: 29, where: 'page 1', sample: 'hidden unseen nowhere Cork London' },
        { reason: 'navigation', count: 6, where: 'page 1', sample: 'Send it' },
      ],
      unexplained: 0,
    });
  });

  test('reads fields that the file does not list in its form', async () => {
    expect((await read(form([NAME]))).text).toMatch(/Name:\s+Ada Lovelace/);
  });

  test('reads the letters that text typed over the page states where its appearance has none', async () => {
    const squares = drawing('BT /F3 10 Tf 4 10 Td (abcdef) Tj ET', '/Font << /F3 6 0 R >>');
    const { text: all } = await read(form([`${PLACE} /AP << /N 21 0 R >>`], [squares]));
    expect(all).toMatch(/Place:\s+London/);
    expect(all).not.toMatch(/\p{Co}/u);
  });

  test.each([
    ['hidden', '/F 2'],
    ['not shown on screens', '/F 32'],
  ])('leaves out text typed over the page that is %s', async (_how, flags) => {
    expect((await read(form([`${PLACE} ${flags}`]))).text).not.toContain('London');
  });

  test('names the author of text typed over the page among the comments, and has it in the text once', async () => {
    const { text: all, comments } = await read(form([PLACE]), { options: JSON.stringify({ includeComments: true }) });
    expect(comments).toEqual([{ author: 'A. Clerk', date: null, text: 'London', anchor: null }]);
    expect(all.match(/London/g)).toHaveLength(1);
  });

  test('says how many fields and notes of a page are past its limits', async () => {
    // Two of them have object numbers of the page, and are no fields.
    const fields = Array.from({ length: 2008 }, (_, row) => `/Subtype /Widget /FT /Tx /V (V${row}) ${beside(row % 5)}`);
    const { warnings, text: all } = await read(form(fields));
    expect(all.match(/V\d+/g)).toHaveLength(2000);
    expect(warnings).toEqual(['Page 1: 6 fields or notes beyond the limit of a page were not read in full.']);
    const long = `/Subtype /FreeText /Contents (${'Pier and boat. '.repeat(8000)}) /DA (/Helv 10 Tf 0 g) ${beside(1)}`;
    expect((await read(form([NAME, long]))).warnings).toEqual([
      'Page 1: 1 field or note beyond the limit of a page was not read in full.',
    ]);
    expect((await read(form([NAME, PLACE]))).warnings).toEqual([]);
  });

  test('leaves the notes of readers to the comments', async () => {
    const note = `/Subtype /Text /Contents (Ask her) /T (A. Clerk) ${beside(0)}`;
    expect((await read(form([note]))).text).not.toContain('Ask her');
  });
});
