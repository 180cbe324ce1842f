// Generated from the tables of the server: npm run generate
export const WORK_GROUPS = [
  "read",
  "transcribe",
  "crawl",
  "speak",
  "compose",
  "write",
  "search",
  "other"
] as const;

export const OPERATIONS = {
  "crawl": {
    "group": "crawl",
    "icon": "globe",
    "name": "Crawl a site",
    "short": "Read pages",
    "noun": "Crawl",
    "plural": "Crawls",
    "doing": "Crawling",
    "willBe": "will be crawled",
    "leads": {
      "label": "Crawl a site",
      "about": "The pages of a site, to text you can search",
      "plural": "Crawls"
    },
    "takes": "site",
    "reads": [],
    "isAnswer": false,
    "isRepeatable": true,
    "isSearched": true
  },
  "extract/hosted-video": {
    "group": "transcribe",
    "icon": "captions",
    "name": "Transcribe a video page",
    "short": "Transcribe hosted videos",
    "noun": "Talk",
    "plural": "Talks from links",
    "doing": "Transcribing",
    "willBe": "will be transcribed",
    "takes": "page",
    "reads": [
      "video",
      "audio"
    ],
    "isAnswer": false,
    "isRepeatable": true,
    "isSearched": true
  },
  "extract/video": {
    "group": "transcribe",
    "icon": "captions",
    "name": "Transcribe a recording",
    "short": "Transcribe",
    "noun": "Talk",
    "plural": "Talks from files",
    "doing": "Transcribing",
    "willBe": "will be transcribed",
    "leads": {
      "label": "Transcribe",
      "about": "A video or recording, to words with times",
      "plural": "Talks"
    },
    "takes": "file",
    "reads": [
      "video",
      "audio"
    ],
    "isAnswer": false,
    "isRepeatable": true,
    "isSearched": true
  },
  "extract/doc": {
    "group": "read",
    "icon": "file-text",
    "name": "Read a document",
    "short": "Read documents",
    "noun": "Document",
    "plural": "Documents",
    "doing": "Reading",
    "willBe": "will be read",
    "leads": {
      "label": "Read a document",
      "about": "PDF, Word, slides or scans, to clean text",
      "plural": "Documents"
    },
    "takes": "file",
    "reads": [
      "docx",
      "doc",
      "odt",
      "rtf",
      "text",
      "tex",
      "markdown",
      "html",
      "calendar",
      "csv",
      "eml",
      "epub",
      "image",
      "ipynb",
      "json",
      "light-markup",
      "msg",
      "odp",
      "ods",
      "pptx",
      "srt",
      "vtt",
      "xls",
      "xlsx",
      "xml",
      "zip"
    ],
    "isAnswer": false,
    "isRepeatable": true,
    "isSearched": true
  },
  "extract/pdf": {
    "group": "read",
    "icon": "file-text",
    "name": "Read a PDF",
    "short": "Read PDFs",
    "noun": "Document",
    "plural": "PDF documents",
    "doing": "Reading",
    "willBe": "will be read",
    "takes": "file",
    "reads": [
      "pdf"
    ],
    "isAnswer": false,
    "isRepeatable": true,
    "isSearched": true
  },
  "generate/audio": {
    "group": "speak",
    "icon": "speech",
    "name": "Speak or compose",
    "short": "Speak or compose",
    "noun": "Speech",
    "plural": "Speech and music",
    "doing": "Speaking",
    "willBe": "will be spoken",
    "leads": {
      "label": "Speak",
      "about": "Your text, read aloud",
      "plural": "Speech and music"
    },
    "variants": {
      "music": {
        "group": "compose",
        "icon": "music-4",
        "noun": "Music",
        "plural": "Music",
        "doing": "Composing",
        "willBe": "will be composed",
        "leads": {
          "label": "Compose",
          "about": "A piece of music, from a description",
          "plural": "Music"
        }
      },
      "soundscape": {
        "group": "compose",
        "icon": "music-4",
        "noun": "Music",
        "plural": "Music",
        "doing": "Composing",
        "willBe": "will be composed",
        "leads": {
          "label": "Compose",
          "about": "A piece of music, from a description",
          "plural": "Music"
        }
      }
    },
    "takes": null,
    "reads": [],
    "isAnswer": false,
    "isRepeatable": true,
    "isSearched": false
  },
  "generate/text": {
    "group": "write",
    "icon": "pen-line",
    "name": "Write",
    "short": "Write",
    "noun": "Writing",
    "plural": "Writing",
    "doing": "Writing",
    "willBe": "will be written",
    "leads": {
      "label": "Write",
      "about": "Text from a local model",
      "plural": "Writing"
    },
    "takes": null,
    "reads": [],
    "isAnswer": true,
    "isRepeatable": true,
    "isSearched": false
  },
  "search": {
    "group": "search",
    "icon": "search",
    "name": "Search",
    "short": "Search",
    "noun": "Search",
    "plural": "Searches",
    "doing": "Searching",
    "willBe": "will be searched",
    "leads": {
      "label": "Search",
      "about": "Everything read so far",
      "plural": "Searches"
    },
    "takes": null,
    "reads": [],
    "isAnswer": true,
    "isRepeatable": true,
    "isSearched": false
  },
  "webhooks": {
    "group": "other",
    "icon": "webhook",
    "name": "Add a webhook",
    "short": "Add webhooks",
    "noun": "Webhook",
    "plural": "Webhooks",
    "doing": "Running",
    "willBe": "will be sent",
    "takes": null,
    "reads": [],
    "isAnswer": true,
    "isRepeatable": false,
    "isSearched": false
  }
} as const;

