import { z } from 'zod';
import { say, tell } from '../../platform/text/say.ts';
import { TimeZone } from '../../platform/time-zone.ts';
import { SEARCH_MODES, SearchAnswer, SearchHit } from '../search/schema.ts';
import { EXPORT_FORMS, EXPORT_PARTS, ITEM_KINDS, ITEM_SOURCES } from './kind.ts';

const Timestamp = z.iso.datetime({ precision: 3 });

export const ITEM_STATES = ['reading', 'ready', 'failed'] as const;

export const TITLE_CHARS_MAX = 500;

export const TAG_CHARS_MAX = 64;

export const TAGS_MAX = 50;

const NOTE_CHARS_MAX = 20_000;

const QUOTE_CHARS_MAX = 5000;

/** Characters kept before and after a quotation, which tell two places with the same words apart. */
export const AROUND_CHARS = 32;

export const LIST_MAX = 200;

/** Items of one change of many, or of one export. */
export const MANY_MAX = 10_000;

const oneLine = (max: number) =>
  z
    .string()
    .overwrite((text) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim())
    .min(1, say`Give at least one visible character.`)
    .max(max, `This is longer than ${max} characters.`)
    .refine((text) => text.isWellFormed(), say`Give complete Unicode characters.`);

export const Title = oneLine(TITLE_CHARS_MAX);

export const ItemTag = oneLine(TAG_CHARS_MAX);

export const Position = z
  .strictObject({
    page: z.int().min(1).optional().describe('The page that is read, from 1.'),
    seconds: z.number().min(0).optional().describe('The second that is heard or seen.'),
  })
  .refine(({ page, seconds }) => (page === undefined) !== (seconds === undefined), tell`Give the page or the second.`)
  .meta({ id: 'LibraryPosition' });

export type Position = z.infer<typeof Position>;

export const ItemVersion = z
  .object({
    number: z.int().min(1).describe('1 for the first reading of the source.'),
    jobId: z.string().describe('The job that read it. It has the result and its files.'),
    state: z.enum(ITEM_STATES),
    createdAt: Timestamp,
  })
  .meta({ id: 'LibraryVersion' });

export const Item = z
  .object({
    itemId: z.string(),
    kind: z.enum(ITEM_KINDS),
    title: z.string(),
    titleGiven: z.boolean().describe('Whether the owner gave the title. A title found in the source may change.'),
    state: z.enum(ITEM_STATES).describe('Of the version that is shown.'),
    source: z.object({
      name: z.string().nullable().describe('Name of the file.'),
      url: z.string().nullable(),
      sha256: z.string().nullable().describe('Of the bytes of the file that was sent.'),
    }),
    language: z.string().nullable().describe('Code of the language (ISO 639), as found.'),
    pages: z.int().nullable().describe('Pages of a document, pages of a site.'),
    words: z.int().nullable(),
    seconds: z.number().nullable().describe('Length of what can be heard.'),
    cover: z
      .string()
      .nullable()
      .describe('Address of the drawn cover below the base address: a WebP of 320 by 240 pixels, at most 20 kB.'),
    excerpt: z.string().nullable().describe('First lines of the text; they stand for what has no drawn cover.'),
    peaks: z.array(z.number()).nullable().describe('The shape of a sound: up to 64 numbers from 0 to 1.'),
    speakers: z.array(z.string()).describe('Who speaks, as far as they have names.'),
    bytes: z.int().nullable().describe('On the disk: sources and files of all its versions; null until measured.'),
    originalBytes: z.int().describe('Of the original files among them; 0 where none is kept.'),
    tags: z.array(z.string()),
    collections: z.array(z.string()).describe('Identifiers of the collections that it was put into.'),
    notes: z.int().min(0).describe('Number of its notes and highlights.'),
    position: Position.nullable().describe('Where the owner was last.'),
    jobId: z.string().describe('The job of the version that is shown.'),
    version: z.int().min(1).describe('The version that is shown.'),
    versions: z.int().min(1).describe('Number of its versions.'),
    addedAt: Timestamp,
    updatedAt: Timestamp,
    datedAt: Timestamp.nullable().describe('The date that the content gives itself, or the owner gave.'),
    deletedAt: Timestamp.nullable().describe('Since when it is deleted.'),
    goesAt: Timestamp.nullable().describe('When a deleted item leaves the disk: `deletedDays` of the settings later.'),
  })
  .meta({ id: 'LibraryItem' });

