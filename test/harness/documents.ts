import { strToU8, zipSync } from 'fflate';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const NAMESPACES = 'http://schemas.openxmlformats.org';
const DOCUMENT_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const TYPES = `<?xml version="1.0"?>
<Types xmlns="${NAMESPACES}/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/word/document.xml" ContentType="${DOCUMENT_TYPE}"/>
</Types>`;
const RELATIONS = `<?xml version="1.0"?>
<Relationships xmlns="${NAMESPACES}/package/2006/relationships">
<Relationship Id="r1" Type="${NAMESPACES}/officeDocument/2006/relationships/officeDocument"
  Target="word/document.xml"/>
</Relationships>`;

/** A real, minimal .docx with one paragraph per text. */
export function wordDocument(paragraphs: readonly string[]): Uint8Array {
  const body = paragraphs
    .map((text) => `<w:p><w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`)
    .join('');
  return wordDocumentOf(body);
}

/** A .docx around any `w:body` content. */
export function wordDocumentOf(body: string): Uint8Array {
  return zipSync({
    '[Content_Types].xml': strToU8(TYPES),
    '_rels/.rels': strToU8(RELATIONS),
    'word/document.xml': strToU8(`<?xml version="1.0"?><w:document ${W}><w:body>${body}</w:body></w:document>`),
  });
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