export const JOB_ERRORS = {
  "source_unreachable": {
    "fault": "address",
    "heading": "The source did not answer",
    "label": "Source not reachable"
  },
  "source_forbidden": {
    "fault": "address",
    "heading": "The source refused access",
    "label": "Source refused access"
  },
  "source_too_large": {
    "fault": "file",
    "heading": "The source is too large",
    "label": "Source too large"
  },
  "unsupported_media": {
    "fault": "file",
    "heading": "This kind of file is not supported",
    "label": "Format not supported"
  },
  "corrupt_input": {
    "fault": "file",
    "heading": "The file is damaged",
    "label": "File damaged"
  },
  "encrypted_input": {
    "fault": "file",
    "heading": "This file is locked",
    "label": "Needs a password"
  },
  "robots_disallowed": {
    "fault": "address",
    "heading": "The site asks robots to stay out",
    "label": "Blocked by robots.txt"
  },
  "model_not_installed": {
    "fault": "installation",
    "heading": "A model is missing",
    "label": "Model missing"
  },
  "engine_unavailable": {
    "fault": "installation",
    "heading": "A program is missing",
    "label": "Tool missing"
  },
  "engine_failed": {
    "fault": "appliance",
    "heading": "The engine failed",
    "label": "Tool failed"
  },
  "timeout": {
    "fault": "appliance",
    "heading": "It took too long",
    "label": "Took too long"
  },
  "out_of_memory": {
    "fault": "appliance",
    "heading": "Not enough memory",
    "label": "Out of memory"
  },
  "cancelled": {
    "fault": "nothing",
    "heading": "Cancelled",
    "label": "Cancelled"
  },
  "interrupted": {
    "fault": "appliance",
    "heading": "Interrupted",
    "label": "Interrupted"
  },
  "internal": {
    "fault": "appliance",
    "heading": "Something failed inside Quarry",
    "label": "Internal error"
  }
} as const;

