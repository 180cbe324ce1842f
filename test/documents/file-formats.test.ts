import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { strToU8, type Zippable, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sniffFile } from '../../src-server/platform/files/sniff.ts';
import type { ExtractDocumentOutput } from '../../workers/documents/tasks.ts';
import { openPool, type TaskPool } from '../workers/run-task.ts';
import { type MailPart, makeMail } from './make-mail.ts';
import { ENGLISH } from './pdf-bed.ts';
import { picturePdf, scanPdf, text, writePdf } from './pdf-writer.ts';

let folder: string;
let pool: TaskPool;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry formats '));
  pool = openPool();
});
afterAll(async () => {
  await pool.close();
  await rm(folder, { recursive: true, force: true });
});

/** Extracts a file as a job would: its kind by its bytes. */
async function extract(bytes: Uint8Array | string, fileName: string | null = null, segmentLength = 1000) {
  const sourcePath = join(folder, 'source');
  const workFolder = join(folder, 'work');
  await writeFile(sourcePath, bytes);
  const { kind } = await sniffFile(sourcePath, fileName);
  await mkdir(join(folder, 'files'), { recursive: true });
  const output = await pool.run('extract-document', {
    ...{ sourcePath, kind, fileName, outputFolder: join(folder, 'files'), segmentLength, language: null },
    ...{ includeComments: false, pictures: { model: ENGLISH, workFolder } },
  });
  return output;
}

const fixture = (name: string) => readFile(new URL(`../fixtures/documents/images/${name}`, import.meta.url));

const SENTENCES = ['The harbour was quiet in the morning,', 'and no ship had come in for a week.'];
const PRINTED =
  'The harbour was quiet in the morning, and no ship had come in for a week. Nobody knew when the next would land.';
const page = (...lines: string[]) => writePdf({ pages: [text(60, 100, lines, 14)] });

/** `heading: text` of each chunk. */
const told = ({ chunks }: ExtractDocumentOutput) => chunks.map((chunk) => `${chunk.heading ?? ''}: ${chunk.text}`);

