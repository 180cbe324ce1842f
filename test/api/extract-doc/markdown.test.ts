import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { makeDocx, p } from '../../documents/make-docx.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm } from '../../harness/jobs.ts';

/** A Markdown file survives itself: emphasis, links, code, quotes, footnotes, task marks and formulas are kept. */
let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function roundTrip(source: string | Uint8Array): Promise<string> {
  const body = fileForm(Buffer.from(source), 'notes.md', {});
  const init = { method: 'POST', body, headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/doc', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed', result: { warnings: [], account: { unexplained: 0 } } });
  return (await appliance.owner(`/v1/jobs/${job.jobId}/files/document.md`)).text();
}

test('the notes keep all that Markdown is for', async () => {
  const source = await readFile(new URL('../../fixtures/documents/cases/notes.md', import.meta.url), 'utf8');
  const written = await roundTrip(source);
  // The note goes behind the text, and the rule of the table is written with spaces.
  const note = '[^1]: The note.\n\n';
  const expected = source.replace('|---|--:|', '| --- | --: |').replace(note, '');
  expect(written).toBe(`${expected.trim()}\n\n${note.trim()}\n`);
});

test.each([
  ['emphasis inside links and words', 'See [the *old* book](https://a.example/b) and **bold *both* bold**.'],
  ['code with a language and code in a list', '- item with `a|b`\n\n```ts\nconst x = 1;\n```'],
  ['a quotation of two paragraphs', '> One.\n>\n> Two with **weight**.'],
  ['a formula beside prices', String.raw`Between \$5 and \$6 lies $x^2 + y_i$ exactly.`],
  ['a table with marks', '| Name | Value |\n| --- | --- |\n| *a* | [b](https://a.example/) |'],
  ['struck words and stress in a heading', '## A *bold* ~~mistake~~ claim\n\n~~Gone~~ with ***all*** of it.'],
  ['stress of both kinds', 'It is ***both*** and *more*.'],
  ['a note of two paragraphs', 'See[^a].\n\n[^a]: With `code`.\n\n    And [a link](https://a.example/).'],
  ['a list in a quotation', '> - one\n> - two'],
  ['signs that mark nothing', 'R&D of a_b_c, 3 * 4 < 5 > 2, ~5 and [6], C:\\temp, 50% + $7 or $8, AT&T.'],
  ['tasks below tasks', '- [x] one\n  - [ ] two'],
])('%s', async (_, source) => {
  const written = await roundTrip(source);
  expect(await roundTrip(written)).toBe(written);
  expect(written.trim()).toBe(source);
});

test('signs that close nothing stay literal, and cost little', async () => {
  const hostile = '$a '.repeat(50_000);
  expect((await roundTrip(`${hostile}\n\n$$ never closed`)).length).toBeGreaterThan(150_000);
});

async function markdownOf(content: Buffer | string, name: string): Promise<string> {
  const init = { method: 'POST', body: fileForm(content, name, {}), headers: { prefer: 'wait=60' } };
  const job = (await (await appliance.owner('/v1/extract/doc', init)).json()) as Job;
  expect(job).toMatchObject({ status: 'completed', result: { account: { unexplained: 0 } } });
  return (await appliance.owner(`/v1/jobs/${job.jobId}/files/document.md`)).text();
}

test('links of a page are relative to the address that it states', async () => {
  const page =
    '<html><base href="https://a.example/b/c.html"><p><a href="d">Next</a>, <a href="#e">here</a>, <a href="javascript:f()">no</a></p>';
  expect(await markdownOf(page, 'page.html')).toBe('[Next](https://a.example/b/d), here, no\n');
});