export type Item = z.infer<typeof Item>;

export const Note = z
  .object({
    noteId: z.string(),
    itemId: z.string(),
    kind: z.enum(['note', 'highlight']),
    text: z.string().describe('Empty for a highlight.'),
    quote: z.string().nullable().describe('The words it stands at; null for a note on the whole item.'),
    before: z.string().describe(`Up to ${AROUND_CHARS} characters before these words.`),
    after: z.string().describe(`Up to ${AROUND_CHARS} characters after them.`),
    position: Position.nullable(),
    version: z.int().min(1).describe('The version that was shown.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'LibraryNote' });

export type Note = z.infer<typeof Note>;

const NoteText = z
  .string()
  .max(NOTE_CHARS_MAX)
  .refine((text) => text.isWellFormed(), say`Give complete Unicode characters.`);

export const NoteRequest = z
  .strictObject({
    kind: z.enum(['note', 'highlight']).default('note'),
    text: NoteText.default(''),
    quote: z.string().min(1).max(QUOTE_CHARS_MAX).optional(),
    before: z
      .string()
      .overwrite((text) => text.slice(-AROUND_CHARS).toWellFormed())
      .default(''),
    after: z
      .string()
      .overwrite((text) => text.slice(0, AROUND_CHARS).toWellFormed())
      .default(''),
    position: Position.optional(),
  })
  .refine(({ kind, text }) => kind === 'highlight' || text.trim() !== '', {
    path: ['text'],
    message: say`Write the note.`,
  })
  .refine(({ kind, quote }) => kind === 'note' || quote !== undefined, {
    path: ['quote'],
    message: say`Quote the words that are highlighted.`,
  })
  .meta({ id: 'LibraryNoteRequest' });

export type NoteRequest = z.output<typeof NoteRequest>;

export const NoteChange = z.strictObject({ text: NoteText }).meta({ id: 'LibraryNoteChange' });

/** What can be changed of one item, or of many. */
const changes = {
  addTags: z.array(ItemTag).max(TAGS_MAX).optional(),
  removeTags: z.array(ItemTag).max(TAGS_MAX).optional(),
  addTo: z.array(z.string()).max(TAGS_MAX).optional().describe('Identifiers of collections.'),
  removeFrom: z.array(z.string()).max(TAGS_MAX).optional().describe('Identifiers of collections.'),
  deleted: z.boolean().optional().describe('True deletes, false brings back.'),
};

export const ItemChange = z
  .strictObject({
    title: Title.nullable().optional().describe('Null: the title that is found in the source.'),
    datedAt: z.iso.datetime().nullable().optional(),
    language: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
      .optional(),
    position: Position.nullable().optional(),
    version: z.int().min(1).optional().describe('The version to show.'),
    ...changes,
  })
  .meta({ id: 'LibraryItemChange' });

export type ItemChange = z.output<typeof ItemChange>;

const Day = z.iso.date();

/** A switch in an address. */
export function flagInAddress() {
  return z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true');
}

/** Filters of lists, counts, exports and changes of many: one way to narrow. */
const filters = {
  kind: z.enum(ITEM_KINDS).optional(),
  state: z.enum(ITEM_STATES).optional(),
  tag: ItemTag.optional(),
  collection: z.string().optional().describe('Identifier of a collection.'),
  language: z.string().optional(),
  speaker: z.string().max(200).optional().describe('The name of somebody who speaks.'),
  source: z.enum(ITEM_SOURCES).optional().describe('A file, an address of the web, or made here from words.'),
  text: z.string().max(200).optional().describe('Words of the title, the source or the tags, in any order.'),
  from: Day.optional().describe('Added on this day or later.'),
  to: Day.optional().describe('Added on this day or before.'),
  timeZone: TimeZone.optional().describe('Whose days are meant, such as `Europe/Berlin`. Without it those of UTC.'),
};

export const ItemFilter = z.strictObject(filters).meta({ id: 'LibraryFilter' });

export type ItemFilter = z.output<typeof ItemFilter>;

export const ITEM_ORDERS = ['added', 'updated', 'title', 'size'] as const;

export const ItemListQuery = ItemFilter.extend({
  deleted: flagInAddress().describe('True: the deleted ones only.'),
  sort: z.enum(ITEM_ORDERS).default('added').describe('Newest first; titles from A; the largest first.'),
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(50),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
});

export type ItemListQuery = z.output<typeof ItemListQuery>;

const Counted = z.array(z.object({ value: z.string(), count: z.int() }));

export const ItemCounts = z
  .object({
    total: z.int().describe('Items that the filters leave.'),
    pages: z.number().describe('Of documents and sites together.'),
    seconds: z.number().describe('Of all that can be heard.'),
    bytes: z.number().describe('On the disk, as far as it is measured.'),
    sizes: z
      .array(z.object({ value: z.string(), bytes: z.number(), originals: z.number() }))
      .describe('The same by kind, and what of it are original files.'),
    kinds: Counted,
    tags: Counted.describe('The 200 most used.'),
    collections: Counted.describe('By identifier.'),
    languages: Counted,
    speakers: Counted.describe('The 200 most heard.'),
    sources: Counted.describe('Files, addresses of the web, and what was made here.'),
    months: Counted.describe('By month of addition in the time zone, `2026-11`, newest first.'),
    days: Counted.describe('By day of addition, `2026-11-29`: the newest 31 that have items.'),
  })
  .meta({ id: 'LibraryCounts' });

export type ItemCounts = z.infer<typeof ItemCounts>;

/** Names many items: by their identifiers, or as all that a filter leaves. */
const selection = {
  items: z.array(z.string()).min(1).max(MANY_MAX).optional().describe('Identifiers.'),
  filter: ItemFilter.optional().describe('All that it leaves, instead of identifiers.'),
};

const namesOneWay = ({ items, filter }: { items?: unknown; filter?: unknown }) =>
  (items === undefined) !== (filter === undefined);

const ONE_WAY = { path: ['items'], message: tell`Give the identifiers or a filter.` };

export const ManyChange = z
  .strictObject({ ...selection, ...changes })
  .refine(namesOneWay, ONE_WAY)
  .meta({ id: 'LibraryManyChange' });

export type ManyChange = z.output<typeof ManyChange>;

export const OriginalsRequest = z
  .strictObject(selection)
  .refine(namesOneWay, ONE_WAY)
  .meta({ id: 'LibraryOriginalsRequest' });

export const ExportRequest = z
  .strictObject({
    ...selection,
    as: z
      .enum(EXPORT_FORMS)
      .default('zip')
      .describe(
        '`zip`: a Markdown file for each item, with its files. `markdown`: one file with all texts. ' +
          '`epub`: a book with a chapter for each item.',
      ),
    parts: z
      .array(z.enum(EXPORT_PARTS))
      .min(1)
      .optional()
      .describe('What a ZIP holds of each item; everything but `originals`, the files that were sent, where absent.'),
  })
  .refine(namesOneWay, ONE_WAY)
  .meta({ id: 'LibraryExport' });

export type ExportRequest = z.output<typeof ExportRequest>;

export type Selected = Pick<ManyChange, 'items' | 'filter'>;

export const Collection = z
  .object({
    collectionId: z.string(),
    name: z.string(),
    filter: ItemFilter.nullable().describe('A smart collection holds what its filter leaves; null for one by hand.'),
    count: z.int(),
  })
  .meta({ id: 'LibraryCollection' });

export type Collection = z.infer<typeof Collection>;

export const CollectionRequest = z
  .strictObject({ name: oneLine(100), filter: ItemFilter.optional() })
  .meta({ id: 'LibraryCollectionRequest' });

export const CollectionChange = z
  .strictObject({ name: oneLine(100).optional(), filter: ItemFilter.optional() })
  .meta({ id: 'LibraryCollectionChange' });

export const Mirror = z
  .object({
    mirrorId: z.string(),
    path: z.string().describe('The folder.'),
    filter: ItemFilter.describe('The items in it.'),
    state: z.enum(['waiting', 'ok', 'failed']),
    message: z.string().nullable().describe('Why it could not be brought in step, and what to do.'),
    kept: z.array(z.string()).describe('Files made or changed by somebody else, which stay: at most 100.'),
    keptCount: z.int().min(0),
    syncedAt: Timestamp.nullable(),
  })
  .meta({ id: 'LibraryMirror' });

export type Mirror = z.infer<typeof Mirror>;

export const MirrorRequest = z.strictObject({
  path: z.string().min(1).max(4096).describe('The absolute path of a folder on this machine.'),
  filter: ItemFilter.optional(),
});

export const PLACES_MAX = 50;

export const ItemSearchQuery = ItemFilter.omit({ text: true, state: true }).extend({
  query: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .describe('Words, or a sentence. `"these words"` must occur in a row, `-word` must not occur.'),
  mode: z.enum(SEARCH_MODES).default('hybrid'),
  limit: z.coerce.number().int().min(1).max(50).default(20).describe('Items.'),
  offset: z.coerce.number().int().min(0).max(MANY_MAX).default(0).describe('Items to skip, for the next page.'),
  places: z.coerce.number().int().min(1).max(PLACES_MAX).default(3).describe('Places shown for an item.'),
  item: z.string().optional().describe('Places of this item alone.'),
});

export type ItemSearchQuery = z.output<typeof ItemSearchQuery>;

export const ItemQuestion = ItemSearchQuery.pick({ query: true, mode: true }).extend(
  ItemFilter.omit({ text: true, state: true }).shape,
);

export type ItemQuestion = z.output<typeof ItemQuestion>;

export const FoundItems = z
  .object({
    items: z.array(
      z.object({
        item: Item,
        inTitle: z.boolean().describe('Whether title, source or tags have all the words.'),
        places: z.array(SearchHit).describe('The best first.'),
        count: z.int().min(0).describe('Places in this item.'),
        copies: z.array(Item).describe('Items with the same text in the same places, left out of the list.'),
      }),
    ),
    counts: ItemCounts.describe('Of the items found.'),
    total: z.int().min(0).describe('Items found, copies of others included.'),
    folded: z.int().min(0).describe('How many of them are named as copies of others.'),
    count: z.int().min(0).describe('Places found.'),
    isComplete: z.boolean().describe('False if more places match: then the newest 10,000 were counted.'),
    corrected: SearchAnswer.shape.corrected,
    meaning: SearchAnswer.shape.meaning,
    warnings: SearchAnswer.shape.warnings,
  })
  .meta({ id: 'LibraryFound' });

export type FoundItems = z.infer<typeof FoundItems>;

export const RelatedItems = z
  .object({
    items: z.array(
      z.object({
        item: Item,
        words: z.array(z.string()).describe('Rare words that both say.'),
        collections: z.array(z.string()).describe('Identifiers of collections that have both.'),
        tags: z.array(z.string()).describe('Tags of both.'),
      }),
    ),
  })
  .meta({ id: 'LibraryRelated' });

export type RelatedItems = z.infer<typeof RelatedItems>;

export const LookupQuery = z
  .strictObject({
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('Of the bytes of a file.'),
    url: z.string().max(4096).optional().describe('The address of a source.'),
    job: z.string().max(100).optional().describe('Identifier of a job that read a version.'),
  })
  .refine((query) => Object.values(query).filter((value) => value !== undefined).length === 1, {
    path: ['sha256'],
    message: tell`Give the hash of a file, an address or a job.`,
  });

export type LookupQuery = z.output<typeof LookupQuery>;
