import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { presentation97, record, tableShape, textShape } from '../../harness/presentation-97.ts';
import { readDocument } from '../../harness/read-document.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const TITLE = { type: 0, text: 'Tides', box: [100, 100, 5000, 500] } as const;

test('slides are read by place, with lists, tables, notes and hidden slides', async () => {
  const talk = presentation97([
    {
      shapes: [
        textShape({ type: 4, text: 'Below', box: [100, 3000, 5000, 3400] }),
        textShape({ type: 1, text: 'First\rSecond', box: [100, 1000, 5000, 2000] }),
        textShape(TITLE),
      ],
      notes: [{ type: 2, text: 'Say hello.', box: [0, 0, 100, 100] }],
    },
    {
      isHidden: true,
      shapes: [
        tableShape([
          { type: 4, text: 'Both', box: [0, 0, 2000, 100] },
          { type: 4, text: 'Kiel', box: [0, 100, 1000, 200] },
          { type: 4, text: '9.5', box: [1000, 100, 2000, 200] },
        ]),
      ],
    },
  ]);
  const { status, markdown, warnings, result } = await readDocument(appliance, talk, 'talk.ppt');
  expect(status).toBe('completed');
  expect(markdown).toBe(
    [
      '# Tides\n\n- First\n- Second\n\nBelow\n\n## Notes\n\nSay hello.\n\n# Slide 2\n',
      '<table>\n<tr><th colspan="2">Both</th></tr>\n<tr><td>Kiel</td><td>9.5</td></tr>\n</table>\n',
    ].join('\n'),
  );
  expect(warnings).toEqual(['Slide 2 is hidden in the show; the text has it too.']);
  expect(result.account).toMatchObject({ unit: 'letters', unexplained: 0 });
  expect(result.document).toMatchObject({ format: 'ppt', pages: 2 });
});

test('a text that no shape shows is missed by the account', async () => {
  const stray = record(0x0fa0, Buffer.from('A text outside all shapes of the slide.', 'utf16le'));
  const { warnings, result } = await readDocument(
    appliance,
    presentation97([{ shapes: [textShape(TITLE), stray] }]),
    'a.ppt',
  );
  expect(result.account).toMatchObject({ unexplained: 31 });
  expect(warnings.join(' ')).toContain('Slide 1');
});

test.each([
  ['an encrypted one', presentation97([{ shapes: [] }], { token: 0xf3d1c4df }), 'encrypted_input'],
  ['an edit outside the file', presentation97([{ shapes: [] }], { editAt: 99_999_999 }), 'corrupt_input'],
  ['groups in groups', presentation97([{ shapes: [nested(500)] }]), 'source_too_large'],
])('%s is refused', async (_, bytes, code) => {
  const { error } = await readDocument(appliance, bytes, 'talk.ppt');
  expect(error).toMatchObject({ code });
});

function nested(depth: number): Buffer {
  let group = record(0xf003, [textShape(TITLE)]);
  for (let at = 0; at < depth; at += 1) group = record(0xf003, [group]);
  return group;
}

test('properties of an odd number of bytes are read, and no memory beside them', async () => {
  const sizes = Array.from({ length: 40 }, (_, index) => 2001 + index * 200);
  const odd = sizes.map((size) => record(0xf004, [record(0xf00b, Buffer.alloc(size, 0x41), 1)]));
  const talk = presentation97([{ shapes: [textShape(TITLE), ...odd] }]);
  const { status, markdown } = await readDocument(appliance, talk, 'talk.ppt');
  expect(status).toBe('completed');
  expect(markdown).toBe('# Tides\n');
});