test('a page keeps emphasis, links, code with its language, quotes and tasks', async () => {
  const page = `<p>A <b>bold</b>, <i>slanted</i>, <s>struck</s> and <code>coded</code> word, a <a href="https://a.example/x">link</a>
    and <a href="/inside">one inside</a>.</p><blockquote><p>Quoted <em>twice</em>.</p></blockquote>
    <ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> open</li></ul>
    <pre><code class="language-ts">const x = 1;</code></pre>`;
  expect(
    await markdownOf(page, 'page.html'),
  ).toBe(`A **bold**, *slanted*, ~~struck~~ and \`coded\` word, a [link](https://a.example/x) and [one inside](/inside).

> Quoted *twice*.

- [x] done
- [ ] open

\`\`\`ts
const x = 1;
\`\`\`
`);
});

test('a Word document keeps emphasis, equations and footnotes', async () => {
  const run = (properties: string, text: string) =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const m = 'http://schemas.openxmlformats.org/officeDocument/2006/math';
  const body = `<w:p>${run('', 'A ')}${run('<w:b/>', 'bold')}${run('', ' and ')}${run('<w:i/><w:b/>', 'both')}${run('<w:strike/>', ' gone')}
    <w:r><w:footnoteReference w:id="4"/></w:r></w:p><w:p>${run('', 'With ')}<m:oMath xmlns:m="${m}"><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e>
    <m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>`;
  const parts = { footnotes: `<w:footnote w:id="4">${p('The foot.')}</w:footnote>` };
  expect(await markdownOf(makeDocx({ body, parts }), 'a.docx')).toBe(
    'A **bold** and ***both*** ~~gone~~[^1]\n\nWith $x^{2}$\n\n[^1]: The foot.\n',
  );
});

test('a Rich Text document keeps emphasis and notes', async () => {
  const note = String.raw`{\super\chftn}{\footnote\pard\plain {\super\chftn} The foot.}`;
  const rtf =
    String.raw`{\rtf1\ansi A {\b bold}, {\i slanted}, {\b\i both} and {\strike struck} word${note}.\par ` +
    String.raw`Plain after.\par}`;
  expect(await markdownOf(rtf, 'a.rtf')).toBe(
    'A **bold**, *slanted*, ***both*** and ~~struck~~ word[^1].\n\nPlain after.\n\n[^1]: The foot.\n',
  );
});

test('an OpenDocument text keeps emphasis, links, quotes and notes', async () => {
  const named = (name: string, properties: string) =>
    `<style:style style:name="${name}" style:family="text"><style:text-properties ${properties}/></style:style>`;
  const namespaces = ['office', 'text', 'style', 'fo', 'xlink'].map((name) => `xmlns:${name}="urn:${name}"`).join(' ');
  const foot = '<text:note-body><text:p>The foot.</text:p></text:note-body>';
  const note = `<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>${foot}</text:note>`;
  const flat = `<?xml version="1.0"?><office:document ${namespaces} office:mimetype="application/vnd.oasis.opendocument.text">
    <office:automatic-styles>${named('B', 'fo:font-weight="bold"')}${named('I', 'fo:font-style="italic"')}
    ${named('C', 'style:font-name="Courier New"')}</office:automatic-styles>
    <office:body><office:text><text:p>A <text:span text:style-name="B">bold</text:span>, <text:span text:style-name="I">slanted</text:span>
    and <text:span text:style-name="C">coded</text:span> word, a <text:a xlink:href="https://a.example/x">link</text:a>${note}.</text:p>
    <text:p text:style-name="Quotations">Quoted.</text:p></office:text></office:body></office:document>`;
  expect(await markdownOf(flat, 'a.fodt')).toBe(
    'A **bold**, *slanted* and `coded` word, a [link](https://a.example/x)[^1].\n\n> Quoted.\n\n[^1]: The foot.\n',
  );
});

test('links of Rich Text keep their address', async () => {
  const link = '{\\field{\\*\\fldinst HYPERLINK "https://127.0.0.1/tides"}{\\fldrslt {\\ul the tides}}}';
  const markdown = await markdownOf(`{\\rtf1 See ${link} today.\\par}`, 'a.rtf');
  expect(markdown.trim()).toBe('See [the tides](https://127.0.0.1/tides) today.');
});
