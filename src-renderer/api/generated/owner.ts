// Generated from the OpenAPI document: npm run generate
export interface paths {
    "/admin/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments
         * @description Newest first.
         */
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payments/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum payments
         * @description Settled payments and 402 answers of the last thirty days, or of a time span.
         */
        get: operations["sumPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payments.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export payments
         * @description One line per payment.
         */
        get: operations["exportPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/prices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List prices
         * @description Of every paid operation, with the changes that the owner made.
         */
        get: operations["listPrices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/prices/{operationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a price
         * @description With the changes that the owner made.
         */
        get: operations["getPrice"];
        /**
         * Change a price
         * @description Challenges from before the change can be paid at their price until they expire.
         */
        put: operations["changePrice"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/settlement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settlement
         * @description Settings and readiness. The private key is never shown.
         */
        get: operations["getSettlement"];
        /**
         * Change the settlement
         * @description Omitted fields keep their values.
         */
        put: operations["changeSettlement"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the wallets of the sandbox
         * @description With their play money.
         */
        get: operations["listSandboxWallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sandbox/faucet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fill a wallet of the sandbox
         * @description The wallet named, or the owner's demo wallet.
         */
        post: operations["fillWallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that signs a browser in
         * @description It takes the token from the fragment of its address.
         */
        get: operations["getLoginPage"];
        put?: never;
        /**
         * Open a session
         * @description Sets the cookie of the session, and replaces the session that the browser has.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions
         * @description Last used first.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Revoke all other sessions
         * @description All but the session of the request.
         */
        delete: operations["revokeOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions/{sessionId}": {
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
         * Revoke a session
         * @description Takes effect at once. `current` is the session of the request, which signs out.
         */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sign-in-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a sign-in code
         * @description `POST /login` takes it once, in place of the owner token.
         */
        post: operations["createSignInCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys
         * @description Newest first.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create a key
         * @description The answer holds the key itself, which cannot be read again. Tools send it as `Authorization: Bearer qk_…`; they act for the owner within its scopes, and their jobs show its name.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/keys/{keyId}": {
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
         * Revoke a key
         * @description Takes effect at once, and ends what is being sent to it. Its jobs run on.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /**
         * Change a key
         * @description Takes effect with the next request.
         */
        patch: operations["changeKey"];
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the actions of the owner and of keys
         * @description Newest first. Requests that only read are not recorded, and no entry holds a secret or a body. Entries are deleted after 90 days, and earlier beyond 50,000 of a kind.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where devices connect, and which are linked
         * @description The listener for phones and other computers of the network is off by default.
         */
        get: operations["getDeviceAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Let devices of the network in, or not
         * @description Opens or closes the listener at once, also after a restart. Where it cannot be opened, all stays as it was. Closing it keeps the devices linked.
         */
        patch: operations["changeDeviceAccess"];
        trace?: never;
    };
    "/admin/devices/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a code that links one device
         * @description It is valid once, for two minutes. The links carry it in their fragment, which no browser sends.
         */
        post: operations["createLinkCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/devices/{deviceId}": {
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
         * Sign a device out
         * @description Takes effect at once, and ends what is being sent to it. Its jobs run on.
         */
        delete: operations["signOutDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the models
         * @description Those of the catalogue and those that lie in the models folder.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models/{name}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Download a model
         * @description One download at a time per model.
         */
        post: operations["installModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models/{name}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of a download
         * @description JSON, or server-sent events named `progress` for a client that accepts them.
         */
        get: operations["getModelProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models/{name}/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hear a voice before it is installed
         * @description A few seconds as .mp3 or .wav. Each request fetches them from the publisher; nothing is stored.
         */
        get: operations["getModelSample"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models/{name}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a download
         * @description What is there already is kept for the next try.
         */
        post: operations["cancelModelDownload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/models/{name}": {
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
         * Remove a model
         * @description Its files are deleted.
         */
        delete: operations["removeModel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/needs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what work needs
         * @description What is ready, and for the rest what to install. A choice is installed with `POST /admin/models/{name}/install`, or for a job that waits with `POST /admin/jobs/{jobId}/install`.
         */
        get: operations["listNeeds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the jobs of all accounts
         * @description Without results. Without `jobType`, the owner's own searches are left out. A page may hold fewer jobs than `limit`, or none, and still have a `nextCursor`: then the search continues there.
         */
        get: operations["listAllJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the record of a job
         * @description Account, queue, times, request and payment.
         */
        get: operations["getJobRecord"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A job that has ended by itself is a conflict: a list may be older than the job.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install what a job waits for
         * @description Starts the download. When it ends, all jobs that wait for it run.
         */
        post: operations["installForJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the file a job was made from
         * @description Takes Range and conditional requests.
         */
        get: operations["getJobSource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of all accounts
         * @description Newest first, with counts of deliveries by status, up to 10,000.
         */
        get: operations["listEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain a signature
         * @description The signed text, the expected signature, and whether the request matches.
         */
        post: operations["explainSignature"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test delivery
         * @description The delivery carries a sample job, or a sample alert.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Newest first.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description With every attempt: the request, the response, and when the next one is due.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description It keeps its identifier and starts at the beginning of the schedule.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deliveries/{deliveryId}/attempts/{number}/body": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the body of an attempt
         * @description The exact bytes that were sent. 404 for a body that was too long to be stored.
         */
        get: operations["getAttemptBody"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/deliveries/{deliveryId}/attempts/{number}/signature": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain the signature of an attempt
         * @description As of the time of the attempt.
         */
        get: operations["explainAttempt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/redeliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Select deliveries to send again
         * @description Freezes the deliveries that the filter finds. Nothing is sent yet.
         */
        post: operations["previewRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/redeliveries/{selectionId}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a selection again
         * @description Sends exactly the deliveries of the selection, once.
         */
        post: operations["applyRedelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/inboxes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the inboxes
         * @description Built-in receivers for trying webhooks.
         */
        get: operations["listInboxes"];
        put?: never;
        /**
         * Create an inbox
         * @description Its unguessable name is the credential to post to it.
         */
        post: operations["createInbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/inboxes/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an inbox
         * @description Its address and how it answers.
         */
        get: operations["getInbox"];
        put?: never;
        post?: never;
        /**
         * Delete an inbox
         * @description Deletes its messages, too.
         */
        delete: operations["deleteInbox"];
        options?: never;
        head?: never;
        /**
         * Change an inbox
         * @description Omitted fields keep their values.
         */
        patch: operations["changeInbox"];
        trace?: never;
    };
    "/admin/inboxes/{name}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of an inbox
         * @description Newest first, each with the verdict on its signatures.
         */
        get: operations["listInboxMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find words in results, without a job
         * @description For a search while someone types. Finds words alone, like `POST /search` with `mode` `lexical`, but makes no job and calls no webhook.
         */
        get: operations["findWords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/contributions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List contributions in one status
         * @description Oldest first, each with the text it is about, its reports and the record of its contributor.
         */
        get: operations["listContributionsToDecide"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the notes about a job
         * @description Remarks and sources that were not rejected, oldest first, at most 100.
         */
        get: operations["listNotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/contributions/{contributionId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve a contribution
         * @description A decision can be changed; the same one again is a conflict.
         */
        post: operations["approveContribution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/contributions/{contributionId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject a contribution
         * @description A decision can be changed; the same one again is a conflict.
         */
        post: operations["rejectContribution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the alerts
         * @description What the owner must mend, in both environments: open alerts, and the newest that were cleared. An
         *     alert is raised once and cleared once. The owner's webhooks with the events `alert.raised` and `alert.cleared` are
         *     sent the same object.
         */
        get: operations["listAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/crawl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a crawl has read so far
         * @description From the ledger of a crawl that runs or waits to continue. The result of an ended crawl has more.
         */
        get: operations["getCrawlSoFar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/browser": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The browser for pages made by scripts
         * @description Which one crawls use, which one the appliance has fetched, and what it can fetch.
         */
        get: operations["getBrowser"];
        put?: never;
        post?: never;
        /**
         * Remove the fetched browser
         * @description Browsers that the appliance did not fetch stay.
         */
        delete: operations["removeBrowser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/browser/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch a browser
         * @description The newest stable headless shell of Chrome for Testing, into the data folder, or the same from the mirror of models (`modelMirrorUrl`) below `browser/`. An interrupted download goes on where it stopped.
         */
        post: operations["installBrowser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/browser/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of the download of the browser
         * @description JSON, or server-sent events named `progress` for a client that accepts them.
         */
        get: operations["getBrowserProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/browser/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the download of the browser
         * @description What is there already is kept for the next try.
         */
        post: operations["cancelBrowserInstall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/speakers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Name the speakers of a job
         * @description Changes the result, the transcript files, the captions, the chunks and the search index.
         */
        patch: operations["nameSpeakers"];
        trace?: never;
    };
    "/admin/jobs/{jobId}/digest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Summarise a finished recording
         * @description Makes title, summary, chapters and action items as the option `digest` does, without listening again. The answer comes when they are made, which takes minutes for a long talk; closing the connection cancels it.
         */
        post: operations["makeDigest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/remembered-voices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remember the voice of a speaker
         * @description Later jobs of the owner with `speakers` recognise it. It is read from the recording of the job, which takes seconds. A name that is remembered already gets a further sample.
         */
        post: operations["rememberVoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/remembered-voices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the remembered voices
         * @description By name. Voices of one environment are not used in the other.
         */
        get: operations["listRememberedVoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/remembered-voices/{voiceId}": {
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
         * Forget a voice
         * @description Deletes it. Names in finished jobs stay.
         */
        delete: operations["forgetVoice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/subtitles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write the subtitles of a job again
         * @description Replaces its .srt and .vtt files, from its transcript. Nothing is transcribed again.
         */
        post: operations["writeSubtitles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/video": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Videos with the subtitles of a job
         * @description JSON, or server-sent events named `progress` for a client that accepts them.
         */
        get: operations["getSubtitledVideo"];
        put?: never;
        /**
         * Make a video with the subtitles of a job
         * @description Needs ffmpeg. The video becomes a file of the job and expires with it.
         */
        post: operations["makeSubtitledVideo"];
        /**
         * Cancel the video that is being made
         * @description Videos that are finished stay.
         */
        delete: operations["cancelSubtitledVideo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/peaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The shape of the recording a job was made from
         * @description At most 400 numbers from 0 to 1.
         */
        get: operations["getJobPeaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dictation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The words of a short recording, at once
         * @description The body is the sound itself, 16 MB at most. For dictation, and for the words of a recording that
         *     goes on. No job is made and nothing is kept; two pieces are heard at a time.
         */
        post: operations["hearPiece"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the programs
         * @description State and version of each.
         */
        get: operations["listMediaTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/yt-dlp/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch yt-dlp
         * @description Fetches the newest release, also over an older one.
         */
        post: operations["installYtDlp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/yt-dlp/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of the download of yt-dlp
         * @description JSON, or server-sent events named `progress` for a client that accepts them.
         */
        get: operations["getYtDlpProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/yt-dlp": {
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
         * Remove the fetched yt-dlp
         * @description Copies that the appliance did not fetch stay.
         */
        delete: operations["removeYtDlp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/ffmpeg/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch ffmpeg
         * @description Fetches the build that ffmpeg-static publishes, also over an older one.
         */
        post: operations["installFfmpeg"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/ffmpeg/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of the download of ffmpeg
         * @description JSON, or server-sent events named `progress` for a client that accepts them.
         */
        get: operations["getFfmpegProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/ffmpeg": {
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
         * Remove the fetched ffmpeg
         * @description Copies that the appliance did not fetch stay.
         */
        delete: operations["removeFfmpeg"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/whisper-cli/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Install whisper-cli
         * @description Fetches the published program, or builds one. Speech models in ggml format need it.
         */
        post: operations["installWhisperCli"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/whisper-cli/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of the installation of whisper-cli
         * @description JSON, or server-sent events named `progress` for a client that accepts them.
         */
        get: operations["getWhisperCliProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/media/whisper-cli/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the installation of whisper-cli
         * @description What is there already is kept for the next try.
         */
        post: operations["cancelWhisperCli"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/library/mirrors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the folders in step with the library
         * @description In the order in which they were added.
         */
        get: operations["listMirrors"];
        put?: never;
        /**
         * Keep a folder in step with the library
         * @description Writes a Markdown file for each item (front matter, notes) with its pictures and subtitles, and
         *     follows changes. Files that Quarry did not write, or that were changed since, are never touched.
         */
        post: operations["addMirror"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/library/mirrors/{mirrorId}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a folder in step now
         * @description Answers when it is done.
         */
        post: operations["syncMirror"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/library/mirrors/{mirrorId}": {
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
         * Keep a folder in step no more
         * @description Its files stay.
         */
        delete: operations["deleteMirror"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/disk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What takes room on the disk
         * @description By kind, so that the parts add up to what the data folder takes. Items, callers' results and
         *     watches are those of the environment; what belongs to the other one is a part of its own.
         */
        get: operations["getDiskUse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/places": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where data and models live
         * @description The folders, the move that the next start carries out, and copies that moves left.
         */
        get: operations["getPlaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/places/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move data or models at the next start
         * @description The folder is tried at once, and filled when Quarry starts again, before a database opens: each
         *     file is copied and compared (on the same disk it gets a second name). Only then is the new folder in force. A move
         *     that fails or is killed changes nothing; the next start tries again, or says why not.
         */
        post: operations["moveFolder"];
        /**
         * Do not move
         * @description Before Quarry starts again; also forgets why a move failed.
         */
        delete: operations["cancelMove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/places/former": {
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
         * Delete what moves left
         * @description Only what was moved goes from the former folders; what else lies there stays.
         */
        delete: operations["deleteFormerCopies"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/jobs/{jobId}/pages/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw a page of the PDF a job was made from
         * @description The header `X-Pages` says how many pages there are.
         */
        get: operations["drawJobPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/voices/offer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Offer natural voices for a text
         * @description Voices to install that speak the language of the text; none where an installed one does.
         */
        post: operations["offerVoices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the watched sites
         * @description Newest first, each with its last run. At most 500.
         */
        get: operations["listSiteWatches"];
        put?: never;
        /**
         * Watch a site
         * @description Crawls a site again and again and reports what changed. The first run starts at once; the next ones
         *     are compared with the run before (`result.changes` of their jobs). Each run is an ordinary crawl of the owner.
         */
        post: operations["watchSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/watches/{watchId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a watch
         * @description With its last run.
         */
        get: operations["getSiteWatch"];
        put?: never;
        post?: never;
        /**
         * Delete a watch and its history
         * @description Its jobs stay. A run under way goes on as an ordinary crawl.
         */
        delete: operations["deleteSiteWatch"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a watch
         * @description Fields that are left out stay. Another `crawl` is a conflict while a run is under way. A key changes only what it made; it may pause and resume the rest. A watch whose key has ended goes on as the owner resumes it.
         */
        patch: operations["changeSiteWatch"];
        trace?: never;
    };
    "/admin/watches/{watchId}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a watch now
         * @description Also a paused one. The schedule stays. A conflict while a run is under way.
         */
        post: operations["runSiteWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/watches/{watchId}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a watch
         * @description Newest first, with the counts of their changes. The settings say how many are kept.
         */
        get: operations["listSiteWatchRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/watches/{watchId}/runs/{jobId}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes that a run found
         * @description By address, with their diffs. They outlive the result of the job.
         */
        get: operations["listSiteChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/watches/{watchId}/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a page
         * @description Newest first, at most 100, each with its diff to the version before.
         */
        get: operations["listPageVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the watched folders
         * @description Newest first, each with its state. At most 50.
         */
        get: operations["listFolderWatches"];
        put?: never;
        /**
         * Watch a folder
         * @description Each file of the folder and of its folders becomes a job of the owner by the recipe, once: a file
         *     that is moved, renamed, copied or touched is not read again, a changed one is. Links are not followed, hidden and
         *     temporary files are left out.
         */
        post: operations["watchFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/folders/{watchId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a watched folder
         * @description With its state and counts.
         */
        get: operations["getFolderWatch"];
        put?: never;
        post?: never;
        /**
         * Delete a watched folder and its history
         * @description The folder, the jobs and written results stay.
         */
        delete: operations["deleteFolderWatch"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a watched folder
         * @description Fields that are left out stay. For another folder, make another watch.
         */
        patch: operations["changeFolderWatch"];
        trace?: never;
    };
    "/admin/folders/{watchId}/look": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look through a folder now
         * @description Compares all files with what is known. Quarry does it itself at the start, after many changes at
         *     once and every hour. A conflict while the watch is paused.
         */
        post: operations["lookThroughFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/folders/{watchId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read the failed files again
         * @description Those that are still in the folder. A conflict while the watch is paused.
         */
        post: operations["retryFolderFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/folders/{watchId}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a watched folder
         * @description The history: one entry for each content, newest first.
         */
        get: operations["listWatchedFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/feeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the feeds
         * @description Newest first. At most 500.
         */
        get: operations["listFeeds"];
        put?: never;
        /**
         * Follow a feed or podcast
         * @description Reads a feed by a schedule. The attachment or page of each new entry becomes a job of the owner by
         *     the recipe, once. The first reading takes the newest entries, a later one at most 100.
         */
        post: operations["watchFeed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/feeds/{feedId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a feed
         * @description With its counts.
         */
        get: operations["getFeed"];
        put?: never;
        post?: never;
        /**
         * Delete a feed and its history
         * @description Its jobs stay.
         */
        delete: operations["deleteFeed"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a feed
         * @description Fields that are left out stay. For another address, add another feed. A key changes only what it made; it may pause and resume the rest. A feed whose key has ended goes on as the owner resumes it.
         */
        patch: operations["changeFeed"];
        trace?: never;
    };
    "/admin/feeds/{feedId}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a feed now
         * @description A conflict while it is paused.
         */
        post: operations["readFeedNow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/feeds/{feedId}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of a feed
         * @description The history, newest first.
         */
        get: operations["listFeedEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the fleet and its nodes
         * @description Nodes are other machines that run heavy jobs of this one.
         */
        get: operations["getFleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Turn the fleet on or off, or change it
         * @description Starts the broker, nats-server, or connects to yours. Jobs on nodes run again when the fleet is turned off or moved. Without nats-server the answer is 503 and says how to install it.
         */
        patch: operations["changeFleet"];
        trace?: never;
    };
    "/admin/fleet/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a node
         * @description The answer holds the address that the node joins with, which cannot be read again: `quarry work --join <address>` on the other machine.
         */
        post: operations["createNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/fleet/nodes/{nodeId}": {
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
         * Remove a node
         * @description Its key is refused from now on. Its jobs run again elsewhere.
         */
        delete: operations["removeNode"];
        options?: never;
        head?: never;
        /**
         * Drain a node, or use it again
         * @description A draining node ends its jobs and gets no more.
         */
        patch: operations["changeNode"];
        trace?: never;
    };
    "/admin/fleet/nodes/{nodeId}/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Copy a model to a node
         * @description The node fetches the files of a model that is installed here, verifies them by their checksums and puts them into its models folder. A copy that was interrupted or cancelled goes on where it stopped. `GET /admin/fleet` shows how far it is.
         */
        put: operations["copyModelToNode"];
        post?: never;
        /**
         * Cancel the copy of a model
         * @description What the node has of it is kept for the next try. One that failed is not listed any more.
         */
        delete: operations["cancelModelCopy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Plans and usage
         * @description What the plans allow, and the accounts of the last minute.
         */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description Last seen first: wallets that paid or signed in, and network addresses.
         */
        get: operations["listAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Assign a plan
         * @description Takes effect with the next request. The requests of a `blocked` account are answered 403, and its
         *     queued jobs wait until it has another plan.
         */
        put: operations["setPlan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts/{accountId}/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Simulate a plan
         * @description Replays the last minute of an account under another plan.
         */
        get: operations["simulatePlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/limits/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the usage
         * @description Server-sent events: `usage` `{usage}`, as in `GET /admin/limits`, at the start and at most once a second while it changes.
         */
        get: operations["followUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the backups
         * @description Those in the backup folder, and whether one is being made.
         */
        get: operations["listBackups"];
        put?: never;
        /**
         * Back up now
         * @description Into the folder of the settings. It goes on after the answer; the list says when it is there.
         */
        post: operations["startBackup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/backups/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a backup back
         * @description It is copied and checked beside the data, which goes on being used. It takes the place of the data
         *     when Quarry starts again; what is replaced then is kept in a folder beside.
         */
        post: operations["startRestore"];
        /**
         * Do not bring the backup back
         * @description Before Quarry starts again. The data stays as it is.
         */
        delete: operations["cancelRestore"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description OpenAPI 3.1 of the routes of the owner.
         */
        get: operations["getOwnerOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health and figures
         * @description Queues, threads, memory, search and disk.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs and earnings over time
         * @description Jobs that ended, without the owner's own searches, and payments that settled.
         */
        get: operations["getActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings
         * @description Every field has a default.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings
         * @description Fields that are left out stay as they are. A change applies without a restart.
         */
        patch: operations["changeSettings"];
        trace?: never;
    };
    "/admin/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow all changes
         * @description Server-sent events of both environments. `time` `{now}`: at the start and as a keep-alive.
         *     `jobs` `{environment, jobs, removed, more}`: the jobs (without results, with their labels) that changed since the
         *     last message, ids of those that are gone, and whether there were too many to name. `deliveries`
         *     `{environment, deliveries: [{deliveryId, jobId, webhookId}], more}`: deliveries that began or ended an attempt.
         *     `inboxes` `{environment, inboxes}`: names of the inboxes that took a message or were changed. `contributions`
         *     `{environment}`: one came in, was reported or decided. `watches` `{environment}`: a watched folder or feed changed
         *     its state. `library` `{environment}`: titles, figures or sizes of items were read from their results.
         *     `alerts` `{environment}`: at the start, and when alerts were raised, changed or cleared.
         */
        get: operations["followChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Account: {
            accountId: string;
            plan: components["schemas"]["Plan"];
            allowance: components["schemas"]["Allowance"];
            /** Format: date-time */
            firstSeen: string;
            /** Format: date-time */
            lastSeen: string;
            /** @description In total, in the 6-decimal unit. Play money and real money are never added. */
            paid: {
                play: string;
                real: string;
            };
        };
        AccountUsage: {
            accountId: string;
            plan: components["schemas"]["Plan"];
            allowance: components["schemas"]["Allowance"];
            requestsPassed: number;
            requestsRefused: number;
            /** @description Open requests to operations that answer at once. */
            inlineOpen: number;
            jobsProcessing: number;
        };
        Activity: {
            /** @enum {string} */
            range: "day" | "month";
            /** @description Oldest first: 24 hours or 30 days, the current one included. */
            buckets: {
                /** Format: date-time */
                from: string;
                completed: number;
                /** @description Without cancelled jobs. */
                failed: number;
                byOperation: {
                    operationId: string;
                    completed: number;
                    /** @description Without cancelled jobs. */
                    failed: number;
                }[];
                /** @description Settled payments, in the 6-decimal unit. Play money and real money are never added. */
                earned: {
                    play: string;
                    real: string;
                };
            }[];
        };
        Alert: {
            alertId: string;
            /** @enum {string} */
            environment: "production" | "staging";
            /**
             * @description jobs-failing: jobs of an operation failed. endpoint-failing: a webhook of the owner is not answering. disk-low: the disk of the data folder. install-needed: jobs lack a model or program. backup-failed: the scheduled backup.
             * @enum {string}
             */
            kind: "jobs-failing" | "endpoint-failing" | "disk-low" | "install-needed" | "backup-failed";
            /** @description What it is about: an operation, a webhook, the disk, the backup, or a need and its language. */
            subject: string;
            /** @enum {string} */
            status: "open" | "cleared";
            title: string;
            /** @description What is wrong, and what to do. */
            message: string;
            /** @description Page of the window that mends it, as path and query. */
            page: string;
            /** @description Jobs that wait for the installation. */
            waitingJobs: number;
            /** @description The newest job that it concerns. */
            jobId: string | null;
            /** @description What to install. */
            install: components["schemas"]["InstallChoice"] | null;
            /** @description Whether that is being installed. */
            installing: boolean;
            /** Format: date-time */
            raisedAt: string;
            /** Format: date-time */
            updatedAt: string;
            clearedAt: string | null;
        };
        AlertList: {
            /** @description Newest first. */
            open: components["schemas"]["Alert"][];
            /** @description Cleared alerts, newest first. */
            recent: components["schemas"]["Alert"][];
        };
        Allowance: {
            requestsPerMinute: number;
            /** @description Jobs of the account that are processed at once. */
            concurrency: number;
        };
        AuditEntry: {
            entryId: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            kind: "change" | "run";
            /** @description Null for the owner. */
            keyId: string | null;
            /** @description Name that the key had then. */
            keyName: string | null;
            method: string;
            /** @description Declared path, with parameters in braces. */
            route: string;
            /** @description What the request named or made: an identifier, or names of settings. */
            target: string | null;
            status: number;
            /** @description Code of the error. */
            code: string | null;
            /** @description `X-Request-Id` of the answer. */
            requestId: string;
        };
        BackupsView: {
            /** @description Where backups go; null for none. */
            folder: string | null;
            /** @description False where the folder cannot be read, such as that of a disk that is away. */
            isReadable: boolean;
            /** @description Whether one is being made. */
            isMaking: boolean;
            /** @description Why the last one failed; null after a success. */
            failure: string | null;
            /** @description Newest first. */
            backups: {
                /** @description Its folder. */
                name: string;
                /** Format: date-time */
                createdAt: string;
            }[];
            /** @description A restore that was asked for. */
            restore: {
                /** @description The backup. */
                name: string;
                /**
                 * @description `preparing`: it is copied and checked. `ready`: it takes the place of the data at the next start.
                 * @enum {string}
                 */
                state: "preparing" | "ready" | "failed";
                failure: string | null;
            } | null;
            /** @description Folders with the data from before restores, newest first. */
            replaced: string[];
        };
        BrokerLogin: {
            /** @constant */
            kind: "password";
            user: string;
            password: string;
        } | {
            /** @constant */
            kind: "creds";
            /** @description Text of a .creds file. */
            creds: string;
        };
        BrowserView: {
            /** @description Where the browser is from that crawls use; null: there is none on this machine. */
            from: ("setting" | "system" | "data-folder") | null;
            /** @description What can be fetched; null where the publisher has no build for this machine. */
            offered: {
                title: string;
                /** @description About; the download states it exactly. */
                sizeBytes: number;
                licence: string;
                /** @description Host of the publisher. */
                source: string;
            } | null;
            fetched: {
                version: string;
                /** @description Of the archive. */
                sizeBytes: number;
                /** @description Of the archive, as it arrived. */
                sha256: string;
                /** @description The storage stated an MD5, and the archive has it. The publisher states no other. */
                md5Compared: boolean;
                fetchedAt: string;
            } | null;
            download: components["schemas"]["DownloadProgress"] | null;
        };
        CorrectedWord: {
            from: string;
            to: string;
        };
        CorrectionReach: {
            /** @description Whether the result and its files have it. False: the job has no result yet, or they could not be written and are tried again. */
            isWritten: boolean;
            /** @description What it cannot reach. */
            notCorrected: {
                /** @description A file of the job, or `extracted`. */
                name: string;
                /** @description Why, and what to do. */
                reason: string;
            }[];
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
            screens: number;
        };
        CrawlActionInput: {
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
            screens: number;
        };
        CrawlSoFar: {
            /** @description Addresses found. */
            found: number;
            /** @description Pages read. */
            pages: number;
            /** @description Addresses to be fetched. */
            waiting: number;
            /** @description Outcomes of the other addresses, with their counts. */
            verdicts: {
                [key: string]: number;
            };
            /** @description Addresses of the pages read last, newest first. */
            newest: string[];
        };
        Delivery: {
            deliveryId: string;
            webhookId: string;
            /** @description Null when none was given. */
            webhookName: string | null;
            /** @description Null when the webhook was deleted. */
            webhookStatus: ("active" | "paused" | "disabled") | null;
            accountId: string;
            jobId: string;
            kind: string;
            event: string;
            /** @description Null when a job and its own webhooks were deleted. */
            url: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "exhausted" | "cancelled";
            attempts: number;
            manual: boolean;
            /** @description Whether an attempt is running. */
            underWay: boolean;
            nextAttemptAt: string | null;
            lastResponseStatus: number | null;
            lastErrorClass: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        DeliveryAttempt: {
            number: number;
            manual: boolean;
            /** Format: date-time */
            startedAt: string;
            durationMs: number;
            request: {
                method: string;
                url: string;
                headers: {
                    [key: string]: string;
                };
                bodySha256: string;
                bodyBytes: number;
            };
            response: {
                status: number;
                headers: {
                    [key: string]: string | string[];
                };
                body: string;
                truncated: boolean;
            } | null;
            errorClass: string | null;
            errorMessage: string | null;
            nextAttemptAt: string | null;
        };
        DeliveryDetail: {
            deliveryId: string;
            webhookId: string;
            /** @description Null when none was given. */
            webhookName: string | null;
            /** @description Null when the webhook was deleted. */
            webhookStatus: ("active" | "paused" | "disabled") | null;
            accountId: string;
            jobId: string;
            kind: string;
            event: string;
            /** @description Null when a job and its own webhooks were deleted. */
            url: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "exhausted" | "cancelled";
            attempts: number;
            manual: boolean;
            /** @description Whether an attempt is running. */
            underWay: boolean;
            nextAttemptAt: string | null;
            lastResponseStatus: number | null;
            lastErrorClass: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            attemptLog: components["schemas"]["DeliveryAttempt"][];
        };
        DeviceAccess: {
            on: boolean;
            address: string | null;
            port: number;
            listening: boolean;
            /** @description Why devices cannot connect, and what to do; null where they can. */
            problem: string | null;
            /** @description IPv4 addresses of this computer in its networks. */
            addresses: string[];
            /** @description Where devices open Quarry, one for each address of this computer. */
            urls: string[];
            /** @description Last used first. */
            devices: components["schemas"]["LinkedDevice"][];
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
        DiskUse: {
            /** @description The data folder. */
            folder: string;
            /** @description Of all files in it: the sum of the parts. */
            bytes: number;
            /** @description The largest first, those that take nothing left out. */
            parts: {
                /**
                 * @description A kind of item; `deleted` items; `callers`: results that are in no library and go by themselves; `watches`: runs of watched sites; `replaced`: data that a backup took the place of; `others`: recordings of listening, uploads under way, keys.
                 * @enum {string}
                 */
                part: "document" | "talk" | "site" | "page" | "sound" | "text" | "deleted" | "callers" | "watches" | "models" | "programs" | "search" | "databases" | "replaced" | "otherEnvironment" | "others";
                bytes: number;
                /** @description Of items: bytes of their original files. */
                originals: number;
                /** @description Results among them. */
                jobs: number;
            }[];
        };
        DownloadProgress: {
            name: string;
            /**
             * @description `building`: a program is compiled from its source; then the figures count its parts.
             * @enum {string}
             */
            status: "downloading" | "verifying" | "building" | "installed" | "failed" | "cancelled";
            receivedBytes: number;
            /** @description Stated by the server or the catalogue; an estimate until the first file has begun. */
            totalBytes: number;
            startedAt: string;
            /** @description Null while it runs. */
            endedAt: string | null;
            error: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal" | "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_key_reused" | "job_expired" | "body_too_large" | "header_too_large" | "unsupported_content_type" | "range_not_satisfiable" | "rate_limited" | "storage_full" | "storage_unavailable" | "settlement_unavailable" | "shutting_down";
                message: string;
            } | null;
        };
        Feed: {
            feedId: string;
            name: string | null;
            /** @description As the feed says; null until it has been read. */
            title: string | null;
            url: string;
            recipe: components["schemas"]["Recipe"];
            /**
             * @description What of an entry is read. `auto`: its attachment that is no picture, else its page.
             * @enum {string}
             */
            takes: "auto" | "enclosure" | "link";
            first: number;
            schedule: {
                everyMinutes: number;
                timeOfDay: string | null;
            };
            /** @enum {string} */
            status: "active" | "paused";
            /** @description The named key that made it. It pauses when the key ends. */
            keyId?: string;
            keyName?: string;
            /** @description Why it pauses, when its key has ended. */
            notice?: string;
            /** @description Null while it is paused. */
            nextRunAt: string | null;
            /** @description When the feed was last asked for. */
            checkedAt: string | null;
            /** @description Why it could not be read then; null when it was, or has not changed. */
            error: string | null;
            counts: {
                waiting: number;
                processing: number;
                completed: number;
                failed: number;
                skipped: number;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        FeedEntry: {
            entryId: string;
            title: string | null;
            /** @description The address that is read. */
            url: string | null;
            publishedAt: string | null;
            jobId: string | null;
            /** @description Whether the job still has its result. */
            jobKept: boolean;
            /**
             * @description `waiting`: becomes a job soon. `skipped`: older than the first entries, beyond the limit, or without address.
             * @enum {string}
             */
            status: "waiting" | "processing" | "completed" | "failed" | "skipped";
            error: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal";
                /** @description What to do next, in one sentence. */
                message: string;
                /** @description Whether the same request may succeed later. */
                retryable: boolean;
            } | null;
            /** Format: date-time */
            foundAt: string;
            endedAt: string | null;
        };
        FleetChange: {
            /** @description Whether nodes may run jobs of this machine. */
            enabled?: boolean;
            /** @description Address of this machine that the nodes dial. With a loopback address only this machine can. */
            host?: string;
            /** @description Port for the files of jobs. */
            port?: number;
            /** @description Port of the broker that Quarry starts. */
            brokerPort?: number;
            /** @description A broker (nats-server with JetStream) that you run, as tls://<host>:<port>; null: Quarry starts one. */
            brokerUrl?: string | null;
            /** @description Certificates of the authority that signs that of your broker, in PEM format; null: those of the system. */
            brokerCa?: string | null;
            /** @description Jobs that can travel and run at once on this machine; null: as many as it has threads. */
            localSlots?: number | null;
            /** @description Login for your own broker, which this machine and all nodes use. It is kept in a private file and not shown. Null: each has a key of its own (nkey). */
            brokerLogin?: components["schemas"]["BrokerLogin"] | null;
        };
        FleetChoices: {
            /** @description Whether nodes may run jobs of this machine. */
            enabled: boolean;
            /** @description Address of this machine that the nodes dial. With a loopback address only this machine can. */
            host: string;
            /** @description Port for the files of jobs. */
            port: number;
            /** @description Port of the broker that Quarry starts. */
            brokerPort: number;
            /** @description A broker (nats-server with JetStream) that you run, as tls://<host>:<port>; null: Quarry starts one. */
            brokerUrl: string | null;
            /** @description Certificates of the authority that signs that of your broker, in PEM format; null: those of the system. */
            brokerCa: string | null;
            /** @description Jobs that can travel and run at once on this machine; null: as many as it has threads. */
            localSlots: number | null;
        };
        FleetNode: {
            nodeId: string;
            name: string;
            /**
             * @description `waiting`: it has never joined; `refused`: it runs another version of Quarry; `contested`: two processes use its key, and neither gets work.
             * @enum {string}
             */
            status: "waiting" | "online" | "offline" | "refused" | "contested";
            version: string | null;
            cores: number | null;
            /** @description Its graphics processor; null when none is known. */
            gpu: string | null;
            /** @description Operations that it runs. */
            operations: string[];
            /** @description Its models, also while it is away. */
            models: components["schemas"]["NodeModel"][];
            /** @description Models that are being copied to it. */
            copies: components["schemas"]["NodeCopy"][];
            /** @description Heavy jobs that it runs at once, such as talks. */
            slots: number;
            /** @description Heavy jobs that it runs now. */
            busy: number;
            /** @description Light jobs, such as pictures and written answers, that it runs at once beside them. */
            lightSlots: number;
            /** @description Light jobs that it runs now. */
            lightBusy: number;
            /** @description Browsers that it offers to crawls of this machine. */
            browsers: number;
            /** @description Of these, with crawls. */
            browsersTaken: number;
            /** @description It ends its jobs and gets no more. */
            draining: boolean;
            /** Format: date-time */
            createdAt: string;
            /** @description To within a minute; null before it was first seen. */
            lastSeenAt: string | null;
        };
        FleetView: {
            choices: components["schemas"]["FleetChoices"];
            /** @enum {string} */
            state: "off" | "starting" | "on" | "failed";
            /** @description Why the fleet does not work, and what to do. */
            error: string | null;
            /** @description Of this machine. Nodes must have the same. */
            version: string;
            /** @description For your own broker: the users of its `authorization`, with their keys. Null where Quarry starts the broker, and where all use one login. */
            brokerConfig: string | null;
            /**
             * @description How this machine and its nodes log in to the broker.
             * @enum {string}
             */
            brokerLogin: "nkeys" | "password" | "creds";
            /** @description Oldest first. */
            nodes: components["schemas"]["FleetNode"][];
        };
        FolderWatch: {
            watchId: string;
            name: string | null;
            path: string;
            recipe: components["schemas"]["Recipe"];
            extensions: string[] | null;
            /**
             * @description `beside`: the files of each result are also written to a folder beside the watched one.
             * @enum {string}
             */
            results: "quarry" | "beside";
            /** @description Where results are written; null when they are only in Quarry. */
            resultsPath: string | null;
            settleSeconds: number;
            /** @enum {string} */
            status: "active" | "paused";
            /**
             * @description `looking`: all files are compared with what is known. `missing`: the folder is not there, or its disk is not mounted. `unreadable`: the system refuses to watch it. `too_many`: some of its files are not read. `waiting`: reading has stopped for a while, such as on a full disk.
             * @enum {string}
             */
            state: "looking" | "watching" | "paused" | "missing" | "unreadable" | "too_many" | "waiting";
            /** @description What to do about the state, in one sentence. */
            message: string | null;
            /** @description Files that were found and have not been read yet. */
            settling: number;
            counts: {
                processing: number;
                completed: number;
                failed: number;
            };
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        HeardWords: {
            /** @description Empty where nobody speaks. */
            text: string;
            /** @description As the model hears it. */
            language: string | null;
        };
        Inbox: {
            name: string;
            url: string;
            label: string;
            hasSecret: boolean;
            behaviour: components["schemas"]["InboxBehaviour"];
            /** Format: date-time */
            createdAt: string;
        };
        InboxBehaviour: {
            /** @constant */
            mode: "accept";
        } | {
            /** @constant */
            mode: "status";
            status: number;
            /** @default null */
            times: number | null;
        } | {
            /** @constant */
            mode: "timeout";
            /** @default null */
            times: number | null;
        } | {
            /** @constant */
            mode: "slow";
            delayMs: number;
            /** @default null */
            times: number | null;
        };
        InboxBehaviourInput: {
            /** @constant */
            mode: "accept";
        } | {
            /** @constant */
            mode: "status";
            status: number;
            /** @default null */
            times: number | null;
        } | {
            /** @constant */
            mode: "timeout";
            /** @default null */
            times: number | null;
        } | {
            /** @constant */
            mode: "slow";
            delayMs: number;
            /** @default null */
            times: number | null;
        };
        InboxMessage: {
            /** Format: date-time */
            receivedAt: string;
            verified: boolean;
            /** @enum {string} */
            verdict: "valid" | "invalid" | "missing" | "unsigned";
            payload: {
                /** @enum {string} */
                verdict: "valid" | "invalid" | "missing" | "unsigned";
                reason: string;
            };
            standard: {
                /** @enum {string} */
                verdict: "valid" | "invalid" | "missing" | "unsigned";
                reason: string;
            };
            headers: {
                [key: string]: string;
            };
            body: string;
            bodyBytes: number;
            answer: components["schemas"]["InboxBehaviour"];
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
        JobProgress: {
            percent: number;
            stage: string;
            message: string;
        };
        JobRecord: {
            jobId: string;
            label: string;
            accountId: string;
            /** @description The key that made it; null without one. */
            keyName: string | null;
            /** @enum {string} */
            priority?: "low" | "normal" | "high";
            /** @enum {string} */
            queueClass: "light" | "heavy" | "network";
            attempts: number;
            /** @description The node of its present or last run; null for this machine. */
            node: string | null;
            /** Format: date-time */
            acceptedAt: string;
            startedAt: string | null;
            endedAt: string | null;
            /** Format: date-time */
            updatedAt: string;
            /** @description When each stage of its runs began, oldest first. */
            stages: {
                stage: string;
                /** Format: date-time */
                startedAt: string;
            }[];
            /** @description What the request makes, where results of the operation differ: music. */
            variant: string | null;
            /** @description The watch of a site that submitted it. */
            watchId: string | null;
            /** @description The file it was made from. */
            source: {
                fileName: string | null;
                sizeBytes: number;
                kind: string;
            } | null;
            /** @description What was asked, without secrets. */
            request: {
                [key: string]: unknown;
            };
            /** @description For a session: goes into the addresses of the job's files, as `?ticket=`. */
            fileTicket?: string;
            payment: components["schemas"]["Payment"] | null;
        };
        Key: {
            keyId: string;
            name: string;
            /** @description The first characters of the key. */
            shown: string;
            scopes: string[];
            /** @description Null for no limit. */
            requestsPerMinute: number | null;
            /** @description Unfinished jobs at once; null for no limit. */
            openJobs: number | null;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            expired: boolean;
            /** @description To within a few minutes; null before the first use. */
            lastUsedAt: string | null;
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
        LibraryMirror: {
            mirrorId: string;
            /** @description The folder. */
            path: string;
            /** @description The items in it. */
            filter: components["schemas"]["LibraryFilter"];
            /** @enum {string} */
            state: "waiting" | "ok" | "failed";
            /** @description Why it could not be brought in step, and what to do. */
            message: string | null;
            /** @description Files made or changed by somebody else, which stay: at most 100. */
            kept: string[];
            keptCount: number;
            syncedAt: string | null;
        };
        LimitsView: {
            windowSeconds: number;
            plans: {
                studio: components["schemas"]["Allowance"];
                production: components["schemas"]["Allowance"];
            };
            /** @description Of the enterprise plan. */
            bounds: components["schemas"]["Allowance"];
            /** @description Accounts of the last minute, busiest first. */
            usage: components["schemas"]["AccountUsage"][];
            /** @description Requests of the last hour, without the owner's. */
            lastHour: {
                /** @description Requests by minute, oldest first; the current minute is the last one. */
                passed: number[];
                refused: number[];
                /** @description Most recently active first. */
                accounts: {
                    accountId: string;
                    /** @description Requests by minute, oldest first; the current minute is the last one. */
                    passed: number[];
                    refused: number[];
                    /** @description Since midnight in the time zone, to the hour, or since the start of the server. */
                    refusedToday: number;
                }[];
            };
        };
        LinkCode: {
            /** @description Links one device, once. */
            code: string;
            /** @description Addresses for the QR code, one for each address of this computer. */
            links: string[];
            /** Format: date-time */
            expiresAt: string;
        };
        LinkedDevice: {
            deviceId: string;
            /** @description Browser and system, with a number where several share them. */
            name: string;
            /** Format: date-time */
            linkedAt: string;
            /**
             * Format: date-time
             * @description To within a few minutes.
             */
            lastUsedAt: string;
            /**
             * Format: date-time
             * @description 30 days after its last use.
             */
            expiresAt: string;
        };
        ListedJob: {
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
            /** @description Its name in lists. */
            label: string;
            /** @description The account that made it; `owner` for the owner's jobs. */
            accountId: string;
            /** @description When its first run began. */
            startedAt: string | null;
            endedAt: string | null;
            /** @description What the request makes, where results of the operation differ: music. */
            variant: string | null;
            /** @description The watch of a site, folder or feed that submitted it. */
            watchId: string | null;
            /** @description Whether that watch found changes. */
            siteChanged: boolean;
            /** @description The key that made it; null without one. */
            keyName: string | null;
            /** @description Null for a job without one. */
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
        };
        ListedJobPage: {
            jobs: components["schemas"]["ListedJob"][];
            nextCursor: string | null;
        };
        Machine: {
            cores: number;
            memoryBytes: number;
            /** @description Of the disk with the models folder. */
            freeDiskBytes: number;
            /** @description Graphics processor of this machine; null when none is known. */
            gpu: string | null;
        };
        MediaTool: {
            /** @enum {string} */
            name: "node-av" | "ffmpeg" | "whisper-cli" | "yt-dlp";
            /**
             * @description `installable`: absent, and the appliance can install it.
             * @enum {string}
             */
            state: "ready" | "installable" | "missing";
            purpose: string;
            version: string | null;
            /** @description `included`, `setting`, `data-folder`, `ffmpeg-static` or `path`. */
            from: string | null;
            /** @description How to install it where it is missing. */
            advice: string | null;
        };
        ModelView: {
            name: string;
            /** @enum {string} */
            kind: "ocr-language" | "speech" | "speakers" | "vad" | "text" | "embedding" | "voice" | "soundfont";
            title: string;
            language: string | null;
            licence: string | null;
            /** @description Of its kind, the model to install first. */
            recommended: boolean;
            /** @description Host from which `GET /admin/models/{name}/sample` fetches how a voice sounds; null without a sample. */
            sampleSource: string | null;
            /** @description Of the installed files; of the download where it is not installed. */
            sizeBytes: number;
            installed: boolean;
            format: ("voice-folder" | "ggml" | "onnx-folder" | "onnx" | "gguf" | "traineddata" | "soundfont") | null;
            origin: ("catalogue" | "by-hand") | null;
            /** @description Whether the bytes were compared with a checksum that upstream publishes. */
            verified: boolean;
            /** @description Whether upstream publishes a checksum for all of its files; null outside the catalogue. */
            verifiable: boolean | null;
            installedAt: string | null;
            /** @description When this process last used it. */
            lastUsedAt: string | null;
            download: components["schemas"]["DownloadProgress"] | null;
        };
        ModeratedContribution: {
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
            accountId: string;
            reports: number;
            /** @description Where a correction or an annotation of a job is, in the answer to a decision; null elsewhere. */
            correction: components["schemas"]["CorrectionReach"] | null;
            chunk: {
                text: string;
                /** @description Before a correction; null where there is none. */
                originalText: string | null;
                heading: string | null;
                page: number;
                /** @description In a recording; null elsewhere. */
                startSeconds: number | null;
                sourceName: string | null;
                url: string | null;
                jobType: string;
            } | null;
            contributor: {
                pending: number;
                approved: number;
                rejected: number;
            };
            history: {
                action: string;
                actor: string;
                reason: string | null;
                at: string;
            }[];
        };
        MoveRequest: {
            /** @enum {string} */
            what: "data" | "models";
            /** @description The absolute path of a new or empty folder on this machine. */
            to: string;
        };
        NeedView: {
            /** @enum {string} */
            need: "speech" | "speakers" | "text" | "voice" | "soundfont" | "embedding" | "ocr-language" | "ffmpeg" | "yt-dlp" | "whisper-cli" | "browser";
            title: string;
            /** @description Whether the work can start without an installation. */
            ready: boolean;
            /** @description The work, such as `Transcribing`. */
            usedBy: string;
            /** @description What is used for it. */
            installed: string | null;
            /** @description What can be installed, the recommended one first. */
            choices: components["schemas"]["InstallChoice"][];
            /** @description Jobs of both environments that wait for it. */
            waitingJobs: number;
        };
        NodeCopy: {
            model: string;
            /**
             * @description `waiting`: for the node, or for a copy before it.
             * @enum {string}
             */
            state: "waiting" | "downloading" | "verifying" | "failed";
            receivedBytes: number;
            totalBytes: number;
            /** @description Why it failed, and what to do. */
            error: string | null;
        };
        NodeModel: {
            name: string;
            kind: string;
            sizeBytes: number;
        };
        Overview: {
            version: string;
            uptimeSeconds: number;
            queues: {
                environment: string;
                byStatus: {
                    [key: string]: number;
                };
                /** @description Counts stop here. */
                countedUpTo: number;
                running: number;
            }[];
            pool: {
                threads: number;
                busy: number;
                waiting: number;
            };
            memory: {
                residentBytes: number;
                heapBytes: number;
            };
            search: {
                environment: string;
                /** @description The embedding model; null while none is installed. */
                model: string | null;
                /** @description Chunks without a vector. */
                waitingChunks: number;
                /** @description Progress of a rebuild of the index; null when it is complete. */
                rebuiltPercent: number | null;
            }[];
            disk: {
                /** @description The data folder; a linked device does not see it. */
                folder?: string;
                freeBytes: number;
                totalBytes: number;
            };
        };
        OwnerSession: {
            sessionId: string;
            /** @description Browser and system, as far as the header tells. */
            browser: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description Whether the request belongs to it. */
            current: boolean;
        };
        PageVersion: {
            contentHash: string;
            /** @description Of its Markdown. */
            characters: number;
            /** Format: date-time */
            fetchedAt: string;
        };
        Payment: {
            paymentId: string;
            /** @enum {string} */
            status: "reserved" | "settled" | "failed";
            /**
             * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
             * @enum {string}
             */
            mode: "sandbox" | "facilitator" | "onchain";
            x402Version: number;
            operationId: string | null;
            jobId: string | null;
            /** @description The batch that was bought instead of a job. */
            batchId: string | null;
            payer: string;
            payTo: string;
            network: string;
            asset: string;
            nonce: string;
            /** @description In the 6-decimal unit, as text. */
            amount: string;
            price: string | null;
            transaction: string | null;
            errorCode: string | null;
            /** @description The `accepts` entry that was paid. */
            challenge: unknown;
            /** Format: date-time */
            verifiedAt: string;
            broadcastAt: string | null;
            settledAt: string | null;
            failedAt: string | null;
            /** @description The free run after a fault of the appliance. */
            rerun: {
                /** Format: date-time */
                expiresAt: string;
                usedAt: string | null;
            } | null;
        };
        PaymentSummary: {
            /**
             * @description What is summed: play money of the sandbox, or real money. They are never added up.
             * @enum {string}
             */
            money: "play" | "real";
            /** @description The kinds of money that ever settled. */
            kinds: ("play" | "real")[];
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            total: {
                payments: number;
                /** @description In the 6-decimal unit, as text. */
                amount: string;
            };
            /** @description By day of the time zone, `2026-11-29`. */
            byDay: {
                day: string;
                payments: number;
                /** @description In the 6-decimal unit, as text. */
                amount: string;
            }[];
            byOperation: {
                operationId: string | null;
                payments: number;
                /** @description In the 6-decimal unit, as text. */
                amount: string;
            }[];
            byPayer: {
                payer: string;
                payments: number;
                /** @description In the 6-decimal unit, as text. */
                amount: string;
            }[];
            challenges: {
                /** @description Of UTC. */
                day: string;
                operationId: string;
                /** @description Null where no proof was given. */
                error: string | null;
                answers: number;
            }[];
        };
        Places: {
            data: {
                /** @description Holds all data. */
                folder: string;
                /** @description Of its disk. */
                freeBytes: number;
                totalBytes: number;
            };
            models: {
                folder: string;
                /** @description Fixed by `--models-dir` or `QUARRY_MODELS_DIR`: it cannot be moved here. */
                isGiven: boolean;
                /** @description The folder that was chosen and is not there now; `folder` stands in. */
                missing: string | null;
                freeBytes: number;
            };
            /** @description What moves at the next start. */
            move: {
                /** @enum {string} */
                what: "data" | "models";
                to: string;
                /** @description Why the last start could not do it; null while it waits for one. */
                failure: string | null;
            } | null;
            /** @description Folders in which a move left a copy, which may be deleted. */
            former: string[];
        };
        Plan: {
            /** @constant */
            plan: "studio";
        } | {
            /** @constant */
            plan: "production";
        } | {
            /** @constant */
            plan: "enterprise";
            requestsPerMinute: number;
            /** @description Jobs of the account that are processed at once. */
            concurrency: number;
        } | {
            /** @constant */
            plan: "blocked";
        };
        PlanInput: {
            /** @constant */
            plan: "studio";
        } | {
            /** @constant */
            plan: "production";
        } | {
            /** @constant */
            plan: "enterprise";
            requestsPerMinute: number;
            /** @description Jobs of the account that are processed at once. */
            concurrency: number;
        } | {
            /** @constant */
            plan: "blocked";
        };
        Price: {
            operationId: string;
            summary: string;
            amount: number;
            timeoutSeconds: number;
            declared: {
                amount: number;
                timeoutSeconds: number;
            };
            history: {
                amount: number;
                timeoutSeconds: number;
                previousAmount: number;
                previousTimeoutSeconds: number;
                /** Format: date-time */
                changedAt: string;
            }[];
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
        /**
         * @example {
         *       "operation": "extract/doc",
         *       "request": {
         *         "options": {
         *           "segmentLength": 800
         *         }
         *       }
         *     }
         */
        Recipe: {
            /** @description The operation: `extract/doc`, `extract/video`, … */
            operation: string;
            /**
             * @description The body of each request, without the source: `{"options": {…}, "webhookUrl": "https://…"}`.
             * @default {}
             */
            request: {
                [key: string]: unknown;
            };
        };
        /**
         * @example {
         *       "operation": "extract/doc",
         *       "request": {
         *         "options": {
         *           "segmentLength": 800
         *         }
         *       }
         *     }
         */
        RecipeInput: {
            /** @description The operation: `extract/doc`, `extract/video`, … */
            operation: string;
            /**
             * @description The body of each request, without the source: `{"options": {…}, "webhookUrl": "https://…"}`.
             * @default {}
             */
            request: {
                [key: string]: unknown;
            };
        };
        RememberVoiceRequest: {
            /** @description The name of a speaker of the job, not `Speaker 1`. */
            speaker: string;
        };
        RememberedVoice: {
            id: string;
            name: string;
            /** @description The speaker model that knows it. Jobs with another model do not recognise it. */
            model: string;
            /** @description How many times it was remembered. */
            samples: number;
            /** @description Sound that it was made from. */
            seconds: number;
            createdAt: string;
            /** @description When it was last remembered or recognised. */
            lastHeardAt: string;
        };
        RestoreRequest: {
            /** @description Its folder, as the list names it. */
            name: string;
        };
        SandboxWallet: {
            address: string;
            /** @description In the 6-decimal unit. */
            balance: number;
            /** @description Whether it is a wallet whose key the sandbox holds. */
            demo: boolean;
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
        Settings: {
            /**
             * @description Address that clients use, such as that of a reverse proxy, and that absolute URLs in answers begin with. It may have a path. Null: the listening address.
             * @default null
             */
            publicUrl: string | null;
            /**
             * @description Reverse proxies whose `X-Forwarded-For` or `Forwarded` names the client; of all others it is ignored.
             * @default []
             */
            trustedProxies: string[];
            /**
             * @description Hours a result is kept.
             * @default 72
             */
            retentionHours: number;
            /**
             * @description Days after which deleted items of the library leave the disk.
             * @default 30
             */
            deletedDays: number;
            /**
             * @description Which original files stay with what is read from now on: all, those of recordings, or none. Without one it cannot be played, and reading it again needs the file.
             * @default all
             * @enum {string}
             */
            originals: "all" | "talks" | "none";
            /**
             * @description Whether the owner, and keys with the scope `private-network`, may name hosts of the private network and of this machine in requests. Nothing that such a host, or a public one, leads to is reached there.
             * @default true
             */
            allowPrivateNetworks: boolean;
            /**
             * @description Whether payers may give http webhook addresses.
             * @default false
             */
            allowHttpWebhooks: boolean;
            /**
             * @description Origins, besides its own, that may call the API from a browser: sites, and apps and extensions such as `app://obsidian.md` or `chrome-extension://…`.
             * @default []
             */
            allowedOrigins: string[];
            /**
             * @description Folder that gets a backup of all data at intervals, each in a folder of its own; null for none.
             * @default null
             */
            backupFolder: string | null;
            /**
             * @description Hours between two backups.
             * @default 24
             */
            backupEveryHours: number;
            /**
             * @description Backups that stay in the folder; older ones go.
             * @default 7
             */
            backupsKept: number;
            /**
             * @description Largest document, in MB.
             * @default 100
             */
            documentLimitMb: number;
            /**
             * @description Largest video or audio file, in MB.
             * @default 4096
             */
            videoLimitMb: number;
            /**
             * @description Most pages one crawl reads.
             * @default 1000
             */
            crawlMaxPages: number;
            /**
             * @description Longest one crawl goes on, in minutes.
             * @default 15
             */
            crawlMaxMinutes: number;
            /**
             * @description Least milliseconds between two requests of a crawl to one host; robots.txt may ask for more.
             * @default 100
             */
            crawlDelayMs: number;
            /**
             * @description Runs that a watched site keeps in its history.
             * @default 100
             */
            watchRunsKept: number;
            /**
             * @description Most MB of diffs that a watched site keeps.
             * @default 200
             */
            watchDiffsMb: number;
            /**
             * @description Whether crawls run the scripts of pages when the request does not say: auto for pages without text.
             * @default never
             * @enum {string}
             */
            crawlRender: "never" | "auto" | "always";
            /**
             * @description Where models are fetched from, as <address>/<model>/<file>; null means their publishers.
             * @default null
             */
            modelMirrorUrl: string | null;
            /**
             * @description The workspace text model: what POST /generate/text uses by default; null means the first there is.
             * @default null
             */
            textModel: string | null;
            /**
             * @description Minutes after which a text model that nobody asks gives its memory back; 0 means never.
             * @default 10
             */
            textModelIdleMinutes: number;
            /**
             * @description A server on this machine that speaks the OpenAI protocol; null means those that are found.
             * @default null
             */
            textServerUrl: string | null;
            /**
             * @description A server that speaks by the OpenAI protocol (POST <address>/audio/speech); null means none.
             * @default null
             */
            speechServerUrl: string | null;
            /**
             * @description What the speech server calls its model.
             * @default tts-1
             */
            speechServerModel: string;
            /**
             * @description What it calls its voices; they are offered as server-<voice>.
             * @default [
             *       "alloy"
             *     ]
             */
            speechServerVoices: string[];
            /**
             * @description Words that voices say wrong, and how they sound, such as Łódź = woodge.
             * @default []
             */
            pronunciations: string[];
            /**
             * @description Filters of the list of jobs, kept under a name.
             * @default []
             */
            jobViews: {
                name: string;
                /** @enum {string} */
                status?: "queued" | "processing" | "completed" | "failed";
                jobType?: string;
                tag?: string;
                text?: string;
                /**
                 * @description The last 1, 7 or 30 days.
                 * @enum {string}
                 */
                period?: "today" | "week" | "month";
                /** Format: date */
                from?: string;
                /** Format: date */
                to?: string;
                /** @enum {string} */
                order?: "newest" | "oldest";
            }[];
            /**
             * @description An alert is raised when the disk of the data folder has fewer MB free; 0 means never.
             * @default 2048
             */
            lowDiskMb: number;
            /**
             * @description Largest JSON body, in MB.
             * @default 64
             */
            jsonLimitMb: number;
        };
        SettingsChange: {
            /**
             * @description Address that clients use, such as that of a reverse proxy, and that absolute URLs in answers begin with. It may have a path. Null: the listening address.
             * @default null
             */
            publicUrl: string | null;
            /**
             * @description Reverse proxies whose `X-Forwarded-For` or `Forwarded` names the client; of all others it is ignored.
             * @default []
             */
            trustedProxies: string[];
            /**
             * @description Hours a result is kept.
             * @default 72
             */
            retentionHours: number;
            /**
             * @description Days after which deleted items of the library leave the disk.
             * @default 30
             */
            deletedDays: number;
            /**
             * @description Which original files stay with what is read from now on: all, those of recordings, or none. Without one it cannot be played, and reading it again needs the file.
             * @default all
             * @enum {string}
             */
            originals: "all" | "talks" | "none";
            /**
             * @description Whether the owner, and keys with the scope `private-network`, may name hosts of the private network and of this machine in requests. Nothing that such a host, or a public one, leads to is reached there.
             * @default true
             */
            allowPrivateNetworks: boolean;
            /**
             * @description Whether payers may give http webhook addresses.
             * @default false
             */
            allowHttpWebhooks: boolean;
            /**
             * @description Origins, besides its own, that may call the API from a browser: sites, and apps and extensions such as `app://obsidian.md` or `chrome-extension://…`.
             * @default []
             */
            allowedOrigins: string[];
            /**
             * @description Folder that gets a backup of all data at intervals, each in a folder of its own; null for none.
             * @default null
             */
            backupFolder: string | null;
            /**
             * @description Hours between two backups.
             * @default 24
             */
            backupEveryHours: number;
            /**
             * @description Backups that stay in the folder; older ones go.
             * @default 7
             */
            backupsKept: number;
            /**
             * @description Largest document, in MB.
             * @default 100
             */
            documentLimitMb: number;
            /**
             * @description Largest video or audio file, in MB.
             * @default 4096
             */
            videoLimitMb: number;
            /**
             * @description Most pages one crawl reads.
             * @default 1000
             */
            crawlMaxPages: number;
            /**
             * @description Longest one crawl goes on, in minutes.
             * @default 15
             */
            crawlMaxMinutes: number;
            /**
             * @description Least milliseconds between two requests of a crawl to one host; robots.txt may ask for more.
             * @default 100
             */
            crawlDelayMs: number;
            /**
             * @description Runs that a watched site keeps in its history.
             * @default 100
             */
            watchRunsKept: number;
            /**
             * @description Most MB of diffs that a watched site keeps.
             * @default 200
             */
            watchDiffsMb: number;
            /**
             * @description Whether crawls run the scripts of pages when the request does not say: auto for pages without text.
             * @default never
             * @enum {string}
             */
            crawlRender: "never" | "auto" | "always";
            /**
             * @description Where models are fetched from, as <address>/<model>/<file>; null means their publishers.
             * @default null
             */
            modelMirrorUrl: string | null;
            /**
             * @description The workspace text model: what POST /generate/text uses by default; null means the first there is.
             * @default null
             */
            textModel: string | null;
            /**
             * @description Minutes after which a text model that nobody asks gives its memory back; 0 means never.
             * @default 10
             */
            textModelIdleMinutes: number;
            /**
             * @description A server on this machine that speaks the OpenAI protocol; null means those that are found.
             * @default null
             */
            textServerUrl: string | null;
            /**
             * @description A server that speaks by the OpenAI protocol (POST <address>/audio/speech); null means none.
             * @default null
             */
            speechServerUrl: string | null;
            /**
             * @description What the speech server calls its model.
             * @default tts-1
             */
            speechServerModel: string;
            /**
             * @description What it calls its voices; they are offered as server-<voice>.
             * @default [
             *       "alloy"
             *     ]
             */
            speechServerVoices: string[];
            /**
             * @description Words that voices say wrong, and how they sound, such as Łódź = woodge.
             * @default []
             */
            pronunciations: string[];
            /**
             * @description Filters of the list of jobs, kept under a name.
             * @default []
             */
            jobViews: {
                name: string;
                /** @enum {string} */
                status?: "queued" | "processing" | "completed" | "failed";
                jobType?: string;
                tag?: string;
                text?: string;
                /**
                 * @description The last 1, 7 or 30 days.
                 * @enum {string}
                 */
                period?: "today" | "week" | "month";
                /** Format: date */
                from?: string;
                /** Format: date */
                to?: string;
                /** @enum {string} */
                order?: "newest" | "oldest";
            }[];
            /**
             * @description An alert is raised when the disk of the data folder has fewer MB free; 0 means never.
             * @default 2048
             */
            lowDiskMb: number;
            /**
             * @description Largest JSON body, in MB.
             * @default 64
             */
            jsonLimitMb: number;
        };
        Settlement: {
            settings: components["schemas"]["SettlementSettings"];
            status: {
                /**
                 * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
                 * @enum {string}
                 */
                mode: "sandbox" | "facilitator" | "onchain";
                /** @description Whether every check passes. */
                ready: boolean;
                checks: {
                    name: string;
                    ok: boolean;
                    detail: string;
                }[];
                /** @description Reservations without an outcome. */
                open: number;
            };
        };
        SettlementSettings: {
            /**
             * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
             * @enum {string}
             */
            mode: "sandbox" | "facilitator" | "onchain";
            /** @enum {string} */
            network: "base-sepolia" | "base";
            /** @description Address that is paid. Needed in every mode but the sandbox. */
            payTo: string | null;
            /** @description The asset's contract; null means the network's USDC. */
            asset: string | null;
            /** @description EIP-712 domain of the asset; null means that of the network's USDC. */
            extra: {
                name: string;
                version: string;
            } | null;
            /** @description JSON-RPC address of the chain. Needed on chain; with a facilitator it checks what the facilitator says. */
            rpcUrl: string | null;
            /** @description Address in front of /verify and /settle. User and password in it are sent as Basic authorization. */
            facilitatorUrl: string | null;
            /** @description Whether a 402 also carries the version 2 challenge in a header. */
            v2Header: boolean;
            /** @description Blocks that must hold a settlement. */
            confirmations: number;
            /** @description Whether other servers are paid at payTo too: then only what this one has settled buys a job here. */
            payToShared: boolean;
            hasPrivateKey: boolean;
            /** @description Fields that the environment decides. */
            fixedFields: string[];
            /** @description What the settings come to. */
            terms: {
                network: string;
                asset: string;
                payTo: string;
                extra: {
                    name: string;
                    version: string;
                };
            };
        };
        SignatureExplanation: {
            /** @enum {string} */
            verdict: "valid" | "invalid" | "missing" | "unsigned";
            reason: string;
            /** @description The signed text, at most its first 64 kB. */
            stringToSign: string | null;
            stringToSignBytes: number | null;
            /** @description How the secret became the key. */
            keyEncoding: ("utf8" | "base64") | null;
            expected: {
                hex: string;
                base64: string;
            } | null;
            received: string[];
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
        SitePageVersion: {
            url: string;
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
            /** @enum {string} */
            change: "added" | "changed" | "removed" | "gone" | "moved" | "first";
            /** @description The run that found it; null when the run is no longer kept. */
            jobId: string | null;
            /**
             * Format: date-time
             * @description When the page was read, or found to be gone.
             */
            at: string;
            /** @description False when the diff was removed to keep within the limits of the settings. */
            diffKept: boolean;
        };
        SiteWatch: {
            watchId: string;
            name: string | null;
            crawl: {
                /**
                 * Format: uri
                 * @description A page, or a sitemap (index, list or plain text, compressed or not). https, except for the owner.
                 */
                url: string;
                /**
                 * @description Levels of links to follow from the page.
                 * @default 1
                 */
                depth: number;
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
                 * @description Also read linked documents, such as PDF and Word files, as pages: at most 50, up to 10 MB each.
                 * @default false
                 */
                documents: boolean;
                /**
                 * @description Whether a browser runs the scripts of pages. auto: of pages without text of their own, or with a placeholder such as Loading. Default: the setting.
                 * @enum {string}
                 */
                render?: "never" | "auto" | "always";
                /**
                 * @description A picture of each rendered page, at most 100. `render` is then always by default.
                 * @default false
                 */
                screenshot: boolean;
                /**
                 * @description Each rendered page as PDF, at most 100. `render` is then always by default.
                 * @default false
                 */
                pdf: boolean;
                /** @description For the owner: what to do on each rendered page before it is read. */
                actions?: components["schemas"]["CrawlAction"][];
            };
            schedule: {
                everyMinutes: number;
                timeOfDay: string | null;
            };
            /** @description Its secret is never shown. */
            webhook: {
                url: string;
                events: ("job.completed" | "job.failed" | "crawl.changed")[];
                hasSecret: boolean;
            } | null;
            /** @enum {string} */
            status: "active" | "paused";
            /** @description The named key that made it. It pauses when the key ends. */
            keyId?: string;
            keyName?: string;
            /** @description Why it pauses, when its key has ended. */
            notice?: string;
            /** @description Null while it is paused. */
            nextRunAt: string | null;
            lastRun: components["schemas"]["SiteWatchRun"] | null;
            /** @description End of the last run that found changes. */
            lastChangeAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SiteWatchRun: {
            /** @description The crawl, which also names the run. Its result expires like that of other jobs. */
            jobId: string;
            /** @description Whether the job still has its result. */
            jobKept: boolean;
            /** @enum {string} */
            cause: "schedule" | "owner";
            /** @enum {string} */
            status: "running" | "completed" | "failed";
            /** @description It had nothing to compare with. */
            isFirst: boolean;
            /** @description Null until the run is completed. */
            counts: components["schemas"]["SiteChangeCounts"] | null;
            error: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal";
                /** @description What to do next, in one sentence. */
                message: string;
                /** @description Whether the same request may succeed later. */
                retryable: boolean;
            } | null;
            /** Format: date-time */
            startedAt: string;
            endedAt: string | null;
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
        SpeakerNamesRequest: {
            /** @description New names by present ones. Speakers with the same name become one. */
            names: {
                [key: string]: string;
            };
        };
        SubtitleOptions: {
            /**
             * @description Fills what is not given. `standard` alone follows the segments; the others divide the text by their limits.
             * @default standard
             * @enum {string}
             */
            preset: "standard" | "netflix" | "netflix-children" | "youtube";
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
        SubtitledVideo: {
            /** @description Null before the first. */
            form: ("track-mp4" | "track-mkv" | "burned-in") | null;
            /** @enum {string} */
            status: "idle" | "waiting" | "making" | "made" | "failed" | "cancelled";
            percent: number;
            error: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal" | "invalid_request" | "unauthorized" | "forbidden" | "not_found" | "method_not_allowed" | "conflict" | "idempotency_key_reused" | "job_expired" | "body_too_large" | "header_too_large" | "unsupported_content_type" | "range_not_satisfiable" | "rate_limited" | "storage_full" | "storage_unavailable" | "settlement_unavailable" | "shutting_down";
                message: string;
            } | null;
            /** @description Finished videos, as files of the job. */
            files: {
                name: string;
                sizeBytes: number;
            }[];
        };
        SubtitledVideoRequest: {
            /**
             * @description `track-mp4`, `track-mkv`: the streams of the source as they are, with a track that players can turn off. `burned-in`: the text is part of the pictures, which are encoded again as .mp4.
             * @enum {string}
             */
            form: "track-mp4" | "track-mkv" | "burned-in";
        };
        SubtitlesWritten: {
            /** @description Names of the files that were written. */
            files: string[];
            /** @description How many subtitles there are. */
            cues: number;
            /** @description What the options ask for and the speech does not allow. */
            warnings: string[];
        };
        VoiceOffer: {
            /** @description BCP 47 tag of the text; null when unknown. */
            language: string | null;
            /** @description Voices of this language, the recommended one first; empty for none. */
            choices: components["schemas"]["InstallChoice"][];
        };
        VoiceOfferRequest: {
            /** @description The text to speak. */
            text: string;
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
        WatchedFile: {
            fileId: string;
            /** @description Within the folder, with slashes. After a move it is the new one. */
            path: string;
            sizeBytes: number;
            /** @description Null when the file was refused before it became a job. */
            jobId: string | null;
            /** @description Whether the job still has its result. */
            jobKept: boolean;
            /** @enum {string} */
            status: "processing" | "completed" | "failed";
            error: {
                /** @enum {string} */
                code: "source_unreachable" | "source_forbidden" | "source_too_large" | "unsupported_media" | "corrupt_input" | "encrypted_input" | "robots_disallowed" | "model_not_installed" | "engine_unavailable" | "engine_failed" | "timeout" | "out_of_memory" | "cancelled" | "interrupted" | "internal";
                /** @description What to do next, in one sentence. */
                message: string;
                /** @description Whether the same request may succeed later. */
                retryable: boolean;
            } | null;
            /**
             * @description Of the copy beside the folder.
             * @enum {string}
             */
            results: "none" | "due" | "written" | "failed";
            resultsError: string | null;
            /** Format: date-time */
            foundAt: string;
            endedAt: string | null;
        };
        WebhookEndpoint: {
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
            accountId: string;
            /** @description The first failed attempt since the last success. */
            failingSince: string | null;
            /** @description Deliveries of the last 24 hours, at most the newest 500. */
            lastDay: {
                delivered: number;
                /** @description Failed, or failed so far and retried. */
                failed: number;
                /** @description Oldest first. */
                hours: {
                    delivered: number;
                    failed: number;
                }[];
            };
        };
        WebhookExplanation: {
            /**
             * @description `valid` only when all signatures match.
             * @enum {string}
             */
            verdict: "valid" | "invalid" | "missing" | "unsigned";
            /** @description The `signature` field and `X-Service-Signature`. */
            payload: components["schemas"]["SignatureExplanation"];
            /** @description The Standard Webhooks headers. */
            standard: {
                /** @enum {string} */
                verdict: "valid" | "invalid" | "missing" | "unsigned";
                reason: string;
                /** @description The signed text, at most its first 64 kB. */
                stringToSign: string | null;
                stringToSignBytes: number | null;
                /** @description How the secret became the key. */
                keyEncoding: ("utf8" | "base64") | null;
                expected: {
                    hex: string;
                    base64: string;
                } | null;
                received: string[];
                timestampAgeSeconds: number | null;
                timestampFresh: boolean | null;
            };
        };
        WhatIf: {
            accountId: string;
            plan: components["schemas"]["Plan"];
            allowance: components["schemas"]["Allowance"];
            /** @description Of the last minute. */
            requests: number;
            refused: number;
            /** @description Slots in use beyond the allowance. */
            slotsOver: number;
        };
    };
    responses: {
        /** @description The body is too large (`body_too_large`). */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description Cancelled (`cancelled`). */
        Cancelled: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The source is damaged (`corrupt_input`). */
        CorruptInput: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The source is damaged (`corrupt_input`); The source cannot be reached (`source_unreachable`). */
        CorruptInputOrSourceUnreachable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The source is damaged (`corrupt_input`); The source is of a kind that is not taken (`unsupported_media`). */
        CorruptInputOrUnsupportedMedia: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description An engine is not available (`engine_unavailable`); A model is not installed (`model_not_installed`); It needed too much memory (`out_of_memory`); The storage cannot be used now (`storage_unavailable`); It took too long (`timeout`). */
        EngineUnavailableOrModelNotInstalledOrOutOfMemoryOrStorageUnavailableOrTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description An engine is not available (`engine_unavailable`); A model is not installed (`model_not_installed`); The storage cannot be used now (`storage_unavailable`). */
        EngineUnavailableOrModelNotInstalledOrStorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description An engine is not available (`engine_unavailable`); A model is not installed (`model_not_installed`); The storage cannot be used now (`storage_unavailable`); It took too long (`timeout`). */
        EngineUnavailableOrModelNotInstalledOrStorageUnavailableOrTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description An engine is not available (`engine_unavailable`); The storage cannot be used now (`storage_unavailable`). */
        EngineUnavailableOrStorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description An engine is not available (`engine_unavailable`); The storage cannot be used now (`storage_unavailable`); It took too long (`timeout`). */
        EngineUnavailableOrStorageUnavailableOrTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description Internal error (`internal`). */
        Internal: {
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
        /** @description The job has expired (`job_expired`). */
        JobExpired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description Payments cannot be settled now (`settlement_unavailable`); The storage cannot be used now (`storage_unavailable`). */
        SettlementUnavailableOrStorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/settlement_unavailable",
                 *       "title": "Payments cannot be settled now",
                 *       "status": 503,
                 *       "detail": "Payments cannot be settled now.",
                 *       "code": "settlement_unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The disk is full (`storage_full`). */
        StorageFull: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
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
        /** @description The storage cannot be used now (`storage_unavailable`). */
        StorageUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/storage_unavailable",
                 *       "title": "The storage cannot be used now",
                 *       "status": 503,
                 *       "detail": "The storage cannot be used now.",
                 *       "code": "storage_unavailable"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The storage cannot be used now (`storage_unavailable`); It took too long (`timeout`). */
        StorageUnavailableOrTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "/problems/storage_unavailable",
                 *       "title": "The storage cannot be used now",
                 *       "status": 503,
                 *       "detail": "The storage cannot be used now.",
                 *       "code": "storage_unavailable"
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
    };
    parameters: never;
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
export type Account = components['schemas']['Account'];
export type AccountUsage = components['schemas']['AccountUsage'];
export type Activity = components['schemas']['Activity'];
export type Alert = components['schemas']['Alert'];
export type AlertList = components['schemas']['AlertList'];
export type Allowance = components['schemas']['Allowance'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type BackupsView = components['schemas']['BackupsView'];
export type BrokerLogin = components['schemas']['BrokerLogin'];
export type BrowserView = components['schemas']['BrowserView'];
export type CorrectedWord = components['schemas']['CorrectedWord'];
export type CorrectionReach = components['schemas']['CorrectionReach'];
export type CrawlAction = components['schemas']['CrawlAction'];
export type CrawlActionInput = components['schemas']['CrawlActionInput'];
export type CrawlSoFar = components['schemas']['CrawlSoFar'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryDetail = components['schemas']['DeliveryDetail'];
export type DeviceAccess = components['schemas']['DeviceAccess'];
export type Digest = components['schemas']['Digest'];
export type DiskUse = components['schemas']['DiskUse'];
export type DownloadProgress = components['schemas']['DownloadProgress'];
export type Feed = components['schemas']['Feed'];
export type FeedEntry = components['schemas']['FeedEntry'];
export type FleetChange = components['schemas']['FleetChange'];
export type FleetChoices = components['schemas']['FleetChoices'];
export type FleetNode = components['schemas']['FleetNode'];
export type FleetView = components['schemas']['FleetView'];
export type FolderWatch = components['schemas']['FolderWatch'];
export type HeardWords = components['schemas']['HeardWords'];
export type Inbox = components['schemas']['Inbox'];
export type InboxBehaviour = components['schemas']['InboxBehaviour'];
export type InboxBehaviourInput = components['schemas']['InboxBehaviourInput'];
export type InboxMessage = components['schemas']['InboxMessage'];
export type InstallChoice = components['schemas']['InstallChoice'];
export type JobError = components['schemas']['JobError'];
export type JobProgress = components['schemas']['JobProgress'];
export type JobRecord = components['schemas']['JobRecord'];
export type Key = components['schemas']['Key'];
export type LibraryFilter = components['schemas']['LibraryFilter'];
export type LibraryFilterInput = components['schemas']['LibraryFilterInput'];
export type LibraryMirror = components['schemas']['LibraryMirror'];
export type LimitsView = components['schemas']['LimitsView'];
export type LinkCode = components['schemas']['LinkCode'];
export type LinkedDevice = components['schemas']['LinkedDevice'];
export type ListedJob = components['schemas']['ListedJob'];
export type ListedJobPage = components['schemas']['ListedJobPage'];
export type Machine = components['schemas']['Machine'];
export type MediaTool = components['schemas']['MediaTool'];
export type ModelView = components['schemas']['ModelView'];
export type ModeratedContribution = components['schemas']['ModeratedContribution'];
export type MoveRequest = components['schemas']['MoveRequest'];
export type NeedView = components['schemas']['NeedView'];
export type NodeCopy = components['schemas']['NodeCopy'];
export type NodeModel = components['schemas']['NodeModel'];
export type Overview = components['schemas']['Overview'];
export type OwnerSession = components['schemas']['OwnerSession'];
export type PageVersion = components['schemas']['PageVersion'];
export type Payment = components['schemas']['Payment'];
export type PaymentSummary = components['schemas']['PaymentSummary'];
export type Places = components['schemas']['Places'];
export type Plan = components['schemas']['Plan'];
export type PlanInput = components['schemas']['PlanInput'];
export type Price = components['schemas']['Price'];
export type Problem = components['schemas']['Problem'];
export type Recipe = components['schemas']['Recipe'];
export type RecipeInput = components['schemas']['RecipeInput'];
export type RememberVoiceRequest = components['schemas']['RememberVoiceRequest'];
export type RememberedVoice = components['schemas']['RememberedVoice'];
export type RestoreRequest = components['schemas']['RestoreRequest'];
export type SandboxWallet = components['schemas']['SandboxWallet'];
export type SearchFacets = components['schemas']['SearchFacets'];
export type SearchHit = components['schemas']['SearchHit'];
export type SearchReply = components['schemas']['SearchReply'];
export type Settings = components['schemas']['Settings'];
export type SettingsChange = components['schemas']['SettingsChange'];
export type Settlement = components['schemas']['Settlement'];
export type SettlementSettings = components['schemas']['SettlementSettings'];
export type SignatureExplanation = components['schemas']['SignatureExplanation'];
export type SiteChangeCounts = components['schemas']['SiteChangeCounts'];
export type SitePageVersion = components['schemas']['SitePageVersion'];
export type SiteWatch = components['schemas']['SiteWatch'];
export type SiteWatchRun = components['schemas']['SiteWatchRun'];
export type Speaker = components['schemas']['Speaker'];
export type SpeakerNamesRequest = components['schemas']['SpeakerNamesRequest'];
export type SubtitleOptions = components['schemas']['SubtitleOptions'];
export type SubtitledVideo = components['schemas']['SubtitledVideo'];
export type SubtitledVideoRequest = components['schemas']['SubtitledVideoRequest'];
export type SubtitlesWritten = components['schemas']['SubtitlesWritten'];
export type VoiceOffer = components['schemas']['VoiceOffer'];
export type VoiceOfferRequest = components['schemas']['VoiceOfferRequest'];
export type WaitingFor = components['schemas']['WaitingFor'];
export type WatchedFile = components['schemas']['WatchedFile'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WebhookExplanation = components['schemas']['WebhookExplanation'];
export type WhatIf = components['schemas']['WhatIf'];
export type ResponseBodyTooLarge = components['responses']['BodyTooLarge'];
export type ResponseBodyTooLargeAtFacilitator = components['responses']['BodyTooLargeAtFacilitator'];
export type ResponseCancelled = components['responses']['Cancelled'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseCorruptInput = components['responses']['CorruptInput'];
export type ResponseCorruptInputOrSourceUnreachable = components['responses']['CorruptInputOrSourceUnreachable'];
export type ResponseCorruptInputOrUnsupportedMedia = components['responses']['CorruptInputOrUnsupportedMedia'];
export type ResponseEngineFailedOrInternal = components['responses']['EngineFailedOrInternal'];
export type ResponseEngineUnavailableOrModelNotInstalledOrOutOfMemoryOrStorageUnavailableOrTimeout = components['responses']['EngineUnavailableOrModelNotInstalledOrOutOfMemoryOrStorageUnavailableOrTimeout'];
export type ResponseEngineUnavailableOrModelNotInstalledOrStorageUnavailable = components['responses']['EngineUnavailableOrModelNotInstalledOrStorageUnavailable'];
export type ResponseEngineUnavailableOrModelNotInstalledOrStorageUnavailableOrTimeout = components['responses']['EngineUnavailableOrModelNotInstalledOrStorageUnavailableOrTimeout'];
export type ResponseEngineUnavailableOrStorageUnavailable = components['responses']['EngineUnavailableOrStorageUnavailable'];
export type ResponseEngineUnavailableOrStorageUnavailableOrTimeout = components['responses']['EngineUnavailableOrStorageUnavailableOrTimeout'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseForbiddenAtFacilitator = components['responses']['ForbiddenAtFacilitator'];
export type ResponseForbiddenAtOrigin = components['responses']['ForbiddenAtOrigin'];
export type ResponseInternal = components['responses']['Internal'];
export type ResponseInternalAtFacilitator = components['responses']['InternalAtFacilitator'];
export type ResponseInternalAtOrigin = components['responses']['InternalAtOrigin'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseInvalidRequestAtFacilitator = components['responses']['InvalidRequestAtFacilitator'];
export type ResponseJobExpired = components['responses']['JobExpired'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseRangeNotSatisfiable = components['responses']['RangeNotSatisfiable'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseRateLimitedAtFacilitator = components['responses']['RateLimitedAtFacilitator'];
export type ResponseSettlementUnavailableOrStorageUnavailable = components['responses']['SettlementUnavailableOrStorageUnavailable'];
export type ResponseStorageFull = components['responses']['StorageFull'];
export type ResponseStorageUnavailable = components['responses']['StorageUnavailable'];
export type ResponseStorageUnavailableOrTimeout = components['responses']['StorageUnavailableOrTimeout'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseUnauthorizedAtFacilitator = components['responses']['UnauthorizedAtFacilitator'];
export type ResponseUnsupportedContentType = components['responses']['UnsupportedContentType'];
export type ResponseUnsupportedContentTypeAtFacilitator = components['responses']['UnsupportedContentTypeAtFacilitator'];
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
    listPayments: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                status?: "reserved" | "settled" | "failed";
                operationId?: string;
                payer?: string;
                money?: "play" | "real";
                /** @description Verified at or after. */
                from?: string;
                /** @description Verified before. */
                to?: string;
                limit?: number;
                cursor?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        payments: components["schemas"]["Payment"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    sumPayments: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                from?: string;
                to?: string;
                /** @description Whose days are summed, such as `Europe/Berlin`. */
                timeZone?: string;
                /** @description What to sum; without it the money of the settlement in use. */
                money?: "play" | "real";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentSummary"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    exportPayments: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                status?: "reserved" | "settled" | "failed";
                operationId?: string;
                payer?: string;
                money?: "play" | "real";
                /** @description Verified at or after. */
                from?: string;
                /** @description Verified before. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listPrices: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        prices: components["schemas"]["Price"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getPrice: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Id of the operation, slashes included: `extract/doc`. */
                operationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The price. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changePrice: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Id of the operation, slashes included: `extract/doc`. */
                operationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In the 6-decimal unit: 140000 is 0.14 USDC. */
                    amount: number;
                    /** @description How long a challenge can be paid. */
                    timeoutSeconds: number;
                };
            };
        };
        responses: {
            /** @description The price. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Price"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSettlement: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settlement. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settlement"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeSettlement: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who settles: the sandbox with play money, a remote facilitator, or this appliance with its own key.
                     * @enum {string}
                     */
                    mode?: "sandbox" | "facilitator" | "onchain";
                    /** @enum {string} */
                    network?: "base-sepolia" | "base";
                    /** @description Address that is paid. Needed in every mode but the sandbox. */
                    payTo?: string | null;
                    /** @description The asset's contract; null means the network's USDC. */
                    asset?: string | null;
                    /** @description EIP-712 domain of the asset; null means that of the network's USDC. */
                    extra?: {
                        name: string;
                        version: string;
                    } | null;
                    /** @description JSON-RPC address of the chain. Needed on chain; with a facilitator it checks what the facilitator says. */
                    rpcUrl?: string | null;
                    /** @description Address in front of /verify and /settle. User and password in it are sent as Basic authorization. */
                    facilitatorUrl?: string | null;
                    /** @description Whether a 402 also carries the version 2 challenge in a header. */
                    v2Header?: boolean;
                    /** @description Blocks that must hold a settlement. */
                    confirmations?: number;
                    /** @description Whether other servers are paid at payTo too: then only what this one has settled buys a job here. */
                    payToShared?: boolean;
                    /** @description Key that pays the gas. Written, never shown. Null removes it. */
                    privateKey?: string | null;
                };
            };
        };
        responses: {
            /** @description The settlement. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settlement"];
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
            503: components["responses"]["SettlementUnavailableOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listSandboxWallets: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        wallets: components["schemas"]["SandboxWallet"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    fillWallet: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxWallet"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getLoginPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            403: components["responses"]["ForbiddenAtOrigin"];
            500: components["responses"]["InternalAtOrigin"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            /** @description The second secret of the session. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        secret: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequestAtFacilitator"];
            401: components["responses"]["UnauthorizedAtFacilitator"];
            403: components["responses"]["ForbiddenAtFacilitator"];
            413: components["responses"]["BodyTooLargeAtFacilitator"];
            415: components["responses"]["UnsupportedContentTypeAtFacilitator"];
            429: components["responses"]["RateLimitedAtFacilitator"];
            500: components["responses"]["InternalAtFacilitator"];
        };
    };
    listSessions: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessions: components["schemas"]["OwnerSession"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    revokeOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the session, or `current`. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createSignInCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        code: string;
                        /** Format: date-time */
                        expiresAt: string;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listKeys: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: components["schemas"]["Key"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createKey: {
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
                 *       "name": "Podcast script",
                 *       "scopes": [
                 *         "read",
                 *         "run:extract/video"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description What uses it. No two keys share a name. */
                    name: string;
                    scopes: string[];
                    /**
                     * @description Null for no limit.
                     * @default null
                     */
                    requestsPerMinute?: number | null;
                    /**
                     * @description Unfinished jobs at once; null for no limit.
                     * @default null
                     */
                    openJobs?: number | null;
                    /**
                     * @description In the future; null: never.
                     * @default null
                     */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keyId: string;
                        name: string;
                        /** @description The first characters of the key. */
                        shown: string;
                        scopes: string[];
                        /** @description Null for no limit. */
                        requestsPerMinute: number | null;
                        /** @description Unfinished jobs at once; null for no limit. */
                        openJobs: number | null;
                        /** Format: date-time */
                        createdAt: string;
                        expiresAt: string | null;
                        expired: boolean;
                        /** @description To within a few minutes; null before the first use. */
                        lastUsedAt: string | null;
                        key: string;
                    };
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revoked. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "read"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description What uses it. No two keys share a name. */
                    name?: string;
                    scopes?: string[];
                    /** @description Null for no limit. */
                    requestsPerMinute?: number | null;
                    /** @description Unfinished jobs at once; null for no limit. */
                    openJobs?: number | null;
                    /** @description In the future; null: never. */
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description `run`: an operation was called; `change`: everything else. */
                kind?: "change" | "run";
                /** @description Identifier of a key, or `owner`. */
                actor?: string;
                /** @description `refused`: answered with an error. */
                outcome?: "done" | "refused";
                /** @description Answered at or after. */
                from?: string;
                /** @description Answered before. */
                to?: string;
                limit?: number;
                cursor?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["AuditEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getDeviceAccess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The listener and the devices. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceAccess"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeDeviceAccess: {
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
                 *       "on": true
                 *     }
                 */
                "application/json": {
                    on?: boolean;
                    /** @description Address of this computer to listen on; null: all of its IPv4 addresses. */
                    address?: string | null;
                    port?: number;
                };
            };
        };
        responses: {
            /** @description The listener and the devices. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceAccess"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createLinkCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkCode"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    signOutDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the device. */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listModels: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        models: components["schemas"]["ModelView"][];
                        diskUseBytes: number;
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    installModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getModelProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getModelSample: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sound. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["CorruptInputOrSourceUnreachable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelModelDownload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listNeeds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All needs. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        machine: components["schemas"]["Machine"];
                        needs: components["schemas"]["NeedView"][];
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listAllJobs: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                status?: "queued" | "processing" | "completed" | "failed";
                /** @description Accepted at this time or later. */
                from?: string;
                /** @description Accepted before this time. */
                to?: string;
                /** @description By the time of acceptance. */
                order?: "newest" | "oldest";
                jobType?: string;
                /** @description Only jobs with this tag. */
                tag?: string;
                /** @description Words, all of which occur in a job's label, id, operation, status, error, node, tags or metadata. */
                text?: string;
                cursor?: string;
                limit?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedJobPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getJobRecord: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobRecord"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelJob: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    installForJob: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description A choice of the job. Default: the recommended one. */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getJobSource: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                /** @description `fileTicket` of the job, for addresses that a page cannot add a header to. */
                ticket?: string;
            };
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
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole file. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
                    ETag: components["headers"]["ETag"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listEndpoints: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        endpoints: components["schemas"]["WebhookEndpoint"][];
                        nextCursor: string | null;
                        deliveries: {
                            [key: string]: number;
                        };
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    explainSignature: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    headers: {
                        [key: string]: string;
                    };
                    /** @description The raw body, byte for byte. */
                    body: string;
                    secret: string | null;
                };
            };
        };
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookExplanation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    testWebhook: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
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
                "application/json": {
                    /**
                     * @default job.completed
                     * @enum {string}
                     */
                    event?: "job.completed" | "job.failed" | "crawl.changed" | "alert.raised" | "alert.cleared";
                };
            };
        };
        responses: {
            /** @description The delivery. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveryId: string;
                    };
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: number;
                status?: "pending" | "delivered" | "exhausted" | "cancelled";
                webhookId?: string;
                jobId?: string;
                event?: "job.completed" | "job.failed" | "crawl.changed" | "alert.raised" | "alert.cleared";
                /** @description How the address that is called begins. */
                url?: string;
                /** @description Created at or after. */
                since?: string;
                /** @description Created before. */
                until?: string;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["Delivery"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getDelivery: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    redeliver: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the delivery. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetail"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getAttemptBody: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the delivery. */
                deliveryId: string;
                /** @description Number of the attempt, from 1. */
                number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
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
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    explainAttempt: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the delivery. */
                deliveryId: string;
                /** @description Number of the attempt, from 1. */
                number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookExplanation"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    previewRedelivery: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    status?: "pending" | "delivered" | "exhausted" | "cancelled";
                    webhookId?: string;
                    jobId?: string;
                    /** @enum {string} */
                    event?: "job.completed" | "job.failed" | "crawl.changed" | "alert.raised" | "alert.cleared";
                    /** @description How the address that is called begins. */
                    url?: string;
                    /**
                     * Format: date-time
                     * @description Created at or after.
                     */
                    since?: string;
                    /**
                     * Format: date-time
                     * @description Created before.
                     */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description The selection. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        selectionId: string;
                        /** @description What the filter found. */
                        deliveries: number;
                        sendable: number;
                        sample: components["schemas"]["Delivery"][];
                        expiresAt: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    applyRedelivery: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the selection. */
                selectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        requeued: number;
                        skipped: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listInboxes: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        inboxes: components["schemas"]["Inbox"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createInbox: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label?: string;
                    secret?: string | null;
                    behaviour?: components["schemas"]["InboxBehaviourInput"];
                };
            };
        };
        responses: {
            /** @description The inbox. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inbox"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getInbox: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Name of the inbox. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The inbox. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inbox"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteInbox: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Name of the inbox. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeInbox: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Name of the inbox. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label?: string;
                    secret?: string | null;
                    behaviour?: components["schemas"]["InboxBehaviourInput"];
                };
            };
        };
        responses: {
            /** @description The inbox. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Inbox"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listInboxMessages: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Name of the inbox. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: components["schemas"]["InboxMessage"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    findWords: {
        parameters: {
            query: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                /** @description Words, or a sentence. `"these words"` must occur in a row, `-word` and `-"these words"` must not occur. */
                query: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The best matches first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
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
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listContributionsToDecide: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                status?: "pending" | "approved" | "rejected";
                limit?: number;
                cursor?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        contributions: components["schemas"]["ModeratedContribution"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listNotes: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        notes: components["schemas"]["ModeratedContribution"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    approveContribution: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
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
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The contribution. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModeratedContribution"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    rejectContribution: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
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
                "application/json": {
                    /** @description Shown to the contributor. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The contribution. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModeratedContribution"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listAlerts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The alerts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AlertList"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getCrawlSoFar: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its pages and counts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CrawlSoFar"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where it is from, and what can be fetched. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserView"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    installBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getBrowserProgress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelBrowserInstall: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    nameSpeakers: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "names": {
                 *         "Speaker 1": "Maya Lindqvist"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SpeakerNamesRequest"];
            };
        };
        responses: {
            /** @description The speakers. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        speakers: components["schemas"]["Speaker"][];
                    };
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    makeDigest: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The digest, which is now part of the result. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Digest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    rememberVoice: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "speaker": "Maya Lindqvist"
                 *     }
                 */
                "application/json": components["schemas"]["RememberVoiceRequest"];
            };
        };
        responses: {
            /** @description The voice. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RememberedVoice"];
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
            422: components["responses"]["CorruptInput"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    listRememberedVoices: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        voices: components["schemas"]["RememberedVoice"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    forgetVoice: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the voice. */
                voiceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Forgotten. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    writeSubtitles: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "preset": "netflix"
                 *     }
                 */
                "application/json": components["schemas"]["SubtitleOptions"];
            };
        };
        responses: {
            /** @description The files. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubtitlesWritten"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSubtitledVideo: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress, and the files that are there. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubtitledVideo"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    makeSubtitledVideo: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "form": "track-mp4"
                 *     }
                 */
                "application/json": components["schemas"]["SubtitledVideoRequest"];
            };
        };
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SubtitledVideo"];
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
            503: components["responses"]["EngineUnavailableOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelSubtitledVideo: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getJobPeaks: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The shape. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        peaks: number[];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Cancelled"];
            410: components["responses"]["JobExpired"];
            422: components["responses"]["CorruptInput"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    hearPiece: {
        parameters: {
            query?: {
                /** @description BCP 47 or ISO 639 code of what is spoken. */
                language?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The words. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "text": "The tide turns at noon.",
                     *       "language": "en"
                     *     }
                     */
                    "application/json": components["schemas"]["HeardWords"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Cancelled"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            422: components["responses"]["CorruptInputOrUnsupportedMedia"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["EngineUnavailableOrModelNotInstalledOrOutOfMemoryOrStorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    listMediaTools: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tools: components["schemas"]["MediaTool"][];
                        ytDlp: {
                            /** @description The version that this appliance fetched. */
                            fetchedVersion: string | null;
                            fetchedAt: string | null;
                            /** @description When the program last did its work, as far as it is recorded. */
                            lastSuccessAt: string | null;
                            download: components["schemas"]["DownloadProgress"] | null;
                        };
                        ffmpeg: {
                            /** @description The version that this appliance fetched. */
                            fetchedVersion: string | null;
                            fetchedAt: string | null;
                            /** @description When the program last did its work, as far as it is recorded. */
                            lastSuccessAt: string | null;
                            download: components["schemas"]["DownloadProgress"] | null;
                        };
                    };
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    installYtDlp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getYtDlpProgress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeYtDlp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    installFfmpeg: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getFfmpegProgress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeFfmpeg: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    installWhisperCli: {
        parameters: {
            query?: {
                /** @description `release`: the program that whisper.cpp publishes. `source`: compiled here, with make and g++. */
                from?: "release" | "source";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["EngineUnavailableOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getWhisperCliProgress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DownloadProgress"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelWhisperCli: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listMirrors: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        mirrors: components["schemas"]["LibraryMirror"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    addMirror: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "path": "/srv/notes",
                 *       "filter": {
                 *         "tag": "harbour"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The absolute path of a folder on this machine. */
                    path: string;
                    filter?: components["schemas"]["LibraryFilterInput"];
                };
            };
        };
        responses: {
            /** @description The folder, in step or with the reason why not. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryMirror"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    syncMirror: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the folder in step. */
                mirrorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LibraryMirror"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteMirror: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the folder in step. */
                mirrorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getDiskUse: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The parts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiskUse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getPlaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The places. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Places"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    moveFolder: {
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
                 *       "what": "models",
                 *       "to": "/mnt/large/models"
                 *     }
                 */
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description Asked for. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Places"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelMove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Places"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteFormerCopies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Places"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    drawJobPage: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                /** @description Width of the picture, in pixels. */
                width?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of the job. */
                jobId: string;
                /** @description Number of the page, from 1. */
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /**
                     * @description Pages of the PDF.
                     * @example 3
                     */
                    "X-Pages"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": unknown;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            410: components["responses"]["JobExpired"];
            422: components["responses"]["CorruptInput"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["EngineFailedOrInternal"];
            503: components["responses"]["StorageUnavailableOrTimeout"];
            507: components["responses"]["StorageFull"];
        };
    };
    offerVoices: {
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
                 *       "text": "Guten Morgen, wie geht es dir heute?"
                 *     }
                 */
                "application/json": components["schemas"]["VoiceOfferRequest"];
            };
        };
        responses: {
            /** @description What to install. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VoiceOffer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listSiteWatches: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All watches. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        watches: components["schemas"]["SiteWatch"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    watchSite: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Harbour office",
                 *       "crawl": {
                 *         "url": "https://harbour.example/",
                 *         "depth": 2
                 *       },
                 *       "schedule": {
                 *         "everyMinutes": 1440,
                 *         "timeOfDay": "06:30"
                 *       },
                 *       "webhook": {
                 *         "url": "https://app.example/hooks/quarry"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description The URL when omitted. */
                    name?: string;
                    crawl: {
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
                        actions?: components["schemas"]["CrawlActionInput"][];
                    };
                    schedule: {
                        /** @description Minutes from one run to the next: 60 is an hour, 1440 a day, 10080 a week. */
                        everyMinutes: number;
                        /**
                         * @description In the time zone of this computer. Only with an interval of whole days.
                         * @default null
                         */
                        timeOfDay?: string | null;
                    };
                    /** @description A webhook for each run. */
                    webhook?: {
                        /**
                         * Format: uri
                         * @description HTTPS URL that is called when the job has finished.
                         */
                        url: string;
                        /** @description crawl.changed alone when omitted. */
                        events?: ("job.completed" | "job.failed" | "crawl.changed" | "completed" | "failed" | "changed")[];
                        /** @description Payloads are signed with it. Use at least 24 random characters, for example whsec_ and base64. */
                        secret?: string;
                    };
                };
            };
        };
        responses: {
            /** @description The watch. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWatch"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSiteWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWatch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteSiteWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeSiteWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
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
                "application/json": {
                    /** @description Null for the URL. */
                    name?: string | null;
                    /** @description Replaces the request. The next run then has nothing to compare with. */
                    crawl?: {
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
                        actions?: components["schemas"]["CrawlActionInput"][];
                    };
                    schedule?: {
                        /** @description Minutes from one run to the next: 60 is an hour, 1440 a day, 10080 a week. */
                        everyMinutes: number;
                        /**
                         * @description In the time zone of this computer. Only with an interval of whole days.
                         * @default null
                         */
                        timeOfDay?: string | null;
                    };
                    /** @description Null removes it. */
                    webhook?: {
                        /**
                         * Format: uri
                         * @description HTTPS URL that is called when the job has finished.
                         */
                        url: string;
                        /** @description crawl.changed alone when omitted. */
                        events?: ("job.completed" | "job.failed" | "crawl.changed" | "completed" | "failed" | "changed")[];
                        /** @description Payloads are signed with it. Use at least 24 random characters, for example whsec_ and base64. */
                        secret?: string;
                    } | null;
                    /**
                     * @description A paused watch runs only when asked to.
                     * @enum {string}
                     */
                    status?: "active" | "paused";
                };
            };
        };
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWatch"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    runSiteWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteWatchRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listSiteWatchRuns: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: components["schemas"]["SiteWatchRun"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listSiteChanges: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
                /** @description The job of the run. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        changes: components["schemas"]["SitePageVersion"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listPageVersions: {
        parameters: {
            query: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                /** @description Of the page. */
                url: string;
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        versions: components["schemas"]["SitePageVersion"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listFolderWatches: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All watches. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        folders: components["schemas"]["FolderWatch"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    watchFolder: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Scans",
                 *       "path": "/srv/scans",
                 *       "recipe": {
                 *         "operation": "extract/doc",
                 *         "request": {
                 *           "options": {
                 *             "segmentLength": 800
                 *           }
                 *         }
                 *       },
                 *       "extensions": [
                 *         "pdf",
                 *         "docx"
                 *       ],
                 *       "results": "beside"
                 *     }
                 */
                "application/json": {
                    /** @description The name of the folder when omitted. */
                    name?: string;
                    /** @description Absolute path of a folder on this computer. */
                    path: string;
                    /** @description What becomes of each file. The operation reads files. */
                    recipe: components["schemas"]["RecipeInput"];
                    /** @description Only files whose names end so; all files when omitted. */
                    extensions?: string[];
                    /**
                     * @description `beside`: the files of each result are also written to a folder beside the watched one.
                     * @default quarry
                     * @enum {string}
                     */
                    results?: "quarry" | "beside";
                    /**
                     * @description A file is read when its size and time have not changed for so many seconds.
                     * @default 5
                     */
                    settleSeconds?: number;
                };
            };
        };
        responses: {
            /** @description The watch. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderWatch"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getFolderWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderWatch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteFolderWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeFolderWatch: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
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
                "application/json": {
                    /** @description Null for the name of the folder. */
                    name?: string | null;
                    /** @description For files that are found from now on: files that were read are not read again. */
                    recipe?: components["schemas"]["RecipeInput"];
                    /**
                     * @description For files that are completed from now on.
                     * @enum {string}
                     */
                    results?: "quarry" | "beside";
                    settleSeconds?: number;
                    /** @enum {string} */
                    status?: "active" | "paused";
                };
            };
        };
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderWatch"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    lookThroughFolder: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watch. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderWatch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    retryFolderFiles: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watch. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderWatch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listWatchedFiles: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: number;
                status?: "processing" | "completed" | "failed";
            };
            header?: never;
            path: {
                /** @description Identifier of the watch. */
                watchId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        files: components["schemas"]["WatchedFile"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listFeeds: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All feeds. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        feeds: components["schemas"]["Feed"][];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    watchFeed: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://harbour.example/podcast.xml",
                 *       "recipe": {
                 *         "operation": "extract/video",
                 *         "request": {}
                 *       },
                 *       "first": 3,
                 *       "schedule": {
                 *         "everyMinutes": 60
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: uri
                     * @description Address of an RSS, Atom or JSON feed.
                     */
                    url: string;
                    /** @description The title of the feed when omitted. */
                    name?: string;
                    /** @description What becomes of each entry. The operation reads addresses. */
                    recipe: components["schemas"]["RecipeInput"];
                    /**
                     * @description What of an entry is read. `auto`: its attachment that is no picture, else its page.
                     * @default auto
                     * @enum {string}
                     */
                    takes?: "auto" | "enclosure" | "link";
                    /**
                     * @description Number of entries that the first reading takes, the newest. Older ones are never taken.
                     * @default 3
                     */
                    first?: number;
                    /** @description When the feed is read. */
                    schedule: {
                        /** @description Minutes from one run to the next: 60 is an hour, 1440 a day, 10080 a week. */
                        everyMinutes: number;
                        /**
                         * @description In the time zone of this computer. Only with an interval of whole days.
                         * @default null
                         */
                        timeOfDay?: string | null;
                    };
                };
            };
        };
        responses: {
            /** @description The feed. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getFeed: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the feed. */
                feedId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    deleteFeed: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the feed. */
                feedId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeFeed: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the feed. */
                feedId: string;
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
                "application/json": {
                    /** @description Null for the title of the feed. */
                    name?: string | null;
                    /** @description For entries that come from now on. */
                    recipe?: components["schemas"]["RecipeInput"];
                    /**
                     * @description What of an entry is read. `auto`: its attachment that is no picture, else its page.
                     * @enum {string}
                     */
                    takes?: "auto" | "enclosure" | "link";
                    schedule?: {
                        /** @description Minutes from one run to the next: 60 is an hour, 1440 a day, 10080 a week. */
                        everyMinutes: number;
                        /**
                         * @description In the time zone of this computer. Only with an interval of whole days.
                         * @default null
                         */
                        timeOfDay?: string | null;
                    };
                    /** @enum {string} */
                    status?: "active" | "paused";
                };
            };
        };
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    readFeedNow: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Identifier of the feed. */
                feedId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listFeedEntries: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                limit?: number;
                cursor?: number;
            };
            header?: never;
            path: {
                /** @description Identifier of the feed. */
                feedId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["FeedEntry"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getFleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The fleet. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetView"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeFleet: {
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
                 *       "enabled": true,
                 *       "host": "192.168.1.20"
                 *     }
                 */
                "application/json": components["schemas"]["FleetChange"];
            };
        };
        responses: {
            /** @description The fleet. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetView"];
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
            503: components["responses"]["EngineUnavailableOrStorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    createNode: {
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
                 *       "name": "tower"
                 *     }
                 */
                "application/json": {
                    /** @description What you call the machine. No two nodes share a name. */
                    name: string;
                };
            };
        };
        responses: {
            /** @description The node. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        node: components["schemas"]["FleetNode"];
                        /** @description Secret. */
                        join: string;
                    };
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    removeNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the node. */
                nodeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "draining": true
                 *     }
                 */
                "application/json": {
                    draining: boolean;
                };
            };
        };
        responses: {
            /** @description Changed. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    copyModelToNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the node. */
                nodeId: string;
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The copy. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeCopy"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelModelCopy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Identifier of the node. */
                nodeId: string;
                /** @description Name of the model. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getLimits: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                /** @description Whose day is today, such as `Europe/Berlin`. */
                timeZone?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Plans and usage. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitsView"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                kind?: "wallet" | "address";
                limit?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accounts: components["schemas"]["Account"][];
                        nextCursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    setPlan: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
            };
            header?: never;
            path: {
                /** @description Address of a wallet, or `ip:` and a network address. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanInput"];
            };
        };
        responses: {
            /** @description The plan. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        accountId: string;
                        plan: components["schemas"]["Plan"];
                        allowance: components["schemas"]["Allowance"];
                    };
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    simulatePlan: {
        parameters: {
            query: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                plan: "studio" | "production" | "enterprise" | "blocked";
                requestsPerMinute?: number;
                concurrency?: number;
            };
            header?: never;
            path: {
                /** @description Address of a wallet, or `ip:` and a network address. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcome. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhatIf"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    followUsage: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
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
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    listBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The backups. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsView"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    startBackup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Begun. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsView"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    startRestore: {
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
                 *       "name": "quarry-2026-11-28T21-00-00-000Z"
                 *     }
                 */
                "application/json": components["schemas"]["RestoreRequest"];
            };
        };
        responses: {
            /** @description Begun. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsView"];
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
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    cancelRestore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BackupsView"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getOwnerOpenApi: {
        parameters: {
            query?: never;
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
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getActivity: {
        parameters: {
            query?: {
                /** @description The environment. The two share nothing. */
                environment?: "production" | "staging";
                /** @description Whose days are counted, such as `Europe/Berlin`. */
                timeZone?: string;
                /** @description The last 24 hours, or the last 30 days. */
                range?: "day" | "month";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The course. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Activity"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All settings. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    changeSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description All settings. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedContentType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
    followChanges: {
        parameters: {
            query?: never;
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
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["StorageUnavailable"];
            507: components["responses"]["StorageFull"];
        };
    };
}
