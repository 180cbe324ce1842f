import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

/** Reads a file all of whose letters are delivered or left out for a reason. */
async function read(content: Uint8Array | string, name: string) {
  const result = await readDocument(appliance, content, name);
  expect(result.result.account).toMatchObject({ unit: 'letters', unexplained: 0 });
  expect(result.warnings.filter((sentence) => sentence.includes('letters'))).toEqual([]);
  return result;
}
const fixture = (name: string) => readFile(new URL(`../../fixtures/documents/cases/${name}`, import.meta.url));

/** Blocks of the Markdown, without its escapes. */
const blocksOf = ({ markdown }: { markdown: string }) =>
  markdown
    .replace(/\\(?=[[\]_*`.#<>~-])/g, '')
    .trim()
    .split('\n\n');

describe('calendars and contacts', () => {
  test('are read as entries with their fields: note.ics', async () => {
    const result = await read(await fixture('note.ics'), 'note.ics');
    expect(result.document).toMatchObject({ format: 'icalendar', title: 'Harbour meeting' });
    expect(result.text).toBe('Harbour meeting\n\nStart: 2024-09-03 10:00 UTC\n\nAgenda, tides\nSecond line');
  });

  test('have zones, days, people and several entries; time zones have no text', async () => {
    const calendar = [
      ...['BEGIN:VCALENDAR', 'PRODID:x', 'X-WR-CALNAME:Harbour', 'BEGIN:VTIMEZONE', 'TZID:Europe/Berlin'],
      ...['BEGIN:STANDARD', 'DTSTART:19701025T030000', 'END:STANDARD', 'END:VTIMEZONE', 'BEGIN:VEVENT'],
      ...[
        'DTSTART;TZID=Europe/Berlin:20240903T101500',
        'DTEND;VALUE=DATE:20240904',
        'SUMMARY;LANGUAGE=en:Low\\, low',
        '  water',
      ],
      ...['ORGANIZER;CN="Lee, Ann":mailto:ann@mail.test', 'ATTACH;ENCODING=BASE64;VALUE=BINARY:QUJD', 'X-COLOR:blue'],
      ...['END:VEVENT', 'BEGIN:VTODO', 'SUMMARY:Paint', 'DUE:20240905T235959Z', 'END:VTODO', 'END:VCALENDAR', ''],
    ].join('\r\n');
    const { text, warnings } = await read(calendar, 'file');
    expect(text.split('\n\n')).toEqual([
      'Harbour',
      'Low, low water',
      'Start: 2024-09-03 10:15 Europe/Berlin\nEnd: 2024-09-04\nOrganizer: Lee, Ann <ann@mail.test>\nX-COLOR: blue',
      'Paint',
      'Due: 2024-09-05 23:59:59 UTC',
    ]);
    expect(warnings).toEqual(['Files inside the entries (pictures, attachments) were not read.']);
  });

  test('may be cards, also old ones', async () => {
    const cards = [
      'BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrg =\n=C3=84hre\nitem1.TEL;HOME:12 34\nEND:VCARD',
      'BEGIN:VCARD\nVERSION:4.0\nFN:Ida Moss\nN:Moss;Ida;;;\nADR;TYPE=work:;;Quay 1;Kiel;;24103;\nNOTE:One\\nTwo\nEND:VCARD',
    ].join('\n');
    const { text, document } = await read(cards, 'people.vcf');
    expect(document).toMatchObject({ format: 'vcard' });
    expect(text).toBe(
      'Jürg Ähre\n\nPhone: 12 34\n\nIda Moss\n\nName: Moss, Ida\nAddress: Quay 1, Kiel, 24103\n\nOne\nTwo',
    );
  });
});

describe('light markup', () => {
  test('of reStructuredText: guide.rst', async () => {
    const result = await read(await fixture('guide.rst'), 'guide.rst');
    expect(result.document).toMatchObject({ format: 'rst', title: 'Guide' });
    expect(blocksOf(result)).toEqual([
      ...['# Guide', '## Install', 'Use `pip`.', '> [!NOTE]\n> Careful here.', '- one\n- two'],
    ]);
  });

  test('of reStructuredText has levels, code, lists and directives', async () => {
    const source = `=====
Title
=====

Part
====
A text of
two lines::

    code  here
      more

Sub
---
1. first
   goes on
2. second

   - inner

.. code-block:: python
   :linenos:

   print(1)

.. warning::
   Take care.

.. a comment

.. image:: map.png
   :alt: The map

.. include:: other.rst
`;
    const result = await read(source, 'a.rst');
    const { warnings } = result;
    expect(blocksOf(result)).toEqual([
      ...['# Title', '## Part', 'A text of two lines:', '```\ncode  here\n  more\n```', '### Sub'],
      ...[
        '1. first goes on\n2. second\n   - inner',
        '```python\nprint(1)\n```',
        '> [!WARNING]\n> Take care.',
        expect.stringContaining('The map'),
      ],
    ]);
    expect(warnings).toEqual(['Content of another file was not read: other.rst.']);
  });

  test('of AsciiDoc', async () => {
    const source = `= Guide
:author: Ann

// comment
== Install

* one
** inner
. step

[source,js]
----
let a = 1;
----

NOTE: Careful.

|===
| Port | Depth

| Kiel | 9.5
|===
`;
    expect(blocksOf(await read(source, 'a.adoc'))).toEqual([
      ...['# Guide', '## Install', expect.stringMatching(/^- one\n\s+- inner\n\s*1\. step$/), '```js\nlet a = 1;\n```'],
      ...['> [!NOTE]\n> Careful.', '| Port | Depth |\n| --- | --- |\n| Kiel | 9.5 |'],
    ]);
  });

  test('of Org', async () => {
    const source = `#+TITLE: Guide
* Install :tag:
:PROPERTIES:
:ID: 1
:END:
Run it.
- one
  - inner
#+BEGIN_SRC sh
ls
#+END_SRC
| a | b |
|---+---|
| 1 | 2 |
** Deeper
`;
    expect(blocksOf(await read(source, 'a.org'))).toEqual([
      ...[
        '# Guide',
        '# Install :tag:',
        'Run it.',
        '- one\n  - inner',
        '```sh\nls\n```',
        '| a | b |\n| --- | --- |\n| 1 | 2 |',
      ],
      '## Deeper',
    ]);
  });
});
