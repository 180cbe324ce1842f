import type { NormalizedDocument } from '../../workers/documents/blocks.ts';
import { parseDocx } from '../../workers/documents/docx/parse-docx.ts';
import { zipTexts } from '../harness/zip-texts.ts';
import { parseOptions } from './parse-options.ts';

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export interface DocxParts {
  /** Inside w:body. */
  body: string;
  /** Inside the root of each part: `footnotes`, `comments`, `styles`, `numbering`. */
  parts?: Record<string, string>;
  /** Relationships of the document beyond those of `parts`. */
  relationships?: { id: string; type: string; target: string; external?: boolean }[];
  /** Whole files by name. */
  files?: Record<string, string>;
  namespace?: string;
}

const ROOTS: Readonly<Record<string, string>> = { footnotes: 'footnotes', endnotes: 'endnotes', comments: 'comments' };

/** A .docx with just the parts given. */
export function makeDocx({ body, parts = {}, relationships = [], files = {}, namespace = W }: DocxParts): Buffer {
  const namespaces =
    `xmlns:w="${namespace}" xmlns:r="${OFFICE}" ` +
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ' +
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml" ' +
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"';
  const listed = [
    ...Object.keys(parts).map((name) => ({ id: `p${name}`, type: name, target: `${name}.xml`, external: false })),
    ...relationships,
  ];
  const links = listed.map(
    ({ id, type, target, external }) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
  );
  const rels = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';
  const entries: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships ${rels}><Relationship Id="r" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': `<Relationships ${rels}>${links.join('')}</Relationships>`,
    ...Object.fromEntries(
      Object.entries(parts).map(([name, content]) => {
        const root = ROOTS[name] ?? name.replace(/\d+$/, '').replace('header', 'hdr').replace('footer', 'ftr');
        return [`word/${name}.xml`, `<w:${root} ${namespaces}>${content}</w:${root}>`];
      }),
    ),
    ...files,
  };
  return Buffer.from(zipTexts(entries));
}

/** A paragraph of one run. `properties` goes into w:pPr. */
export function p(text: string, properties = ''): string {
  const pPr = properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`;
  return `<w:p>${pPr}${r(text)}</w:p>`;
}

export function r(text: string): string {
  return `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

export async function parse(bytes: Buffer, includeComments = false): Promise<NormalizedDocument> {
  return await parseDocx(bytes, parseOptions({ includeComments }));
}

/** The texts of the document's blocks; a table's rows with ` | ` between cells. */
export function texts(document: NormalizedDocument): string[] {
  return document.blocks.flatMap((block) =>
    block.kind === 'table' ? block.rows.map((row) => row.join(' | ')) : [block.text],
  );
}
