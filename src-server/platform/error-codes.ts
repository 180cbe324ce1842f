/**
 * The error codes, each with everything that is decided by code: answers, jobs, alerts, free re-runs, the pages of
 * `/problems`, the window. Lists elsewhere derive from this table; the window's copy is made by `npm run generate`.
 */

/** What has to change before the same request can succeed; `nothing`: it may succeed later as it is. */
export type Fault =
  | 'request'
  /** The file that was sent, or that the address leads to. */
  | 'file'
  | 'address'
  /** Something can be installed on this machine. */
  | 'installation'
  /** Quarry failed: the owner gets an alert, and the payer of the job a free re-run. */
  | 'appliance'
  | 'nothing';

export interface ErrorCodeFacts {
  fault: Fault;
  /** HTTP status of an answer with the code. */
  status: number;
  /** Title of the problem object. */
  title: string;
  /** Whether the same request may succeed later, where an error does not say itself. */
  retryable?: boolean;
  /** Whether requests that fail with it are logged for the owner. */
  logged?: boolean;
  /** What the code means, in Markdown. */
  meaning: string;
  /** What to do about it, in Markdown. */
  advice: string;
}

interface JobErrorCodeFacts extends ErrorCodeFacts {
  /** Heading of a failed job in the window. */
  heading: string;
  /** The same in a list of jobs. */
  label: string;
}

/** Codes of a job's `error.code` (decisions 2), which also end requests before a job exists. */
export const JOB_ERRORS = {
  source_unreachable: {
    fault: 'address',
    status: 422,
    title: 'The source cannot be reached',
    heading: 'The source did not answer',
    label: 'Source not reachable',
    meaning:
      'The source could not be fetched: the name is not known, the connection failed, or the answer was an error.',
    advice: 'Open the address yourself. If it works there, send the request again later, or upload the file.',
  },
  source_forbidden: {
    fault: 'address',
    status: 422,
    title: 'The source may not be fetched',
    heading: 'The source refused access',
    label: 'Source refused access',
    meaning:
      'The source may not be fetched: it needs a login, is private, or is in a private network, which only the ' +
      'owner may read.',
    advice: 'Use a public or signed URL, or upload the content as `file`. Export private videos and send the file.',
  },
  source_too_large: {
    fault: 'file',
    status: 422,
    title: 'The source is too large',
    heading: 'The source is too large',
    label: 'Source too large',
    meaning: 'The source is larger than the limit for its kind.',
    advice: 'Send a smaller one, or ask the owner to raise the limit in the settings.',
  },
  unsupported_media: {
    fault: 'file',
    status: 422,
    title: 'The source is of a kind that is not taken',
    heading: 'This kind of file is not supported',
    label: 'Format not supported',
    meaning:
      'The bytes of the source are of a kind that the call does not accept. Its name and declared type are ignored.',
    advice: 'The `detail` names its kind and the accepted ones. Convert it, or send it to the call for its kind.',
  },
  corrupt_input: {
    fault: 'file',
    status: 422,
    title: 'The source is damaged',
    heading: 'The file is damaged',
    label: 'File damaged',
    meaning: 'The source is damaged, truncated, empty, or harmful, such as an archive that unpacks without end.',
    advice: 'Open it in its own program, save it again, and send the new file.',
  },
  encrypted_input: {
    fault: 'file',
    status: 422,
    title: 'The source is encrypted',
    heading: 'This file is locked',
    label: 'Needs a password',
    meaning: 'The source is protected with a password, which is missing or wrong.',
    advice:
      'Send a PDF, Office or OpenDocument file with its password in `options.password`; of another file, save a copy ' +
      'without the password.',
  },
  robots_disallowed: {
    fault: 'address',
    status: 422,
    title: 'robots.txt forbids it',
    heading: 'The site asks robots to stay out',
    label: 'Blocked by robots.txt',
    meaning: 'The robots.txt of the site disallows this address.',
    advice: 'Ask the operator of the site. Quarry cannot ignore robots.txt.',
  },
  model_not_installed: {
    fault: 'installation',
    status: 503,
    title: 'A model is not installed',
    heading: 'A model is missing',
    label: 'Model missing',
    meaning: 'The model that was asked for, or the default one, is not on the machine.',
    advice:
      '`choices` lists what the owner can install, on the Models page of the dashboard. With `Prefer: install` the ' +
      "owner's request waits for it.",
  },
  engine_unavailable: {
    fault: 'installation',
    status: 503,
    title: 'An engine is not available',
    heading: 'A program is missing',
    label: 'Tool missing',
    meaning: 'A program that the work needs is missing or does not start.',
    advice: '`npm run doctor` on the appliance lists what is missing and how to install it.',
  },
  engine_failed: {
    fault: 'appliance',
    status: 500,
    title: 'An engine failed',
    logged: true,
    heading: 'The engine failed',
    label: 'Tool failed',
    meaning: 'A program that the work needs failed for a reason other than the input.',
    advice: 'Send the request again; if it fails again, report it with the `X-Request-Id` of the answer.',
  },
  timeout: {
    fault: 'appliance',
    status: 503,
    title: 'It took too long',
    heading: 'It took too long',
    label: 'Took too long',
    meaning: 'The work exceeded its time limit.',
    advice: 'Send a smaller source or fewer options.',
  },
  out_of_memory: {
    fault: 'appliance',
    status: 503,
    title: 'It needed too much memory',
    heading: 'Not enough memory',
    label: 'Out of memory',
    meaning: 'The work exceeded its memory limit and was stopped.',
    advice: 'Send a smaller source.',
  },
  cancelled: {
    fault: 'nothing',
    status: 409,
    title: 'Cancelled',
    heading: 'Cancelled',
    label: 'Cancelled',
    meaning: 'The job was cancelled by its account or the owner.',
    advice: 'Submit it again if it was a mistake.',
  },
  interrupted: {
    fault: 'appliance',
    status: 503,
    title: 'Interrupted',
    heading: 'Interrupted',
    label: 'Interrupted',
    meaning: 'The server ended while only this job ran, at its last attempt; or it stopped during an answer.',
    advice: 'Send another source, or the interrupted request again.',
  },
  internal: {
    fault: 'appliance',
    status: 500,
    title: 'Internal error',
    logged: true,
    heading: 'Something failed inside Quarry',
    label: 'Internal error',
    meaning: 'An internal error. The cause is in the log, under the request id.',
    advice: 'Report it with the `X-Request-Id` of the answer.',
  },
} as const satisfies Record<string, JobErrorCodeFacts>;

