// Generated from the tables of the server: npm run generate
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