export const FILE_KINDS = {
  "docx": {
    "reader": "document",
    "opened": true,
    "endings": [
      "docx",
      "docm",
      "dotx",
      "dotm"
    ],
    "operationId": "extract/doc"
  },
  "doc": {
    "reader": "document",
    "opened": true,
    "endings": [
      "doc",
      "dot"
    ],
    "operationId": "extract/doc"
  },
  "odt": {
    "reader": "document",
    "opened": true,
    "endings": [
      "odt",
      "ott",
      "fodt"
    ],
    "operationId": "extract/doc"
  },
  "rtf": {
    "reader": "document",
    "opened": true,
    "endings": [
      "rtf"
    ],
    "operationId": "extract/doc"
  },
  "text": {
    "reader": "document",
    "opened": true,
    "endings": [
      "txt"
    ],
    "operationId": "extract/doc"
  },
  "tex": {
    "reader": "document",
    "opened": true,
    "endings": [
      "tex",
      "ltx",
      "latex"
    ],
    "operationId": "extract/doc"
  },
  "markdown": {
    "reader": "document",
    "opened": true,
    "endings": [
      "md",
      "markdown",
      "mdown",
      "mkd",
      "mdx"
    ],
    "operationId": "extract/doc"
  },
  "html": {
    "reader": "document",
    "opened": true,
    "endings": [
      "html",
      "htm",
      "xhtml",
      "mhtml",
      "mht"
    ],
    "operationId": "extract/doc"
  },
  "calendar": {
    "reader": "document",
    "opened": true,
    "endings": [
      "ics",
      "vcf"
    ],
    "operationId": "extract/doc"
  },
  "csv": {
    "reader": "document",
    "opened": true,
    "endings": [
      "csv",
      "tsv",
      "tab"
    ],
    "operationId": "extract/doc"
  },
  "eml": {
    "reader": "document",
    "opened": true,
    "endings": [
      "eml",
      "mbox"
    ],
    "operationId": "extract/doc"
  },
  "epub": {
    "reader": "document",
    "opened": true,
    "endings": [
      "epub"
    ],
    "operationId": "extract/doc"
  },
  "image": {
    "reader": "document",
    "opened": true,
    "endings": [
      "png",
      "jpg",
      "jpeg",
      "tif",
      "tiff",
      "webp",
      "heic",
      "heif",
      "gif",
      "bmp",
      "jp2"
    ],
    "operationId": "extract/doc"
  },
  "ipynb": {
    "reader": "document",
    "opened": true,
    "endings": [
      "ipynb"
    ],
    "operationId": "extract/doc"
  },
  "json": {
    "reader": "document",
    "opened": false,
    "endings": [
      "json",
      "jsonl",
      "ndjson",
      "geojson",
      "har",
      "webmanifest"
    ],
    "operationId": "extract/doc"
  },
  "light-markup": {
    "reader": "document",
    "opened": false,
    "endings": [
      "rst",
      "rest",
      "adoc",
      "asciidoc",
      "org"
    ],
    "operationId": "extract/doc"
  },
  "msg": {
    "reader": "document",
    "opened": true,
    "endings": [
      "msg"
    ],
    "operationId": "extract/doc"
  },
  "odp": {
    "reader": "document",
    "opened": true,
    "endings": [
      "odp",
      "otp",
      "fodp"
    ],
    "operationId": "extract/doc"
  },
  "ods": {
    "reader": "document",
    "opened": true,
    "endings": [
      "ods",
      "ots",
      "fods"
    ],
    "operationId": "extract/doc"
  },
  "pptx": {
    "reader": "document",
    "opened": true,
    "endings": [
      "pptx",
      "pptm",
      "ppsx",
      "potx"
    ],
    "operationId": "extract/doc"
  },
  "srt": {
    "reader": "document",
    "opened": true,
    "endings": [
      "srt"
    ],
    "operationId": "extract/doc"
  },
  "vtt": {
    "reader": "document",
    "opened": true,
    "endings": [
      "vtt"
    ],
    "operationId": "extract/doc"
  },
  "xls": {
    "reader": "document",
    "opened": true,
    "endings": [
      "xls"
    ],
    "operationId": "extract/doc"
  },
  "xlsx": {
    "reader": "document",
    "opened": true,
    "endings": [
      "xlsx",
      "xlsm",
      "xltx"
    ],
    "operationId": "extract/doc"
  },
  "xml": {
    "reader": "document",
    "opened": false,
    "endings": [
      "xml",
      "nxml",
      "jats",
      "tei",
      "dita",
      "ditamap",
      "dbk",
      "docbook",
      "opml",
      "xsd",
      "wsdl",
      "xbrl",
      "tmx",
      "rss",
      "atom",
      "rdf",
      "kml",
      "gpx",
      "xlf",
      "xliff"
    ],
    "operationId": "extract/doc"
  },
  "zip": {
    "reader": "document",
    "opened": true,
    "endings": [
      "zip"
    ],
    "operationId": "extract/doc"
  },
  "pdf": {
    "reader": "pdf",
    "opened": true,
    "endings": [
      "pdf"
    ],
    "operationId": "extract/doc"
  },
  "video": {
    "reader": "recording",
    "opened": true,
    "endings": [
      "mp4",
      "m4v",
      "mov",
      "mkv",
      "webm",
      "avi",
      "mpg",
      "mpeg",
      "wmv",
      "flv",
      "ogv",
      "3gp",
      "m2ts"
    ],
    "operationId": "extract/video"
  },
  "audio": {
    "reader": "recording",
    "opened": true,
    "endings": [
      "mp3",
      "m4a",
      "m4b",
      "wav",
      "flac",
      "ogg",
      "oga",
      "opus",
      "aac",
      "wma",
      "aif",
      "aiff",
      "amr"
    ],
    "operationId": "extract/video"
  },
  "playlist": {
    "reader": "stream",
    "opened": false,
    "endings": [
      "m3u8",
      "mpd"
    ],
    "operationId": "extract/video"
  },
  "encrypted": {
    "reader": null,
    "opened": false,
    "endings": [],
    "operationId": null
  },
  "archive": {
    "reader": null,
    "opened": false,
    "endings": [
      "tar",
      "tgz",
      "bz2",
      "xz",
      "7z",
      "rar",
      "jar"
    ],
    "operationId": null
  },
  "ole": {
    "reader": null,
    "opened": false,
    "endings": [
      "ppt"
    ],
    "operationId": null
  },
  "old-word": {
    "reader": null,
    "opened": false,
    "endings": [],
    "operationId": null
  },
  "other-image": {
    "reader": null,
    "opened": false,
    "endings": [
      "svg",
      "avif",
      "jxl",
      "psd"
    ],
    "operationId": null
  },
  "empty": {
    "reader": null,
    "opened": false,
    "endings": [],
    "operationId": null
  },
  "unknown": {
    "reader": null,
    "opened": false,
    "endings": [],
    "operationId": null
  }
} as const;
