import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeDocx, p, parse, r, texts } from './make-docx.ts';

const WHO = 'w:author="Ann" w:date="2026-01-02T03:04:05Z"';
const ins = (content: string) => `<w:ins w:id="1" ${WHO}>${content}</w:ins>`;
const deleted = (text: string) => `<w:r><w:delText xml:space="preserve">${text}</w:delText></w:r>`;
const del = (text: string) => `<w:del w:id="2" ${WHO}>${deleted(text)}</w:del>`;
const markDeleted = `<w:rPr><w:del w:id="3" ${WHO}/></w:rPr>`;
const commented = (text: string, id = 0) =>
  `<w:commentRangeStart w:id="${id}"/>${r(text)}<w:commentRangeEnd w:id="${id}"/><w:r><w:commentReference w:id="${id}"/></w:r>`;
const comment = (author: string, text: string) =>
  `<w:comment w:id="0" w:author="${author}" w:date="2026-02-03T00:00:00Z">${p(text)}</w:comment>`;
const xml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);

describe('tracked changes, accepted', () => {
  test('insertions stay, deletions and what was moved away go', async () => {
    const body =
      `<w:p>${r('a ')}${ins(r('new '))}${del('old ')}${r('b')}</w:p>` +
      `<w:p><w:moveFrom w:id="5" ${WHO}>${r('moved')}</w:moveFrom>${r('c')}</w:p>` +
      `<w:p><w:moveTo w:id="6" ${WHO}>${r('moved')}</w:moveTo></w:p>`;
    const document = await parse(makeDocx({ body }));
    expect(texts(document)).toEqual(['a new b', 'c', 'moved']);
    expect(document).toMatchObject({ revisions: 'accepted', changes: [], comments: [] });
  });

  test('a deleted paragraph mark joins the paragraphs, without a space', async () => {
    const body = p('one', markDeleted) + p('two', markDeleted) + p('three') + p('four');
    expect(texts(await parse(makeDocx({ body })))).toEqual(['onetwothree', 'four']);
  });

  test('a list counts what is there, not the items that were deleted', async () => {
    const level = '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>';
    const numbering =
      `<w:abstractNum w:abstractNumId="0">${level}</w:abstractNum>` +
      '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>';
    const listed = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>';
    const gone = `<w:p><w:pPr>${listed}${markDeleted}</w:pPr>${del('gone')}</w:p>`;
    const body = p('one', listed) + gone + p('two', listed);
    const markers = async (isKept: boolean) =>
      (await parse(makeDocx({ body, parts: { numbering } }), isKept)).blocks.map((block) =>
        block.kind === 'list-item' ? block.marker : block.kind,
      );
    expect(await markers(false)).toEqual(['1.', '2.']);
    expect(await markers(true)).toEqual(['1.', '2.', '3.']);
  });

  test('a deleted mark before a table does not swallow the table', async () => {
    const body = `${p('one', markDeleted)}<w:tbl><w:tr><w:tc>${p('cell')}</w:tc></w:tr></w:tbl>${p('two')}`;
    expect(texts(await parse(makeDocx({ body })))).toEqual(['one', 'cell', 'two']);
  });

  test('a deleted row goes, its neighbours stay', async () => {
    const row = (text: string, properties = '') => `<w:tr>${properties}<w:tc>${p(text)}</w:tc></w:tr>`;
    const body = `<w:tbl>${row('1')}${row('2', `<w:trPr><w:del w:id="9" ${WHO}/></w:trPr>`)}${row('3')}</w:tbl>`;
    expect(texts(await parse(makeDocx({ body })))).toEqual(['1', '3']);
  });

  test('an older formatting of a paragraph does not count as what it is now', async () => {
    const body = p('now', `<w:pPrChange w:id="1" ${WHO}><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>`);
    expect((await parse(makeDocx({ body }))).blocks[0]?.kind).toBe('paragraph');
  });

  test('comments go, and are not mistaken for text', async () => {
    const document = await parse(
      makeDocx({ body: `<w:p>${commented('kept')}</w:p>`, parts: { comments: comment('A', 'x') } }),
    );
    expect(texts(document)).toEqual(['kept']);
    expect(document.revisions).toBe('accepted');
  });
});

