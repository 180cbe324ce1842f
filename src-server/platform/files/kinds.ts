/**
 * The kinds of files, each with what follows from it: its names, types, reader, and where it is offered. The sniffer,
 * the operations, linked documents of a crawl, the window's drop, the package's file associations and the views of
 * other tools derive from this table; the window's copy is made by `npm run generate`.
 */

/** What reads files of a kind: an operation declares its readers. `locked` shows its kind only after decryption. */
type Reader = 'document' | 'locked' | 'pdf' | 'recording' | 'stream';

export interface FileKindFacts {
  /** With its article, for sentences such as "This is a PDF document". */
  label: string;
  /** Absent for a kind that is refused. */
  reader?: Reader;
  /** Ends of file names with their media types, the usual one first. */
  endings: Readonly<Record<string, string>>;
  /** Other media types that servers send. */
  types?: readonly string[];
  /** Whether a crawl reads such files that pages link to. */
  linked?: boolean;
  /** Whether the desktop app offers to open them. */
  opened?: boolean;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

export const FILE_KINDS = {
  docx: {
    label: 'a Word document',
    reader: 'document',
    endings: {
      docx: `${OFFICE}.wordprocessingml.document`,
      docm: 'application/vnd.ms-word.document.macroenabled.12',
      dotx: `${OFFICE}.wordprocessingml.template`,
      dotm: 'application/vnd.ms-word.template.macroenabled.12',
    },
    linked: true,
    opened: true,
  },
  doc: {
    label: 'a Word 97-2003 document',
    reader: 'document',
    endings: ofType('application/msword', 'doc dot'),
    linked: true,
    opened: true,
  },
  odt: {
    label: 'an OpenDocument text',
    reader: 'document',
    endings: {
      odt: `${OPEN_DOCUMENT}.text`,
      ott: `${OPEN_DOCUMENT}.text-template`,
      fodt: `${OPEN_DOCUMENT}.text-flat-xml`,
    },
    linked: true,
    opened: true,
  },
  rtf: {
    label: 'a Rich Text document',
    reader: 'document',
    endings: { rtf: 'application/rtf' },
    types: ['text/rtf'],
    linked: true,
    opened: true,
  },
  text: { label: 'a plain text file', reader: 'document', endings: { txt: 'text/plain' }, opened: true },
  tex: {
    label: 'a LaTeX source',
    reader: 'document',
    endings: ofType('application/x-tex', 'tex ltx latex'),
    opened: true,
  },
  markdown: {
    label: 'a Markdown text',
    reader: 'document',
    endings: ofType('text/markdown', 'md markdown mdown mkd mdx'),
    opened: true,
  },
  html: {
    label: 'a web page',
    reader: 'document',
    endings: {
      ...ofType('text/html', 'html htm'),
      xhtml: 'application/xhtml+xml',
      ...ofType('application/x-mimearchive', 'mhtml mht'),
    },
    opened: true,
  },
  calendar: {
    label: 'a calendar or contact file',
    reader: 'document',
    endings: { ics: 'text/calendar', vcf: 'text/vcard' },
    opened: true,
  },
  csv: {
    label: 'a table of separated values',
    reader: 'document',
    endings: { csv: 'text/csv', ...ofType('text/tab-separated-values', 'tsv tab') },
    linked: true,
    opened: true,
  },
  eml: {
    label: 'a mail message',
    reader: 'document',
    endings: { eml: 'message/rfc822', mbox: 'application/mbox' },
    opened: true,
  },
  epub: {
    label: 'an EPUB book',
    reader: 'document',
    endings: { epub: 'application/epub+zip' },
    linked: true,
    opened: true,
  },
  image: {
    label: 'an image',
    reader: 'document',
    endings: {
      png: 'image/png',
      ...ofType('image/jpeg', 'jpg jpeg'),
      ...ofType('image/tiff', 'tif tiff'),
      webp: 'image/webp',
      heic: 'image/heic',
      heif: 'image/heif',
      gif: 'image/gif',
      bmp: 'image/bmp',
      jp2: 'image/jp2',
    },
    opened: true,
  },
  ipynb: {
    label: 'a Jupyter notebook',
    reader: 'document',
    endings: { ipynb: 'application/x-ipynb+json' },
    linked: true,
    opened: true,
  },
  json: {
    label: 'a JSON file',
    reader: 'document',
    endings: {
      ...ofType('application/json', 'json har'),
      jsonl: 'application/jsonl',
      ndjson: 'application/x-ndjson',
      geojson: 'application/geo+json',
      webmanifest: 'application/manifest+json',
    },
  },
  'light-markup': {
    label: 'a text with light markup',
    reader: 'document',
    endings: { ...ofType('text/x-rst', 'rst rest'), ...ofType('text/asciidoc', 'adoc asciidoc'), org: 'text/org' },
  },
  msg: {
    label: 'an Outlook message',
    reader: 'document',
    endings: { msg: 'application/vnd.ms-outlook' },
    opened: true,
  },
  tnef: {
    label: 'an Outlook container (winmail.dat)',
    reader: 'document',
    endings: { tnef: 'application/ms-tnef' },
    types: ['application/vnd.ms-tnef'],
  },
  odp: {
    label: 'an OpenDocument presentation',
    reader: 'document',
    endings: {
      odp: `${OPEN_DOCUMENT}.presentation`,
      otp: `${OPEN_DOCUMENT}.presentation-template`,
      fodp: `${OPEN_DOCUMENT}.presentation-flat-xml`,
    },
    linked: true,
    opened: true,
  },
  ods: {
    label: 'an OpenDocument spreadsheet',
    reader: 'document',
    endings: {
      ods: `${OPEN_DOCUMENT}.spreadsheet`,
      ots: `${OPEN_DOCUMENT}.spreadsheet-template`,
      fods: `${OPEN_DOCUMENT}.spreadsheet-flat-xml`,
    },
    linked: true,
    opened: true,
  },
  pptx: {
    label: 'a PowerPoint presentation',
    reader: 'document',
    endings: {
      pptx: `${OFFICE}.presentationml.presentation`,
      pptm: 'application/vnd.ms-powerpoint.presentation.macroenabled.12',
      ppsx: `${OFFICE}.presentationml.slideshow`,
      potx: `${OFFICE}.presentationml.template`,
    },
    linked: true,
    opened: true,
  },
  ppt: {
    label: 'a PowerPoint 97-2003 presentation',
    reader: 'document',
    endings: ofType('application/vnd.ms-powerpoint', 'ppt pps pot'),
    linked: true,
    opened: true,
  },
  srt: { label: 'a SubRip caption file', reader: 'document', endings: { srt: 'application/x-subrip' }, opened: true },
  vtt: { label: 'a WebVTT caption file', reader: 'document', endings: { vtt: 'text/vtt' }, opened: true },
  xls: {
    label: 'an Excel 97-2003 workbook',
    reader: 'document',
    endings: { xls: 'application/vnd.ms-excel' },
    linked: true,
    opened: true,
  },
  xlsb: {
    label: 'an Excel binary workbook',
    reader: 'document',
    endings: { xlsb: 'application/vnd.ms-excel.sheet.binary.macroenabled.12' },
    linked: true,
    opened: true,
  },
  xlsx: {
    label: 'an Excel workbook',
    reader: 'document',
    endings: {
      xlsx: `${OFFICE}.spreadsheetml.sheet`,
      xlsm: 'application/vnd.ms-excel.sheet.macroenabled.12',
      xltx: `${OFFICE}.spreadsheetml.template`,
    },
    linked: true,
    opened: true,
  },
  xml: {
    label: 'an XML file',
    reader: 'document',
    endings: {
      ...ofType('application/xml', 'xml nxml jats tei dita ditamap dbk docbook opml xsd wsdl xbrl tmx'),
      fb2: 'application/x-fictionbook+xml',
      rss: 'application/rss+xml',
      atom: 'application/atom+xml',
      rdf: 'application/rdf+xml',
      kml: 'application/vnd.google-earth.kml+xml',
      gpx: 'application/gpx+xml',
      ...ofType('application/xliff+xml', 'xlf xliff'),
    },
  },
  zip: { label: 'a zip archive', reader: 'document', endings: { zip: 'application/zip' }, opened: true },
  pdf: { label: 'a PDF document', reader: 'pdf', endings: { pdf: 'application/pdf' }, linked: true, opened: true },
  video: {
    label: 'a video',
    reader: 'recording',
    endings: {
      ...ofType('video/mp4', 'mp4 m4v'),
      mov: 'video/quicktime',
      mkv: 'video/x-matroska',
      webm: 'video/webm',
      avi: 'video/x-msvideo',
      ...ofType('video/mpeg', 'mpg mpeg'),
      wmv: 'video/x-ms-wmv',
      flv: 'video/x-flv',
      ogv: 'video/ogg',
      '3gp': 'video/3gpp',
      m2ts: 'video/mp2t',
      mxf: 'application/mxf',
      dv: 'video/x-dv',
      ...ofType('application/vnd.rn-realmedia', 'rm rmvb'),
    },
    opened: true,
  },
  audio: {
    label: 'an audio file',
    reader: 'recording',
    endings: {
      mp3: 'audio/mpeg',
      ...ofType('audio/mp4', 'm4a m4b'),
      wav: 'audio/wav',
      flac: 'audio/flac',
      ...ofType('audio/ogg', 'ogg oga opus'),
      aac: 'audio/aac',
      wma: 'audio/x-ms-wma',
      ...ofType('audio/aiff', 'aif aiff'),
      amr: 'audio/amr',
      ac3: 'audio/ac3',
      eac3: 'audio/eac3',
      dts: 'audio/vnd.dts',
      w64: 'audio/x-w64',
      gsm: 'audio/x-gsm',
      tta: 'audio/x-tta',
      voc: 'audio/x-voc',
      ra: 'audio/vnd.rn-realaudio',
    },
    opened: true,
  },
  // A playlist means nothing without its address.
  playlist: {
    label: 'a stream playlist',
    reader: 'stream',
    endings: { m3u8: 'application/vnd.apple.mpegurl', mpd: 'application/dash+xml' },
  },
  encrypted: { label: 'a password-protected Office document', reader: 'locked', endings: {} },
  archive: {
    label: 'an archive',
    endings: {
      tar: 'application/x-tar',
      tgz: 'application/gzip',
      bz2: 'application/x-bzip2',
      xz: 'application/x-xz',
      '7z': 'application/x-7z-compressed',
      rar: 'application/vnd.rar',
      jar: 'application/java-archive',
    },
  },
  ole: { label: 'an OLE compound file', endings: {} },
  'old-word': { label: 'a Word document older than Word 97', endings: {} },
  'other-image': {
    label: 'an image of another format',
    endings: { svg: 'image/svg+xml', avif: 'image/avif', jxl: 'image/jxl', psd: 'image/vnd.adobe.photoshop' },
  },
  empty: { label: 'an empty file', endings: {} },
  unknown: { label: 'a file of an unknown kind', endings: {} },
} as const satisfies Record<string, FileKindFacts>;

/** The kind of a source, detected from its bytes, never from its name or declared type (decisions 7). */
export type FileKind = keyof typeof FILE_KINDS;

/** Kinds that a reader of documents reads: `workers/documents/extract-document.ts` has a parser for each. */
export type DocumentKind = {
  [Kind in FileKind]: (typeof FILE_KINDS)[Kind] extends { reader: 'document' | 'pdf' } ? Kind : never;
}[FileKind];

const KINDS = Object.entries(FILE_KINDS) as [FileKind, FileKindFacts][];

const KIND_OF_ENDING = new Map(KINDS.flatMap(([kind, { endings }]) => Object.keys(endings).map((one) => [one, kind])));

/** The kinds of these readers, in the order of the table. */
export function kindsReadAs(...readers: readonly Reader[]): FileKind[] {
  return kindsWhere(({ reader }) => reader !== undefined && readers.includes(reader));
}

export function kindsWhere(isOne: (facts: FileKindFacts) => boolean): FileKind[] {
  return KINDS.filter(([, facts]) => isOne(facts)).map(([kind]) => kind);
}

/** The kind that a name claims by its end; null for an unknown end. */
export function kindOfName(name: string): FileKind | null {
  return KIND_OF_ENDING.get(endingOf(name)) ?? null;
}

/** Media type of a name; null for an unknown end. */
export function typeOfName(name: string): string | null {
  const kind = kindOfName(name);
  return kind === null ? null : (endingsOf(kind)[endingOf(name)] ?? null);
}

/** The usual media type of a kind; null where its files have several, or none. */
export function typeOfKind(kind: FileKind): string | null {
  return kind === 'image' || kind === 'audio' || kind === 'video' ? null : (Object.values(endingsOf(kind))[0] ?? null);
}

/** All media types of a kind. */
export function typesOfKind(kind: FileKind): string[] {
  const { types = [] }: FileKindFacts = FILE_KINDS[kind];
  return [...new Set([...Object.values(endingsOf(kind)), ...types])];
}

/** Ends of names with their media types, without the dot. */
export function endingsOf(kind: FileKind): Readonly<Record<string, string>> {
  return FILE_KINDS[kind].endings;
}

/** What follows the last dot of a name, in lower case; empty without one. */
export function endingOf(name: string): string {
  return /[^/\\]\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}

/** The kind with an article, for sentences such as "This is a PDF document". */
export function describeKind(kind: FileKind): string {
  return FILE_KINDS[kind].label;
}

/** What to do with a file that is refused, by its label. */
const REMEDIES: readonly [label: RegExp, remedy: string][] = [
  [/mailbox \(\.pst\)/, 'Export its messages as .eml or .msg and send those.'],
  [/Kindle/, 'Send the book as .epub.'],
  [/Word|Write document|Works document|Office file in flat XML/, 'Save it as .docx and send the new file.'],
  [/Publisher|Visio|OpenDocument|iWork|OneNote|DjVu|Windows help/, 'Export it as .pdf and send the new file.'],
  [/(?:zip|RAR|XZ|tar|bzip2|gzip|7-Zip|Zstandard) archive/, 'Unpack it and send the files in it.'],
];

/** One sentence with what to do with a document of an unsupported format; null for other files. */
export function remedyFor(label: string): string | null {
  return REMEDIES.find(([pattern]) => pattern.test(label))?.[1] ?? null;
}

/** Several endings of one media type. */
function ofType(type: string, endings: string): Record<string, string> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, type]));
}
