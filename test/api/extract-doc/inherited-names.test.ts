/** Names that every object has, such as `constructor`, are words like others in each format. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

const SAMPLES: readonly [name: string, source: (word: string) => string][] = [
  [
    'a.xml',
    (word) =>
      `<?xml version="1.0"?><a><${word}>kept</${word}><p>in <${word}>it</${word}></p><note type="${word}">n</note></a>`,
  ],
  ['b.xml', (word) => `<?xml version="1.0"?><a><${word}>kept</${word}><list type="${word}"><item>it</item></list></a>`],
  [
    'a.html',
    (word) =>
      `<h1>kept</h1><div class="admonition ${word}" data-callout="${word}"><p>it</p></div><pre><code class="language-${word}">x</code></pre>`,
  ],
  [
    'a.rst',
    (word) =>
      `Kept\n====\n\nkept it\n\n.. ${word}:: x\n\n   it\n\n:${word}:\`x\` and |${word}|\n\n.. code-block:: ${word}\n\n   a\n`,
  ],
  ['a.adoc', (word) => `= T\n\nkept {${word}}\n\n[${word}]\n====\nit\n====\n\n[source,${word}]\n----\na\n----\n`],
  ['a.org', (word) => `* kept\n#+begin_${word}\nit\n#+end_${word}\n#+begin_src ${word}\na\n#+end_src\n`],
  ['a.md', (word) => `# kept\n\n\`\`\`${word}\na\n\`\`\`\n\n&${word}; it\n\n> [!${word}]\n> b\n`],
  [
    'a.tex',
    (word) =>
      `\\begin{document}kept \\${word.replaceAll('_', '')}{x} it \\begin{${word}}y\\end{${word}}\\end{document}`,
  ],
  ['a.rtf', (word) => `{\\rtf1 kept {\\*\\${word.replaceAll('_', '')} x} it\\par}`],
  ['a.vtt', (word) => `WEBVTT\n\n00:01.000 --> 00:02.000\n<v ${word}>kept <${word}>it</${word}>\n`],
  [
    'a.ics',
    (word) =>
      `BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:kept\n${word.toUpperCase()}:it\n${word}:it\nDESCRIPTION:it\nEND:VEVENT\nEND:VCALENDAR\n`,
  ],
  ['a.eml', (word) => `From: a@b.test\nSubject: kept\n${word}: x\nContent-Type: text/${word}; charset=${word}\n\nit\n`],
  ['a.json', (word) => `{"${word}": "kept", "b": [{"${word}": "it"}]}`],
  ['a.csv', (word) => `${word},b\nkept,it\n`],
];

test.each(SAMPLES)('in %s', async (name, source) => {
  for (const word of NAMES) {
    const { status, error, text, markdown } = await readDocument(appliance, source(word), name);
    expect({ word, status, error }).toEqual({ word, status: 'completed', error: null });
    expect(text).toContain('kept');
    expect(text).toContain('it');
    expect(markdown).not.toMatch(/native code|undefined|\[object/);
  }
});
