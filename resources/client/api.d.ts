// Generated from the OpenAPI document: npm run generate
export interface paths {
    "/crawl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Crawl a site into data for search, prompts and guardrails
         * @description Reads the page at `url`, or the pages a sitemap lists, and what they link to on the same site,
         *     `depth` levels deep. robots.txt and its crawl-delay are respected; scripts, tracking pixels and responses over
         *     10 MB are skipped. The result has three parts beside the pages and their chunks: `search` (headings, keywords with
         *     weights, anchors, link rank), `context` (token counts and a digest in the style of llms.txt) and `guardrails`
         *     (robots and AI-use directives, personal data by kind and count, signs of prompt injection with their place, licence,
         *     language, sensitive topics). Every URL that was seen has one verdict and its reason in `ledger.jsonl`. `include`,
         *     `exclude`, `maxPages` and `sitemap` choose the pages, `documents` adds linked files;
         *     `map` lists their addresses only. The same `url`, `depth` and choice again reuses the crawl
         *     while it is kept, and no older than `maxAge`: the answer has the same `crawlId`.
         */
        post: operations["crawl"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/extract/hosted-video": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transcribe a video that is hosted on the web
         * @description Takes the address of a public or unlisted video, or of a podcast's feed, finds the video and who
         *     made it, and gives its words with times. Official captions come first (`includeCaptions`): where they are whole
         *     nothing else is needed, and their gaps are filled by speech recognition; `warnings` say what they leave out where that
         *     cannot be done. With `includeCaptions` false the words are
         *     those of the recogniser alone. `captureChapters` adds the chapters. Private videos are not taken: export them and
         *     send the file to `/extract/video`. A file sent here is transcribed as there. With `schema`, a text model on this
         *     machine reads the values of a JSON Schema from the transcript, each with its source. With `digest` it writes title,
         *     summary, chapters and action items, each with its second.
         */
        post: operations["extractHostedVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/extract/video": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transcribe a video or audio file
         * @description Reads MP4, MOV, MKV, WebM, AVI, MPEG, MP3, WAV, FLAC and others, judged by their bytes, and writes down
         *     what is said: `segments` with their times, chunks of about `segmentLength` characters that end where sentences do,
         *     and caption files (.srt, .vtt), which `subtitles` lays out by the rules of broadcasters.
         *     `sourceUrl` may be the address of a stream, in HLS or DASH.
         *     Silence is skipped. `covered` is the span that could be read; of a file that is cut or
         *     damaged `warnings` say what is missing. `file` is what the file states about itself: title, date, chapters, and its
         *     subtitle tracks as .srt and .vtt files. With `speakers` each segment, word and chunk has its `speaker`. With
         *     `captureFrames` a picture is taken every
         *     `frameIntervalSeconds`, and the text in those that show something new becomes chunks of kind `frame-text`.
         *     `transcriptionModel` names an installed speech model; without it the best one is used. Where the model is not
         *     installed the request is refused with 503 and nothing is charged. With `schema`, a text model on this machine reads
         *     the values of a JSON Schema from the transcript, each with its source. With `digest` it writes title, summary,
         *     chapters and action items, each with its second.
         */
        post: operations["extractVideo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/extract/doc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extract the text of a document as chunks
         * @description Reads .docx, .docm, .dotx, .doc, .odt, .rtf, .txt, .md, .html, presentations (.pptx, .ppt, .odp),
         *     workbooks (.xlsx, .xlsb, .xls, .ods), tables (.csv, .tsv), books (.epub), mail (.eml, .msg, `winmail.dat`) with its
         *     attachments, notebooks (.ipynb),
         *     captions (.vtt, .srt), .json, .tex and .xml, detected by their bytes; a slide or sheet is a page. Text in images (PNG,
         *     JPEG, TIFF, WebP, HEIC, GIF, BMP) is recognised in `language`; a frame is a page. A .zip is read file by file. Cuts
         *     the text into chunks of about `segmentLength` characters that follow paragraphs, headings and sentences. Images
         *     embedded in a document are ignored, captions are kept. Tracked changes are accepted and comments removed unless
         *     `includeComments` is true. The 202 of a small document has its chunks. With
         *     `schema`, a text model on this machine reads the values of a JSON Schema from the text, each with its source. A file
         *     of Office or OpenDocument that needs a password is read with `password`. A .pdf becomes a job of type
         *     `extract/pdf`.
         */
        post: operations["extractDoc"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/extract/pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extract the text of a PDF as chunks with page numbers
         * @description Reads the text of a PDF in reading order, with its page numbers and any headings, lists and tables, and
         *     cuts it into chunks of about `segmentLength` characters. Pictures of text are recognised (OCR) in `language`, else
         *     in the language that the document states or is written in; `document.ocr` lists these pages and the confidence.
         *     `includeComments` keeps annotations. With `schema`, a text model on this machine reads the values of a JSON Schema
         *     from the text, each with its source. A PDF that needs a password is read with `password`.
         */
        post: operations["extractPdf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate/audio": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make speech, music or a soundscape from a prompt
         * @description Narrative text is spoken; a description of music is composed and played; a description of sounds is
         *     rendered as a soundscape. `voice` always selects speech, and `background` plays music or sounds under it. Speech
         *     ignores `tempo`, with a warning. Speech longer than `durationSeconds` ends at a sentence; music and soundscapes have
         *     exactly that length, by default the one that the prompt states. The same request gives the same file, another `seed`
         *     another. The 202 has clips of the opening seconds. The result has .wav and .mp3 at the loudness of a preset under a
         *     true-peak limiter, the measured values, the waveform, and captions at the times of the synthesised words. Built-in
         *     voices speak English; other languages need installed natural voices or a speech server. A prompt may be SSML, or a
         *     script whose lines begin with the names of its speakers.
         */
        post: operations["generateAudio"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/generate/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write text with a local model
         * @description Answers with the text; with `?stream=true` as server-sent events: `accepted` with `jobId` and
         *     `statusUrl`, `token` with each piece of `text`, then `done` with the whole answer, or `error` with a problem.
         *     The same request of the same account has the same jobId, under which the newest answer can be read. `temperature` 0
         *     always gives the same text. A model generates one text at a time; a few requests wait, more are answered 429. If the
         *     client disconnects, an unpaid generation stops; a paid one finishes, and the same proof returns it.
         */
        post: operations["generateText"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search what your jobs have extracted
         * @description Finds chunks of your completed jobs, of crawls shared with you, and approved contributions, best matches
         *     first. `lexical` matches words, ignoring case, accents and the endings of 19 languages; chunks with all words come
         *     before those with some. The last word may be unfinished. Versions and codes stay whole. Words in quotation marks must
         *     occur in a row, and `-word` must not occur. A word that occurs nowhere is corrected, and `corrected` says so. The
         *     same text is one result.
         *     `semantic` ranks chunks by meaning: by the vectors of an installed embedding model, or without one by topics
         *     that are learned from your own chunks. `hybrid` fuses all rankings. `meaning` names what searched by meaning.
         *     `facets` counts the matches by what `filter` can narrow. `legs` lists the ways
         *     that were used, `warnings` why one was not. A result has its place: page, second, heading or URL.
         *
         *     With `answer` a text model answers by quotations of the results. `?stream=true` sends them as server-sent events
         *     while they are written: `accepted`, `citation` with the words so far (it replaces that of the same `index`), then
         *     `done` with the whole answer, or `error` with a problem.
         */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your webhooks
         * @description Webhooks of the account. Each job of the account calls them.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Register a webhook for all jobs of the account
         * @description Every job of the account calls `url` when it ends: with `job.completed`, `job.failed`
         *     or, without `events`, both. The webhook becomes active when this job completes; its `result` holds it. Payloads are
         *     signed when a `secret` is given. The same URL and secret again adds its events to the webhook there is.
         */
        post: operations["webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/facilitator/supported": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which payments the facilitator takes
         * @description Each kind by x402 version, scheme and network.
         */
        get: operations["getSupportedPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/facilitator/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check whether a payment would settle
         * @description Changes nothing. A payment that would not settle is an answer with `isValid` false, not an error.
         */
        post: operations["verifyPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/facilitator/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle a payment
         * @description Moves the money. The payment then waits for the request that is sent with the same proof.
         */
        post: operations["settlePayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/facilitator/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a demo wallet pay (sandbox)
         * @description Send one entry of `accepts`; the answer is the value for `X-PAYMENT`. In the sandbox only. Each call pays from a new wallet, unless it names the one of an earlier call. A wallet is an account: only requests that are paid from the same wallet find its results through `POST /search`.
         */
        post: operations["payInSandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/facilitator/faucet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get play money (sandbox)
         * @description Fills a wallet of the sandbox: the one named, or a demo wallet. In the sandbox only.
         */
        post: operations["getPlayMoney"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your jobs
         * @description Newest first, with crawls you were given. The owner sees the jobs of all accounts.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel, remove or retry many jobs
         * @description At most 100 jobs in a call, each with its own result: one that cannot be changed does not stop the others. A retry keeps the job and its webhooks. Payers can retry where `error.retryable` is true.
         */
        post: operations["changeJobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job
         * @description Free, and needs no credential: knowing the identifier is the right to read. `result` is null until the status is `completed`; `error` is there when it is `failed`. Poll no faster than `etaSeconds` suggests, or follow the events.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Cancel or remove a job
         * @description Cancels a job that is queued or running; removes result and files of one that has ended. A crawl that others were given too is not ended for them (409): it goes when it expires, or by the owner of the appliance.
         */
        delete: operations["deleteJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{jobId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a job as it changes
         * @description Server-sent events: one `event: job` with the job object for the present state and one for every change. A transcription also sends `event: segments` as it hears them: `{"segments": [{index, start, end, text}]}`. The stream ends after the terminal one. Send `Last-Event-ID` to go on where a broken connection stopped.
         */
        get: operations["followJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{jobId}/files/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a job
         * @description Takes Range and conditional requests. The names are in the result. Content-Disposition names the file after the source: `Talk.srt` for `transcript.srt` of `Talk.mp3`.
         */
        get: operations["getJobFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description The secret is never returned.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Stops its deliveries. The owner may delete any webhook, a key only what it made.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Omitted fields keep their values. The owner may change the status of any webhook, and other fields only of their own webhooks. A key needs `read` too, and changes only what it made.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/jobs/{jobId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a URL when a job has ended
         * @description The identifier entitles to events of the job. A job that has ended is reported at once.
         */
        post: operations["addJobWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contributions
         * @description Approved remarks and sources, and all of your own, newest first.
         */
        get: operations["listContributions"];
        put?: never;
        /**
         * Submit a correction, a remark or a source
         * @description Free, also without an account, within bounds: of a wallet 50 may wait for a decision and 200
         *     come in a day, of an address 5 and 10. Nothing shows before the owner of the appliance has approved it. An
         *     approved correction replaces the text of the job's chunk (`originalText` keeps the former one) and is in all files of
         *     the job; an empty one deletes the text. An approved annotation or source is found by search, and one of a job is in its
         *     result and in its JSON, Markdown and WebVTT files; the text of chunks and the files .txt and .srt stay as they are.
         *     Repeating a waiting contribution returns it.
         */
        post: operations["contribute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contributions/{contributionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a contribution
         * @description An approved remark or source, or one of your own. The job it is about is shown to you only.
         */
        get: operations["getContribution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contributions/{contributionId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a contribution
         * @description Sends the owner a reason. Each account has one report.
         */
        post: operations["reportContribution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the library
         * @description What the owner keeps: every source that was read and every sound or text that was made, except by
         *     keys. It stays until it is deleted. Filters narrow the list together.
         */
        get: operations["listItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what filters leave
         * @description For each value of a filter, how many of the items that all filters leave have it.
         */
        get: operations["countItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the library
         * @description Places in what is kept, gathered by item: first items with the words in their title, then by their
         *     best place. Deleted items and versions that are not shown are left out. Free, and makes no job.
         */
        get: operations["searchItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Answer a question from the library
         * @description A text model answers by quotations of the best places within the filters. Server-sent events:
         *     `citation` with the words so far, which replaces that of the same `index`, then `done` with the whole answer, or
         *     `error` with a problem. Free, and makes no job. Who closes the connection stops the model.
         */
        get: operations["answerFromItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find what is there already
         * @description The items of a file, by the SHA-256 of its bytes, of an address in any spelling, or of a job.
         *     Deleted ones too.
         */
        get: operations["lookUpItem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an item
         * @description Its result and files are those of its job: `GET /jobs/{jobId}`.
         */
        get: operations["getItem"];
        put?: never;
        post?: never;
        /**
         * Delete an item
         * @description It leaves the library and search at once, and the disk after `deletedDays` of the settings;
         *     `PATCH` with `deleted` false brings it back. With `now` it is gone with all its results.
         */
        delete: operations["deleteItem"];
        options?: never;
        head?: never;
        /**
         * Change an item
         * @description Title, date, language, tags, collections, position, and the version that is shown.
         */
        patch: operations["changeItem"];
        trace?: never;
    };
    "/library/items/{itemId}/cover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The cover of an item
         * @description The first page, the picture, a frame of the video, or icon and first screen of the site, made once
         *     while no job runs.
         */
        get: operations["getItemCover"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change many items
         * @description By their identifiers, or all that a filter leaves, at most 10,000. All are changed or none.
         */
        post: operations["changeItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/originals/removal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove original files
         * @description The files that items were made from go for good, of all their versions; texts, notes and covers
         *     stay. Such an item cannot be played, nor read again without its file. Originals whose cover is not drawn yet go soon.
         */
        post: operations["removeOriginals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export items
         * @description `zip`: a folder for each, with its text as Markdown (front matter, notes below) and its files,
         *     or only the `parts` that are named.
         *     `markdown`: one file with all texts. `epub`: a book with a chapter for each. Items without a result are left out
         *     and named: in `manifest.json` of the ZIP, at the end of the text, in the last chapter.
         */
        post: operations["exportItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an item
         * @description Each reading of its source, oldest first.
         */
        get: operations["listVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/related": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List related items
         * @description Items that say the same rare words, or share collections or tags, the nearest first, at most five;
         *     none where nothing is near. Copies are left out. Free, and makes no job.
         */
        get: operations["listRelatedItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes of an item
         * @description Notes and highlights, oldest first.
         */
        get: operations["listItemNotes"];
        put?: never;
        /**
         * Add a note or a highlight
         * @description With the words it stands at, up to 32 characters around them, and the page or second.
         */
        post: operations["addNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/notes/{noteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a note
         * @description A highlight too.
         */
        delete: operations["deleteNote"];
        options?: never;
        head?: never;
        /**
         * Change a note
         * @description Its text.
         */
        patch: operations["changeNote"];
        trace?: never;
    };
    "/library/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the collections
         * @description By name, each with the number of its items.
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Make a collection
         * @description With a filter it is a smart one: it holds what the filter leaves, and takes no items by hand.
         */
        post: operations["addCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/collections/{collectionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a collection
         * @description Its items stay.
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        /**
         * Change a collection
         * @description Its name, or the filter of a smart one.
         */
        patch: operations["changeCollection"];
        trace?: never;
    };
    "/jobs/{jobId}/chunks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Chunk an extracted document again
         * @description Free: gives the chunks of another `segmentLength` without extracting again, and leaves the job as it is. Documents and PDFs keep what is needed until they expire.
         */
        post: operations["rechunkJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the voices
         * @description The values of `voice` in `POST /generate/audio`, each with a sample; natural voices first.
         */
        get: operations["listVoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/voices/samples/{sample}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a voice sample
         * @description A few seconds as .wav.
         */
        get: operations["getVoiceSample"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/reading": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far an item is read aloud
         * @description Its chapters and parts with their times, the files of the whole, and where the owner stopped.
         */
        get: operations["getReading"];
        put?: never;
        /**
         * Read an item aloud
         * @description A document, a page, a talk or a text is spoken by a voice, part by part: the first part is there
         *     within seconds, and the whole becomes one file with marks for its chapters. Code, tables and formulas are named in a
         *     sentence, footnotes are left out. The same request goes on where the reading is; another voice, pace or version starts
         *     over.
         */
        post: operations["beginReading"];
        /**
         * Stop a reading and remove its files
         * @description The item stays.
         */
        delete: operations["removeReading"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/reading/position": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Remember where the owner stopped listening
         * @description One place for all devices.
         */
        put: operations["moveReading"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/reading/parts/{part}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The words of a part with their times
         * @description Answers when the part is spoken, which then comes before the others.
         */
        get: operations["getSpokenPart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/reading/parts/{part}/sound": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The sound of a part
         * @description An .mp3. Answers when the part is spoken, which then comes before the others.
         */
        get: operations["getPartSound"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/items/{itemId}/reading/files/{form}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of the whole reading
         * @description Once the reading is `ready`: `mp3` and `m4b` with marks for chapters, `vtt` and `txt`.
         */
        get: operations["getReadingFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/feeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the addresses for podcast apps
         * @description Each leads to a feed of all that was read aloud to its end.
         */
        get: operations["listListenFeeds"];
        put?: never;
        /**
         * Make an address for a podcast app
         * @description RSS 2.0. Its address is signed: who has it hears what was read, until it is removed. Apps of
         *     other devices reach it where "Open on your phone" is on.
         */
        post: operations["createListenFeed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/library/feeds/{feedId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an address for podcast apps
         * @description It leads nowhere at once.
         */
        delete: operations["removeListenFeed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the batches
         * @description Newest first. The owner sees the batches of all accounts.
         */
        get: operations["listBatches"];
        put?: never;
        /**
         * Send many files or addresses at once
         * @description Each item becomes a job of its own, 200 at most; one that fails does not stop the others.
         *     For files send a form (`multipart/form-data`): parts named `file`, and this JSON in the field `batch`. Callers who
         *     pay give `operation` and `items` in the query: the 402 names the price of so many requests, and one proof buys the
         *     whole batch. Their items are checked before the payment, and one that cannot work refuses the batch. At most
         *     100 batches of an account may be unfinished. The webhook is called once, with `batch.completed`.
         */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batchId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a batch
         * @description Its counts, and one page of its items. Knowing the identifier is the right to read, as for jobs.
         */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        /**
         * Cancel or forget a batch
         * @description Cancels the items and jobs that have not ended; forgets a batch that has ended. Ended jobs stay.
         */
        delete: operations["deleteBatch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batchId}/results.zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download all results
         * @description A ZIP with a folder for each completed item: the job object as `job.json`, and the files of the job. Knowing the identifier is the right to read.
         */
        get: operations["downloadBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batches/{batchId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the failed items again
         * @description Runs failed jobs of an ended batch again, and addresses that became no job; the webhook is called again at the end. Free. Payers retry where `error.retryable` is true; after a fault of the appliance they send the request with the same proof again.
         */
        post: operations["retryBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the server runs
         * @description Succeeds while the process runs. Checks nothing else.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the server accepts work
         * @description Each check by name. A failed check has a sentence on what to do.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description OpenAPI 3.1, computed from what the server runs.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    jobEnded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A job has ended
         * @description The job object, when a job has ended. The body is in the canonical form of RFC 8785, with `signature` where the webhook has a
         *     secret. Answer with any 2xx within 10 seconds, before the work; all other answers are retried for 17 hours.
         *     Verification, with code and test vectors: /reference/guides/webhooks. The example is signed with the secret
         *     `correct horse battery staple`.
         */
        post: operations["jobEnded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    batchCompleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A batch has ended
         * @description The batch with its failed items, when its last item has ended. Only its own `webhookUrl` receives it. The body is in the canonical form of RFC 8785, with `signature` where the webhook has a
         *     secret. Answer with any 2xx within 10 seconds, before the work; all other answers are retried for 17 hours.
         *     Verification, with code and test vectors: /reference/guides/webhooks. The example is signed with the secret
         *     `correct horse battery staple`.
         */
        post: operations["batchCompleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        AiAgentRule: {
            host: string;
            agent: string;
            allowed: boolean;
            line: number | null;
        };
        Annotation: {
            /** @description Id of its contribution. */
            annotationId: string;
            /**
             * @description A remark, or where something can be read.
             * @enum {string}
             */
            kind: "annotation" | "source";
            text: string;
            /** @description Evidence. */
            url: string | null;
            author: string | null;
            license: string | null;
            createdAt: string;
            /** @description The chunk that it is about; null for the whole result. */
            chunkId: string | null;
            /** @description The words of the chunk that it is about, as they were; null for all of it. */
            quote: string | null;
            /** @description First character of the quotation in the text of the chunk, in UTF-16 code units; null if gone. */
            start: number | null;
            /** @description One past its last character. */
            end: number | null;
            /** @description Page that the chunk begins on. */
            page: number | null;
            /** @description Time of the chunk in a recording. */
            startSeconds?: number;
            /** @description Page that the chunk is from (crawl). */
            pageUrl?: string;
        };
        AudioAnalysis: {
            /** @description Root mean square, in decibels below full scale; null for silence. */
            rmsDbfs: number | null;
            /** @description ITU-R BS.1770-4; null if too short to measure. */
            integratedLufs: number | null;
            /** @description EBU Tech 3342. */
            loudnessRangeLu: number | null;
            /** @description Includes peaks between samples. */
            truePeakDbtp: number | null;
            clippedSamples: number;
            targetLufs: number;
            /** @enum {string} */
            preset: "podcast" | "stream" | "broadcast" | "audiobook";
            /** @description The waveform for a player, at equal distances. */
            peaks: number[];
        };
        AudioFormat: {
            url: string;
            sizeBytes: number;
            /** @enum {string} */
            mediaType: "audio/wav" | "audio/mpeg" | "audio/ogg" | "audio/flac" | "audio/mp4" | "audio/midi";
        };
        /** @description Clips of the opening seconds. */
        AudioPreviews: {
            wav: components["schemas"]["AudioFormat"];
            mp3: components["schemas"]["AudioFormat"];
            durationSeconds: number;
        };
        AudioTrack: {
            /** @description Its place among the sound tracks, from 1. */
            number: number;
            /** @description How many sound tracks the file has. */
            of: number;
            /** @description As the file states it, ISO 639; null where it does not. */
            language: string | null;
            /**
             * @description The only one, the one requested by number, that of the requested language, the one marked as default, or the first.
             * @enum {string}
             */
            chosenBy: "only" | "number" | "language" | "default" | "first";
        };
        Batch: {
            batchId: string;
            operation: string;
            /**
             * @description `completed`: all items have ended, also those that failed. `cancelled`: ended by DELETE.
             * @enum {string}
             */
            status: "processing" | "completed" | "cancelled";
            statusUrl: string;
            counts: {
                /** @description Items that have no job yet. */
                waiting: number;
                /** @description Items whose job has not ended. */
                processing: number;
                completed: number;
                failed: number;
                cancelled: number;
            };
            /** @description The payment that bought the whole batch; null for a batch of the owner. */
            paid: {
                /** @description In the 6-decimal unit, as text. */
                amount: string;
                /**
                 * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
                 * @enum {string}
                 */
                mode: "sandbox" | "facilitator" | "onchain";
                /** @enum {string} */
                status: "reserved" | "settled" | "failed";
            } | null;
            /** @description The named key that made it. When the key ends, its items wait. */
            keyId?: string;
            keyName?: string;
            /** @description Why its items wait, and what to do. */
            notice?: string;
            /** @description Of the batch and all its jobs, from `Quarry-Tags`. */
            tags?: string[];
            /** @description From `Quarry-Metadata`. */
            metadata?: {
                [key: string]: string;
            };
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            /** @description When the batch is forgotten; null until it has ended. */
            expiresAt: string | null;
        };
        BatchItem: {
            /** @description From 0: `items` in their order, then the files in theirs. */
            index: number;
            /** @description Null for a file. */
            sourceUrl: string | null;
            /** @description Null for an address, and for a file without a name. */
            fileName: string | null;
            /**
             * @description `waiting`: becomes a job when earlier items have ended.
             * @enum {string}
             */
            status: "waiting" | "processing" | "completed" | "failed" | "cancelled";
            jobId: string | null;
            /** @description Why it failed: the error of the job, or why there is no job. */
            error: {
                code: string;
                message: string;
                retryable: boolean;
            } | null;
            endedAt: string | null;
        };
        BatchPage: {
            batchId: string;
            operation: string;
            /**
             * @description `completed`: all items have ended, also those that failed. `cancelled`: ended by DELETE.
             * @enum {string}
             */
            status: "processing" | "completed" | "cancelled";
            statusUrl: string;
            counts: {
                /** @description Items that have no job yet. */
                waiting: number;
                /** @description Items whose job has not ended. */
                processing: number;
                completed: number;
                failed: number;
                cancelled: number;
            };
            /** @description The payment that bought the whole batch; null for a batch of the owner. */
            paid: {
                /** @description In the 6-decimal unit, as text. */
                amount: string;
                /**
                 * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
                 * @enum {string}
                 */
                mode: "sandbox" | "facilitator" | "onchain";
                /** @enum {string} */
                status: "reserved" | "settled" | "failed";
            } | null;
            /** @description The named key that made it. When the key ends, its items wait. */
            keyId?: string;
            keyName?: string;
            /** @description Why its items wait, and what to do. */
            notice?: string;
            /** @description Of the batch and all its jobs, from `Quarry-Tags`. */
            tags?: string[];
            /** @description From `Quarry-Metadata`. */
            metadata?: {
                [key: string]: string;
            };
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            /** @description When the batch is forgotten; null until it has ended. */
            expiresAt: string | null;
            items: components["schemas"]["BatchItem"][];
            /** @description Give it as `cursor` for the next page; null on the last one. */
            nextCursor: string | null;
        };
        BatchRequest: {
            /** @description The operation: `extract/doc`, `extract/video`, … */
            operation: string;
            /**
             * @description What all requests have in common, without the source: `{"options": {…}}`.
             * @default {}
             */
            request?: {
                [key: string]: unknown;
            };
            /**
             * @description Addresses. Together with the files of the form at least 1 and at most 200.
             * @default []
             */
            items?: {
                /**
                 * Format: uri
                 * @description Address of the source; for a crawl the page it starts at.
                 */
                sourceUrl: string;
                /** @description A label stored with the result. */
                sourceName?: string;
            }[];
            /**
             * Format: uri
             * @description URL that is called once, with `batch.completed`, when the last job has ended.
             */
            webhookUrl?: string;
            /** @description Payloads are signed with it. Use at least 24 random characters, for example whsec_ and base64. */
            webhookSecret?: string;
        };
        BulkResult: {
            jobId: string;
            done: boolean;
            /** @description Why it was not done. */
            error?: {
                code: string;
                message: string;
            };
        };
        Captions: {
            srt: components["schemas"]["JobFile"];
            vtt: components["schemas"]["JobFile"];
            /** @description WebVTT with the time of each word, where words are timed. */
            words?: components["schemas"]["JobFile"];
        };
        CapturedFrame: {
            /** @description When it is shown. */
            seconds: number;
            /** @description What was read from it; empty where nothing was. */
            text: string;
            confidence: number | null;
            image: components["schemas"]["JobFile"];
        };
        Chunk: {
            /** @description Stable for the same input and options. */
            id: string;
            text: string;
            /** @description Page the chunk begins on; 1 where a source has no pages. */
            page: number;
            /** @description Running number of the chunk. */
            segmentIndex: number;
            /** @description Page the chunk ends on. */
            pageEnd?: number;
            /** @enum {string} */
            kind?: "text" | "table" | "caption" | "comment" | "frame-text";
            /** @description Path of the headings above the chunk, joined with " > ". */
            heading?: string;
            /** @description The headings above the chunk, outermost first. */
            headingPath?: string[];
            /** @description Where the text is on its pages: one box per column and page. PDF and images only. */
            boxes?: components["schemas"]["ChunkBox"][];
            /** @description Tokens of the text, by the tokenizer that the result names (`document.tokenizer`). */
            tokens?: number;
            /** @description First character in document.txt, in UTF-16 code units. */
            startOffset?: number;
            /** @description One past the last character in document.txt. */
            endOffset?: number;
            startSeconds?: number;
            endSeconds?: number;
            /** @description Who says all of it (talks, with `speakers`). */
            speaker?: string;
            /** @description Page the chunk is from (crawl). */
            url?: string;
            /** @description What the text was before an approved correction. */
            originalText?: string;
            /** @description Approved annotations of this chunk. Its text stays as it is. */
            annotations?: components["schemas"]["Annotation"][];
        };
        /** @description Points (1/72 inch) from the top left corner of the page as shown. */
        ChunkBox: {
            page: number;
            left: number;
            top: number;
            right: number;
            bottom: number;
        };
        Contribution: {
            contributionId: string;
            /** @enum {string} */
            kind: "correction" | "annotation" | "source";
            /** @enum {string} */
            status: "pending" | "approved" | "rejected";
            /** @description Shown to its contributor only: knowing a jobId is the right to read the job. */
            jobId: string | null;
            chunkId: string | null;
            /** @description The words that it is about. Shown to its contributor only, as the job is. */
            quote: string | null;
            quoteStart: number | null;
            text: string;
            url: string | null;
            /** @description Name of the author. */
            author: string | null;
            license: string | null;
            /** @description Reason of the moderator. */
            reason: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ContributionReport: {
            /** @description What is wrong with it. */
            reason: string;
        };
        ContributionRequest: {
            /**
             * @description correction: what a chunk should say; annotation: a remark; source: where something can be read.
             * @enum {string}
             */
            kind: "correction" | "annotation" | "source";
            /** @description Required for a correction. */
            jobId?: string;
            /** @description A chunk of that job. Required for a correction. */
            chunkId?: string;
            /** @description The corrected text of the chunk, up to 1000000 characters and empty to delete it; the remark, or what the source is, up to 20000. */
            text: string;
            /** @description Words of the chunk that an annotation or a source is about. They are widened to whole words, and must be in the chunk. Shown to the contributor and in the files of the job only. */
            quote?: string;
            /** @description Where the quotation begins in the text of the chunk, if it has it more than once: UTF-16 code units. */
            quoteStart?: number;
            /**
             * Format: uri
             * @description Evidence. Required for a source.
             */
            url?: string;
            /** @description Name of the author. */
            author?: string;
            /** @description Terms of the text, for example CC-BY-4.0. */
            license?: string;
        };
        CorrectedWord: {
            from: string;
            to: string;
        };
        CoveredSpan: {
            /** @description Where the sound begins; without sound, the pictures. */
            startSeconds: number;
            /** @description Where it ends. Before `media.durationSeconds` where the source is cut. */
            endSeconds: number;
            /** @description Seconds of this span that could be read; the rest are gaps. */
            durationSeconds: number;
        };
        CrawlAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
            /** @description The jobId of the crawl. */
            crawlId: string;
            /** @description The normal form of the URL that was given. */
            rootUrl: string;
        };
        CrawlAction: {
            /** @constant */
            do: "waitFor";
            /** @description A CSS selector. */
            selector: string;
        } | {
            /** @constant */
            do: "click";
            /** @description A CSS selector. */
            selector: string;
        } | {
            /** @constant */
            do: "type";
            /** @description A CSS selector. */
            selector: string;
            text: string;
        } | {
            /** @constant */
            do: "scroll";
            /** @default 1 */
            screens?: number;
        };
        CrawlAddress: {
            url: string;
            /** @description The first page or sitemap that names it; null for the root. */
            foundOn: string | null;
            /**
             * @description How it was found there. Feeds are sitemaps.
             * @enum {string}
             */
            by: "request" | "link" | "sitemap" | "redirect";
        };
        CrawlEnded: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Null until the job is completed. */
            result: {
                [key: string]: unknown;
            } | null;
            /** @description Events with a subscription on this job. */
            events: string[];
            progress: components["schemas"]["JobProgress"];
            /** @description When result and files are removed; null until the job has ended, and for what the owner keeps in the library. */
            expiresAt: string | null;
            /** @description Present only when the status is failed. */
            error?: components["schemas"]["JobError"];
            sourceName?: string;
            /** @description From `Quarry-Tags`; absent without any. */
            tags?: string[];
            /** @description From `Quarry-Metadata`; absent without any. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
            /** @description Present only while the job waits: what for, and what ends the wait. */
            waitingFor?: components["schemas"]["WaitingFor"];
            /** @description The node of the fleet that runs it, or ran it last; absent on this machine. */
            node?: string;
            /** @description The jobId of the crawl. */
            crawlId: string;
            /** @description The normal form of the URL that was given. */
            rootUrl: string;
        };
        CrawlFactEvidence: {
            /**
             * @description stated: the page states it, and nothing says otherwise. inferred: a time without a label, the address or the text says it. doubtful: something else says otherwise.
             * @enum {string}
             */
            certainty: "stated" | "inferred" | "doubtful";
            /** @description What says it. */
            by: ("json-ld" | "meta" | "html" | "time" | "url" | "text")[];
            /** @description What else is said. */
            others: string[];
        };
        CrawlGuardrailPage: {
            url: string;
            /** @description Directives of meta robots and X-Robots-Tag. */
            robots: string[];
            /** @description Directives about training and mining: noai, noimageai, tdm-reservation. */
            aiUse: string[];
            /** @description Never the data itself. */
            personalData: {
                kind: string;
                count: number;
            }[];
            signs: components["schemas"]["GuardrailSign"][];
            licence: string | null;
            language: {
                code: string;
                /** @enum {string} */
                confidence: "stated" | "guessed" | "doubtful";
            } | null;
            sensitiveTopics: {
                topic: string;
                hits: number;
            }[];
        };
        CrawlOutput: {
            rootUrl: string;
            /** @description With `map`, at most 10,000; addresses.jsonl has all. */
            addresses?: components["schemas"]["CrawlAddress"][];
            pages: components["schemas"]["CrawlPage"][];
            chunks: components["schemas"]["Chunk"][];
            search: {
                pages: components["schemas"]["CrawlSearchPage"][];
            };
            context: {
                tokens: number;
                /** @description How tokens are counted, and the accuracy. */
                tokenCounting: string;
                /** @description The site in the style of llms.txt, within a token budget. */
                digest: string;
                pages: {
                    url: string;
                    tokens: number;
                    chunks: number;
                }[];
            };
            guardrails: {
                detectors: {
                    name: string;
                    sureOf: string;
                    notSureOf: string;
                }[];
                /** @description The robots.txt rules of well-known AI crawlers for the root. */
                aiAgents: components["schemas"]["AiAgentRule"][];
                pages: components["schemas"]["CrawlGuardrailPage"][];
            };
            skipped: components["schemas"]["CrawlSkipped"][];
            /** @description Crawls of a watched site: the difference to the crawl before. */
            changes?: components["schemas"]["SiteChanges"];
            stats: components["schemas"]["CrawlStats"];
            /** @description What the source held, and where it went; of a crawl, its addresses. Null for a job of an earlier version, which did not count. */
            account: components["schemas"]["SourceAccount"] | null;
            /** @description Letters of all pages that were read. */
            letters?: components["schemas"]["SourceAccount"];
            /** @description Approved annotations and sources, in the order in which they came. Absent where there are none. */
            annotations?: components["schemas"]["Annotation"][];
            /** @description What could not be done, in sentences. */
            warnings: string[];
            files: components["schemas"]["JobFile"][];
        };
        CrawlPage: {
            url: string;
            status: number;
            title: string | null;
            description: string | null;
            /** @description A BCP 47 tag. Null if neither the page nor its text tells it. */
            language: string | null;
            author: string | null;
            /** @description A date, or an instant in UTC. */
            published: string | null;
            modified: string | null;
            /** @description How certain these facts are; null for a fact that is null. */
            evidence: {
                published: components["schemas"]["CrawlFactEvidence"] | null;
                modified: components["schemas"]["CrawlFactEvidence"] | null;
                language: components["schemas"]["CrawlFactEvidence"] | null;
            };
            siteName: string | null;
            /** @description The picture that the page states for itself. */
            image: string | null;
            depth: number;
            contentType: string;
            /** @description After decoding. */
            bytes: number;
            /** Format: date-time */
            fetchedAt: string;
            /** @description SHA-256 of the main text. */
            contentHash: string;
            /** @description The canonical address that the page states. */
            canonicalUrl: string | null;
            /** @description Pages it links to, at most 100; all of them are in graph.json. */
            links: string[];
            /** @description With depth 0: the page as Markdown, as in pages.jsonl. */
            markdown?: string;
            /** @description Only the first part of the page was read: it has too many elements. */
            truncated: boolean;
            /** @description The page is unchanged since an earlier crawl (304). */
            unchanged: boolean;
            /** @description A browser ran its scripts. */
            rendered: boolean;
            /** @description URL of its picture (JPEG). */
            screenshot: string | null;
            /** @description URL of it as PDF. */
            pdf: string | null;
        };
        CrawlRequest: {
            /**
             * Format: uri
             * @description A page, or a sitemap (index, list or plain text, compressed or not). https, except for the owner.
             */
            url: string;
            /**
             * @description Levels of links to follow from the page.
             * @default 1
             */
            depth?: number;
            /** @description Only paths that match one of these, such as /docs/**. The page at `url` is always read. */
            include?: string[];
            /** @description No paths that match one of these, such as /**\/print. */
            exclude?: string[];
            /** @description Most pages of this crawl, within the limit of the setting. */
            maxPages?: number;
            /**
             * @description include: also what its sitemaps, feeds and translations name. only: its sitemaps and feeds. Default: skip.
             * @enum {string}
             */
            sitemap?: "include" | "only" | "skip";
            /**
             * @description Only list the addresses that a crawl would read, `maxPages` at most. `sitemap` is then include by default.
             * @default false
             */
            map?: boolean;
            /**
             * @description Also read linked documents, such as PDF and Word files, as pages: at most 50, up to 10 MB each.
             * @default false
             */
            documents?: boolean;
            /**
             * @description Whether a browser runs the scripts of pages. auto: of pages without text of their own, or with a placeholder such as Loading. Default: the setting.
             * @enum {string}
             */
            render?: "never" | "auto" | "always";
            /**
             * @description A picture of each rendered page, at most 100. `render` is then always by default.
             * @default false
             */
            screenshot?: boolean;
            /**
             * @description Each rendered page as PDF, at most 100. `render` is then always by default.
             * @default false
             */
            pdf?: boolean;
            /** @description For the owner: what to do on each rendered page before it is read. */
            actions?: components["schemas"]["CrawlAction"][];
            /** @description Seconds: a completed crawl that is older is not the answer, and the site is crawled again. */
            maxAge?: number;
            /**
             * @description Influences how long the crawl waits in the queue.
             * @default normal
             * @enum {string}
             */
            priority?: "low" | "normal" | "high";
            /** @description A webhook for this crawl. */
            notify?: {
                /**
                 * Format: uri
                 * @description HTTPS URL that is called when the job has finished.
                 */
                url: string;
                /** @description job.completed, job.failed, crawl.changed; completed, failed and changed are short forms. An empty list means job.completed and job.failed. crawl.changed: a crawl of a watched site found changes. */
                events?: ("job.completed" | "job.failed" | "crawl.changed" | "completed" | "failed" | "changed")[];
            };
            /**
             * Format: uri
             * @description HTTPS URL that is called when the job has finished.
             */
            webhookUrl?: string;
        };
        CrawlSearchPage: {
            url: string;
            title: string | null;
            headings: string[];
            keywords: {
                term: string;
                weight: number;
            }[];
            /** @description Texts of links to this page from other pages of the crawl. */
            anchors: string[];
            /** @description PageRank within the crawl; over all pages the ranks sum to 1. */
            linkRank: number;
        };
        CrawlSkipped: {
            url: string;
            /** @enum {string} */
            verdict: "page" | "redirect" | "duplicate" | "noindex" | "nofollow" | "robots" | "scope" | "excluded" | "listed" | "depth" | "pattern" | "limit" | "time" | "asset" | "script" | "pixel" | "too-large" | "type" | "status" | "forbidden" | "unreachable" | "unreadable" | "needs-script" | "script-failed" | "sitemap";
            reason: string;
        };
        CrawlStats: {
            pages: number;
            /** @description Pages without text and so without chunks, such as pages of pictures. */
            withoutText: number;
            urlsSeen: number;
            /** @description Found after the ledger or the link list of their page was full. */
            urlsNotKept: number;
            bytes: number;
            chunks: number;
            /**
             * @description Why the crawl ended: no URL was left, or a limit was reached.
             * @enum {string}
             */
            endedBy: "done" | "pages" | "time";
            verdicts: {
                [key: string]: number;
            };
            /** @description Omitted from this object for its size; the files have all. */
            notInResult: {
                pages: number;
                chunks: number;
                skipped: number;
            };
            /** @description Blocks removed because they repeat across pages. */
            boilerplateBlocks: number;
            /** @description In this attempt of the job. */
            rendered: {
                /** @description Pages that a browser rendered. */
                pages: number;
                /** @description Requests of the browser for parts of pages. */
                requests: number;
                /** @description What they sent. */
                bytes: number;
            };
        };
        Digest: {
            /** @description Null where the model gave none that the words support. */
            title: string | null;
            /** @description Sentences in the order of the talk. */
            summary: {
                text: string;
                /** @description Start of the first chunk that states it. */
                startSeconds: number;
                /** @description The chunks that state it. */
                chunkIds: string[];
            }[];
            /** @description Without gaps from the start to the last words; at least 30 seconds each. Empty where none was found. */
            chapters: {
                title: string;
                startSeconds: number;
                endSeconds: number;
            }[];
            actionItems: {
                text: string;
                /** @description A speaker, or a name from the words; null where neither is said. */
                who: string | null;
                /** @description Start of the first chunk that states it. */
                startSeconds: number;
            }[];
            /** @description The text model that wrote it. */
            model: string;
            /** @description Questions that the model answered. */
            passes: number;
        };
        DocumentChange: {
            /** @enum {string} */
            kind: "insertion" | "deletion" | "move-from" | "move-to";
            author: string | null;
            date: string | null;
            text: string;
        };
        DocumentComment: {
            author: string | null;
            date: string | null;
            text: string;
            /** @description The text the comment is attached to. */
            anchor: string | null;
        };
        DocumentFacts: {
            /** @description Format of the bytes, for example docx, pdf, pptx, xlsx or text. */
            format: string;
            title: string | null;
            author: string | null;
            /** @description Pages, slides or sheets. Text documents have none in their file: the count that the file states, unless its text cannot fill so many (then its page breaks, with a warning); 1 without one. */
            pages: number;
            words: number;
            /** @description UTF-16 code units of document.txt. */
            characters: number;
            language: string | null;
            /**
             * @description The reading in the chunks: changes accepted, changes and comments kept and marked, or none in the file.
             * @enum {string}
             */
            revisions: "accepted" | "marked" | "none";
            /** @description Tokenizer of the `tokens` of chunks. `quarry-estimate-1`: one token per 5 letters of a word begun, per 3 digits, per character of scripts without spaces and per punctuation mark. */
            tokenizer?: string;
            /** @description Present if text was recognised in pages or pictures. */
            ocr?: components["schemas"]["RecognitionFacts"];
        };
        Doubt: {
            /**
             * @description unlikely-letters: recognised text that does not look like its language. unsure-word: a recognised word of low confidence. unclear-formula: a formula whose signs are in no clear order. no-speech-evidence: words where no speech was found. other-language: text or sound in another language than the one used.
             * @enum {string}
             */
            reason: "unlikely-letters" | "unsure-word" | "unclear-formula" | "no-speech-evidence" | "other-language";
            /** @description The beginning of the text, at most 80 characters. */
            quote: string;
            /** @description The words before a doubtful word on its line. */
            before?: string;
            page?: number;
            /** @description Left, top, right and bottom of a doubtful word as shares of the page, from 0 to 1. */
            box?: [
                number,
                number,
                number,
                number
            ];
            startSeconds?: number;
            endSeconds?: number;
            /**
             * @description A person has corrected all words of this place.
             * @constant
             */
            isCorrected?: true;
        };
        EndedBatch: {
            batchId: string;
            operation: string;
            /**
             * @description `completed`: all items have ended, also those that failed. `cancelled`: ended by DELETE.
             * @enum {string}
             */
            status: "processing" | "completed" | "cancelled";
            statusUrl: string;
            counts: {
                /** @description Items that have no job yet. */
                waiting: number;
                /** @description Items whose job has not ended. */
                processing: number;
                completed: number;
                failed: number;
                cancelled: number;
            };
            /** @description The payment that bought the whole batch; null for a batch of the owner. */
            paid: {
                /** @description In the 6-decimal unit, as text. */
                amount: string;
                /**
                 * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
                 * @enum {string}
                 */
                mode: "sandbox" | "facilitator" | "onchain";
                /** @enum {string} */
                status: "reserved" | "settled" | "failed";
            } | null;
            /** @description The named key that made it. When the key ends, its items wait. */
            keyId?: string;
            keyName?: string;
            /** @description Why its items wait, and what to do. */
            notice?: string;
            /** @description Of the batch and all its jobs, from `Quarry-Tags`. */
            tags?: string[];
            /** @description From `Quarry-Metadata`. */
            metadata?: {
                [key: string]: string;
            };
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            /** @description When the batch is forgotten; null until it has ended. */
            expiresAt: string | null;
            failures: components["schemas"]["BatchItem"][];
        };
        ExtractDocAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        ExtractDocOutput: {
            chunks: components["schemas"]["Chunk"][];
            document: components["schemas"]["DocumentFacts"];
            /** @description With includeComments. */
            comments?: components["schemas"]["DocumentComment"][];
            /** @description With includeComments. */
            changes?: components["schemas"]["DocumentChange"][];
            files: components["schemas"]["JobFile"][];
            /** @description With schema. */
            extracted?: components["schemas"]["Extracted"];
            /** @description What the source held, and where it went; of a crawl, its addresses. Null for a job of an earlier version, which did not count. */
            account: components["schemas"]["SourceAccount"] | null;
            /** @description Places whose text may be wrong. Absent where there are none. */
            doubts?: components["schemas"]["Doubt"][];
            /** @description Approved annotations and sources, in the order in which they came. Absent where there are none. */
            annotations?: components["schemas"]["Annotation"][];
            /** @description Content that could not be read, in sentences. */
            warnings: string[];
        };
        ExtractDocRequest: {
            /**
             * Format: uri
             * @description HTTPS or signed URL of the source. Required when file is absent.
             */
            sourceUrl?: string;
            /** @description The content itself: a multipart field named file, or a data URI data:<mime>;base64,<data> in JSON. */
            file?: string;
            /** @description A label stored with the result. */
            sourceName?: string;
            /** @default {} */
            options?: {
                /**
                 * @description Target characters per chunk.
                 * @default 1000
                 */
                segmentLength?: number;
                /** @description ISO language hint. */
                language?: string;
                /**
                 * @description Keep tracked changes and comments. By default they are removed.
                 * @default false
                 */
                includeComments?: boolean;
                /**
                 * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                 * @example {
                 *       "type": "object",
                 *       "properties": {
                 *         "total": {
                 *           "type": "number",
                 *           "description": "Total with tax"
                 *         }
                 *       }
                 *     }
                 */
                schema?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: password
                 * @description Password of a PDF, Office or OpenDocument file that needs one. It stays in memory and is never stored: after a restart of Quarry, an unfinished job with it fails and must be sent again.
                 */
                password?: string;
            };
            /**
             * Format: uri
             * @description HTTPS URL that is called when the job has finished.
             */
            webhookUrl?: string;
        } & (unknown | unknown);
        ExtractHostedVideoAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        ExtractHostedVideoOutput: {
            /** @description Text with times, then what was read from frames. */
            chunks: components["schemas"]["Chunk"][];
            segments: components["schemas"]["TranscriptSegment"][];
            /** @description With `speakers`, and where channels are read apart. */
            speakers?: components["schemas"]["Speaker"][];
            captions: components["schemas"]["Captions"];
            media: components["schemas"]["MediaFacts"];
            /** @description Null where only captions of a page were read. */
            file: components["schemas"]["MediaFileFacts"] | null;
            /** @description What of the source could be read; of captions, what they cover. */
            covered: components["schemas"]["CoveredSpan"];
            transcript: components["schemas"]["TranscriptFacts"];
            /** @description With schema. */
            extracted?: components["schemas"]["Extracted"];
            /** @description With digest. */
            digest?: components["schemas"]["Digest"];
            files: components["schemas"]["JobFile"][];
            /** @description What the source held, and where it went; of a crawl, its addresses. Null for a job of an earlier version, which did not count. */
            account: components["schemas"]["SourceAccount"] | null;
            /** @description Places whose text may be wrong. Absent where there are none. */
            doubts?: components["schemas"]["Doubt"][];
            /** @description Approved annotations and sources, in the order in which they came. Absent where there are none. */
            annotations?: components["schemas"]["Annotation"][];
            /** @description What could not be heard or read, in sentences. */
            warnings: string[];
            video: components["schemas"]["HostedVideoFacts"];
            /** @description With captureChapters: those of the page, else those of the file. */
            chapters?: components["schemas"]["VideoChapter"][];
            /**
             * @description Where the words are from: official captions, speech recognition, or captions with their gaps filled.
             * @enum {string}
             */
            source: "captions" | "speech" | "captions-and-speech";
        };
        ExtractHostedVideoRequest: {
            /**
             * Format: uri
             * @description HTTPS or signed URL of the source. Required when file is absent.
             */
            sourceUrl?: string;
            /** @description The content itself: a multipart field named file, or a data URI data:<mime>;base64,<data> in JSON. */
            file?: string;
            /** @description A label stored with the result. */
            sourceName?: string;
            /** @default {} */
            options?: {
                /**
                 * @description A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.
                 * @example auto
                 * @example whisper-large-v3
                 */
                transcriptionModel?: string;
                /**
                 * @description Take official captions where there are any; false gives raw speech recognition.
                 * @default true
                 */
                includeCaptions?: boolean;
                /**
                 * @description Include chapter markers.
                 * @default true
                 */
                captureChapters?: boolean;
                /**
                 * @description Find who speaks: true, or the number of speakers where it is known. Needs a speaker model.
                 * @default false
                 */
                speakers?: boolean | number;
                /**
                 * @description Calls and interviews often have one person on each channel, or on each track: `separate` transcribes each for itself, and its name is the speaker. `auto` does so where they hold different people, and says it.
                 * @default auto
                 * @enum {string}
                 */
                channels?: "auto" | "mixed" | "separate";
                /**
                 * @description Names and terms to expect. Whisper models in ggml format and Zipformer transducers take them; others warn.
                 * @default []
                 */
                vocabulary?: string[];
                /**
                 * @description Write English, whatever is spoken. Needs a Whisper model.
                 * @enum {string}
                 */
                translate?: "en";
                /**
                 * @description Target characters per chunk.
                 * @default 800
                 */
                segmentLength?: number;
                /** @description Number of the sound track, where the file has several. By default the language decides, then the file. */
                audioTrack?: number;
                /**
                 * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                 * @example {
                 *       "type": "object",
                 *       "properties": {
                 *         "total": {
                 *           "type": "number",
                 *           "description": "Total with tax"
                 *         }
                 *       }
                 *     }
                 */
                schema?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Summarise the recording: a title, a summary, chapters and action items by a text model on this machine, each sentence with its second. A sentence that shares no words with its source is left out.
                 * @default false
                 */
                digest?: boolean;
                /** @description Layout of the caption files. */
                subtitles?: components["schemas"]["SubtitleOptions"];
                /**
                 * @description Begin each line of transcript.txt with its time: `[1:02:03]`.
                 * @default false
                 */
                textTimes?: boolean;
            };
            /**
             * Format: uri
             * @description HTTPS URL that is called when the job has finished.
             */
            webhookUrl?: string;
        } & (unknown | unknown);
        ExtractPdfAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        ExtractPdfOutput: {
            chunks: components["schemas"]["Chunk"][];
            document: components["schemas"]["DocumentFacts"];
            /** @description With includeComments. */
            comments?: components["schemas"]["DocumentComment"][];
            /** @description With includeComments. */
            changes?: components["schemas"]["DocumentChange"][];
            files: components["schemas"]["JobFile"][];
            /** @description With schema. */
            extracted?: components["schemas"]["Extracted"];
            /** @description What the source held, and where it went; of a crawl, its addresses. Null for a job of an earlier version, which did not count. */
            account: components["schemas"]["SourceAccount"] | null;
            /** @description Places whose text may be wrong. Absent where there are none. */
            doubts?: components["schemas"]["Doubt"][];
            /** @description Approved annotations and sources, in the order in which they came. Absent where there are none. */
            annotations?: components["schemas"]["Annotation"][];
            /** @description Content that could not be read, in sentences. */
            warnings: string[];
        };
        ExtractPdfRequest: {
            /**
             * Format: uri
             * @description HTTPS or signed URL of the source. Required when file is absent.
             */
            sourceUrl?: string;
            /** @description The content itself: a multipart field named file, or a data URI data:<mime>;base64,<data> in JSON. */
            file?: string;
            /** @description A label stored with the result. */
            sourceName?: string;
            /** @default {} */
            options?: {
                /**
                 * @description Target characters per chunk.
                 * @default 1000
                 */
                segmentLength?: number;
                /** @description ISO language hint. */
                language?: string;
                /**
                 * @description Keep tracked changes and comments. By default they are removed.
                 * @default false
                 */
                includeComments?: boolean;
                /**
                 * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                 * @example {
                 *       "type": "object",
                 *       "properties": {
                 *         "total": {
                 *           "type": "number",
                 *           "description": "Total with tax"
                 *         }
                 *       }
                 *     }
                 */
                schema?: {
                    [key: string]: unknown;
                };
                /**
                 * Format: password
                 * @description Password of a PDF, Office or OpenDocument file that needs one. It stays in memory and is never stored: after a restart of Quarry, an unfinished job with it fails and must be sent again.
                 */
                password?: string;
            };
            /**
             * Format: uri
             * @description HTTPS URL that is called when the job has finished.
             */
            webhookUrl?: string;
        } & (unknown | unknown);
        ExtractVideoAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        ExtractVideoOutput: {
            /** @description Text with times, then what was read from frames. */
            chunks: components["schemas"]["Chunk"][];
            segments: components["schemas"]["TranscriptSegment"][];
            /** @description With `speakers`, and where channels are read apart. */
            speakers?: components["schemas"]["Speaker"][];
            captions: components["schemas"]["Captions"];
            /** @description With captureFrames. */
            frames?: components["schemas"]["CapturedFrame"][];
            media: components["schemas"]["MediaFacts"];
            /** @description Null where only captions of a page were read. */
            file: components["schemas"]["MediaFileFacts"] | null;
            /** @description What of the source could be read; of captions, what they cover. */
            covered: components["schemas"]["CoveredSpan"];
            transcript: components["schemas"]["TranscriptFacts"];
            /** @description With schema. */
            extracted?: components["schemas"]["Extracted"];
            /** @description With digest. */
            digest?: components["schemas"]["Digest"];
            files: components["schemas"]["JobFile"][];
            /** @description What the source held, and where it went; of a crawl, its addresses. Null for a job of an earlier version, which did not count. */
            account: components["schemas"]["SourceAccount"] | null;
            /** @description Places whose text may be wrong. Absent where there are none. */
            doubts?: components["schemas"]["Doubt"][];
            /** @description Approved annotations and sources, in the order in which they came. Absent where there are none. */
            annotations?: components["schemas"]["Annotation"][];
            /** @description What could not be heard or read, in sentences. */
            warnings: string[];
        };
        ExtractVideoRequest: {
            /**
             * Format: uri
             * @description HTTPS or signed URL of the source. Required when file is absent.
             */
            sourceUrl?: string;
            /** @description The content itself: a multipart field named file, or a data URI data:<mime>;base64,<data> in JSON. */
            file?: string;
            /** @description A label stored with the result. */
            sourceName?: string;
            /** @default {} */
            options?: {
                /**
                 * @description A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.
                 * @example auto
                 * @example whisper-large-v3
                 */
                transcriptionModel?: string;
                /**
                 * @description Take pictures of the video and read the text in them.
                 * @default false
                 */
                captureFrames?: boolean;
                /**
                 * @description Seconds between two pictures, where captureFrames is true.
                 * @default 30
                 */
                frameIntervalSeconds?: number;
                /**
                 * @description Find who speaks: true, or the number of speakers where it is known. Needs a speaker model.
                 * @default false
                 */
                speakers?: boolean | number;
                /**
                 * @description Calls and interviews often have one person on each channel, or on each track: `separate` transcribes each for itself, and its name is the speaker. `auto` does so where they hold different people, and says it.
                 * @default auto
                 * @enum {string}
                 */
                channels?: "auto" | "mixed" | "separate";
                /**
                 * @description Names and terms to expect. Whisper models in ggml format and Zipformer transducers take them; others warn.
                 * @default []
                 */
                vocabulary?: string[];
                /**
                 * @description Write English, whatever is spoken. Needs a Whisper model.
                 * @enum {string}
                 */
                translate?: "en";
                /**
                 * @description Target characters per chunk.
                 * @default 900
                 */
                segmentLength?: number;
                /** @description ISO language hint. */
                language?: string;
                /** @description Number of the sound track, where the file has several. By default the language decides, then the file. */
                audioTrack?: number;
                /**
                 * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                 * @example {
                 *       "type": "object",
                 *       "properties": {
                 *         "total": {
                 *           "type": "number",
                 *           "description": "Total with tax"
                 *         }
                 *       }
                 *     }
                 */
                schema?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Summarise the recording: a title, a summary, chapters and action items by a text model on this machine, each sentence with its second. A sentence that shares no words with its source is left out.
                 * @default false
                 */
                digest?: boolean;
                /** @description Layout of the caption files. */
                subtitles?: components["schemas"]["SubtitleOptions"];
                /**
                 * @description Begin each line of transcript.txt with its time: `[1:02:03]`.
                 * @default false
                 */
                textTimes?: boolean;
            };
            /**
             * Format: uri
             * @description HTTPS URL that is called when the job has finished.
             */
            webhookUrl?: string;
        } & (unknown | unknown);
        Extracted: {
            /** @description The object of the schema. Values without a source are null. */
            data: {
                [key: string]: unknown;
            };
            /** @description Every single value of `data` with its sources. */
            fields: components["schemas"]["ExtractedField"][];
            /** @description The text model that read them. */
            model: string;
            /** @description Questions that the model answered. */
            passes: number;
        };
        ExtractedField: {
            /** @description JSON Pointer to the value in `data`, such as /items/0/price. */
            path: string;
            value: string | number | boolean | null;
            /** @description Empty if and only if the value is null. */
            citations: components["schemas"]["FieldCitation"][];
        };
        FieldCitation: {
            chunkId: string;
            /** @description Page of the chunk; for documents. */
            page?: number;
            /** @description Start of the chunk; for recordings. */
            seconds?: number;
            /** @description The words of the chunk that state the value. */
            quote: string;
        };
        GenerateAudioAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
            /** @description Null if the clips were not ready in time; the job continues. */
            previews: components["schemas"]["AudioPreviews"] | null;
        };
        GenerateAudioEnded: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Null until the job is completed. */
            result: {
                [key: string]: unknown;
            } | null;
            /** @description Events with a subscription on this job. */
            events: string[];
            progress: components["schemas"]["JobProgress"];
            /** @description When result and files are removed; null until the job has ended, and for what the owner keeps in the library. */
            expiresAt: string | null;
            /** @description Present only when the status is failed. */
            error?: components["schemas"]["JobError"];
            sourceName?: string;
            /** @description From `Quarry-Tags`; absent without any. */
            tags?: string[];
            /** @description From `Quarry-Metadata`; absent without any. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
            /** @description Present only while the job waits: what for, and what ends the wait. */
            waitingFor?: components["schemas"]["WaitingFor"];
            /** @description The node of the fleet that runs it, or ran it last; absent on this machine. */
            node?: string;
            /** @description Null if the clips were not ready in time; the job continues. */
            previews: components["schemas"]["AudioPreviews"] | null;
        };
        GenerateAudioOutput: {
            /** @enum {string} */
            kind: "speech" | "music" | "soundscape";
            durationSeconds: number;
            sampleRate: number;
            channels: number;
            audio: {
                wav: components["schemas"]["AudioFormat"];
                mp3: components["schemas"]["AudioFormat"];
                opus?: components["schemas"]["AudioFormat"];
                flac?: components["schemas"]["AudioFormat"];
                m4b?: components["schemas"]["AudioFormat"];
                midi?: components["schemas"]["AudioFormat"];
            };
            seed: number;
            /** @description Null for music and soundscapes; of a script, the voice of its first speaker. */
            voice: {
                slug: string;
                name: string;
                language: string;
                /**
                 * @description Whether the request named the voice, or the tone or the language of the prompt selected it.
                 * @enum {string}
                 */
                chosenBy: "request" | "tone" | "language";
            } | null;
            /** @description What was composed, under speech too; null without music. */
            music: {
                genre: string;
                mood: string;
                key: string;
                tempo: number;
                timeSignature: string;
                instruments: string[];
                sections: {
                    name: string;
                    startSeconds: number;
                    bars: number;
                }[];
            } | null;
            /** @description The layers of a soundscape, or the sounds under speech or music. */
            sounds: {
                name: string;
                /** @description 0 near, 1 far. */
                distance: number;
                /** @description 0 light, 1 heavy. */
                intensity: number;
                /** @description What else the description says of it: `slow`, `3 times`, `on gravel`, `passing`. Absent for nothing. */
                traits?: string[];
            }[];
            /** @description Whether music was played with a SoundFont or the built-in synthesiser; null without music. */
            instruments: ("sampled" | "synthesised") | null;
            /** @description Chapters of speech, from its headings. */
            chapters: {
                title: string;
                startSeconds: number;
            }[];
            /** @description The speakers of a script in the order of their first lines; the narrator has no name. Empty for music. */
            speakers: {
                name: string | null;
                /** @description Slug. */
                voice: string;
            }[];
            /** @description URLs, with includeCaptions and speech. */
            captions: {
                vtt: string;
                srt: string;
            } | null;
            analysis: components["schemas"]["AudioAnalysis"];
            /** @description Text beyond durationSeconds. */
            omitted: {
                characters: number;
                /** @description Start of the omitted text. */
                text: string;
            } | null;
            /** @description Passages that are probably in a language which the voice does not speak. Absent where there are none. */
            doubts?: components["schemas"]["Doubt"][];
            files: components["schemas"]["JobFile"][];
            /** @description Parts of the request that were not met, in sentences. */
            warnings: string[];
        };
        GenerateAudioRequest: {
            /** @description The text to speak, or a description of music or sounds. */
            prompt: string;
            /** @description A voice of GET /voices; by default one that fits the tone of the prompt. */
            voice?: string;
            /** @description Voices of a script whose lines begin with a name and a colon, by name: `{"ANNA": "clara"}`. */
            voices?: {
                [key: string]: string;
            };
            /**
             * @description Factor of the pace of speech. Music ignores it, with a warning.
             * @default 1
             */
            speed?: number;
            /** @description Language of the text, a BCP 47 tag; by default it is detected. */
            language?: string;
            /** @description Beats per minute for music. Speech ignores it, with a warning. */
            tempo?: number;
            /** @description Exact length of music and soundscapes, maximum length of speech. Default: what a description of music or sounds states, such as “30 seconds of rain”; that of the sounds where all are counted, such as “three knocks”; else 60. */
            durationSeconds?: number;
            /**
             * @description Target loudness: podcast (-16 LUFS), stream (-14), broadcast (-23). Default: podcast for speech, else stream.
             * @enum {string}
             */
            loudness?: "podcast" | "stream" | "broadcast" | "audiobook";
            /**
             * @description Whether to write subtitles (.vtt, .srt) for speech.
             * @default false
             */
            includeCaptions?: boolean;
            /** @description Music or sounds under speech, such as “soft piano” or “rain on a roof”. */
            background?: string;
            /**
             * @description Another seed gives another piece or soundscape; the same one gives the same file.
             * @default 0
             */
            seed?: number;
            /**
             * @description Files beside .wav and .mp3: opus, flac, m4b (with chapters), midi (music only).
             * @default []
             */
            formats?: ("opus" | "flac" | "m4b" | "midi")[];
            /**
             * @description Whether to write a .wav for each part of a piece of music.
             * @default false
             */
            stems?: boolean;
            /**
             * @description Whether a soundscape can be repeated without a gap.
             * @default false
             */
            seamless?: boolean;
            /**
             * @description Of music and soundscapes, in Hz. Speech has the rate of its voice.
             * @default 44100
             * @enum {number}
             */
            sampleRate?: 44100 | 48000;
            /**
             * Format: uri
             * @description HTTPS URL that is called when the job has finished.
             */
            webhookUrl?: string;
        };
        GenerateTextAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        GenerateTextAnswer: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            result: components["schemas"]["GenerateTextOutput"];
        };
        GenerateTextOutput: {
            /** @description The generated text. */
            content: string;
            /** @description The model that generated it. */
            model: string;
            /**
             * @description `stop`: the model ended the text; `length`: maxTokens or the model’s context did.
             * @enum {string}
             */
            finishReason: "stop" | "length";
            usage: components["schemas"]["TokenUsage"];
        };
        GenerateTextRequest: {
            /** @description Instructions or seed text. */
            prompt: string;
            /** @description Name of an installed text model; by default the workspace text model. */
            model?: string;
            /**
             * @description Upper bound on the length of the completion, in tokens of the model.
             * @default 800
             */
            maxTokens?: number;
            /**
             * @description 0 to 1; higher is more creative.
             * @default 0.7
             */
            temperature?: number;
            /** @description Chooses only among the likeliest tokens, which together have this probability. */
            topP?: number;
            /** @description The same request with the same seed gets the same text. */
            seed?: number;
            /** @description Texts that end the answer, which does not contain them. */
            stop?: string[];
            /** @description The answer is JSON: `json` for any object, or a JSON Schema that it follows. Say in the prompt what it holds. */
            format?: "json" | {
                [key: string]: unknown;
            };
            /** @description Continues the prompt as it is, without the chat template of the model. */
            raw?: boolean;
        };
        GuardrailSign: {
            /** @enum {string} */
            kind: "hidden-text" | "invisible-characters" | "instruction" | "exfiltrating-link";
            /** @enum {string} */
            where: "text" | "hidden-text" | "attribute" | "comment" | "link";
            /** @description Null if the sign is not in the visible text. */
            start: number | null;
            end: number | null;
            /** @description At most 160 characters. */
            excerpt: string;
            /** @enum {string} */
            confidence: "low" | "medium" | "high";
        };
        HeardChannel: {
            /** @description `Left`, `Right`, `Channel 3` or the title of the track: the speaker of its words. */
            name: string;
            /** @description Number of its sound track. */
            track: number;
            /** @description Its place in the track; null where the track is read as one. */
            channel: number | null;
            speechSeconds: number;
        };
        HostedVideoFacts: {
            /** @description The address that was given; null for a file. */
            url: string | null;
            title: string | null;
            channel: string | null;
            /** @description ISO 8601. */
            publishedAt: string | null;
            durationSeconds: number | null;
            thumbnailUrl: string | null;
            /** @description Who is heard, as a podcast names them (`podcast:person`). Absent where nobody is named. */
            people?: {
                name: string;
                /** @description Such as `host` or `guest`. */
                role: string | null;
            }[];
            /**
             * @description Its own page’s markup, or yt-dlp.
             * @enum {string}
             */
            foundBy: "page" | "yt-dlp" | "file";
        };
        InstallChoice: {
            /** @description Name of the model or program. */
            name: string;
            /** @enum {string} */
            kind: "model" | "tool";
            title: string;
            /** @description Size of the download. */
            sizeBytes: number;
            /** @description SPDX identifier. */
            licence: string;
            /** @description Host of the publisher. */
            source: string;
            /** @description The one to install when nothing speaks for another. Comes first. */
            recommended: boolean;
            /** @description Whether memory and disk of this machine suffice. */
            fits: boolean;
            /** @description One sentence for the choice. */
            note: string;
        };
        Job: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Null until the job is completed. */
            result: {
                [key: string]: unknown;
            } | null;
            /** @description Events with a subscription on this job. */
            events: string[];
            progress: components["schemas"]["JobProgress"];
            /** @description When result and files are removed; null until the job has ended, and for what the owner keeps in the library. */
            expiresAt: string | null;
            /** @description Present only when the status is failed. */
            error?: components["schemas"]["JobError"];
            sourceName?: string;
            /** @description From `Quarry-Tags`; absent without any. */
            tags?: string[];
            /** @description From `Quarry-Metadata`; absent without any. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
            /** @description Present only while the job waits: what for, and what ends the wait. */
            waitingFor?: components["schemas"]["WaitingFor"];
            /** @description The node of the fleet that runs it, or ran it last; absent on this machine. */
            node?: string;
        };
        JobError: {
            /** @enum {string} */
            code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal";
            /** @description What to do next, in one sentence. */
            message: string;
            /** @description Whether the same request may succeed later. */
            retryable: boolean;
            /** @description Number of attempts. */
            attempts: number;
        };
        JobFile: {
            name: string;
            url: string;
        };
        JobProgress: {
            percent: number;
            stage: string;
            message: string;
        };
        JobWebhookRequest: {
            /**
             * Format: uri
             * @description HTTPS URL that is called. Only the owner of the appliance may use http.
             */
            url: string;
            /** @description job.completed, job.failed, crawl.changed; completed, failed and changed are short forms. An empty list means job.completed and job.failed. crawl.changed: a crawl of a watched site found changes. */
            events?: ("job.completed" | "job.failed" | "crawl.changed" | "completed" | "failed" | "changed")[];
            /** @description Payloads are signed with it. Use at least 24 random characters, for example whsec_ and base64. */
            secret?: string;
            /** @description What the owner sees instead of the host. */
            name?: string;
        };
        LeftOut: {
            /**
             * @description The last six are of addresses: another address of a page; refused by robots.txt or the page itself; outside the request; pictures, scripts and pixels; sitemaps and feeds; no answer, an error or a refused address.
             * @enum {string}
             */
            reason: "repeated-header-or-footer" | "hidden" | "deleted-by-tracked-changes" | "overprinted-copy" | "repeated-caption" | "navigation" | "embedded-picture" | "unsupported-part" | "over-limit" | "damaged" | "silence" | "no-speech-recognised" | "duplicate" | "site-rules" | "not-requested" | "part-of-page" | "address-list" | "unreachable";
            /** @description In the unit of the account. */
            count: number;
            /** @description The place, for example `page 3`, `sheet Tides`, `0:24–0:49` or `whole file`. */
            where: string;
            /** @description The beginning of what was left out, at most 80 characters. */
            sample?: string;
        };
        LibraryCollection: {
            collectionId: string;
            name: string;
            /** @description A smart collection holds what its filter leaves; null for one by hand. */
            filter: components["schemas"]["LibraryFilter"] | null;
            count: number;
        };
        LibraryCollectionChange: {
            name?: string;
            filter?: components["schemas"]["LibraryFilterInput"];
        };
        LibraryCollectionRequest: {
            name: string;
            filter?: components["schemas"]["LibraryFilterInput"];
        };
        LibraryCounts: {
            /** @description Items that the filters leave. */
            total: number;
            /** @description Of documents and sites together. */
            pages: number;
            /** @description Of all that can be heard. */
            seconds: number;
            /** @description On the disk, as far as it is measured. */
            bytes: number;
            /** @description The same by kind, and what of it are original files. */
            sizes: {
                value: string;
                bytes: number;
                originals: number;
            }[];
            kinds: {
                value: string;
                count: number;
            }[];
            /** @description The 200 most used. */
            tags: {
                value: string;
                count: number;
            }[];
            /** @description By identifier. */
            collections: {
                value: string;
                count: number;
            }[];
            languages: {
                value: string;
                count: number;
            }[];
            /** @description The 200 most heard. */
            speakers: {
                value: string;
                count: number;
            }[];
            /** @description Files, addresses of the web, and what was made here. */
            sources: {
                value: string;
                count: number;
            }[];
            /** @description By month of addition in the time zone, `2026-11`, newest first. */
            months: {
                value: string;
                count: number;
            }[];
            /** @description By day of addition, `2026-11-29`: the newest 31 that have items. */
            days: {
                value: string;
                count: number;
            }[];
        };
        LibraryExport: {
            /** @description Identifiers. */
            items?: string[];
            /** @description All that it leaves, instead of identifiers. */
            filter?: components["schemas"]["LibraryFilterInput"];
            /**
             * @description `zip`: a Markdown file for each item, with its files. `markdown`: one file with all texts. `epub`: a book with a chapter for each item.
             * @default zip
             * @enum {string}
             */
            as?: "zip" | "markdown" | "epub";
            /** @description What a ZIP holds of each item; everything but `originals`, the files that were sent, where absent. */
            parts?: ("markdown" | "plain" | "subtitles" | "data" | "pictures" | "sounds" | "others" | "notes" | "originals")[];
        };
        LibraryFilter: {
            /** @enum {string} */
            kind?: "document" | "talk" | "site" | "page" | "sound" | "text";
            /** @enum {string} */
            state?: "reading" | "ready" | "failed";
            tag?: string;
            /** @description Identifier of a collection. */
            collection?: string;
            language?: string;
            /** @description The name of somebody who speaks. */
            speaker?: string;
            /**
             * @description A file, an address of the web, or made here from words.
             * @enum {string}
             */
            source?: "file" | "web" | "made";
            /** @description Words of the title, the source or the tags, in any order. */
            text?: string;
            /**
             * Format: date
             * @description Added on this day or later.
             */
            from?: string;
            /**
             * Format: date
             * @description Added on this day or before.
             */
            to?: string;
            /**
             * @description Whose days are meant, such as `Europe/Berlin`. Without it those of UTC.
             * @example Europe/Berlin
             */
            timeZone?: string;
        };
        LibraryFilterInput: {
            /** @enum {string} */
            kind?: "document" | "talk" | "site" | "page" | "sound" | "text";
            /** @enum {string} */
            state?: "reading" | "ready" | "failed";
            tag?: string;
            /** @description Identifier of a collection. */
            collection?: string;
            language?: string;
            /** @description The name of somebody who speaks. */
            speaker?: string;
            /**
             * @description A file, an address of the web, or made here from words.
             * @enum {string}
             */
            source?: "file" | "web" | "made";
            /** @description Words of the title, the source or the tags, in any order. */
            text?: string;
            /**
             * Format: date
             * @description Added on this day or later.
             */
            from?: string;
            /**
             * Format: date
             * @description Added on this day or before.
             */
            to?: string;
            /**
             * @description Whose days are meant, such as `Europe/Berlin`. Without it those of UTC.
             * @example Europe/Berlin
             */
            timeZone?: string;
        };
        LibraryFound: {
            items: {
                item: components["schemas"]["LibraryItem"];
                /** @description Whether title, source or tags have all the words. */
                inTitle: boolean;
                /** @description The best first. */
                places: components["schemas"]["SearchHit"][];
                /** @description Places in this item. */
                count: number;
                /** @description Items with the same text in the same places, left out of the list. */
                copies: components["schemas"]["LibraryItem"][];
            }[];
            /** @description Of the items found. */
            counts: components["schemas"]["LibraryCounts"];
            /** @description Items found, copies of others included. */
            total: number;
            /** @description How many of them are named as copies of others. */
            folded: number;
            /** @description Places found. */
            count: number;
            /** @description False if more places match: then the newest 10,000 were counted. */
            isComplete: boolean;
            /** @description Words of the query that occur in no chunk within `filter`, and the words searched in their place. */
            corrected: components["schemas"]["CorrectedWord"][];
            /** @description What searched by meaning: `lsi` (topics), or the name of the embedding model; null if nothing did. */
            meaning: string | null;
            /** @description Why a requested search mode was not used, or only in part; what is not indexed yet. */
            warnings: string[];
        };
        LibraryItem: {
            itemId: string;
            /** @enum {string} */
            kind: "document" | "talk" | "site" | "page" | "sound" | "text";
            title: string;
            /** @description Whether the owner gave the title. A title found in the source may change. */
            titleGiven: boolean;
            /**
             * @description Of the version that is shown.
             * @enum {string}
             */
            state: "reading" | "ready" | "failed";
            source: {
                /** @description Name of the file. */
                name: string | null;
                url: string | null;
                /** @description Of the bytes of the file that was sent. */
                sha256: string | null;
            };
            /** @description Code of the language (ISO 639), as found. */
            language: string | null;
            /** @description Pages of a document, pages of a site. */
            pages: number | null;
            words: number | null;
            /** @description Length of what can be heard. */
            seconds: number | null;
            /** @description Address of the drawn cover below the base address: a WebP of 320 by 240 pixels, at most 20 kB. */
            cover: string | null;
            /** @description First lines of the text; they stand for what has no drawn cover. */
            excerpt: string | null;
            /** @description The shape of a sound: up to 64 numbers from 0 to 1. */
            peaks: number[] | null;
            /** @description Who speaks, as far as they have names. */
            speakers: string[];
            /** @description On the disk: sources and files of all its versions; null until measured. */
            bytes: number | null;
            /** @description Of the original files among them; 0 where none is kept. */
            originalBytes: number;
            tags: string[];
            /** @description Identifiers of the collections that it was put into. */
            collections: string[];
            /** @description Number of its notes and highlights. */
            notes: number;
            /** @description Where the owner was last. */
            position: components["schemas"]["LibraryPosition"] | null;
            /** @description The job of the version that is shown. */
            jobId: string;
            /** @description The version that is shown. */
            version: number;
            /** @description Number of its versions. */
            versions: number;
            /** Format: date-time */
            addedAt: string;
            /** Format: date-time */
            updatedAt: string;
            /** @description The date that the content gives itself, or the owner gave. */
            datedAt: string | null;
            /** @description Since when it is deleted. */
            deletedAt: string | null;
            /** @description When a deleted item leaves the disk: `deletedDays` of the settings later. */
            goesAt: string | null;
        };
        LibraryItemChange: {
            /** @description Null: the title that is found in the source. */
            title?: string | null;
            datedAt?: string | null;
            language?: string;
            position?: components["schemas"]["LibraryPositionInput"] | null;
            /** @description The version to show. */
            version?: number;
            addTags?: string[];
            removeTags?: string[];
            /** @description Identifiers of collections. */
            addTo?: string[];
            /** @description Identifiers of collections. */
            removeFrom?: string[];
            /** @description True deletes, false brings back. */
            deleted?: boolean;
        };
        LibraryManyChange: {
            /** @description Identifiers. */
            items?: string[];
            /** @description All that it leaves, instead of identifiers. */
            filter?: components["schemas"]["LibraryFilterInput"];
            addTags?: string[];
            removeTags?: string[];
            /** @description Identifiers of collections. */
            addTo?: string[];
            /** @description Identifiers of collections. */
            removeFrom?: string[];
            /** @description True deletes, false brings back. */
            deleted?: boolean;
        };
        LibraryNote: {
            noteId: string;
            itemId: string;
            /** @enum {string} */
            kind: "note" | "highlight";
            /** @description Empty for a highlight. */
            text: string;
            /** @description The words it stands at; null for a note on the whole item. */
            quote: string | null;
            /** @description Up to 32 characters before these words. */
            before: string;
            /** @description Up to 32 characters after them. */
            after: string;
            position: components["schemas"]["LibraryPosition"] | null;
            /** @description The version that was shown. */
            version: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        LibraryNoteChange: {
            text: string;
        };
        LibraryNoteRequest: {
            /**
             * @default note
             * @enum {string}
             */
            kind?: "note" | "highlight";
            /** @default  */
            text?: string;
            quote?: string;
            /** @default  */
            before?: string;
            /** @default  */
            after?: string;
            position?: components["schemas"]["LibraryPositionInput"];
        };
        LibraryOriginalsRequest: {
            /** @description Identifiers. */
            items?: string[];
            /** @description All that it leaves, instead of identifiers. */
            filter?: components["schemas"]["LibraryFilterInput"];
        };
        LibraryPosition: {
            /** @description The page that is read, from 1. */
            page?: number;
            /** @description The second that is heard or seen. */
            seconds?: number;
        };
        LibraryPositionInput: {
            /** @description The page that is read, from 1. */
            page?: number;
            /** @description The second that is heard or seen. */
            seconds?: number;
        };
        LibraryRelated: {
            items: {
                item: components["schemas"]["LibraryItem"];
                /** @description Rare words that both say. */
                words: string[];
                /** @description Identifiers of collections that have both. */
                collections: string[];
                /** @description Tags of both. */
                tags: string[];
            }[];
        };
        LibraryVersion: {
            /** @description 1 for the first reading of the source. */
            number: number;
            /** @description The job that read it. It has the result and its files. */
            jobId: string;
            /** @enum {string} */
            state: "reading" | "ready" | "failed";
            /** Format: date-time */
            createdAt: string;
        };
        ListenFeed: {
            feedId: string;
            name: string;
            /** @description Anyone who has one can listen: at this computer, and in its network. */
            urls: string[];
            /** Format: date-time */
            createdAt: string;
            lastUsedAt: string | null;
        };
        ListenFeedRequest: {
            /** @description Such as the name of the phone. */
            name: string;
        };
        MediaFacts: {
            durationSeconds: number;
            /** @description How much of it was given to the recogniser; the rest is silence. */
            speechSeconds: number;
            /** @description The detector: the installed voice activity model, or loudness where none is; null without sound. */
            speechFoundBy: ("silero-vad" | "loudness") | null;
            /** @description Null without sound. */
            audioTrack: components["schemas"]["AudioTrack"] | null;
            /** @description The channels or tracks that were transcribed for themselves. Absent where they were mixed. */
            channels?: components["schemas"]["HeardChannel"][];
            audioCodec: string | null;
            videoCodec: string | null;
            /** @description Pixels, as it is shown. */
            width: number | null;
            height: number | null;
        };
        MediaFileFacts: {
            /** @description As FFmpeg names it, such as `mov,mp4,m4a,3gp,3g2,mj2` or `matroska,webm`. */
            container: string;
            /** @description Bits per second. */
            bitRate: number | null;
            title: string | null;
            artist: string | null;
            album: string | null;
            /** @description As written in the file. */
            date: string | null;
            description: string | null;
            chapters: components["schemas"]["VideoChapter"][];
            subtitles: components["schemas"]["SubtitleTrack"][];
        };
        PageVersion: {
            contentHash: string;
            /** @description Of its Markdown. */
            characters: number;
            /** Format: date-time */
            fetchedAt: string;
        };
        PaymentChallenge: {
            /** @constant */
            x402Version: 1;
            accepts: components["schemas"]["PaymentRequirements"][];
            error: string | null;
        };
        PaymentRequirements: {
            /** @constant */
            scheme: "exact";
            network: string;
            /** @description Integer amount in the 6-decimal unit of the asset. */
            maxAmountRequired: string;
            /** @description Method and path of the operation, for example POST /crawl. */
            resource: string;
            description: string;
            /** @constant */
            mimeType: "application/json";
            payTo: string;
            maxTimeoutSeconds: number;
            asset: string;
            extra: {
                name: string;
                version: string;
            };
        };
        Problem: {
            /** @description A stable path under /problems/. */
            type: string;
            title: string;
            status: number;
            /** @description What to do, in one sentence. */
            detail: string;
            code: string;
            errors?: {
                /** @description JSON path of the field; $ is the body. */
                path: string;
                message: string;
            }[];
            /** @description Where a model or program is missing: what the owner can install, the recommended one first. */
            choices?: components["schemas"]["InstallChoice"][];
        };
        Reading: {
            itemId: string;
            /** @description The version that is read. */
            jobId: string;
            /**
             * @description `ready`: the files of the whole are there.
             * @enum {string}
             */
            state: "reading" | "ready" | "failed";
            error: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal" | "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_key_reused" | "job_expired" | "body_too_large" | "header_too_large" | "unsupported_content_type" | "range_not_satisfiable" | "rate_limited" | "storage_full" | "storage_unavailable" | "settlement_unavailable" | "shutting_down";
                message: string;
            } | null;
            voice: {
                slug: string;
                name: string;
            };
            speed: number;
            chapters: {
                title: string;
                startSeconds: number | null;
            }[];
            /** @description Each is an .mp3 of its own; parts that are asked for are spoken first. */
            parts: {
                /** @description Its place, from 0. */
                number: number;
                /** @description Index of its chapter. */
                chapter: number;
                /** @description Null until all before it are spoken. */
                startSeconds: number | null;
                /** @description Null until it is spoken. */
                seconds: number | null;
            }[];
            spokenParts: number;
            /** @description Length of the whole; null until all is spoken. */
            seconds: number | null;
            /** @description The second where the owner stopped. */
            position: number;
            /** @description What is named in a sentence instead of being read; footnotes are left out. */
            leftUnread: {
                code: number;
                tables: number;
                footnotes: number;
                pictures: number;
                formulas: number;
            };
            /** @description Words and sentences so far for which the voice has no sounds. */
            unspoken: number;
            /** @description Of the whole: sound with marks of its chapters, captions, and the text. Empty until it is ready. */
            files: {
                /** @enum {string} */
                form: "mp3" | "m4b" | "vtt" | "txt";
                sizeBytes: number;
            }[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        ReadingPosition: {
            /** @description The second that is heard. */
            seconds: number;
        };
        ReadingRequest: {
            /** @description A voice of GET /voices; by default one for the language of the item. */
            voice?: string;
            /**
             * @description Factor of the pace of the voice.
             * @default 1
             */
            speed?: number;
        };
        RecognitionFacts: {
            /** @description Pages, from 1, that were recognised. */
            pages: number[];
            /** @description Over all recognised words; null without any. */
            meanConfidence: number | null;
            /** @description Language of the trained data, by its name in Tesseract, for example eng. */
            language: string;
        };
        SearchAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        SearchAnswer: {
            results: components["schemas"]["SearchHit"][];
            /** @description Words of the query that occur in no chunk within `filter`, and the words searched in their place. */
            corrected: components["schemas"]["CorrectedWord"][];
            /** @description The ways of searching that were used: words, vectors of a model, topics learned from your chunks. */
            legs: ("lexical" | "semantic" | "topics")[];
            /** @description What searched by meaning: `lsi` (topics), or the name of the embedding model; null if nothing did. */
            meaning: string | null;
            /** @description Present if asked for. */
            facets?: components["schemas"]["SearchFacets"];
            /** @description Present if asked for; null if there is none, see `warnings`. */
            answer?: components["schemas"]["SearchReply"] | null;
            /** @description What has to be installed for an answer. */
            answerNeeds?: {
                /** @constant */
                need: "text";
                reason: string;
                choices: components["schemas"]["InstallChoice"][];
            };
            /** @description Why a requested search mode was not used, or only in part; what is not indexed yet. */
            warnings: string[];
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
        };
        SearchFacets: {
            jobTypes: {
                value: string;
                count: number;
            }[];
            kinds: {
                value: string;
                count: number;
            }[];
            /** @description The 20 most frequent. */
            sources: {
                value: string;
                count: number;
            }[];
            /** @description YYYY-MM in which the jobs were submitted, the 20 newest. */
            months: {
                value: string;
                count: number;
            }[];
            /** @description Chunks that were counted, each text once: all that `offset` can come to. */
            counted: number;
            /** @description False if more chunks match: then the newest 10,000 were counted. */
            isComplete: boolean;
        };
        SearchHit: {
            chunkId: string;
            /** @description Null for a contribution that belongs to no job. */
            jobId: string | null;
            text: string;
            /** @description The text before an approved correction. */
            originalText?: string;
            /** @description Share of the best possible rank; comparable within one answer. */
            score: number;
            snippet: string;
            /** @description Ranges of the snippet that the query matched, in UTF-16 code units. */
            highlights: {
                start: number;
                end: number;
            }[];
            page: number;
            heading: string | null;
            startSeconds?: number;
            sourceName: string | null;
            url: string | null;
            kind: string;
        };
        SearchOutput: {
            results: components["schemas"]["SearchHit"][];
            /** @description Words of the query that occur in no chunk within `filter`, and the words searched in their place. */
            corrected: components["schemas"]["CorrectedWord"][];
            /** @description The ways of searching that were used: words, vectors of a model, topics learned from your chunks. */
            legs: ("lexical" | "semantic" | "topics")[];
            /** @description What searched by meaning: `lsi` (topics), or the name of the embedding model; null if nothing did. */
            meaning: string | null;
            /** @description Present if asked for. */
            facets?: components["schemas"]["SearchFacets"];
            /** @description Present if asked for; null if there is none, see `warnings`. */
            answer?: components["schemas"]["SearchReply"] | null;
            /** @description What has to be installed for an answer. */
            answerNeeds?: {
                /** @constant */
                need: "text";
                reason: string;
                choices: components["schemas"]["InstallChoice"][];
            };
            /** @description Why a requested search mode was not used, or only in part; what is not indexed yet. */
            warnings: string[];
        };
        SearchReply: {
            /** @description The text model that chose the quotations. */
            model: string;
            /** @description False if none of the best results answers the question. */
            isFound: boolean;
            /** @description The answer, best quotation first. */
            citations: {
                /** @description Words of the result, letter by letter. */
                quote: string;
                chunkId: string;
                jobId: string | null;
                page: number;
                startSeconds?: number;
                sourceName: string | null;
                url: string | null;
            }[];
        };
        SearchRequest: {
            /** @description Words, or a sentence. `"these words"` must occur in a row, `-word` and `-"these words"` must not occur. */
            query: string;
            /** @default 10 */
            limit?: number;
            /**
             * @description Results to skip, for the next page.
             * @default 0
             */
            offset?: number;
            /**
             * @default hybrid
             * @enum {string}
             */
            mode?: "hybrid" | "lexical" | "semantic";
            /** @default {} */
            filter?: {
                /** @description For example crawl or extract/pdf. */
                jobType?: string;
                jobId?: string;
                /** @description Language of the source, by its first part: en finds en-GB. */
                language?: string;
                /**
                 * @description Kind of chunk; annotation and source are contributions.
                 * @enum {string}
                 */
                kind?: "text" | "table" | "caption" | "comment" | "frame-text" | "annotation" | "source";
                /** @description Host of web pages, or the name of a file or recording, as `facets.sources` gives it. */
                source?: string;
                /** @description Only your jobs with all of these tags, see `Quarry-Tags`. */
                tags?: string[];
                /**
                 * Format: date
                 * @description First day (UTC) on which the job was submitted.
                 */
                from?: string;
                /**
                 * Format: date
                 * @description Last day (UTC) on which the job was submitted.
                 */
                to?: string;
            };
            /**
             * @description Count the matches by kind, job type, source and month.
             * @default false
             */
            facets?: boolean;
            /**
             * @description Answer the query as a question, by quotations of the results. Takes a text model and up to a minute.
             * @default false
             */
            answer?: boolean;
        };
        SiteChange: {
            url: string;
            /**
             * @description removed: no page links to it any more. gone: status 404 or 410. moved: it leads elsewhere.
             * @enum {string}
             */
            change: "added" | "changed" | "removed" | "gone" | "moved";
            title: string | null;
            movedTo: string | null;
            /** @description Null for an added page. */
            before: components["schemas"]["PageVersion"] | null;
            /** @description Null for a page that is removed, gone or moved. */
            after: components["schemas"]["PageVersion"] | null;
            /** @description Lines of Markdown that only the new version has, without moved ones. Null unless compared. */
            addedLines: number | null;
            removedLines: number | null;
            /** @description Of the characters of both versions. Null unless compared. */
            changedShare: number | null;
            /** @description Unified hunks over the Markdown; null without one. */
            diff: string | null;
            /** @description The diff is cut or left out for its size. */
            diffTruncated: boolean;
        };
        SiteChangeCounts: {
            added: number;
            changed: number;
            removed: number;
            gone: number;
            moved: number;
            /** @description Also pages in which only timestamps, counters or the order of lines differ. */
            unchanged: number;
            /** @description Known pages that this crawl could not read or did not reach. They keep their version. */
            notRead: number;
        };
        SiteChanges: {
            /** @description The crawl before. Null for the first of a watch: its pages are what the next is compared with. */
            comparedWith: {
                crawlId: string;
                /** Format: date-time */
                crawledAt: string;
            } | null;
            counts: components["schemas"]["SiteChangeCounts"];
            /** @description At most 500, with 256 KB of diffs; changes.json has all. */
            pages: components["schemas"]["SiteChange"][];
            /** @description Changes that only changes.json has. */
            notInResult: number;
            /** @description At most 200 of the known pages that were not read, with the reason. They are not called removed. */
            notRead: {
                url: string;
                verdict: ("page" | "redirect" | "duplicate" | "noindex" | "nofollow" | "robots" | "scope" | "excluded" | "listed" | "depth" | "pattern" | "limit" | "time" | "asset" | "script" | "pixel" | "too-large" | "type" | "status" | "forbidden" | "unreachable" | "unreadable" | "needs-script" | "script-failed" | "sitemap") | null;
                reason: string;
            }[];
        };
        SourceAccount: {
            /**
             * @description Letters and digits of documents, pages and captions; cells with a value of workbooks; seconds of recordings and streams; addresses of crawls.
             * @enum {string}
             */
            unit: "letters" | "cells" | "seconds" | "addresses";
            /** @description What the source holds, counted apart from the result. */
            source: number;
            delivered: number;
            /** @description What is not in the result, with its reason; at most 200 entries. */
            leftOut: components["schemas"]["LeftOut"][];
            /** @description In the source, but neither delivered nor left out. A larger gap has a warning with its place. */
            unexplained: number;
        };
        Speaker: {
            /** @description `Speaker 1` … in the order in which they first speak, or the given name. */
            name: string;
            /** @description Length of the segments. */
            seconds: number;
            words: number;
            /** @description The remembered voice that this one is like. Absent where none is near, and for a given name. */
            voice?: {
                name: string;
                /** @description Cosine of the two voices. */
                similarity: number;
                /** @description True: the speaker has this name. False: it may be this voice. */
                recognised: boolean;
            };
        };
        SpokenPart: {
            number: number;
            seconds: number;
            cues: {
                start: number;
                end: number;
                text: string;
            }[];
        };
        SubtitleOptions: {
            /**
             * @description Fills what is not given. `standard` alone follows the segments; the others divide the text by their limits.
             * @default standard
             * @enum {string}
             */
            preset?: "standard" | "netflix" | "netflix-children" | "youtube";
            /** @description Characters per line; wide ones count twice. */
            lineChars?: number;
            /** @description Lines per subtitle. */
            lines?: number;
            /** @description Reading speed. */
            charsPerSecond?: number;
            /** @description Shortest time on the screen. */
            minSeconds?: number;
            /** @description Longest time on the screen. */
            maxSeconds?: number;
            /** @description Least time between two subtitles. */
            gapSeconds?: number;
        };
        SubtitleTrack: {
            /** @description Its position among the subtitle tracks, from 1. */
            number: number;
            codec: string;
            /** @description As the file states it, ISO 639. */
            language: string | null;
            title: string | null;
            /** @description Null for a track of pictures, as on discs. */
            cues: number | null;
            /** @description Null for a track of pictures or without text. */
            srt: components["schemas"]["JobFile"] | null;
            vtt: components["schemas"]["JobFile"] | null;
        };
        /** @description Counted by the model’s own tokenizer, unless `estimated` says otherwise. */
        TokenUsage: {
            promptTokens: number;
            completionTokens: number;
            totalTokens: number;
            /**
             * @description Present if the text server does not count: estimated from its pieces and the prompt.
             * @constant
             */
            estimated?: true;
        };
        TranscriptFacts: {
            /** @description The model that listened; null where nothing was there to be heard. */
            model: string | null;
            engine: ("sherpa-onnx" | "whisper.cpp") | null;
            /** @description As asked for, or as the model knows it. */
            language: string | null;
            /** @description How sure a detected language is. whisper.cpp: the probability that the model states for the first half minute. sherpa-onnx: the share of the speech in windows for which the model detects this language, from three windows on. Null for a language that was asked for, and for models that detect none. */
            languageConfidence: number | null;
            /** @description With `translate`: the language of the text. */
            translatedTo: "en" | null;
            /** @description Mean of the words; null where the engine does not say how sure it is. */
            confidence: number | null;
            words: number;
            /** @description Whether segments have `words`. */
            wordTimes: boolean;
            /** @description Whether the times of words follow from their length, because the engine times none. */
            wordTimesEstimated: boolean;
        };
        TranscriptSegment: {
            start: number;
            end: number;
            text: string;
            /** @description How sure the engine is, from 0 to 1; absent where it does not say. */
            confidence?: number;
            /** @description With `speakers`: `Speaker 1` … or the given name. */
            speaker?: string;
            /** @description Each word with its time, within the segment; absent in captions. */
            words?: components["schemas"]["TranscriptWord"][];
        };
        TranscriptWord: {
            start: number;
            end: number;
            text: string;
            /** @description How sure the engine is, from 0 to 1; absent where it does not say. */
            confidence?: number;
            /** @description With `speakers`. */
            speaker?: string;
        };
        VideoChapter: {
            title: string;
            startSeconds: number;
            endSeconds: number | null;
        };
        Voice: {
            slug: string;
            name: string;
            /** @description BCP 47 tag; `und` when unknown. */
            language: string;
            /**
             * @description A natural voice of the models folder, a built-in one, or one of a server.
             * @enum {string}
             */
            kind: "natural" | "built-in" | "server";
            gender: ("female" | "male") | null;
            /** @description The installed model of a natural voice. */
            model: string | null;
            /** @description Of the voices that are here, the best one of its language. */
            recommended: boolean;
            /** @description Former slugs, which still select this voice. */
            aliases: string[];
            description: string;
            /** @description Words in a prompt that select this voice if none is named. */
            tones: string[];
            /**
             * Format: uri
             * @description A short .wav of the voice.
             */
            sampleUrl: string;
            /** @description The words of the sample. */
            sampleText: string;
        };
        WaitingFor: {
            /**
             * @description `thread`: its turn, or a free thread of this machine or a node.
             * @enum {string}
             */
            kind: "model" | "program" | "node" | "thread" | "payment";
            /** @description Name of the model, program or node; of a model, the one that is or can be installed. */
            name: string;
            title: string;
            /** @description Why it waits, in one sentence. */
            reason: string;
            /** @description Size of the download. */
            sizeBytes?: number;
            /** @description Of the download; present only while it is installed. */
            percent?: number;
            /** @description Nothing ends the wait by itself: what does, in a sentence or two. */
            problem?: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal" | "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_key_reused" | "job_expired" | "body_too_large" | "header_too_large" | "unsupported_content_type" | "range_not_satisfiable" | "rate_limited" | "storage_full" | "storage_unavailable" | "settlement_unavailable" | "shutting_down";
                message: string;
            };
            /**
             * @description What the work needs; absent while it waits for a thread.
             * @enum {string}
             */
            need?: "speech" | "speakers" | "text" | "voice" | "soundfont" | "embedding" | "ocr-language" | "ffmpeg" | "yt-dlp" | "whisper-cli" | "browser";
            /** @description ISO code of the language that the work needs. */
            language?: string | null;
            /** @description What can be installed, the recommended one first. */
            choices: components["schemas"]["InstallChoice"][];
            /** @description Names of the nodes that have it and are away: the job runs once one is back. Empty without any. */
            nodes: string[];
        };
        Webhook: {
            webhookId: string;
            /** @description Absent when none was given. */
            name?: string;
            url: string;
            events: ("job.completed" | "job.failed" | "crawl.changed" | "alert.raised" | "alert.cleared")[];
            /**
             * @description Paused: deliveries wait. Disabled: nothing is sent, see notice.
             * @enum {string}
             */
            status: "active" | "paused" | "disabled";
            hasSecret: boolean;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            lastDelivery: {
                deliveryId: string;
                /** @enum {string} */
                status: "pending" | "delivered" | "exhausted" | "cancelled";
                /** @description Null without an answer. */
                responseStatus: number | null;
                /** Format: date-time */
                attemptedAt: string;
            } | null;
            /** @description The named key that made it. It pauses when the key ends. */
            keyId?: string;
            keyName?: string;
            /** @description Why Quarry disabled the webhook, or pauses it, and what to do. */
            notice?: string;
            /**
             * Format: date-time
             * @description During a rotation: until when both secrets sign.
             */
            previousSecretExpiresAt?: string;
        };
        WebhookRequest: {
            /**
             * Format: uri
             * @description HTTPS URL that is called. Only the owner of the appliance may use http.
             */
            url: string;
            /** @description job.completed, job.failed, crawl.changed; completed, failed and changed are short forms. An empty list means job.completed and job.failed. crawl.changed: a crawl of a watched site found changes. alert.raised and alert.cleared are for the owner of the appliance only. */
            events?: ("job.completed" | "job.failed" | "crawl.changed" | "completed" | "failed" | "changed" | "alert.raised" | "alert.cleared")[];
            /** @description Payloads are signed with it. Use at least 24 random characters, for example whsec_ and base64. */
            secret?: string;
            /** @description What the owner sees instead of the host. */
            name?: string;
        };
        WebhookUpdate: {
            /** @description A new name; null removes it. */
            name?: string | null;
            /**
             * Format: uri
             * @description New HTTPS URL.
             */
            url?: string;
            /** @description job.completed, job.failed, crawl.changed; completed, failed and changed are short forms. An empty list means job.completed and job.failed. crawl.changed: a crawl of a watched site found changes. alert.raised and alert.cleared are for the owner of the appliance only. */
            events?: ("job.completed" | "job.failed" | "crawl.changed" | "completed" | "failed" | "changed" | "alert.raised" | "alert.cleared")[];
            /** @description A new secret; null ends signing. */
            secret?: string | null;
            /** @description With a new secret: how long the old one also signs, in webhook-signature. By default one day. Alone, or with the current secret: changes a running overlap from now; 0 ends it. */
            secretOverlapSeconds?: number;
            /**
             * @description While paused, deliveries wait. active also enables a disabled webhook, and sends waiting deliveries at once.
             * @enum {string}
             */
            status?: "active" | "paused";
        };
        WebhooksAccepted: {
            /** @description Identifier of the job. It grants access to the job. */
            jobId: string;
            /** @description The operation, for example extract/pdf. */
            jobType: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed";
            /**
             * Format: uri
             * @description The URL of GET /jobs/{jobId}.
             */
            statusUrl: string;
            /** @description Estimated seconds left, while queued or processing; absent where no estimate is better than a guess. */
            etaSeconds?: number;
        };
        WebhooksOutput: {
            webhook: components["schemas"]["Webhook"];
        };
    };
    responses: {
        /** @description The body is too large (`body_too_large`). */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/body_too_large",
                 *       "title": "The body is too large",
                 *       "status": 413,
                 *       "detail": "The body is too large.",
                 *       "code": "body_too_large"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large (`body_too_large`). */
        BodyTooLargeAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/body_too_large",
                 *       "title": "The body is too large",
                 *       "status": 413,
                 *       "detail": "The body is too large.",
                 *       "code": "body_too_large"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Cancelled (`cancelled`); Conflict (`conflict`). */
        CancelledOrConflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/cancelled",
                 *       "title": "Cancelled",
                 *       "status": 409,
                 *       "detail": "Cancelled.",
                 *       "code": "cancelled"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflict (`conflict`). */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/conflict",
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "detail": "Conflict.",
                 *       "code": "conflict"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Conflict (`conflict`). */
        ConflictAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/conflict",
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "detail": "Conflict.",
                 *       "code": "conflict"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source is damaged (`corrupt_input`); The source is encrypted (`encrypted_input`); The key belongs to another request (`idempotency_key_reused`); The source is of a kind that is not taken (`unsupported_media`). */
        CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/corrupt_input",
                 *       "title": "The source is damaged",
                 *       "status": 422,
                 *       "detail": "The source is damaged.",
                 *       "code": "corrupt_input"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An engine failed (`engine_failed`); Internal error (`internal`). */
        EngineFailedOrInternal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/engine_failed",
                 *       "title": "An engine failed",
                 *       "status": 500,
                 *       "detail": "An engine failed.",
                 *       "code": "engine_failed"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An engine is not available (`engine_unavailable`); Interrupted (`interrupted`); A model is not installed (`model_not_installed`); It needed too much memory (`out_of_memory`); Payments cannot be settled now (`settlement_unavailable`); Shutting down (`shutting_down`); The storage cannot be used now (`storage_unavailable`); It took too long (`timeout`). */
        EngineUnavailableOrInterruptedOrModelNotInstalledOrOutOfMemoryOrSettlementUnavailableOrShuttingDownOrStorageUnavailableOrTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/engine_unavailable",
                 *       "title": "An engine is not available",
                 *       "status": 503,
                 *       "detail": "An engine is not available.",
                 *       "code": "engine_unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An engine is not available (`engine_unavailable`); A model is not installed (`model_not_installed`); Payments cannot be settled now (`settlement_unavailable`); Shutting down (`shutting_down`); The storage cannot be used now (`storage_unavailable`). */
        EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/engine_unavailable",
                 *       "title": "An engine is not available",
                 *       "status": 503,
                 *       "detail": "An engine is not available.",
                 *       "code": "engine_unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An engine is not available (`engine_unavailable`); A model is not installed (`model_not_installed`); Shutting down (`shutting_down`); The storage cannot be used now (`storage_unavailable`); It took too long (`timeout`). */
        EngineUnavailableOrModelNotInstalledOrShuttingDownOrStorageUnavailableOrTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/engine_unavailable",
                 *       "title": "An engine is not available",
                 *       "status": 503,
                 *       "detail": "An engine is not available.",
                 *       "code": "engine_unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An engine is not available (`engine_unavailable`); Shutting down (`shutting_down`); The storage cannot be used now (`storage_unavailable`). */
        EngineUnavailableOrShuttingDownOrStorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/engine_unavailable",
                 *       "title": "An engine is not available",
                 *       "status": 503,
                 *       "detail": "An engine is not available.",
                 *       "code": "engine_unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not allowed (`forbidden`). */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/forbidden",
                 *       "title": "Not allowed",
                 *       "status": 403,
                 *       "detail": "Not allowed.",
                 *       "code": "forbidden"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not allowed (`forbidden`). */
        ForbiddenAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/forbidden",
                 *       "title": "Not allowed",
                 *       "status": 403,
                 *       "detail": "Not allowed.",
                 *       "code": "forbidden"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not allowed (`forbidden`). */
        ForbiddenAtOrigin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/forbidden",
                 *       "title": "Not allowed",
                 *       "status": 403,
                 *       "detail": "Not allowed.",
                 *       "code": "forbidden"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key belongs to another request (`idempotency_key_reused`). */
        IdempotencyKeyReused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/idempotency_key_reused",
                 *       "title": "The key belongs to another request",
                 *       "status": 422,
                 *       "detail": "The key belongs to another request.",
                 *       "code": "idempotency_key_reused"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error (`internal`). */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/internal",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "detail": "Internal error.",
                 *       "code": "internal"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error (`internal`). */
        InternalAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/internal",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "detail": "Internal error.",
                 *       "code": "internal"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Internal error (`internal`). */
        InternalAtOrigin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/internal",
                 *       "title": "Internal error",
                 *       "status": 500,
                 *       "detail": "Internal error.",
                 *       "code": "internal"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid (`invalid_request`). */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/invalid_request",
                 *       "title": "The request is not valid",
                 *       "status": 400,
                 *       "detail": "The request is not valid.",
                 *       "code": "invalid_request"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid (`invalid_request`). */
        InvalidRequestAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/invalid_request",
                 *       "title": "The request is not valid",
                 *       "status": 400,
                 *       "detail": "The request is not valid.",
                 *       "code": "invalid_request"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request is not valid (`invalid_request`). */
        InvalidRequestAtOrigin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/invalid_request",
                 *       "title": "The request is not valid",
                 *       "status": 400,
                 *       "detail": "The request is not valid.",
                 *       "code": "invalid_request"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The job has expired (`job_expired`). */
        JobExpired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/job_expired",
                 *       "title": "The job has expired",
                 *       "status": 410,
                 *       "detail": "The job has expired.",
                 *       "code": "job_expired"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not found (`not_found`). */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/not_found",
                 *       "title": "Not found",
                 *       "status": 404,
                 *       "detail": "Not found.",
                 *       "code": "not_found"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The range is outside the file (`range_not_satisfiable`). */
        RangeNotSatisfiable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Content-Range": components["headers"]["Content-Range"];
                ETag: components["headers"]["ETag"];
                "Accept-Ranges": components["headers"]["Accept-Ranges"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/range_not_satisfiable",
                 *       "title": "The range is outside the file",
                 *       "status": 416,
                 *       "detail": "The range is outside the file.",
                 *       "code": "range_not_satisfiable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests (`rate_limited`). */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/rate_limited",
                 *       "title": "Too many requests",
                 *       "status": 429,
                 *       "detail": "Too many requests.",
                 *       "code": "rate_limited"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests (`rate_limited`). */
        RateLimitedAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/rate_limited",
                 *       "title": "Too many requests",
                 *       "status": 429,
                 *       "detail": "Too many requests.",
                 *       "code": "rate_limited"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Shutting down (`shutting_down`); The storage cannot be used now (`storage_unavailable`). */
        ShuttingDownOrStorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/shutting_down",
                 *       "title": "Shutting down",
                 *       "status": 503,
                 *       "detail": "Shutting down.",
                 *       "code": "shutting_down"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Shutting down (`shutting_down`); The storage cannot be used now (`storage_unavailable`). */
        ShuttingDownOrStorageUnavailableAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/shutting_down",
                 *       "title": "Shutting down",
                 *       "status": 503,
                 *       "detail": "Shutting down.",
                 *       "code": "shutting_down"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source is too large (`source_too_large`); The source is of a kind that is not taken (`unsupported_media`). */
        SourceTooLargeOrUnsupportedMedia: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/source_too_large",
                 *       "title": "The source is too large",
                 *       "status": 422,
                 *       "detail": "The source is too large.",
                 *       "code": "source_too_large"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The disk is full (`storage_full`). */
        StorageFull: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/storage_full",
                 *       "title": "The disk is full",
                 *       "status": 507,
                 *       "detail": "The disk is full.",
                 *       "code": "storage_full"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The disk is full (`storage_full`). */
        StorageFullAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/storage_full",
                 *       "title": "The disk is full",
                 *       "status": 507,
                 *       "detail": "The disk is full.",
                 *       "code": "storage_full"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A credential is missing or wrong (`unauthorized`). */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unauthorized",
                 *       "title": "A credential is missing or wrong",
                 *       "status": 401,
                 *       "detail": "A credential is missing or wrong.",
                 *       "code": "unauthorized"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A credential is missing or wrong (`unauthorized`). */
        UnauthorizedAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unauthorized",
                 *       "title": "A credential is missing or wrong",
                 *       "status": 401,
                 *       "detail": "A credential is missing or wrong.",
                 *       "code": "unauthorized"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Content type not taken (`unsupported_content_type`). */
        UnsupportedContentType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unsupported_content_type",
                 *       "title": "Content type not taken",
                 *       "status": 415,
                 *       "detail": "Content type not taken.",
                 *       "code": "unsupported_content_type"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Content type not taken (`unsupported_content_type`). */
        UnsupportedContentTypeAtFacilitator: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unsupported_content_type",
                 *       "title": "Content type not taken",
                 *       "status": 415,
                 *       "detail": "Content type not taken.",
                 *       "code": "unsupported_content_type"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The source is of a kind that is not taken (`unsupported_media`). */
        UnsupportedMedia: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/unsupported_media",
                 *       "title": "The source is of a kind that is not taken",
                 *       "status": 422,
                 *       "detail": "The source is of a kind that is not taken.",
                 *       "code": "unsupported_media"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /**
         * @description Whether to answer with server-sent events: `accepted`, `token` for each piece, then `done` or `error`.
         * @example true
         */
        stream: boolean;
        /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
        "X-PAYMENT": string;
        /** @description The same for x402 version 2. */
        "PAYMENT-SIGNATURE": string;
        /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
        "Idempotency-Key": string;
        /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
        "Quarry-Tags": string;
        /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
        "Quarry-Metadata": string;
        /**
         * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
         * @example wait=30
         */
        Prefer: string;
    };
    requestBodies: never;
    headers: {
        /** @description Identifies this request in the logs; quote it in problem reports. */
        "X-Request-Id": string;
        /**
         * @description The quota `q` and its window `w` in seconds. Absent for the owner, who is not limited.
         * @example "default";q=600;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description Requests left (`r`) and seconds (`t`) until the whole quota is available again.
         * @example "default";r=599;t=60
         */
        RateLimit: string;
        /**
         * @description Whole seconds to wait; the next request passes after them.
         * @example 12
         */
        "Retry-After": number;
        /** @description The same URL as `statusUrl`. */
        Location: string;
        /**
         * @description The applied preferences.
         * @example wait=30
         */
        "Preference-Applied": string;
        /** @description Base64 JSON: the settlement record of a payment made with `X-PAYMENT`. */
        "X-PAYMENT-RESPONSE": string;
        /** @description Base64 JSON: the settlement record of a payment made with `PAYMENT-SIGNATURE`. */
        "PAYMENT-RESPONSE": string;
        /** @description Base64 JSON: the same challenge as x402 version 2, which the owner can switch off. With a 401, the message that a wallet signs to sign in. */
        "PAYMENT-REQUIRED": string;
        /**
         * @description The authentication scheme.
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description Identifies these bytes: send it in `If-None-Match` or `If-Range`.
         * @example "5z-mwssrkvb"
         */
        ETag: string;
        /**
         * @description The unit of ranges.
         * @example bytes
         */
        "Accept-Ranges": string;
        /**
         * @description The range sent, and the total size.
         * @example bytes 0-1023/65536
         */
        "Content-Range": string;
        /**
         * @description How many of the items have no result. The file names them.
         * @example 0
         */
        "X-Quarry-Left-Out": number;
        /**
         * @description The name of the file.
         * @example inline; filename="Report.md"
         */
        "Content-Disposition": string;
    };
    pathItems: never;
}
export type AiAgentRule = components['schemas']['AiAgentRule'];
export type Annotation = components['schemas']['Annotation'];
export type AudioAnalysis = components['schemas']['AudioAnalysis'];
export type AudioFormat = components['schemas']['AudioFormat'];
export type AudioPreviews = components['schemas']['AudioPreviews'];
export type AudioTrack = components['schemas']['AudioTrack'];
export type Batch = components['schemas']['Batch'];
export type BatchItem = components['schemas']['BatchItem'];
export type BatchPage = components['schemas']['BatchPage'];
export type BatchRequest = components['schemas']['BatchRequest'];
export type BulkResult = components['schemas']['BulkResult'];
export type Captions = components['schemas']['Captions'];
export type CapturedFrame = components['schemas']['CapturedFrame'];
export type Chunk = components['schemas']['Chunk'];
export type ChunkBox = components['schemas']['ChunkBox'];
export type Contribution = components['schemas']['Contribution'];
export type ContributionReport = components['schemas']['ContributionReport'];
export type ContributionRequest = components['schemas']['ContributionRequest'];
export type CorrectedWord = components['schemas']['CorrectedWord'];
export type CoveredSpan = components['schemas']['CoveredSpan'];
export type CrawlAccepted = components['schemas']['CrawlAccepted'];
export type CrawlAction = components['schemas']['CrawlAction'];
export type CrawlAddress = components['schemas']['CrawlAddress'];
export type CrawlEnded = components['schemas']['CrawlEnded'];
export type CrawlFactEvidence = components['schemas']['CrawlFactEvidence'];
export type CrawlGuardrailPage = components['schemas']['CrawlGuardrailPage'];
export type CrawlOutput = components['schemas']['CrawlOutput'];
export type CrawlPage = components['schemas']['CrawlPage'];
export type CrawlRequest = components['schemas']['CrawlRequest'];
export type CrawlSearchPage = components['schemas']['CrawlSearchPage'];
export type CrawlSkipped = components['schemas']['CrawlSkipped'];
export type CrawlStats = components['schemas']['CrawlStats'];
export type Digest = components['schemas']['Digest'];
export type DocumentChange = components['schemas']['DocumentChange'];
export type DocumentComment = components['schemas']['DocumentComment'];
export type DocumentFacts = components['schemas']['DocumentFacts'];
export type Doubt = components['schemas']['Doubt'];
export type EndedBatch = components['schemas']['EndedBatch'];
export type ExtractDocAccepted = components['schemas']['ExtractDocAccepted'];
export type ExtractDocOutput = components['schemas']['ExtractDocOutput'];
export type ExtractDocRequest = components['schemas']['ExtractDocRequest'];
export type ExtractHostedVideoAccepted = components['schemas']['ExtractHostedVideoAccepted'];
export type ExtractHostedVideoOutput = components['schemas']['ExtractHostedVideoOutput'];
export type ExtractHostedVideoRequest = components['schemas']['ExtractHostedVideoRequest'];
export type ExtractPdfAccepted = components['schemas']['ExtractPdfAccepted'];
export type ExtractPdfOutput = components['schemas']['ExtractPdfOutput'];
export type ExtractPdfRequest = components['schemas']['ExtractPdfRequest'];
export type ExtractVideoAccepted = components['schemas']['ExtractVideoAccepted'];
export type ExtractVideoOutput = components['schemas']['ExtractVideoOutput'];
export type ExtractVideoRequest = components['schemas']['ExtractVideoRequest'];
export type Extracted = components['schemas']['Extracted'];
export type ExtractedField = components['schemas']['ExtractedField'];
export type FieldCitation = components['schemas']['FieldCitation'];
export type GenerateAudioAccepted = components['schemas']['GenerateAudioAccepted'];
export type GenerateAudioEnded = components['schemas']['GenerateAudioEnded'];
export type GenerateAudioOutput = components['schemas']['GenerateAudioOutput'];
export type GenerateAudioRequest = components['schemas']['GenerateAudioRequest'];
export type GenerateTextAccepted = components['schemas']['GenerateTextAccepted'];
export type GenerateTextAnswer = components['schemas']['GenerateTextAnswer'];
export type GenerateTextOutput = components['schemas']['GenerateTextOutput'];
export type GenerateTextRequest = components['schemas']['GenerateTextRequest'];
export type GuardrailSign = components['schemas']['GuardrailSign'];
export type HeardChannel = components['schemas']['HeardChannel'];
export type HostedVideoFacts = components['schemas']['HostedVideoFacts'];
export type InstallChoice = components['schemas']['InstallChoice'];
export type Job = components['schemas']['Job'];
export type JobError = components['schemas']['JobError'];
export type JobFile = components['schemas']['JobFile'];
export type JobProgress = components['schemas']['JobProgress'];
export type JobWebhookRequest = components['schemas']['JobWebhookRequest'];
export type LeftOut = components['schemas']['LeftOut'];
export type LibraryCollection = components['schemas']['LibraryCollection'];
export type LibraryCollectionChange = components['schemas']['LibraryCollectionChange'];
export type LibraryCollectionRequest = components['schemas']['LibraryCollectionRequest'];
export type LibraryCounts = components['schemas']['LibraryCounts'];
export type LibraryExport = components['schemas']['LibraryExport'];
export type LibraryFilter = components['schemas']['LibraryFilter'];
export type LibraryFilterInput = components['schemas']['LibraryFilterInput'];
export type LibraryFound = components['schemas']['LibraryFound'];
export type LibraryItem = components['schemas']['LibraryItem'];
export type LibraryItemChange = components['schemas']['LibraryItemChange'];
export type LibraryManyChange = components['schemas']['LibraryManyChange'];
export type LibraryNote = components['schemas']['LibraryNote'];
export type LibraryNoteChange = components['schemas']['LibraryNoteChange'];
export type LibraryNoteRequest = components['schemas']['LibraryNoteRequest'];
export type LibraryOriginalsRequest = components['schemas']['LibraryOriginalsRequest'];
export type LibraryPosition = components['schemas']['LibraryPosition'];
export type LibraryPositionInput = components['schemas']['LibraryPositionInput'];
export type LibraryRelated = components['schemas']['LibraryRelated'];
export type LibraryVersion = components['schemas']['LibraryVersion'];
export type ListenFeed = components['schemas']['ListenFeed'];
export type ListenFeedRequest = components['schemas']['ListenFeedRequest'];
export type MediaFacts = components['schemas']['MediaFacts'];
export type MediaFileFacts = components['schemas']['MediaFileFacts'];
export type PageVersion = components['schemas']['PageVersion'];
export type PaymentChallenge = components['schemas']['PaymentChallenge'];
export type PaymentRequirements = components['schemas']['PaymentRequirements'];
export type Problem = components['schemas']['Problem'];
export type Reading = components['schemas']['Reading'];
export type ReadingPosition = components['schemas']['ReadingPosition'];
export type ReadingRequest = components['schemas']['ReadingRequest'];
export type RecognitionFacts = components['schemas']['RecognitionFacts'];
export type SearchAccepted = components['schemas']['SearchAccepted'];
export type SearchAnswer = components['schemas']['SearchAnswer'];
export type SearchFacets = components['schemas']['SearchFacets'];
export type SearchHit = components['schemas']['SearchHit'];
export type SearchOutput = components['schemas']['SearchOutput'];
export type SearchReply = components['schemas']['SearchReply'];
export type SearchRequest = components['schemas']['SearchRequest'];
export type SiteChange = components['schemas']['SiteChange'];
export type SiteChangeCounts = components['schemas']['SiteChangeCounts'];
export type SiteChanges = components['schemas']['SiteChanges'];
export type SourceAccount = components['schemas']['SourceAccount'];
export type Speaker = components['schemas']['Speaker'];
export type SpokenPart = components['schemas']['SpokenPart'];
export type SubtitleOptions = components['schemas']['SubtitleOptions'];
export type SubtitleTrack = components['schemas']['SubtitleTrack'];
export type TokenUsage = components['schemas']['TokenUsage'];
export type TranscriptFacts = components['schemas']['TranscriptFacts'];
export type TranscriptSegment = components['schemas']['TranscriptSegment'];
export type TranscriptWord = components['schemas']['TranscriptWord'];
export type VideoChapter = components['schemas']['VideoChapter'];
export type Voice = components['schemas']['Voice'];
export type WaitingFor = components['schemas']['WaitingFor'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookRequest = components['schemas']['WebhookRequest'];
export type WebhookUpdate = components['schemas']['WebhookUpdate'];
export type WebhooksAccepted = components['schemas']['WebhooksAccepted'];
export type WebhooksOutput = components['schemas']['WebhooksOutput'];
export type ResponseBodyTooLarge = components['responses']['BodyTooLarge'];
export type ResponseBodyTooLargeAtFacilitator = components['responses']['BodyTooLargeAtFacilitator'];
export type ResponseCancelledOrConflict = components['responses']['CancelledOrConflict'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseConflictAtFacilitator = components['responses']['ConflictAtFacilitator'];
export type ResponseCorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia = components['responses']['CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia'];
export type ResponseEngineFailedOrInternal = components['responses']['EngineFailedOrInternal'];
export type ResponseEngineUnavailableOrInterruptedOrModelNotInstalledOrOutOfMemoryOrSettlementUnavailableOrShuttingDownOrStorageUnavailableOrTimeout = components['responses']['EngineUnavailableOrInterruptedOrModelNotInstalledOrOutOfMemoryOrSettlementUnavailableOrShuttingDownOrStorageUnavailableOrTimeout'];
export type ResponseEngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable = components['responses']['EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable'];
export type ResponseEngineUnavailableOrModelNotInstalledOrShuttingDownOrStorageUnavailableOrTimeout = components['responses']['EngineUnavailableOrModelNotInstalledOrShuttingDownOrStorageUnavailableOrTimeout'];
export type ResponseEngineUnavailableOrShuttingDownOrStorageUnavailable = components['responses']['EngineUnavailableOrShuttingDownOrStorageUnavailable'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseForbiddenAtFacilitator = components['responses']['ForbiddenAtFacilitator'];
export type ResponseForbiddenAtOrigin = components['responses']['ForbiddenAtOrigin'];
export type ResponseIdempotencyKeyReused = components['responses']['IdempotencyKeyReused'];
export type ResponseInternal = components['responses']['Internal'];
export type ResponseInternalAtFacilitator = components['responses']['InternalAtFacilitator'];
export type ResponseInternalAtOrigin = components['responses']['InternalAtOrigin'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseInvalidRequestAtFacilitator = components['responses']['InvalidRequestAtFacilitator'];
export type ResponseInvalidRequestAtOrigin = components['responses']['InvalidRequestAtOrigin'];
export type ResponseJobExpired = components['responses']['JobExpired'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseRangeNotSatisfiable = components['responses']['RangeNotSatisfiable'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseRateLimitedAtFacilitator = components['responses']['RateLimitedAtFacilitator'];
export type ResponseShuttingDownOrStorageUnavailable = components['responses']['ShuttingDownOrStorageUnavailable'];
export type ResponseShuttingDownOrStorageUnavailableAtFacilitator = components['responses']['ShuttingDownOrStorageUnavailableAtFacilitator'];
export type ResponseSourceTooLargeOrUnsupportedMedia = components['responses']['SourceTooLargeOrUnsupportedMedia'];
export type ResponseStorageFull = components['responses']['StorageFull'];
export type ResponseStorageFullAtFacilitator = components['responses']['StorageFullAtFacilitator'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseUnauthorizedAtFacilitator = components['responses']['UnauthorizedAtFacilitator'];
export type ResponseUnsupportedContentType = components['responses']['UnsupportedContentType'];
export type ResponseUnsupportedContentTypeAtFacilitator = components['responses']['UnsupportedContentTypeAtFacilitator'];
export type ResponseUnsupportedMedia = components['responses']['UnsupportedMedia'];
export type ParameterStream = components['parameters']['stream'];
export type ParameterXPayment = components['parameters']['X-PAYMENT'];
export type ParameterPaymentSignature = components['parameters']['PAYMENT-SIGNATURE'];
export type ParameterIdempotencyKey = components['parameters']['Idempotency-Key'];
export type ParameterQuarryTags = components['parameters']['Quarry-Tags'];
export type ParameterQuarryMetadata = components['parameters']['Quarry-Metadata'];
export type ParameterPrefer = components['parameters']['Prefer'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderLocation = components['headers']['Location'];
export type HeaderPreferenceApplied = components['headers']['Preference-Applied'];
export type HeaderXPaymentResponse = components['headers']['X-PAYMENT-RESPONSE'];
export type HeaderPaymentResponse = components['headers']['PAYMENT-RESPONSE'];
export type HeaderPaymentRequired = components['headers']['PAYMENT-REQUIRED'];
export type HeaderWwwAuthenticate = components['headers']['WWW-Authenticate'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderAcceptRanges = components['headers']['Accept-Ranges'];
export type HeaderContentRange = components['headers']['Content-Range'];
export type HeaderXQuarryLeftOut = components['headers']['X-Quarry-Left-Out'];
export type HeaderContentDisposition = components['headers']['Content-Disposition'];
export type $defs = Record<string, never>;
export interface operations {
    crawl: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://docs.example/guide/",
                 *       "depth": 2
                 *     }
                 */
                "application/json": components["schemas"]["CrawlRequest"];
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "crawlId": "crl_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "rootUrl": "https://docs.example/guide/",
                     *       "jobId": "crl_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "crawl",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/crl_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 20
                     *     }
                     */
                    "application/json": components["schemas"]["CrawlAccepted"] | components["schemas"]["CrawlEnded"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "300000",
                     *           "resource": "POST /crawl",
                     *           "description": "Crawl a site into data for search, prompts and guardrails",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 300,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    extractHostedVideo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sourceUrl": "https://videos.example/watch/harbour-talk"
                 *     }
                 */
                "application/json": components["schemas"]["ExtractHostedVideoRequest"];
                "multipart/form-data": {
                    /** @description The file itself. */
                    file: string;
                    /** @description A label stored with the result. */
                    sourceName?: string;
                    /** @default {} */
                    options?: {
                        /**
                         * @description A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.
                         * @example auto
                         * @example whisper-large-v3
                         */
                        transcriptionModel?: string;
                        /**
                         * @description Take official captions where there are any; false gives raw speech recognition.
                         * @default true
                         */
                        includeCaptions?: boolean;
                        /**
                         * @description Include chapter markers.
                         * @default true
                         */
                        captureChapters?: boolean;
                        /**
                         * @description Find who speaks: true, or the number of speakers where it is known. Needs a speaker model.
                         * @default false
                         */
                        speakers?: boolean | number;
                        /**
                         * @description Calls and interviews often have one person on each channel, or on each track: `separate` transcribes each for itself, and its name is the speaker. `auto` does so where they hold different people, and says it.
                         * @default auto
                         * @enum {string}
                         */
                        channels?: "auto" | "mixed" | "separate";
                        /**
                         * @description Names and terms to expect. Whisper models in ggml format and Zipformer transducers take them; others warn.
                         * @default []
                         */
                        vocabulary?: string[];
                        /**
                         * @description Write English, whatever is spoken. Needs a Whisper model.
                         * @enum {string}
                         */
                        translate?: "en";
                        /**
                         * @description Target characters per chunk.
                         * @default 800
                         */
                        segmentLength?: number;
                        /** @description Number of the sound track, where the file has several. By default the language decides, then the file. */
                        audioTrack?: number;
                        /**
                         * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                         * @example {
                         *       "type": "object",
                         *       "properties": {
                         *         "total": {
                         *           "type": "number",
                         *           "description": "Total with tax"
                         *         }
                         *       }
                         *     }
                         */
                        schema?: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description Summarise the recording: a title, a summary, chapters and action items by a text model on this machine, each sentence with its second. A sentence that shares no words with its source is left out.
                         * @default false
                         */
                        digest?: boolean;
                        /** @description Layout of the caption files. */
                        subtitles?: components["schemas"]["SubtitleOptions"];
                        /**
                         * @description Begin each line of transcript.txt with its time: `[1:02:03]`.
                         * @default false
                         */
                        textTimes?: boolean;
                    };
                    /**
                     * Format: uri
                     * @description HTTPS URL that is called when the job has finished.
                     */
                    webhookUrl?: string;
                };
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "extract/hosted-video",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 60
                     *     }
                     */
                    "application/json": components["schemas"]["ExtractHostedVideoAccepted"] | components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "240000",
                     *           "resource": "POST /extract/hosted-video",
                     *           "description": "Transcribe a video that is hosted on the web",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 900,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    extractVideo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sourceUrl": "https://media.example/talk.mp4",
                 *       "options": {
                 *         "captureFrames": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ExtractVideoRequest"];
                "multipart/form-data": {
                    /** @description The file itself. */
                    file: string;
                    /** @description A label stored with the result. */
                    sourceName?: string;
                    /** @default {} */
                    options?: {
                        /**
                         * @description A speech model’s name, for example whisper-large-v3; auto or none is the best installed one.
                         * @example auto
                         * @example whisper-large-v3
                         */
                        transcriptionModel?: string;
                        /**
                         * @description Take pictures of the video and read the text in them.
                         * @default false
                         */
                        captureFrames?: boolean;
                        /**
                         * @description Seconds between two pictures, where captureFrames is true.
                         * @default 30
                         */
                        frameIntervalSeconds?: number;
                        /**
                         * @description Find who speaks: true, or the number of speakers where it is known. Needs a speaker model.
                         * @default false
                         */
                        speakers?: boolean | number;
                        /**
                         * @description Calls and interviews often have one person on each channel, or on each track: `separate` transcribes each for itself, and its name is the speaker. `auto` does so where they hold different people, and says it.
                         * @default auto
                         * @enum {string}
                         */
                        channels?: "auto" | "mixed" | "separate";
                        /**
                         * @description Names and terms to expect. Whisper models in ggml format and Zipformer transducers take them; others warn.
                         * @default []
                         */
                        vocabulary?: string[];
                        /**
                         * @description Write English, whatever is spoken. Needs a Whisper model.
                         * @enum {string}
                         */
                        translate?: "en";
                        /**
                         * @description Target characters per chunk.
                         * @default 900
                         */
                        segmentLength?: number;
                        /** @description ISO language hint. */
                        language?: string;
                        /** @description Number of the sound track, where the file has several. By default the language decides, then the file. */
                        audioTrack?: number;
                        /**
                         * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                         * @example {
                         *       "type": "object",
                         *       "properties": {
                         *         "total": {
                         *           "type": "number",
                         *           "description": "Total with tax"
                         *         }
                         *       }
                         *     }
                         */
                        schema?: {
                            [key: string]: unknown;
                        };
                        /**
                         * @description Summarise the recording: a title, a summary, chapters and action items by a text model on this machine, each sentence with its second. A sentence that shares no words with its source is left out.
                         * @default false
                         */
                        digest?: boolean;
                        /** @description Layout of the caption files. */
                        subtitles?: components["schemas"]["SubtitleOptions"];
                        /**
                         * @description Begin each line of transcript.txt with its time: `[1:02:03]`.
                         * @default false
                         */
                        textTimes?: boolean;
                    };
                    /**
                     * Format: uri
                     * @description HTTPS URL that is called when the job has finished.
                     */
                    webhookUrl?: string;
                };
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "extract/video",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 30
                     *     }
                     */
                    "application/json": components["schemas"]["ExtractVideoAccepted"] | components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "280000",
                     *           "resource": "POST /extract/video",
                     *           "description": "Transcribe a video or audio file",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 900,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    extractDoc: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sourceUrl": "https://files.example/annual-report.docx",
                 *       "sourceName": "Annual report"
                 *     }
                 */
                "application/json": components["schemas"]["ExtractDocRequest"];
                "multipart/form-data": {
                    /** @description The file itself. */
                    file: string;
                    /** @description A label stored with the result. */
                    sourceName?: string;
                    /** @default {} */
                    options?: {
                        /**
                         * @description Target characters per chunk.
                         * @default 1000
                         */
                        segmentLength?: number;
                        /** @description ISO language hint. */
                        language?: string;
                        /**
                         * @description Keep tracked changes and comments. By default they are removed.
                         * @default false
                         */
                        includeComments?: boolean;
                        /**
                         * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                         * @example {
                         *       "type": "object",
                         *       "properties": {
                         *         "total": {
                         *           "type": "number",
                         *           "description": "Total with tax"
                         *         }
                         *       }
                         *     }
                         */
                        schema?: {
                            [key: string]: unknown;
                        };
                        /**
                         * Format: password
                         * @description Password of a PDF, Office or OpenDocument file that needs one. It stays in memory and is never stored: after a restart of Quarry, an unfinished job with it fails and must be sent again.
                         */
                        password?: string;
                    };
                    /**
                     * Format: uri
                     * @description HTTPS URL that is called when the job has finished.
                     */
                    webhookUrl?: string;
                };
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. For a source under 1 MB the answer waits up to 1.5 s for the result. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "extract/doc",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ExtractDocAccepted"] | components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "140000",
                     *           "resource": "POST /extract/doc",
                     *           "description": "Extract the text of a document as chunks",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 300,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    extractPdf: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sourceUrl": "https://files.example/annual-report.pdf",
                 *       "sourceName": "Annual report"
                 *     }
                 */
                "application/json": components["schemas"]["ExtractPdfRequest"];
                "multipart/form-data": {
                    /** @description The file itself. */
                    file: string;
                    /** @description A label stored with the result. */
                    sourceName?: string;
                    /** @default {} */
                    options?: {
                        /**
                         * @description Target characters per chunk.
                         * @default 1000
                         */
                        segmentLength?: number;
                        /** @description ISO language hint. */
                        language?: string;
                        /**
                         * @description Keep tracked changes and comments. By default they are removed.
                         * @default false
                         */
                        includeComments?: boolean;
                        /**
                         * @description A JSON Schema of an object. A text model on this machine reads its values from the text, each with the words that state it; a value that the text does not state is null. The result has them in `extracted`.
                         * @example {
                         *       "type": "object",
                         *       "properties": {
                         *         "total": {
                         *           "type": "number",
                         *           "description": "Total with tax"
                         *         }
                         *       }
                         *     }
                         */
                        schema?: {
                            [key: string]: unknown;
                        };
                        /**
                         * Format: password
                         * @description Password of a PDF, Office or OpenDocument file that needs one. It stays in memory and is never stored: after a restart of Quarry, an unfinished job with it fails and must be sent again.
                         */
                        password?: string;
                    };
                    /**
                     * Format: uri
                     * @description HTTPS URL that is called when the job has finished.
                     */
                    webhookUrl?: string;
                };
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "extract/pdf",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 2
                     *     }
                     */
                    "application/json": components["schemas"]["ExtractPdfAccepted"] | components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "140000",
                     *           "resource": "POST /extract/pdf",
                     *           "description": "Extract the text of a PDF as chunks with page numbers",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 300,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    generateAudio: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Welcome. The tide turns at noon.",
                 *       "voice": "clara"
                 *     }
                 */
                "application/json": components["schemas"]["GenerateAudioRequest"];
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "previews": {
                     *         "wav": {
                     *           "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/preview.wav",
                     *           "sizeBytes": 87884,
                     *           "mediaType": "audio/wav"
                     *         },
                     *         "mp3": {
                     *           "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/preview.mp3",
                     *           "sizeBytes": 34303,
                     *           "mediaType": "audio/mpeg"
                     *         },
                     *         "durationSeconds": 2.745
                     *       },
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "generate/audio",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 3
                     *     }
                     */
                    "application/json": components["schemas"]["GenerateAudioAccepted"] | components["schemas"]["GenerateAudioEnded"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "150000",
                     *           "resource": "POST /generate/audio",
                     *           "description": "Make speech, music or a soundscape from a prompt",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 180,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    generateText: {
        parameters: {
            query?: {
                /**
                 * @description Whether to answer with server-sent events: `accepted`, `token` for each piece, then `done` or `error`.
                 * @example true
                 */
                stream?: components["parameters"]["stream"];
            };
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prompt": "Write one sentence about a calm morning by the sea.",
                 *       "maxTokens": 40
                 *     }
                 */
                "application/json": components["schemas"]["GenerateTextRequest"];
            };
        };
        responses: {
            /** @description The result. It can be read again later with GET /jobs/{jobId}. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "txt_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "result": {
                     *         "content": "The sea lay still.",
                     *         "model": "qwen3-1.7b",
                     *         "finishReason": "stop",
                     *         "usage": {
                     *           "promptTokens": 20,
                     *           "completionTokens": 5,
                     *           "totalTokens": 25
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GenerateTextAnswer"];
                    /**
                     * @example event: accepted
                     *     data: {"jobId":"txt_3v1cQm0pXbJ2nT8yLk5sWd7RfGh","statusUrl":"http://127.0.0.1:8402/v1/jobs/txt_3v1cQm0pXbJ2nT8yLk5sWd7RfGh"}
                     *
                     *     event: token
                     *     data: {"text":"The"}
                     *
                     *     event: token
                     *     data: {"text":" sea"}
                     *
                     *     event: token
                     *     data: {"text":" lay"}
                     *
                     *     event: token
                     *     data: {"text":" still."}
                     *
                     *     event: done
                     *     data: {"jobId":"txt_3v1cQm0pXbJ2nT8yLk5sWd7RfGh","result":{"content":"The sea lay still.","model":"qwen3-1.7b","finishReason":"stop","usage":{"promptTokens":20,"completionTokens":5,"totalTokens":25}}}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description For `Prefer: install`: something must be installed first. The job runs when it is there. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "txt_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "generate/text",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/txt_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 5
                     *     }
                     */
                    "application/json": components["schemas"]["GenerateTextAccepted"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "10000",
                     *           "resource": "POST /generate/text",
                     *           "description": "Write text with a local model",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 60,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["CancelledOrConflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrInterruptedOrModelNotInstalledOrOutOfMemoryOrSettlementUnavailableOrShuttingDownOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    search: {
        parameters: {
            query?: {
                /**
                 * @description Whether to answer with server-sent events: `accepted`, `token` for each piece, then `done` or `error`.
                 * @example true
                 */
                stream?: components["parameters"]["stream"];
            };
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": "sales second quarter"
                 *     }
                 */
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description The result. It can be read again later with GET /jobs/{jobId}. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "chunkId": "chk_7b4226f88f7e5f624eec5fb467c68794",
                     *           "jobId": "job_9Tz4bWm1qVcR6nX3sLd8pYf5JkH",
                     *           "score": 1,
                     *           "text": "Sales rose in the second quarter and stayed there.",
                     *           "snippet": "Sales rose in the second quarter and stayed there.",
                     *           "highlights": [
                     *             {
                     *               "start": 0,
                     *               "end": 5
                     *             },
                     *             {
                     *               "start": 18,
                     *               "end": 24
                     *             },
                     *             {
                     *               "start": 25,
                     *               "end": 32
                     *             }
                     *           ],
                     *           "page": 1,
                     *           "heading": null,
                     *           "sourceName": "Annual report",
                     *           "url": null,
                     *           "kind": "text"
                     *         }
                     *       ],
                     *       "corrected": [],
                     *       "legs": [
                     *         "lexical",
                     *         "topics"
                     *       ],
                     *       "meaning": "lsi",
                     *       "warnings": [],
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh"
                     *     }
                     */
                    "application/json": components["schemas"]["SearchAnswer"];
                    /**
                     * @example event: accepted
                     *     data: {"jobId":"job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh","statusUrl":"http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh"}
                     *
                     *     event: done
                     *     data: {"results":[{"chunkId":"chk_7b4226f88f7e5f624eec5fb467c68794","jobId":"job_9Tz4bWm1qVcR6nX3sLd8pYf5JkH","score":1,"text":"Sales rose in the second quarter and stayed there.","snippet":"Sales rose in the second quarter and stayed there.","highlights":[{"start":0,"end":5},{"start":18,"end":24},{"start":25,"end":32}],"page":1,"heading":null,"sourceName":"Annual report","url":null,"kind":"text"}],"corrected":[],"legs":["lexical","topics"],"meaning":"lsi","warnings":[],"jobId":"job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description For `Prefer: install`: something must be installed first. The job runs when it is there. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "search",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 1
                     *     }
                     */
                    "application/json": components["schemas"]["SearchAccepted"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "1000",
                     *           "resource": "POST /search",
                     *           "description": "Search what your jobs have extracted",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 60,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["CancelledOrConflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrInterruptedOrModelNotInstalledOrOutOfMemoryOrSettlementUnavailableOrShuttingDownOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "webhookId": "whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh",
                     *         "url": "https://app.example/hooks/quarry",
                     *         "events": [
                     *           "job.completed",
                     *           "job.failed"
                     *         ],
                     *         "status": "active",
                     *         "hasSecret": true,
                     *         "createdAt": "2026-03-02T09:30:00.000Z",
                     *         "updatedAt": "2026-03-02T09:30:00.000Z",
                     *         "lastDelivery": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    webhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://app.example/hooks/quarry",
                 *       "events": [
                 *         "job.completed",
                 *         "job.failed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description Accepted. If the request waits and the job ends in time, this is the whole job object. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "webhooks",
                     *       "status": "queued",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "etaSeconds": 1
                     *     }
                     */
                    "application/json": components["schemas"]["WebhooksAccepted"] | components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the proof in `X-PAYMENT`. `error` states why a proof was refused. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 1,
                     *       "accepts": [
                     *         {
                     *           "scheme": "exact",
                     *           "network": "base-sepolia",
                     *           "maxAmountRequired": "10000",
                     *           "resource": "POST /webhooks",
                     *           "description": "Register a webhook for all jobs of the account",
                     *           "mimeType": "application/json",
                     *           "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                     *           "maxTimeoutSeconds": 300,
                     *           "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                     *           "extra": {
                     *             "name": "USDC",
                     *             "version": "1"
                     *           }
                     *         }
                     *       ],
                     *       "error": null
                     *     }
                     */
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["IdempotencyKeyReused"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSupportedPayments: {
        parameters: {
            query?: {
                /**
                 * @description Only kinds of this x402 version: old clients refuse an answer that names newer ones.
                 * @example 1
                 */
                version?: "1" | "2";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kinds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kinds": [
                     *         {
                     *           "x402Version": 1,
                     *           "scheme": "exact",
                     *           "network": "base-sepolia"
                     *         }
                     *       ],
                     *       "extensions": [],
                     *       "signers": {}
                     *     }
                     */
                    "application/json": {
                        kinds: ({
                            x402Version: number;
                            scheme: string;
                            network: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequestAtOrigin"];
            403: components["responses"]["ForbiddenAtOrigin"];
            500: components["responses"]["InternalAtOrigin"];
        };
    };
    verifyPayment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "x402Version": 1,
                 *       "paymentPayload": {
                 *         "x402Version": 1,
                 *         "scheme": "exact",
                 *         "network": "base-sepolia",
                 *         "payload": {
                 *           "signature": "0x5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b1c",
                 *           "authorization": {
                 *             "from": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
                 *             "to": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                 *             "value": "140000",
                 *             "validAfter": "1772443200",
                 *             "validBefore": "1772444100",
                 *             "nonce": "0x7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e"
                 *           }
                 *         }
                 *       },
                 *       "paymentRequirements": {
                 *         "scheme": "exact",
                 *         "network": "base-sepolia",
                 *         "maxAmountRequired": "140000",
                 *         "resource": "POST /extract/doc",
                 *         "description": "Extract the text of a document as chunks",
                 *         "mimeType": "application/json",
                 *         "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                 *         "maxTimeoutSeconds": 300,
                 *         "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                 *         "extra": {
                 *           "name": "USDC",
                 *           "version": "1"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    x402Version?: 1 | 2;
                    /** @description The decoded value of `X-PAYMENT`. */
                    paymentPayload: {
                        x402Version: number;
                    } & {
                        [key: string]: unknown;
                    };
                    /** @description The `accepts` entry it was made for. */
                    paymentRequirements: {
                        scheme: string;
                        network: string;
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Whether it would. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isValid": true,
                     *       "payer": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
                     *     }
                     */
                    "application/json": {
                        isValid: boolean;
                        /** @description One of x402’s own codes. */
                        invalidReason?: string;
                        payer?: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request could not be read as x402 at all. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "isValid": false,
                     *       "invalidReason": "invalid_payload"
                     *     }
                     */
                    "application/json": {
                        isValid: boolean;
                        /** @description One of x402’s own codes. */
                        invalidReason?: string;
                        payer?: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            403: components["responses"]["ForbiddenAtFacilitator"];
            413: components["responses"]["BodyTooLargeAtFacilitator"];
            415: components["responses"]["UnsupportedContentTypeAtFacilitator"];
            429: components["responses"]["RateLimitedAtFacilitator"];
            500: components["responses"]["InternalAtFacilitator"];
            503: components["responses"]["ShuttingDownOrStorageUnavailableAtFacilitator"];
            507: components["responses"]["StorageFullAtFacilitator"];
        };
    };
    settlePayment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "x402Version": 1,
                 *       "paymentPayload": {
                 *         "x402Version": 1,
                 *         "scheme": "exact",
                 *         "network": "base-sepolia",
                 *         "payload": {
                 *           "signature": "0x5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b1c",
                 *           "authorization": {
                 *             "from": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
                 *             "to": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                 *             "value": "140000",
                 *             "validAfter": "1772443200",
                 *             "validBefore": "1772444100",
                 *             "nonce": "0x7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e"
                 *           }
                 *         }
                 *       },
                 *       "paymentRequirements": {
                 *         "scheme": "exact",
                 *         "network": "base-sepolia",
                 *         "maxAmountRequired": "140000",
                 *         "resource": "POST /extract/doc",
                 *         "description": "Extract the text of a document as chunks",
                 *         "mimeType": "application/json",
                 *         "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                 *         "maxTimeoutSeconds": 300,
                 *         "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                 *         "extra": {
                 *           "name": "USDC",
                 *           "version": "1"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    x402Version?: 1 | 2;
                    /** @description The decoded value of `X-PAYMENT`. */
                    paymentPayload: {
                        x402Version: number;
                    } & {
                        [key: string]: unknown;
                    };
                    /** @description The `accepts` entry it was made for. */
                    paymentRequirements: {
                        scheme: string;
                        network: string;
                    } & {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Whether it did. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "payer": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
                     *       "transaction": "0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
                     *       "network": "base-sepolia"
                     *     }
                     */
                    "application/json": {
                        success: boolean;
                        /** @description One of x402’s own codes. */
                        errorReason?: string;
                        payer?: string;
                        transaction: string;
                        network: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The request could not be read as x402 at all. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "errorReason": "invalid_payload",
                     *       "transaction": "",
                     *       "network": "base-sepolia"
                     *     }
                     */
                    "application/json": {
                        success: boolean;
                        /** @description One of x402’s own codes. */
                        errorReason?: string;
                        payer?: string;
                        transaction: string;
                        network: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            403: components["responses"]["ForbiddenAtFacilitator"];
            413: components["responses"]["BodyTooLargeAtFacilitator"];
            415: components["responses"]["UnsupportedContentTypeAtFacilitator"];
            429: components["responses"]["RateLimitedAtFacilitator"];
            500: components["responses"]["InternalAtFacilitator"];
            503: components["responses"]["ShuttingDownOrStorageUnavailableAtFacilitator"];
            507: components["responses"]["StorageFullAtFacilitator"];
        };
    };
    payInSandbox: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `wallet` of an earlier answer, to use that demo wallet again.
                 * @example dwl_3q2-7wAAAAAAAAAAAAAAAAAAAAA
                 */
                "X-Demo-Wallet"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scheme": "exact",
                 *       "network": "base-sepolia",
                 *       "maxAmountRequired": "140000",
                 *       "resource": "POST /extract/doc",
                 *       "description": "Extract the text of a document as chunks",
                 *       "mimeType": "application/json",
                 *       "payTo": "0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98",
                 *       "maxTimeoutSeconds": 300,
                 *       "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
                 *       "extra": {
                 *         "name": "USDC",
                 *         "version": "1"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @constant */
                    scheme: "exact";
                    network: string;
                    /** @description Integer amount in the 6-decimal unit of the asset. */
                    maxAmountRequired: string;
                    /** @description Method and path of the operation, for example POST /crawl. */
                    resource: string;
                    description: string;
                    /** @constant */
                    mimeType: "application/json";
                    payTo: string;
                    maxTimeoutSeconds: number;
                    asset: string;
                    extra: {
                        name: string;
                        version: string;
                    };
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Signed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "payload": "eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiYmFzZS1zZXBvbGlhIiwicGF5bG9hZCI6eyJzaWduYXR1cmUiOiIweDViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViNWI1YjViMWMiLCJhdXRob3JpemF0aW9uIjp7ImZyb20iOiIweGExYTFhMWExYTFhMWExYTFhMWExYTFhMWExYTFhMWExYTFhMWExYTEiLCJ0byI6IjB4Rjc2QTFGMDcwODEyQTBGYTcxRkMyOTlmYWIzQWNiYTMyMTRGQ2I5OCIsInZhbHVlIjoiMTQwMDAwIiwidmFsaWRBZnRlciI6IjE3NzI0NDMyMDAiLCJ2YWxpZEJlZm9yZSI6IjE3NzI0NDQxMDAiLCJub25jZSI6IjB4N2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZTdlN2U3ZSJ9fX0=",
                     *       "wallet": "dwl_3q2-7wAAAAAAAAAAAAAAAAAAAAA"
                     *     }
                     */
                    "application/json": {
                        /** @description Base64. */
                        payload: string;
                        /** @description A secret that names the demo wallet. Absent in answers to the owner. */
                        wallet?: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequestAtFacilitator"];
            401: components["responses"]["UnauthorizedAtFacilitator"];
            403: components["responses"]["ForbiddenAtFacilitator"];
            409: components["responses"]["ConflictAtFacilitator"];
            413: components["responses"]["BodyTooLargeAtFacilitator"];
            415: components["responses"]["UnsupportedContentTypeAtFacilitator"];
            429: components["responses"]["RateLimitedAtFacilitator"];
            500: components["responses"]["InternalAtFacilitator"];
            503: components["responses"]["ShuttingDownOrStorageUnavailableAtFacilitator"];
            507: components["responses"]["StorageFullAtFacilitator"];
        };
    };
    getPlayMoney: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `wallet` of an earlier answer, to use that demo wallet again.
                 * @example dwl_3q2-7wAAAAAAAAAAAAAAAAAAAAA
                 */
                "X-Demo-Wallet"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "amount": 100000000
                 *     }
                 */
                "application/json": {
                    /** @description Receives the play money; by default the caller's demo wallet. */
                    address?: string;
                    /** @description In the 6-decimal unit; 100000000 by default. */
                    amount?: number;
                };
            };
        };
        responses: {
            /** @description The wallet with its new balance. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address": "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1",
                     *       "balance": 100000000,
                     *       "demo": true,
                     *       "wallet": "dwl_3q2-7wAAAAAAAAAAAAAAAAAAAAA"
                     *     }
                     */
                    "application/json": {
                        address: string;
                        /** @description In the 6-decimal unit. */
                        balance: number;
                        /** @description Whether it is a wallet whose key the sandbox holds. */
                        demo: boolean;
                        /** @description A secret that names the demo wallet. Absent in answers to the owner. */
                        wallet?: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequestAtFacilitator"];
            401: components["responses"]["UnauthorizedAtFacilitator"];
            403: components["responses"]["ForbiddenAtFacilitator"];
            409: components["responses"]["ConflictAtFacilitator"];
            413: components["responses"]["BodyTooLargeAtFacilitator"];
            415: components["responses"]["UnsupportedContentTypeAtFacilitator"];
            429: components["responses"]["RateLimitedAtFacilitator"];
            500: components["responses"]["InternalAtFacilitator"];
            503: components["responses"]["ShuttingDownOrStorageUnavailableAtFacilitator"];
            507: components["responses"]["StorageFullAtFacilitator"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description Only jobs in this status. */
                status?: "queued" | "processing" | "completed" | "failed";
                /**
                 * @description Only jobs of this operation.
                 * @example extract/doc
                 */
                jobType?: string;
                /**
                 * @description Only jobs with this tag.
                 * @example invoices
                 */
                tag?: string;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
                /** @description Jobs per page. */
                limit?: number;
            };
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of jobs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobs": [
                     *         {
                     *           "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *           "jobType": "extract/doc",
                     *           "status": "completed",
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.412Z",
                     *           "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *           "result": {
                     *             "chunks": [
                     *               {
                     *                 "id": "chk_cbecfc0e7834fa06c9d7040951bd1cfb",
                     *                 "text": "The year began quietly, and sales were flat until March.\n\nSales rose in the second quarter and stayed there.",
                     *                 "page": 1,
                     *                 "segmentIndex": 0,
                     *                 "kind": "text",
                     *                 "pageEnd": 1,
                     *                 "startOffset": 0,
                     *                 "endOffset": 108,
                     *                 "tokens": 28
                     *               }
                     *             ],
                     *             "document": {
                     *               "format": "docx",
                     *               "title": "Annual report",
                     *               "author": null,
                     *               "pages": 1,
                     *               "words": 19,
                     *               "characters": 108,
                     *               "language": "en",
                     *               "revisions": "none",
                     *               "tokenizer": "quarry-estimate-1"
                     *             },
                     *             "files": [
                     *               {
                     *                 "name": "document.md",
                     *                 "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.md"
                     *               },
                     *               {
                     *                 "name": "document.txt",
                     *                 "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.txt"
                     *               },
                     *               {
                     *                 "name": "chunks.jsonl",
                     *                 "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/chunks.jsonl"
                     *               },
                     *               {
                     *                 "name": "docling.json",
                     *                 "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/docling.json"
                     *               }
                     *             ],
                     *             "account": {
                     *               "unit": "letters",
                     *               "source": 86,
                     *               "delivered": 86,
                     *               "leftOut": [],
                     *               "unexplained": 0
                     *             },
                     *             "warnings": []
                     *           },
                     *           "events": [
                     *             "job.completed"
                     *           ],
                     *           "progress": {
                     *             "percent": 100,
                     *             "stage": "completed",
                     *             "message": "Done."
                     *           },
                     *           "expiresAt": "2026-03-05T09:30:00.412Z",
                     *           "sourceName": "Annual report"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        jobs: components["schemas"]["Job"][];
                        /** @description Give it as `cursor` for the next page; null on the last. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeJobs: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "cancel",
                 *       "filter": {
                 *         "tag": "invoices",
                 *         "status": "queued"
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description cancel: ends jobs that have not ended. delete: removes ended ones. retry: runs failed ones again.
                     * @enum {string}
                     */
                    action: "cancel" | "delete" | "retry";
                    /** @description These jobs. */
                    jobIds?: string[];
                    /** @description The jobs of your list that meet all conditions, newest first. */
                    filter?: {
                        /** @enum {string} */
                        status?: "queued" | "processing" | "completed" | "failed";
                        jobType?: string;
                        tag?: string;
                    };
                    /**
                     * @description Most jobs of the filter in this call.
                     * @default 100
                     */
                    limit?: number;
                    cursor?: string;
                };
            };
        };
        responses: {
            /** @description What became of each job. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *           "done": true
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        /** @description One for each job, in order. */
                        results: components["schemas"]["BulkResult"][];
                        /** @description With a filter: give it as `cursor` to go on; null when no jobs follow. */
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier returned at creation.
                 * @example job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh
                 */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job object. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "extract/doc",
                     *       "status": "completed",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.412Z",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "result": {
                     *         "chunks": [
                     *           {
                     *             "id": "chk_cbecfc0e7834fa06c9d7040951bd1cfb",
                     *             "text": "The year began quietly, and sales were flat until March.\n\nSales rose in the second quarter and stayed there.",
                     *             "page": 1,
                     *             "segmentIndex": 0,
                     *             "kind": "text",
                     *             "pageEnd": 1,
                     *             "startOffset": 0,
                     *             "endOffset": 108,
                     *             "tokens": 28
                     *           }
                     *         ],
                     *         "document": {
                     *           "format": "docx",
                     *           "title": "Annual report",
                     *           "author": null,
                     *           "pages": 1,
                     *           "words": 19,
                     *           "characters": 108,
                     *           "language": "en",
                     *           "revisions": "none",
                     *           "tokenizer": "quarry-estimate-1"
                     *         },
                     *         "files": [
                     *           {
                     *             "name": "document.md",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.md"
                     *           },
                     *           {
                     *             "name": "document.txt",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.txt"
                     *           },
                     *           {
                     *             "name": "chunks.jsonl",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/chunks.jsonl"
                     *           },
                     *           {
                     *             "name": "docling.json",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/docling.json"
                     *           }
                     *         ],
                     *         "account": {
                     *           "unit": "letters",
                     *           "source": 86,
                     *           "delivered": 86,
                     *           "leftOut": [],
                     *           "unexplained": 0
                     *         },
                     *         "warnings": []
                     *       },
                     *       "events": [
                     *         "job.completed"
                     *       ],
                     *       "progress": {
                     *         "percent": 100,
                     *         "stage": "completed",
                     *         "message": "Done."
                     *       },
                     *       "expiresAt": "2026-03-05T09:30:00.412Z",
                     *       "sourceName": "Annual report"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Identifier returned at creation.
                 * @example job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh
                 */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled or removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    followJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifier of the last event received.
                 * @example 3
                 */
                "Last-Event-ID"?: string;
            };
            path: {
                /**
                 * @description Identifier returned at creation.
                 * @example job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh
                 */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event: job
                     *     id: 3
                     *     data: {"jobId":"job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh","jobType":"extract/doc","status":"completed","createdAt":"2026-03-02T09:30:00.000Z","updatedAt":"2026-03-02T09:30:00.412Z","statusUrl":"http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh","result":{"chunks":[{"id":"chk_cbecfc0e7834fa06c9d7040951bd1cfb","text":"The year began quietly, and sales were flat until March.\n\nSales rose in the second quarter and stayed there.","page":1,"segmentIndex":0,"kind":"text","pageEnd":1,"startOffset":0,"endOffset":108,"tokens":28}],"document":{"format":"docx","title":"Annual report","author":null,"pages":1,"words":19,"characters":108,"language":"en","revisions":"none","tokenizer":"quarry-estimate-1"},"files":[{"name":"document.md","url":"http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.md"},{"name":"document.txt","url":"http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.txt"},{"name":"chunks.jsonl","url":"http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/chunks.jsonl"},{"name":"docling.json","url":"http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/docling.json"}],"account":{"unit":"letters","source":86,"delivered":86,"leftOut":[],"unexplained":0},"warnings":[]},"events":["job.completed"],"progress":{"percent":100,"stage":"completed","message":"Done."},"expiresAt":"2026-03-05T09:30:00.412Z","sourceName":"Annual report"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description The job has ended, and `Last-Event-ID` names its last event: an EventSource stops. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getJobFile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One byte range.
                 * @example bytes=0-1023
                 */
                Range?: string;
                /**
                 * @description The ETag of the range. With another ETag the whole file is sent.
                 * @example "5z-mwssrkvb"
                 */
                "If-Range"?: string;
                /**
                 * @description The ETag of your copy.
                 * @example "5z-mwssrkvb"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Identifier returned at creation.
                 * @example job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh
                 */
                jobId: string;
                /**
                 * @description Name of the file.
                 * @example document.md
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Your copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Identifier of the webhook.
                 * @example whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh",
                     *       "url": "https://app.example/hooks/quarry",
                     *       "events": [
                     *         "job.completed",
                     *         "job.failed"
                     *       ],
                     *       "status": "active",
                     *       "hasSecret": true,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z",
                     *       "lastDelivery": null
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Identifier of the webhook.
                 * @example whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Identifier of the webhook.
                 * @example whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh
                 */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "paused"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookUpdate"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "webhookId": "whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh",
                     *       "url": "https://app.example/hooks/quarry",
                     *       "events": [
                     *         "job.completed",
                     *         "job.failed"
                     *       ],
                     *       "status": "active",
                     *       "hasSecret": true,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z",
                     *       "lastDelivery": null
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    addJobWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier returned at creation.
                 * @example job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh
                 */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://app.example/hooks/quarry",
                 *       "events": [
                 *         "job.completed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["JobWebhookRequest"];
            };
        };
        responses: {
            /** @description Registered. The job object, its `events` updated. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "jobType": "extract/doc",
                     *       "status": "completed",
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.412Z",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                     *       "result": {
                     *         "chunks": [
                     *           {
                     *             "id": "chk_cbecfc0e7834fa06c9d7040951bd1cfb",
                     *             "text": "The year began quietly, and sales were flat until March.\n\nSales rose in the second quarter and stayed there.",
                     *             "page": 1,
                     *             "segmentIndex": 0,
                     *             "kind": "text",
                     *             "pageEnd": 1,
                     *             "startOffset": 0,
                     *             "endOffset": 108,
                     *             "tokens": 28
                     *           }
                     *         ],
                     *         "document": {
                     *           "format": "docx",
                     *           "title": "Annual report",
                     *           "author": null,
                     *           "pages": 1,
                     *           "words": 19,
                     *           "characters": 108,
                     *           "language": "en",
                     *           "revisions": "none",
                     *           "tokenizer": "quarry-estimate-1"
                     *         },
                     *         "files": [
                     *           {
                     *             "name": "document.md",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.md"
                     *           },
                     *           {
                     *             "name": "document.txt",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.txt"
                     *           },
                     *           {
                     *             "name": "chunks.jsonl",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/chunks.jsonl"
                     *           },
                     *           {
                     *             "name": "docling.json",
                     *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/docling.json"
                     *           }
                     *         ],
                     *         "account": {
                     *           "unit": "letters",
                     *           "source": 86,
                     *           "delivered": 86,
                     *           "leftOut": [],
                     *           "unexplained": 0
                     *         },
                     *         "warnings": []
                     *       },
                     *       "events": [
                     *         "job.completed"
                     *       ],
                     *       "progress": {
                     *         "percent": 100,
                     *         "stage": "completed",
                     *         "message": "Done."
                     *       },
                     *       "expiresAt": "2026-03-05T09:30:00.412Z",
                     *       "sourceName": "Annual report"
                     *     }
                     */
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listContributions: {
        parameters: {
            query?: {
                /** @description Entries per page. */
                limit?: number;
                /** @description The `nextCursor` of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "contributions": [
                     *         {
                     *           "kind": "annotation",
                     *           "text": "The tide tables are those of the harbour office, with the corrections of this year.",
                     *           "author": "A. Pilot",
                     *           "license": "CC-BY-4.0",
                     *           "contributionId": "ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj",
                     *           "status": "pending",
                     *           "jobId": null,
                     *           "chunkId": null,
                     *           "quote": null,
                     *           "quoteStart": null,
                     *           "url": null,
                     *           "reason": null,
                     *           "createdAt": "2026-03-02T09:30:00.000Z",
                     *           "updatedAt": "2026-03-02T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        contributions: components["schemas"]["Contribution"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    contribute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "annotation",
                 *       "text": "The tide tables are those of the harbour office, with the corrections of this year.",
                 *       "author": "A. Pilot",
                 *       "license": "CC-BY-4.0"
                 *     }
                 */
                "application/json": components["schemas"]["ContributionRequest"];
            };
        };
        responses: {
            /** @description It waits for a decision. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "annotation",
                     *       "text": "The tide tables are those of the harbour office, with the corrections of this year.",
                     *       "author": "A. Pilot",
                     *       "license": "CC-BY-4.0",
                     *       "contributionId": "ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj",
                     *       "status": "pending",
                     *       "jobId": null,
                     *       "chunkId": null,
                     *       "quote": null,
                     *       "quoteStart": null,
                     *       "url": null,
                     *       "reason": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Contribution"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getContribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the contribution.
                 * @example ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj
                 */
                contributionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The contribution. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": "annotation",
                     *       "text": "The tide tables are those of the harbour office, with the corrections of this year.",
                     *       "author": "A. Pilot",
                     *       "license": "CC-BY-4.0",
                     *       "contributionId": "ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj",
                     *       "status": "pending",
                     *       "jobId": null,
                     *       "chunkId": null,
                     *       "quote": null,
                     *       "quoteStart": null,
                     *       "url": null,
                     *       "reason": null,
                     *       "createdAt": "2026-03-02T09:30:00.000Z",
                     *       "updatedAt": "2026-03-02T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Contribution"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    reportContribution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the contribution.
                 * @example ctb_5uQ1nR8wYc3kZ6vTb2mXh9LpGj
                 */
                contributionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The address leads to something else."
                 *     }
                 */
                "application/json": components["schemas"]["ContributionReport"];
            };
        };
        responses: {
            /** @description Reported. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listItems: {
        parameters: {
            query?: {
                kind?: "document" | "talk" | "site" | "page" | "sound" | "text";
                state?: "reading" | "ready" | "failed";
                tag?: string;
                /** @description Identifier of a collection. */
                collection?: string;
                language?: string;
                /** @description The name of somebody who speaks. */
                speaker?: string;
                /** @description A file, an address of the web, or made here from words. */
                source?: "file" | "web" | "made";
                /** @description Words of the title, the source or the tags, in any order. */
                text?: string;
                /** @description Added on this day or later. */
                from?: string;
                /** @description Added on this day or before. */
                to?: string;
                /** @description Whose days are meant, such as `Europe/Berlin`. Without it those of UTC. */
                timeZone?: string;
                /** @description True: the deleted ones only. */
                deleted?: "true" | "false";
                /** @description Newest first; titles from A; the largest first. */
                sort?: "added" | "updated" | "title" | "size";
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["LibraryItem"][];
                        /** @description Of all that the filters leave. */
                        total: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    countItems: {
        parameters: {
            query?: {
                kind?: "document" | "talk" | "site" | "page" | "sound" | "text";
                state?: "reading" | "ready" | "failed";
                tag?: string;
                /** @description Identifier of a collection. */
                collection?: string;
                language?: string;
                /** @description The name of somebody who speaks. */
                speaker?: string;
                /** @description A file, an address of the web, or made here from words. */
                source?: "file" | "web" | "made";
                /** @description Words of the title, the source or the tags, in any order. */
                text?: string;
                /** @description Added on this day or later. */
                from?: string;
                /** @description Added on this day or before. */
                to?: string;
                /** @description Whose days are meant, such as `Europe/Berlin`. Without it those of UTC. */
                timeZone?: string;
                deleted?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryCounts"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    searchItems: {
        parameters: {
            query: {
                kind?: "document" | "talk" | "site" | "page" | "sound" | "text";
                tag?: string;
                /** @description Identifier of a collection. */
                collection?: string;
                language?: string;
                /** @description The name of somebody who speaks. */
                speaker?: string;
                /** @description A file, an address of the web, or made here from words. */
                source?: "file" | "web" | "made";
                /** @description Added on this day or later. */
                from?: string;
                /** @description Added on this day or before. */
                to?: string;
                /** @description Whose days are meant, such as `Europe/Berlin`. Without it those of UTC. */
                timeZone?: string;
                /** @description Words, or a sentence. `"these words"` must occur in a row, `-word` must not occur. */
                query: string;
                mode?: "hybrid" | "lexical" | "semantic";
                /** @description Items. */
                limit?: number;
                /** @description Items to skip, for the next page. */
                offset?: number;
                /** @description Places shown for an item. */
                places?: number;
                /** @description Places of this item alone. */
                item?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryFound"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    answerFromItems: {
        parameters: {
            query: {
                /** @description Words, or a sentence. `"these words"` must occur in a row, `-word` must not occur. */
                query: string;
                mode?: "hybrid" | "lexical" | "semantic";
                kind?: "document" | "talk" | "site" | "page" | "sound" | "text";
                tag?: string;
                /** @description Identifier of a collection. */
                collection?: string;
                language?: string;
                /** @description The name of somebody who speaks. */
                speaker?: string;
                /** @description A file, an address of the web, or made here from words. */
                source?: "file" | "web" | "made";
                /** @description Added on this day or later. */
                from?: string;
                /** @description Added on this day or before. */
                to?: string;
                /** @description Whose days are meant, such as `Europe/Berlin`. Without it those of UTC. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    lookUpItem: {
        parameters: {
            query?: {
                /** @description Of the bytes of a file. */
                sha256?: string;
                /** @description The address of a source. */
                url?: string;
                /** @description Identifier of a job that read a version. */
                job?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The items; none for a new source. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["LibraryItem"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryItem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteItem: {
        parameters: {
            query?: {
                /** @description True: for good. */
                now?: "true" | "false";
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Annual report of the harbour",
                 *       "addTags": [
                 *         "harbour"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LibraryItemChange"];
            };
        };
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryItem"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getItemCover: {
        parameters: {
            query?: {
                /** @description Of the version, so that it can be kept. */
                v?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A WebP. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": unknown;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "kind": "talk"
                 *       },
                 *       "addTags": [
                 *         "podcast"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LibraryManyChange"];
            };
        };
        responses: {
            /** @description How many. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changed: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeOriginals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "kind": "talk"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["LibraryOriginalsRequest"];
            };
        };
        responses: {
            /** @description Of how many items, and how much of the disk. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: number;
                        bytes: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    exportItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "tag": "harbour"
                 *       },
                 *       "as": "zip"
                 *     }
                 */
                "application/json": components["schemas"]["LibraryExport"];
            };
        };
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Quarry-Left-Out": components["headers"]["X-Quarry-Left-Out"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listVersions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: components["schemas"]["LibraryVersion"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listRelatedItems: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The items, each with why. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryRelated"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listItemNotes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: components["schemas"]["LibraryNote"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    addNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Ask the harbour office.",
                 *       "quote": "tide tables"
                 *     }
                 */
                "application/json": components["schemas"]["LibraryNoteRequest"];
            };
        };
        responses: {
            /** @description The note. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
                /** @description Identifier of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeNote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
                /** @description Identifier of the note. */
                noteId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "text": "Asked: they are right."
                 *     }
                 */
                "application/json": components["schemas"]["LibraryNoteChange"];
            };
        };
        responses: {
            /** @description The note. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryNote"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listCollections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The collections. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        collections: components["schemas"]["LibraryCollection"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    addCollection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Harbour"
                 *     }
                 */
                "application/json": components["schemas"]["LibraryCollectionRequest"];
            };
        };
        responses: {
            /** @description The collection. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryCollection"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the collection.
                 * @example col_8wYc3kZ6vTb2mXh9Lp
                 */
                collectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the collection.
                 * @example col_8wYc3kZ6vTb2mXh9Lp
                 */
                collectionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Harbours"
                 *     }
                 */
                "application/json": components["schemas"]["LibraryCollectionChange"];
            };
        };
        responses: {
            /** @description The collection. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryCollection"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    rechunkJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier returned at creation.
                 * @example job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh
                 */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "segmentLength": 50
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Target characters per chunk.
                     * @default 1000
                     */
                    segmentLength?: number;
                    /** @description ISO language hint. */
                    language?: string;
                };
            };
        };
        responses: {
            /** @description The chunks, as the extraction would have made them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "chunks": [
                     *         {
                     *           "id": "chk_550bfffc5ccf3bfeaa92ca9ab7574358",
                     *           "text": "The year began quietly, and sales were flat until March.",
                     *           "page": 1,
                     *           "segmentIndex": 0,
                     *           "kind": "text",
                     *           "startOffset": 0,
                     *           "endOffset": 56
                     *         },
                     *         {
                     *           "id": "chk_7b4226f88f7e5f624eec5fb467c68794",
                     *           "text": "Sales rose in the second quarter and stayed there.",
                     *           "page": 1,
                     *           "segmentIndex": 1,
                     *           "kind": "text",
                     *           "startOffset": 58,
                     *           "endOffset": 108
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        chunks: components["schemas"]["Chunk"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listVoices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "slug": "clara",
                     *         "name": "Clara",
                     *         "language": "en-US",
                     *         "kind": "built-in",
                     *         "gender": "female",
                     *         "model": null,
                     *         "recommended": false,
                     *         "aliases": [
                     *           "luna",
                     *           "iris"
                     *         ],
                     *         "description": "A built-in woman’s voice: clear and even, but mechanical.",
                     *         "tones": [
                     *           "friendly",
                     *           "warm"
                     *         ],
                     *         "sampleUrl": "http://127.0.0.1:8402/v1/voices/samples/clara.wav",
                     *         "sampleText": "Hello, my name is Clara. The tide turns at noon, and the boats come home."
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Voice"][];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getVoiceSample: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One byte range.
                 * @example bytes=0-1023
                 */
                Range?: string;
                /**
                 * @description The ETag of the range. With another ETag the whole file is sent.
                 * @example "5z-mwssrkvb"
                 */
                "If-Range"?: string;
                /**
                 * @description The ETag of your copy.
                 * @example "5z-mwssrkvb"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The voice’s slug and `.wav`.
                 * @example clara.wav
                 */
                sample: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Your copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getReading: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reading. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reading"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    beginReading: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "voice": "rowan"
                 *     }
                 */
                "application/json": components["schemas"]["ReadingRequest"];
            };
        };
        responses: {
            /** @description The reading. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reading"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["SourceTooLargeOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrShuttingDownOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeReading: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    moveReading: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "seconds": 268.5
                 *     }
                 */
                "application/json": components["schemas"]["ReadingPosition"];
            };
        };
        responses: {
            /** @description It is remembered. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSpokenPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
                /**
                 * @description Number of the part, from 0.
                 * @example 0
                 */
                part: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpokenPart"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrShuttingDownOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    getPartSound: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One byte range.
                 * @example bytes=0-1023
                 */
                Range?: string;
                /**
                 * @description The ETag of the range. With another ETag the whole file is sent.
                 * @example "5z-mwssrkvb"
                 */
                "If-Range"?: string;
                /**
                 * @description The ETag of your copy.
                 * @example "5z-mwssrkvb"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
                /**
                 * @description Number of the part, from 0.
                 * @example 0
                 */
                part: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Your copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            422: components["responses"]["UnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrShuttingDownOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    getReadingFile: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description One byte range.
                 * @example bytes=0-1023
                 */
                Range?: string;
                /**
                 * @description The ETag of the range. With another ETag the whole file is sent.
                 * @example "5z-mwssrkvb"
                 */
                "If-Range"?: string;
                /**
                 * @description The ETag of your copy.
                 * @example "5z-mwssrkvb"
                 */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Identifier of the item.
                 * @example itm_5uQ1nR8wYc3kZ6vTb2m
                 */
                itemId: string;
                /**
                 * @description Which of the files.
                 * @example m4b
                 */
                form: "mp3" | "m4b" | "vtt" | "txt";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The requested range. */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description Your copy is current. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listListenFeeds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        feeds: components["schemas"]["ListenFeed"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createListenFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My phone"
                 *     }
                 */
                "application/json": components["schemas"]["ListenFeedRequest"];
            };
        };
        responses: {
            /** @description The address. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListenFeed"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeListenFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the feed.
                 * @example lsf_8wYc3kZ6vTb2mXh9Lp
                 */
                feedId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listBatches: {
        parameters: {
            query?: {
                limit?: number;
                cursor?: string;
            };
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batches": [
                     *         {
                     *           "batchId": "bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *           "operation": "extract/doc",
                     *           "status": "processing",
                     *           "statusUrl": "http://127.0.0.1:8402/v1/batches/bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *           "counts": {
                     *             "waiting": 1,
                     *             "processing": 1,
                     *             "completed": 0,
                     *             "failed": 0,
                     *             "cancelled": 0
                     *           },
                     *           "paid": null,
                     *           "createdAt": "2026-03-02T10:00:00.000Z",
                     *           "endedAt": null,
                     *           "expiresAt": null
                     *         }
                     *       ],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": {
                        batches: components["schemas"]["Batch"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createBatch: {
        parameters: {
            query?: {
                /** @description The operation of the batch. Callers who pay give it. */
                operation?: string;
                /** @description Addresses and files together. Callers who pay give it: the price is so many requests. */
                items?: number;
            };
            header?: {
                /** @description Base64 payment payload of x402 version 1, made for the challenge of this request. */
                "X-PAYMENT"?: components["parameters"]["X-PAYMENT"];
                /** @description The same for x402 version 2. */
                "PAYMENT-SIGNATURE"?: components["parameters"]["PAYMENT-SIGNATURE"];
                /**
                 * @description `wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. `install`, for the owner: where a model or program is missing, the job is accepted and waits while the recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. `x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.
                 * @example wait=30
                 */
                Prefer?: components["parameters"]["Prefer"];
                /** @description A name for this request, such as a new UUID. The same key with the same request gives the same job and is not charged again, for 24 hours; with another request it is refused with 422, and while the first request is being accepted with 409. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of jobs filter by them, for example `invoices, 2026-q3`. */
                "Quarry-Tags"?: components["parameters"]["Quarry-Tags"];
                /** @description Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 characters, in ASCII (`\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it. */
                "Quarry-Metadata"?: components["parameters"]["Quarry-Metadata"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "operation": "extract/doc",
                 *       "request": {
                 *         "options": {
                 *           "segmentLength": 800
                 *         }
                 *       },
                 *       "items": [
                 *         {
                 *           "sourceUrl": "https://harbour.example/minutes-1.pdf"
                 *         },
                 *         {
                 *           "sourceUrl": "https://harbour.example/minutes-2.pdf",
                 *           "sourceName": "February"
                 *         }
                 *       ],
                 *       "webhookUrl": "https://app.example/hooks/quarry"
                 *     }
                 */
                "application/json": components["schemas"]["BatchRequest"];
                "multipart/form-data": {
                    batch: components["schemas"]["BatchRequest"];
                    /** @description A part for each file. */
                    file: string[];
                };
            };
        };
        responses: {
            /** @description The batch. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "X-PAYMENT-RESPONSE": components["headers"]["X-PAYMENT-RESPONSE"];
                    "PAYMENT-RESPONSE": components["headers"]["PAYMENT-RESPONSE"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batchId": "bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *       "operation": "extract/doc",
                     *       "status": "processing",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/batches/bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *       "counts": {
                     *         "waiting": 1,
                     *         "processing": 1,
                     *         "completed": 0,
                     *         "failed": 0,
                     *         "cancelled": 0
                     *       },
                     *       "paid": null,
                     *       "createdAt": "2026-03-02T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "expiresAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description No valid payment. Pay one entry of `accepts`, and send the request again. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentChallenge"];
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["CorruptInputOrEncryptedInputOrIdempotencyKeyReusedOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrSettlementUnavailableOrShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getBatch: {
        parameters: {
            query?: {
                /** @description Only items in this status. */
                status?: "waiting" | "processing" | "completed" | "failed" | "cancelled";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the batch.
                 * @example bat_3hG7sKq0Xb2LwYc9VtZpRd
                 */
                batchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batchId": "bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *       "operation": "extract/doc",
                     *       "status": "processing",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/batches/bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *       "counts": {
                     *         "waiting": 1,
                     *         "processing": 1,
                     *         "completed": 0,
                     *         "failed": 0,
                     *         "cancelled": 0
                     *       },
                     *       "paid": null,
                     *       "createdAt": "2026-03-02T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "expiresAt": null,
                     *       "items": [],
                     *       "nextCursor": null
                     *     }
                     */
                    "application/json": components["schemas"]["BatchPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Identifier of the batch.
                 * @example bat_3hG7sKq0Xb2LwYc9VtZpRd
                 */
                batchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled or forgotten. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    downloadBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the batch.
                 * @example bat_3hG7sKq0Xb2LwYc9VtZpRd
                 */
                batchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ZIP. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    retryBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.
                 * @example x402-sign-in=402
                 */
                Prefer?: string;
            };
            path: {
                /**
                 * @description Identifier of the batch.
                 * @example bat_3hG7sKq0Xb2LwYc9VtZpRd
                 */
                batchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batchId": "bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *       "operation": "extract/doc",
                     *       "status": "processing",
                     *       "statusUrl": "http://127.0.0.1:8402/v1/batches/bat_3hG7sKq0Xb2LwYc9VtZpRd",
                     *       "counts": {
                     *         "waiting": 1,
                     *         "processing": 1,
                     *         "completed": 0,
                     *         "failed": 0,
                     *         "cancelled": 0
                     *       },
                     *       "paid": null,
                     *       "createdAt": "2026-03-02T10:00:00.000Z",
                     *       "endedAt": null,
                     *       "expiresAt": null
                     *     }
                     */
                    "application/json": components["schemas"]["Batch"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description Instead of the 401, if preferred: asks for a sign-in only, free of charge. */
            402: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "PAYMENT-REQUIRED": components["headers"]["PAYMENT-REQUIRED"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "x402Version": 2,
                     *       "accepts": [],
                     *       "error": "Sign in with your wallet"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        x402Version: 2;
                        accepts: unknown[];
                        error: string;
                    };
                };
            };
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["ShuttingDownOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "0.1.0",
                     *       "uptimeSeconds": 42
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        status: "ok";
                        version: string;
                        uptimeSeconds: number;
                    };
                };
            };
            403: components["responses"]["ForbiddenAtOrigin"];
            500: components["responses"]["InternalAtOrigin"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ready": true,
                     *       "checks": {
                     *         "storage": {
                     *           "ok": true
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        ready: boolean;
                        checks: {
                            [key: string]: {
                                ok: boolean;
                                /** @description What is wrong, and what to do. */
                                message?: string;
                            };
                        };
                    };
                };
            };
            403: components["responses"]["ForbiddenAtOrigin"];
            500: components["responses"]["InternalAtOrigin"];
            /** @description Not ready. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description Seconds to wait before asking again.
                     * @example 10
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ready": false,
                     *       "checks": {
                     *         "storage": {
                     *           "ok": false,
                     *           "message": "The database cannot be written: free some disk space."
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        ready: boolean;
                        checks: {
                            [key: string]: {
                                ok: boolean;
                                /** @description What is wrong, and what to do. */
                                message?: string;
                            };
                        };
                    };
                };
            };
        };
    };
    getOpenApi: {
        parameters: {
            query?: {
                /** @description `form`: operations that read a file take the form alone, for client generators that know one body a call. */
                uploads?: "any" | "form";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        /** @constant */
                        openapi: "3.1.0";
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequestAtOrigin"];
            403: components["responses"]["ForbiddenAtOrigin"];
            500: components["responses"]["InternalAtOrigin"];
        };
    };
    jobEnded: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Identifier of the delivery, the same at every attempt: ignore duplicates.
                 * @example dlv_2mV1xTbQ7cN0pLr8sWd5YfGh3Jk
                 */
                "webhook-id": string;
                /**
                 * @description Time of this attempt: whole seconds since 1970.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description With a secret: `v1,` and the base64 signature of Standard Webhooks; two of them during a rotation.
                 * @example v1,1wg9rFq92o0hPbhrVqNOi/2LNvdhNVsdJMPTUhHzZpo=
                 */
                "webhook-signature"?: string;
                /**
                 * @description With a secret: the same value as `signature`.
                 * @example 0f3e51dfdff0a58e15ae33783be1a0f0a6a6219d51c18fae73b4a2101d687bd8
                 */
                "x-service-signature"?: string;
                /**
                 * @description job.completed, job.failed, crawl.changed, batch.completed, alert.raised or alert.cleared.
                 * @example job.completed
                 */
                "x-service-event": string;
                /**
                 * @description 1 for the first attempt.
                 * @example 1
                 */
                "x-service-attempt": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "createdAt": "2026-03-02T09:30:00.000Z",
                 *       "events": [
                 *         "job.completed"
                 *       ],
                 *       "expiresAt": "2026-03-05T09:30:00.412Z",
                 *       "jobId": "job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                 *       "jobType": "extract/doc",
                 *       "progress": {
                 *         "message": "Done.",
                 *         "percent": 100,
                 *         "stage": "completed"
                 *       },
                 *       "result": {
                 *         "account": {
                 *           "delivered": 86,
                 *           "leftOut": [],
                 *           "source": 86,
                 *           "unexplained": 0,
                 *           "unit": "letters"
                 *         },
                 *         "chunks": [
                 *           {
                 *             "endOffset": 108,
                 *             "id": "chk_cbecfc0e7834fa06c9d7040951bd1cfb",
                 *             "kind": "text",
                 *             "page": 1,
                 *             "pageEnd": 1,
                 *             "segmentIndex": 0,
                 *             "startOffset": 0,
                 *             "text": "The year began quietly, and sales were flat until March.\n\nSales rose in the second quarter and stayed there.",
                 *             "tokens": 28
                 *           }
                 *         ],
                 *         "document": {
                 *           "author": null,
                 *           "characters": 108,
                 *           "format": "docx",
                 *           "language": "en",
                 *           "pages": 1,
                 *           "revisions": "none",
                 *           "title": "Annual report",
                 *           "tokenizer": "quarry-estimate-1",
                 *           "words": 19
                 *         },
                 *         "files": [
                 *           {
                 *             "name": "document.md",
                 *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.md"
                 *           },
                 *           {
                 *             "name": "document.txt",
                 *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/document.txt"
                 *           },
                 *           {
                 *             "name": "chunks.jsonl",
                 *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/chunks.jsonl"
                 *           },
                 *           {
                 *             "name": "docling.json",
                 *             "url": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh/files/docling.json"
                 *           }
                 *         ],
                 *         "warnings": []
                 *       },
                 *       "signature": "0f3e51dfdff0a58e15ae33783be1a0f0a6a6219d51c18fae73b4a2101d687bd8",
                 *       "sourceName": "Annual report",
                 *       "status": "completed",
                 *       "statusUrl": "http://127.0.0.1:8402/v1/jobs/job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh",
                 *       "updatedAt": "2026-03-02T09:30:00.412Z"
                 *     }
                 */
                "application/json": components["schemas"]["Job"] & {
                    /** @description HMAC-SHA-256 of the rest of the body. Present where the webhook has a secret. */
                    signature?: string;
                };
            };
        };
        responses: {
            /** @description The webhook is disabled, and gets no more deliveries. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is retried, after Retry-After if that is later than the schedule. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    batchCompleted: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Identifier of the delivery, the same at every attempt: ignore duplicates.
                 * @example dlv_2mV1xTbQ7cN0pLr8sWd5YfGh3Jk
                 */
                "webhook-id": string;
                /**
                 * @description Time of this attempt: whole seconds since 1970.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description With a secret: `v1,` and the base64 signature of Standard Webhooks; two of them during a rotation.
                 * @example v1,8OYKRRju95qybLfeuyDncG1QCqWKGrS052xrs4aSkEE=
                 */
                "webhook-signature"?: string;
                /**
                 * @description With a secret: the same value as `signature`.
                 * @example 44223bba3058379c83a4910eab1ac483b4b08feaf14251d31976ecfad170ecf3
                 */
                "x-service-signature"?: string;
                /**
                 * @description job.completed, job.failed, crawl.changed, batch.completed, alert.raised or alert.cleared.
                 * @example batch.completed
                 */
                "x-service-event": string;
                /**
                 * @description 1 for the first attempt.
                 * @example 1
                 */
                "x-service-attempt": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "batchId": "bat_3hG7sKq0Xb2LwYc9VtZpRd",
                 *       "counts": {
                 *         "cancelled": 0,
                 *         "completed": 2,
                 *         "failed": 0,
                 *         "processing": 0,
                 *         "waiting": 0
                 *       },
                 *       "createdAt": "2026-03-02T10:00:00.000Z",
                 *       "endedAt": "2026-03-02T10:01:00.000Z",
                 *       "expiresAt": "2026-03-09T10:01:00.000Z",
                 *       "failures": [],
                 *       "operation": "extract/doc",
                 *       "paid": null,
                 *       "signature": "44223bba3058379c83a4910eab1ac483b4b08feaf14251d31976ecfad170ecf3",
                 *       "status": "completed",
                 *       "statusUrl": "http://127.0.0.1:8402/v1/batches/bat_3hG7sKq0Xb2LwYc9VtZpRd"
                 *     }
                 */
                "application/json": components["schemas"]["EndedBatch"] & {
                    /** @description HMAC-SHA-256 of the rest of the body. Present where the webhook has a secret. */
                    signature?: string;
                };
            };
        };
        responses: {
            /** @description The webhook is disabled, and gets no more deliveries. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Delivered. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is retried, after Retry-After if that is later than the schedule. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
