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
      "tnef",
      "odp",
      "ods",
      "pptx",
      "ppt",
      "srt",
      "vtt",
      "xls",
      "xlsb",
      "xlsx",
      "xml",
      "zip",
      "encrypted"
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
    "noun": "Speech",
    "plural": "Speech and music",
    "doing": "Speaking",
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
    "noun": "Writing",
    "plural": "Writing",
    "doing": "Writing",
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
    "noun": "Search",
    "plural": "Searches",
    "doing": "Searching",
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
    "noun": "Webhook",
    "plural": "Webhooks",
    "doing": "Running",
    "takes": null,
    "reads": [],
    "isAnswer": true,
    "isRepeatable": false,
    "isSearched": false
  }
} as const;

export const JOB_ERRORS = {
  "source_unreachable": {
    "fault": "address"
  },
  "source_forbidden": {
    "fault": "address"
  },
  "source_too_large": {
    "fault": "file"
  },
  "unsupported_media": {
    "fault": "file"
  },
  "corrupt_input": {
    "fault": "file"
  },
  "encrypted_input": {
    "fault": "file"
  },
  "robots_disallowed": {
    "fault": "address"
  },
  "model_not_installed": {
    "fault": "installation"
  },
  "engine_unavailable": {
    "fault": "installation"
  },
  "engine_failed": {
    "fault": "appliance"
  },
  "timeout": {
    "fault": "appliance"
  },
  "out_of_memory": {
    "fault": "appliance"
  },
  "cancelled": {
    "fault": "nothing"
  },
  "interrupted": {
    "fault": "appliance"
  },
  "internal": {
    "fault": "appliance"
  }
} as const;

export const FILE_OPERATIONS = {
  "docx": "extract/doc",
  "doc": "extract/doc",
  "odt": "extract/doc",
  "rtf": "extract/doc",
  "text": "extract/doc",
  "tex": "extract/doc",
  "markdown": "extract/doc",
  "html": "extract/doc",
  "calendar": "extract/doc",
  "csv": "extract/doc",
  "eml": "extract/doc",
  "epub": "extract/doc",
  "image": "extract/doc",
  "ipynb": "extract/doc",
  "json": "extract/doc",
  "light-markup": "extract/doc",
  "msg": "extract/doc",
  "tnef": "extract/doc",
  "odp": "extract/doc",
  "ods": "extract/doc",
  "pptx": "extract/doc",
  "ppt": "extract/doc",
  "srt": "extract/doc",
  "vtt": "extract/doc",
  "xls": "extract/doc",
  "xlsb": "extract/doc",
  "xlsx": "extract/doc",
  "xml": "extract/doc",
  "zip": "extract/doc",
  "pdf": "extract/doc",
  "video": "extract/video",
  "audio": "extract/video",
  "playlist": "extract/video",
  "encrypted": "extract/doc",
  "archive": null,
  "ole": null,
  "old-word": null,
  "other-image": null,
  "empty": null,
  "unknown": null
} as const;
