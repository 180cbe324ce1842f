import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { DocumentParser } from '../blocks.ts';
import { CodeJoiner } from '../code-joiner.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { readSummary } from './doc-summary.ts';
import { DocStories } from './story.ts';
import { type DocFile, damaged, readDocFile, TABLES } from './word-file.ts';

/** The first stories of the header part are the lines above notes. */
const SEPARATOR_STORIES = 6;
/** Each section then has six: even and odd header, even and odd footer, header and footer of its first page. */
const STORIES_PER_SECTION = 6;
const HEADER_STORIES = new Set([0, 1, 4]);

/**
 * Binary Word documents of Word 97 to 2003. Throws `unsupported_media` for older ones, `encrypted_input`,
 * `corrupt_input`, `source_too_large`.
 */
export const parseDoc: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  try {
    const file = readDocFile(bytes);
    readStories(file, builder);
    const { title, author, pages } = readSummary(file.summary);
    return builder.finish({ format: 'doc', title, author, statedPages: pages });
  } catch (cause) {
    // A place outside its table is a fault of the file.
    if (cause instanceof RangeError && !(cause instanceof QuarryError)) throw damaged(cause);
    throw cause;
  }
};

function readStories(file: DocFile, builder: DocumentBuilder): void {
  const { lengths } = file;
  const stories = new DocStories(file, builder);
  const code = new CodeJoiner(builder);
  const furniture = readFurniture(file, stories);
  for (const text of furniture.header) builder.add({ kind: 'page-furniture', place: 'header', text });
  stories.readBody((block, page) => code.add(block, page));
  const boxesAt = lengths.body + lengths.notes + lengths.headers + lengths.comments + lengths.endnotes;
  const boxes = stories.readBlocks(boxesAt, boxesAt + lengths.textBoxes + lengths.headerTextBoxes);
  for (const block of [...boxes, ...stories.endnotes]) code.add(block, builder.page);
  code.flush();
  for (const text of furniture.footer) builder.add({ kind: 'page-furniture', place: 'footer', text });
}

/** Each header and footer once, and none that is only a page number. */
function readFurniture(file: DocFile, stories: DocStories) {
  const texts = { header: new Set<string>(), footer: new Set<string>() };
  const base = file.lengths.body + file.lengths.notes;
  const places = file.table(TABLES.headers);
  const placeAt = (index: number) => base + Math.min(places.readUInt32LE(index * 4), file.lengths.headers);
  const count = Math.floor(places.length / 4) - 1;
  for (let index = SEPARATOR_STORIES; index < count; index += 1) {
    const text = stories.readLines(placeAt(index), placeAt(index + 1));
    const place = HEADER_STORIES.has((index - SEPARATOR_STORIES) % STORIES_PER_SECTION) ? 'header' : 'footer';
    if (/\p{L}/u.test(text)) texts[place].add(text);
  }
  return texts;
}