describe('images', () => {
  test.each([
    ['a WebP', 'harbour.webp'],
    ['a HEIC', 'harbour.heic'],
  ])('%s is recognised', async (_what, name) => {
    const { chunks, document } = await extract(await fixture(name), name);
    expect(chunks.map((chunk) => chunk.text)).toEqual([PRINTED]);
    expect(document).toMatchObject({ format: 'image', pages: 1, ocr: { pages: [1], language: 'eng' } });
    // Nothing stays in the private folder.
    expect(await readdir(join(folder, 'work'))).toEqual([]);
  });

  test('a frame of a TIFF is a page', async () => {
    const { chunks, document } = await extract(await fixture('frames.tiff'), null, 50);
    expect(document).toMatchObject({ pages: 2, ocr: { pages: [1, 2] } });
    expect(chunks.at(-1)).toMatchObject({ page: 2, text: 'This is the second frame of all.' });
  });

  test('an image of 30,000 pixels a side is refused by its header', async () => {
    await expect(extract(emptyPng(30_000))).rejects.toMatchObject({ code: 'source_too_large' });
    const webp = await fixture('harbour.webp');
    webp.writeUInt16LE(16_383, 26);
    webp.writeUInt16LE(16_383, 28);
    await expect(extract(webp)).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test.each(['harbour.webp', 'harbour.heic', 'frames.tiff'])('half of %s is corrupt', async (name) => {
    const whole = await fixture(name);
    await expect(extract(whole.subarray(0, whole.length / 2))).rejects.toMatchObject({ code: 'corrupt_input' });
  });
});

/** A PNG that claims to be a square of this size. */
function emptyPng(side: number): Buffer {
  const piece = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(side);
  header.writeUInt32BE(side, 4);
  const parts = [piece('IHDR', header), piece('IDAT', deflateSync('')), piece('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

describe('mail', () => {
  const body: MailPart = { type: 'text/html; charset=utf-8', body: '<p>Dear Bo,</p><p>see the <b>plan</b>.</p>' };
  const file = (name: string, bytes: Uint8Array): MailPart => ({ type: 'application/octet-stream', body: bytes, name });

  test('has its fields, its body, and each attachment below its name', async () => {
    const forwarded = makeMail([{ type: 'text/plain', body: 'The forwarded words.' }], 'inner');
    const output = await extract(
      makeMail([
        body,
        file('../notes.md', strToU8('# Notes\n\nRemember *this*.')),
        file('photo.png', picturePdf(page(...SENTENCES), 100)),
        file('scan.pdf', scanPdf(page('This page was scanned.'))),
        file('tool.exe', Buffer.from('MZ\x90\0'.padEnd(600, '\0'), 'latin1')),
        { type: 'message/rfc822', body: forwarded.toString() },
      ]),
      'mail.eml',
    );
    expect(output.document).toMatchObject({ format: 'eml', title: 'Grüße from the harbour' });
    const fields = 'From: Lee, Ann <ann@mail.example>\nTo: bo@mail.example\nDate: 2026-03-02T10:00:00.000Z';
    const subject = 'Grüße from the harbour';
    expect(told(output)).toEqual([
      `${subject}: ${subject}\n\n${fields}\n\nDear Bo,\n\nsee the plan.`,
      'notes.md > Notes: notes.md\n\nNotes\n\nRemember this.',
      `photo.png: photo.png\n\n${SENTENCES.join(' ')}`,
      'scan.pdf: scan.pdf\n\nThis page was scanned.',
      `Attached message > ${subject}: Attached message\n\n${subject}\n\n${fields}\n\nThe forwarded words.`,
    ]);
    expect(output.warnings).toEqual(['tool.exe: It is a program and was not read.']);
  });

  test('with a thousand attachments is read in part, and says so', async () => {
    const notes = Array.from({ length: 1000 }, (_, index) => file(`n${index}.txt`, strToU8(`Note ${index}`)));
    const { chunks, warnings } = await extract(makeMail([body, ...notes]));
    expect(chunks).toHaveLength(201);
    expect(warnings).toEqual([expect.stringMatching(/^Not read: n200\.txt, .* and 795 more\./)]);
  });

  test('of Outlook is read like any other, with the message inside it', async () => {
    const bytes = await readFile(new URL('../fixtures/documents/mail/outlook.msg', import.meta.url));
    const output = await extract(bytes);
    const subject = 'Grüße from the harbour';
    const fields = (to: string) => `From: Ann Lee <ann@mail.example>\nTo: ${to}\nDate: 2026-03-02T10:00:00.000Z`;
    expect(output.document).toMatchObject({ format: 'msg', title: subject, author: 'Ann Lee <ann@mail.example>' });
    expect(told(output)).toEqual([
      `${subject}: ${subject}\n\n${fields('Bo Räy; Cy')}\n\nDear Bo,\n\nsee the plan — today.`,
      'notes.md > Notes: notes.md\n\nNotes\n\nRemember this.',
      `A forwarded message > The older one: A forwarded message\n\nThe older one\n\n${fields('Bo Ray; Cy')}\n\nThe forwarded words.`,
    ]);
    // The message inside lists the streams of the outer one: it contains itself.
    const circular = Buffer.from(bytes);
    const at = (name: string) => circular.indexOf(Buffer.from(name, 'utf16le')) + 76;
    circular.writeUInt32LE(circular.readUInt32LE(at('Root Entry')), at('__substg1.0_3701000D'));
    expect((await extract(circular)).warnings.join(' ')).toContain('more than 3 files deep');
  });

  test('that only its recipients can read is encrypted', async () => {
    const sealed = makeMail([{ type: 'application/pgp-encrypted', body: 'Version: 1' }]).toString();
    const bytes = sealed.replace('multipart/mixed', 'multipart/encrypted');
    await expect(extract(bytes)).rejects.toMatchObject({ code: 'encrypted_input' });
  });
});

describe('books', () => {
  const container = '<container><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>';
  const opf = `<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Harbour</dc:title>
    <dc:creator>Ann Lee</dc:creator><dc:creator>Bo Ray</dc:creator><dc:language>en-GB</dc:language></metadata><manifest>
    <item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
    <item id="one" href="text/one%20a.xhtml" media-type="application/xhtml+xml"/>
    <item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/></manifest>
    <spine toc="n"><itemref idref="two"/><itemref idref="one"/></spine></package>`;
  const ncx = `<!DOCTYPE ncx SYSTEM "ncx.dtd"><ncx><navMap><navPoint><navLabel><text>Second thoughts</text></navLabel>
    <content src="text/one%20a.xhtml#start"/></navPoint></navMap></ncx>`;
  const book = (more: Zippable = {}) =>
    zipSync({
      mimetype: [strToU8('application/epub+zip'), { level: 0 }],
      'META-INF/container.xml': strToU8(container),
      'OEBPS/a.opf': strToU8(opf),
      'OEBPS/toc.ncx': strToU8(ncx),
      'OEBPS/text/one a.xhtml': strToU8('<!DOCTYPE html><html><body><p>No heading&nbsp;here.</p></body></html>'),
      'OEBPS/text/two.xhtml': strToU8('<html><body><h1>Quiet mornings</h1><p>The harbour was quiet.</p></body></html>'),
      ...more,
    });

  test('are read in the order of the spine, with titles from the table of contents', async () => {
    const { chunks, document } = await extract(book());
    expect(document).toMatchObject({
      format: 'epub',
      title: 'The Harbour',
      author: 'Ann Lee, Bo Ray',
      language: 'en-GB',
    });
    expect(chunks.map((chunk) => chunk.text).join('\n\n')).toBe(
      'Quiet mornings\n\nThe harbour was quiet.\n\nSecond thoughts\n\nNo heading here.',
    );
  });

  test('with copy protection are encrypted; obfuscated fonts are no protection', async () => {
    const encryption = (algorithm: string) => ({
      'META-INF/encryption.xml': strToU8(`<encryption><EncryptionMethod Algorithm="${algorithm}"/></encryption>`),
    });
    const aes = extract(book(encryption('http://www.w3.org/2001/04/xmlenc#aes128-cbc')));
    await expect(aes).rejects.toMatchObject({ code: 'encrypted_input' });
    expect((await extract(book(encryption('http://www.idpf.org/2008/embedding')))).chunks[0]?.text).toMatch(/^Quiet/);
  });
});

describe('a zip is a batch', () => {
  test('each file is read below its path, and what was skipped is named', async () => {
    const archive = Buffer.from(
      zipSync({
        'word/plan.txt': strToU8('The plan in a folder called word.'),
        'mail.eml': makeMail([{ type: 'text/plain', body: 'A mail in a batch.' }]),
        '__MACOSX/._plan.txt': strToU8('left behind'),
        'clip.mp4': Buffer.from('\0\0\0\x20ftypisom'.padEnd(600, '\0'), 'latin1'),
        'broken.docx': strToU8('PK\x03\x04 is no document'),
        'false.txt': strToU8('larger than stated'),
        'bomb.txt': strToU8('x'),
      }),
    );
    // The size in the directory record.
    const state = (name: string, bytes: number) => archive.writeUInt32LE(bytes, archive.lastIndexOf(name) - 46 + 24);
    state('bomb.txt', 210 * 1024 * 1024);
    state('false.txt', 1);
    const output = await extract(archive);
    expect(output.document.format).toBe('zip');
    expect(output.chunks.map(({ heading }) => heading)).toEqual(['word/plan.txt', 'mail.eml > Grüße from the harbour']);
    expect(output.warnings).toEqual([
      'clip.mp4: It is an MP4 video and was not read.',
      expect.stringMatching(/^broken\.docx: /),
      'false.txt: The file is larger than its archive states. Pack it again.',
      expect.stringMatching(/^Not read: bomb\.txt\. A job reads at most 200 files and 200 MB/),
    ]);
  });

  test('archives in archives end at a depth', async () => {
    let bytes = zipSync({ 'a.txt': strToU8('deep') });
    for (let depth = 0; depth < 5; depth += 1) bytes = zipSync({ [`${depth}.zip`]: bytes });
    await expect(extract(bytes)).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test.each([
    ['an empty archive', zipSync({}), 'unsupported_media'],
    ['only a program', zipSync({ 'a.exe': Buffer.from('MZ\x90\0'.padEnd(600, '\0'), 'latin1') }), 'unsupported_media'],
    ['names outside the archive', zipSync({ '../../etc/a.txt': strToU8('x') }), 'corrupt_input'],
    ['a truncated archive', zipSync({ 'a.txt': strToU8('x'.repeat(500)) }).subarray(0, 60), 'corrupt_input'],
  ])('%s has no text', async (_what, bytes, code) => {
    await expect(extract(bytes)).rejects.toMatchObject({ code });
  });
});

describe('captions', () => {
  test.each([
    [
      'vtt',
      (from: string, to: string, words: string) => `${from}.000 --> ${to}.500\n<v Ann>${words}\n\n`,
      'WEBVTT\n\n',
    ],
    ['srt', (from: string, to: string, words: string) => `7\n${from},000 --> ${to},500\n${words}\n\n`, ''],
  ])('%s has the times of its cues in each chunk', async (format, cue, start) => {
    const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19);
    const cues = Array.from({ length: 20 }, (_, at) =>
      cue(clock(at * 2), clock(at * 2 + 1), `Sentence ${at} is said.`),
    );
    const { chunks, document } = await extract(start + cues.join(''), null, 150);
    expect(document.format).toBe(format);
    expect(chunks[0]).toMatchObject({ startSeconds: 0 });
    expect(chunks.at(-1)).toMatchObject({ endSeconds: 39.5 });
    for (const { text: words, startSeconds, endSeconds } of chunks) {
      const numbers = [...words.matchAll(/Sentence (\d+)/g)].map(([, number]) => Number(number));
      expect([startSeconds, endSeconds]).toEqual([(numbers[0] ?? 0) * 2, (numbers.at(-1) ?? 0) * 2 + 1.5]);
    }
  });
});

describe('data as readable text', () => {
  test('a notebook has its text, its code and the text of its outputs', async () => {
    const outputs = [
      { output_type: 'stream', text: ['\u001b[31m1\u001b[0m\n'] },
      { data: { 'text/html': '<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'text/plain': 'a b' } },
      { data: { 'image/png': 'AAAA' } },
      { ename: 'ValueError', evalue: 'bad', traceback: [] },
    ];
    const cells = [
      { cell_type: 'markdown', source: ['# Counting\n', '\n', 'Some *text*.'] },
      { cell_type: 'code', source: 'print(1)', outputs },
      17,
    ];
    const output = await extract(
      JSON.stringify({ cells, metadata: { kernelspec: { language: 'Python' } }, nbformat: 4 }),
    );
    expect(output.document.format).toBe('ipynb');
    expect(told(output)).toEqual([
      'Counting: Counting\n\nSome text.\n\nprint(1)\n\n1',
      'Counting: a | b\n1 | 2',
      'Counting: ValueError: bad',
    ]);
    expect(await readFile(join(folder, 'files', 'document.md'), 'utf8')).toContain('```python\nprint(1)');
    await expect(extract('{"cells": [{"cell_type": "code"', 'a.ipynb')).rejects.toMatchObject({
      code: 'corrupt_input',
    });
  });

  test('JSON has records as lines, lists of records as tables, nested ones below headings', async () => {
    const value = {
      title: 'Report',
      tags: ['a', 'b'],
      people: [{ name: 'Ann', age: 3 }, { name: 'Bo' }],
      more: { x: { y: 1 } },
    };
    expect(told(await extract(JSON.stringify(value)))).toEqual([
      ': title: Report\n\ntags: a, b',
      'people: people\n\nname | age\nAnn | 3\nBo |',
      'more > x: more\n\nx\n\ny: 1',
    ]);
    expect(told(await extract('{"a": 1}\n{"a": 2}\n'))).toEqual([': a\n1\n2']);
    const broken = await extract('{"a": 1, // no comment\n"b": 2}');
    expect(broken.warnings).toEqual(['The file is not valid JSON and was read as plain text.']);
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    await expect(extract(deep)).rejects.toMatchObject({ code: 'source_too_large' });
  });

  test('XML has titles, running text and values with their attributes', async () => {
    const article = `<?xml version="1.0"?><!DOCTYPE article SYSTEM "a.dtd"><article xml:lang="en">
      <title>Of harbours</title><author id="7"><name>Ann</name><born>1970</born></author>
      <sec><title>Intro</title><p>Text with <i>marks</i> &amp; more.</p></sec></article>`;
    const { chunks, document } = await extract(article);
    expect(document).toMatchObject({ format: 'xml', title: 'Of harbours', language: 'en' });
    expect(chunks.map((chunk) => chunk.text)).toEqual([
      'Of harbours\n\nname: Ann\nborn: 1970\n\nIntro\n\nText with marks & more.',
    ]);
    const feed =
      '<?xml version="1.0"?><rss><channel><item id="1"><title>News</title><link>a</link></item></channel></rss>';
    expect((await extract(feed)).chunks.map((chunk) => chunk.text)).toEqual(['item: id=1', 'News\n\nlink: a']);
    const table = '<table><tr align="left"><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>';
    const prose = await extract(
      `<?xml version="1.0"?><a id="1"><p>Words.</p><list-item><p>One</p><p>item</p></list-item>${table}</a>`,
    );
    expect(prose.chunks.map((chunk) => chunk.text)).toEqual(['Words.\n\n• One\n\nitem', 'a | b\n1 | 2']);
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a><p>caf\xe9</p></a>', 'latin1');
    expect((await extract(latin)).chunks[0]?.text).toBe('café');
  });

  test('a LaTeX source has sections, lists, tables and notes; formulas stay as they are written', async () => {
    const source = String.raw`\documentclass{article} % set-up
\title{On \emph{Harbours}}\author{Ann L\'ee \and Bo}
\begin{document}\maketitle
\section{Introduction}\label{sec:a}
Text with \textbf{bold} and 50\% of $x^2_i$~\cite{lee}, na\"{\i}ve---\`\`quoted''.\footnote{A \emph{note}.}
\begin{enumerate} \item One \item Two \begin{itemize} \item inner \end{itemize} \end{enumerate}
\[ E = mc^2 \]
\begin{tabular}{lr} \hline Name & Count \\ Ann & 3 \\ \end{tabular}
\begin{lstlisting}[language=Python]
x = 1 % 2
\end{lstlisting}
\input{other}
\end{document}`;
    const output = await extract(source.replaceAll('\\`', '`'));
    expect(output.document).toMatchObject({ format: 'tex', title: 'On Harbours', author: 'Ann Lée, Bo' });
    expect(output.warnings).toEqual(['The source includes other, which is another file.']);
    expect(output.chunks.map((chunk) => chunk.text)).toEqual([
      'Introduction\n\nText with bold and 50% of $x^2_i$ [lee], naïve—“quoted”.[1]\n\n1. One\n2. Two\n  • inner\n\n$$E = mc^2$$',
      'Name | Count\nAnn | 3',
      'x = 1 % 2',
      '[1] A note.',
    ]);
    const started = '\\section{ $ \\( \\begin{verbatim} '.repeat(2000);
    expect((await extract(`\\begin{document}${started}`)).document.format).toBe('tex');
  });
});