describe('tracked changes and comments, kept', () => {
  test('each is marked in the text and listed with who, when and what', async () => {
    const body = `<w:p>${r('a ')}${ins(r('new '))}${del('old')}${r(' ')}${commented('here')}${r(' b')}</w:p>`;
    const document = await parse(makeDocx({ body, parts: { comments: comment('Bob', 'why?') } }), true);
    expect(texts(document)).toEqual(['a {+new +}[-old-] here [Comment by Bob: why?] b']);
    expect(document.revisions).toBe('marked');
    expect(document.changes).toEqual([
      { kind: 'insertion', author: 'Ann', date: '2026-01-02T03:04:05Z', text: 'new' },
      { kind: 'deletion', author: 'Ann', date: '2026-01-02T03:04:05Z', text: 'old' },
    ]);
    expect(document.comments).toEqual([{ author: 'Bob', date: '2026-02-03T00:00:00Z', text: 'why?', anchor: 'here' }]);
  });

  test('neighbouring runs of one change read as one, and a deleted paragraph end shows as its sign', async () => {
    const body = `<w:p><w:pPr>${markDeleted}</w:pPr>${del('one ')}${del('two')}</w:p>${p('next')}`;
    expect(texts(await parse(makeDocx({ body }), true))).toEqual(['[-one two¶-]', 'next']);
  });

  test('a document without either says so, and its text is left as it is', async () => {
    const document = await parse(makeDocx({ body: p('a [-b-] {+c+}') }), true);
    expect(document.revisions).toBe('none');
    expect(texts(document)).toEqual(['a [-b-] {+c+}']);
  });

  test('whatever the text says, marks and text can be told apart again', async () => {
    const piece = fc.string({
      unit: fc.constantFrom('[', ']', '{', '}', '-', '+', '\\', ':', 'a', 'Comment', '[-', '+}'),
    });
    await fc.assert(
      fc.asyncProperty(piece, piece, piece, piece, piece, async (before, gone, added, remark, author) => {
        const body = `<w:p>${r(`.${xml(before)}`)}${del(`.${xml(gone)}`)}${ins(r(`.${xml(added)}`))}${commented('.')}</w:p>`;
        const document = await parse(
          makeDocx({ body, parts: { comments: comment(`.${xml(author)}`, `.${xml(remark)}`) } }),
          true,
        );
        expect(readMarked(texts(document)[0] ?? '')).toEqual([
          `.${before}`,
          `deleted .${gone}`,
          `inserted .${added}`,
          '. ',
          `comment by .${author}: .${remark}`,
        ]);
      }),
      { numRuns: 150 },
    );
  });
});

/** A reader that knows nothing but the documented rule: from the left, a backslash makes the next character literal. */
function readMarked(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  const flush = () => {
    if (part !== '') parts.push(part);
    part = '';
  };
  let inComment = false;
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const escaped = /^\\([\\[\]{}+:-])/.exec(rest);
    const mark = /^(\[-|-\]|\{\+|\+\}|\[Comment by |\[Comment: )/.exec(rest)?.[1];
    if (escaped !== null) {
      part += escaped[1];
      at += 2;
    } else if (inComment && rest.startsWith(']')) {
      inComment = false;
      flush();
      at += 1;
    } else if (mark !== undefined && !inComment) {
      flush();
      if (mark === '[-') part = 'deleted ';
      else if (mark === '{+') part = 'inserted ';
      else if (mark.startsWith('[Comment')) {
        part = 'comment by ';
        inComment = true;
      }
      at += mark.length;
    } else {
      part += rest[0];
      at += 1;
    }
  }
  flush();
  return parts;
}