/** Codes that occur only in HTTP responses. */
export const REQUEST_ERRORS = {
  invalid_request: {
    fault: 'request',
    status: 400,
    title: 'The request is not valid',
    meaning:
      'The body, the query or a header does not fit what the call takes. `errors` lists each offending field ' +
      'with its JSON path; `$` is the body itself. Unknown fields are errors, so that a typing mistake is never ' +
      'ignored.',
    advice: 'Correct the fields that are listed, then send the request again. Nothing was charged.',
  },
  unauthorized: {
    fault: 'request',
    status: 401,
    title: 'A credential is missing or wrong',
    meaning:
      'The call needs the owner token or a wallet sign-in. The credential is missing, wrong, expired or already ' +
      'used.',
    advice:
      'The owner sends `Authorization: Bearer <owner token>` (the file owner-token in the data folder). A ' +
      'payer signs in with the wallet that paid, in the header `SIGN-IN-WITH-X`. A wrong credential is refused ' +
      'even where none is needed.',
  },
  forbidden: {
    fault: 'request',
    status: 403,
    title: 'Not allowed',
    meaning:
      'The caller may not do this: the resource belongs to another account, or the request has a foreign `Host` ' +
      'or comes from a web page of a foreign origin, as attacks on local services do.',
    advice:
      'Use the address that Quarry prints at its start. The owner can allow a web origin in the settings. Only ' +
      'the account that made a job, or the owner, can cancel it.',
  },
  not_found: {
    fault: 'request',
    status: 404,
    title: 'Not found',
    meaning: 'Nothing exists at this address or with this identifier. Identifiers are deleted after their retention.',
    advice: 'Compare the address with the [reference](/reference). A job is found under the environment that made it.',
  },
  method_not_allowed: {
    fault: 'request',
    status: 405,
    title: 'Method not allowed',
    meaning: 'The address exists, the method does not.',
    advice: 'The header `Allow` lists the methods that the address takes.',
  },
  conflict: {
    fault: 'request',
    status: 409,
    title: 'Conflict',
    meaning: 'The request contradicts what is there, for example more webhooks than an account can have.',
    advice: 'The `detail` names the conflict. Resolve it, then send the request again.',
  },
  idempotency_key_reused: {
    fault: 'request',
    status: 422,
    title: 'The key belongs to another request',
    meaning: 'The `Idempotency-Key` was sent within 24 hours with another request.',
    advice: 'Make a new key, such as a UUID, for each request, and send the same key only to repeat it.',
  },
  job_expired: {
    fault: 'request',
    status: 410,
    title: 'The job has expired',
    meaning: 'The retention of the job is over: result and files are deleted. Retention is at least 24 hours.',
    advice: 'Submit the work again. To keep results, fetch them before `expiresAt`, or receive them by webhook.',
  },
  body_too_large: {
    fault: 'request',
    status: 413,
    title: 'The body is too large',
    meaning: 'The body is larger than the limit for its kind. The limits are settings of the appliance.',
    advice:
      'Send a large file as `multipart/form-data` or give its `sourceUrl`: JSON with a data URI has a lower limit.',
  },
  header_too_large: {
    fault: 'request',
    status: 431,
    title: 'The header is too large',
    meaning: 'The header fields of the request are larger than the server reads.',
    advice: 'Send fewer or shorter ones. A proof of payment fits easily.',
  },
  unsupported_content_type: {
    fault: 'request',
    status: 415,
    title: 'Content type not taken',
    meaning: 'The `Content-Type` or `Content-Encoding` of the body is not one that the call takes.',
    advice:
      'Send `application/json` in UTF-8, or `multipart/form-data` where the call takes a file. Do not compress it.',
  },
  range_not_satisfiable: {
    fault: 'request',
    status: 416,
    title: 'The range is outside the file',
    meaning: 'The `Range` asked for lies outside the file.',
    advice: '`Content-Range` tells the size of the file. Ask for a range inside it.',
  },
  rate_limited: {
    fault: 'nothing',
    status: 429,
    title: 'Too many requests',
    retryable: true,
    meaning: 'The account has used all its requests per minute, or all concurrent calls of its plan are in use.',
    advice:
      'Wait the seconds in `Retry-After`: the next request passes then. Refused requests do not count. [Limits ' +
      'and plans](/reference/guides/limits) has the figures.',
  },
  storage_full: {
    fault: 'nothing',
    status: 507,
    title: 'The disk is full',
    retryable: true,
    logged: true,
    meaning: 'The disk of the appliance is full. Nothing was accepted or charged.',
    advice: 'Free some space on the machine, then send the request again.',
  },
  storage_unavailable: {
    fault: 'nothing',
    status: 503,
    title: 'The storage cannot be used now',
    retryable: true,
    logged: true,
    meaning:
      'The data folder of the appliance is missing or read-only, or another program locks its database. Nothing was ' +
      'accepted or charged.',
    advice:
      'Check the folder (the log has its state), and close other programs that use it. Then send the request again.',
  },
  settlement_unavailable: {
    fault: 'nothing',
    status: 503,
    title: 'Payments cannot be settled now',
    retryable: true,
    meaning:
      'The payment cannot be verified or settled now, or the sign-in of a contract wallet cannot be checked: the ' +
      'facilitator or the chain does not answer.',
    advice: 'Wait the seconds in `Retry-After` and send the same request with the same proof: the proof is not spent.',
  },
  shutting_down: {
    fault: 'nothing',
    status: 503,
    title: 'Shutting down',
    retryable: true,
    meaning: 'The server is stopping. Accepted jobs continue at its next start.',
    advice: 'Send the request again after the restart.',
  },
} as const satisfies Record<string, ErrorCodeFacts>;

export type JobErrorCode = keyof typeof JOB_ERRORS;

export type ErrorCode = JobErrorCode | keyof typeof REQUEST_ERRORS;

/** Statuses of answers with an error. */
export type ErrorStatus = (
  | (typeof JOB_ERRORS)[JobErrorCode]
  | (typeof REQUEST_ERRORS)[keyof typeof REQUEST_ERRORS]
)['status'];

export const ERRORS: Readonly<Record<ErrorCode, ErrorCodeFacts & { status: ErrorStatus }>> = {
  ...JOB_ERRORS,
  ...REQUEST_ERRORS,
};

/** The codes of a job's error, in the order of the table. */
export const JOB_ERROR_CODES = Object.keys(JOB_ERRORS) as JobErrorCode[];

/** All codes, in the order of the table. */
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export function isJobErrorCode(code: string): code is JobErrorCode {
  return Object.hasOwn(JOB_ERRORS, code);
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

/** Whose fault an error is; null for a code that is not in the table. */
export function errorFaultOf(code: string): Fault | null {
  return isErrorCode(code) ? ERRORS[code].fault : null;
}
