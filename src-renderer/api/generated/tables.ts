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
