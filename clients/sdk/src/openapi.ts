// Made from openapi.json by `npm run sdk-types`.

export interface paths {
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account and its personal organization
         * @description Creates a user and an organization that the user owns, logs in (session cookie) and mails a link that verifies the address. Without a name the part of the e-mail address before the @ is used.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Starts a session for the dashboard and sets its cookie. An unknown e-mail address and a wrong password get the same answer in like time.
         */
        post: operations["log-in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log out
         * @description Ends the session on the server and clears its cookie. Other sessions and tokens go on.
         */
        post: operations["log-out"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The current user and its organizations
         * @description Tells who the caller is, in which organizations with which role, and how the request was authenticated. A token limited to an organization shows that organization alone.
         */
        get: operations["get-current-user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a scoped CLI token
         * @description Creates a bearer token with at most the rights of its user, optionally limited to an organization, project or environment and in time. The token is shown once and only its hash is kept. Needs a session: a token can’t make tokens.
         */
        post: operations["create-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/cli-auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand a token from the dashboard to the CLI
         * @description Two halves (PKCE, RFC 7636). The dashboard, with a session, sends the challenge that the CLI made and gets a code that works once for 60 seconds. The CLI, without a session, sends the code and its verifier and gets the token, which thereby never travels through a URL or the dashboard. A wrong verifier burns the code.
         */
        post: operations["hand-off-token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List active CLI tokens
         * @description Lists the caller’s tokens that are neither revoked nor expired. Their secret parts are not kept.
         */
        get: operations["list-tokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/tokens/{tokenId}": {
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
         * Revoke a CLI token
         * @description The token stops working at once. Only the caller’s own tokens can be named.
         */
        delete: operations["revoke-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the password
         * @description Sets a new password and ends every other session of the user. A wrong current password is an invalid request that names `currentPassword`; repeated wrong ones are rate-limited like failed logins. Tokens go on.
         */
        post: operations["change-password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/send-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an e-mail verification link
         * @description Mails a link that is valid for 24 hours and replaces any earlier one. Does nothing if the address is verified. Limited to 20 mails an hour.
         */
        post: operations["send-verification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an e-mail address
         * @description Confirms the address with the token of the mailed link. Needs no session; the token works once.
         */
        post: operations["verify-email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset
         * @description Mails a link that is valid for an hour, if there is such an account. The answer and its time are the same either way. Limited to a few requests an hour for each e-mail address.
         */
        post: operations["request-password-reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset the password
         * @description Sets a new password with the token of the mailed link, which works once, and ends every session.
         */
        post: operations["reset-password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of an organization
         * @description Lists the projects with their environments. A token limited to a project sees that one alone.
         */
        get: operations["list-projects"];
        put?: never;
        /**
         * Create a project
         * @description Creates a project with its own encryption key and the environments `dev`, `staging` and `production`. The slug is made from the name where omitted, with a suffix if it is taken; an explicit slug that is taken is refused.
         */
        post: operations["create-project"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{orgId}/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a project
         * @description The project with its environments and the state of its key rotation. A limited token sees only its own.
         */
        get: operations["get-project"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description The project is out of reach at once and its wrapped data key is destroyed, so nothing of it can be decrypted any more; what is stored under it is erased in the background. Owners only.
         */
        delete: operations["delete-project"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{orgId}/{slug}/environments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a custom environment
         * @description Adds an environment to the project. Its type decides which roles read and write its secrets: without one it is `production`, for owners and admins to read. Every member may create one.
         */
        post: operations["create-environment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{orgId}/{slug}/rotate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the encryption key
         * @description Makes a new data key for new values and re-encrypts everything stored, history included; reads and writes go on throughout. When it completes, the old wrapped key is deleted. Its progress is `project.rotation`.
         */
        post: operations["rotate-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pull all secrets, decrypted
         * @description Returns the secrets with their values, in key order, as one snapshot of the environment’s `revision`: half of a change is never seen. With `If-None-Match` an unchanged environment answers `304`. Owners and admins read every environment, developers those of type development and staging, viewers development. Every pull is audited.
         */
        get: operations["pull-secrets"];
        /**
         * Set one secret
         * @description Creates the secret or writes its next version, and raises the environment’s revision by one. Setting the value that is already there changes nothing, so a retry is harmless (but where the caller may not read the environment it is a version like any other, so that values can’t be guessed). `If-Match` demands a revision of the environment, `expectedVersion` one of the key. Owners, admins and developers.
         */
        put: operations["set-secret"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys only, no values
         * @description Like the pull, without values: nothing is decrypted and no audit entry is made. Needs the right to read the environment.
         */
        get: operations["list-keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import secrets in bulk
         * @description Sets up to 1,000 secrets as one change, all or nothing: a list, an object or dotenv text. Secrets that are not named stay as they are. One event and one revision for the whole import. Owners, admins and developers.
         */
        post: operations["import-secrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/versions/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Version history of a key
         * @description The history of a key, newest first, also of a deleted one; a deletion is an entry of its own. Values come only with `values=true`, which is audited, and need no other right than reading the environment. Where the values of the whole history are too large for one answer, ask for pages.
         */
        get: operations["list-versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote secrets between environments
         * @description Copies all secrets, or those named, from one environment of the project to another as one change of the target, all or nothing. Secrets that only the target has stay. Needs the right to read the source and to write the target; a limited token must cover both. `If-Match` is about the target.
         */
        post: operations["promote-secrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/bulk-delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete secrets in bulk
         * @description Soft-deletes up to 1,000 secrets as one change; their histories stay. Keys that are not there are listed and change nothing. Owners and admins.
         */
        post: operations["bulk-delete-secrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/{key}": {
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
         * Soft-delete a secret
         * @description The secret is gone from pulls and lists; its history stays and gets an entry for the deletion. Setting the key again goes on with its version numbers. Owners, admins and developers.
         */
        delete: operations["delete-secret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an organization
         * @description Creates an organization that the caller owns. The slug is made from the name where omitted, with a suffix if it is taken; an explicit slug that is taken is refused.
         */
        post: operations["create-organization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}": {
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
         * Delete an organization
         * @description The organization and all its data are out of reach at once and erased in the background; its slug is free again when that is done. Owners only.
         */
        delete: operations["delete-organization"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{orgSlug}/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List template keys
         * @description The keys that environments of the project are expected to have. Every member may see them.
         */
        get: operations["list-template-keys"];
        put?: never;
        /**
         * Add a template key
         * @description Declares a key, which nothing enforces when secrets are written: environments are validated on request. A pattern is a regular expression in RE2 syntax, which can’t be made to run away, and must match the whole value. Owners and admins.
         */
        post: operations["add-template-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{orgSlug}/{project}/{key}": {
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
         * Remove a template key
         * @description The key is no longer expected; secrets of that key stay as they are. Owners and admins.
         */
        delete: operations["remove-template-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates/{orgSlug}/{project}/validate/{env}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Validate an environment against the template
         * @description Finds the keys that the environment lacks and the values that do not match their pattern, and never shows a value. Every member may ask; for those who may not read the environment `undeclared` is null.
         */
        get: operations["validate-environment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description The organization’s webhooks, without their signing secrets. Owners and admins.
         */
        get: operations["list-webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Subscribes a public https URL to events of the organization, or of one project or environment. The signing secret is returned this once: receivers verify `X-Service-Signature` with it. Owners and admins.
         */
        post: operations["create-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{orgId}/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook and its recent deliveries
         * @description The webhook with its last 20 deliveries, failed ones and test pings included. Owners and admins.
         */
        get: operations["get-webhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Nothing more is delivered to it; its delivery log goes with it. Owners and admins.
         */
        delete: operations["delete-webhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Changes the fields given, at least one. A null `projectId` or `environmentId` takes that limit away. The signing secret stays. Owners and admins.
         */
        patch: operations["update-webhook"];
        trace?: never;
    };
    "/v1/webhooks/{orgId}/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test ping
         * @description Queues a signed delivery of the event `webhook.ping`, also for an inactive webhook. Its outcome stands in the webhook’s deliveries. Owners and admins.
         */
        post: operations["test-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members and pending invitations
         * @description Every member sees who else is in the organization and who is invited.
         */
        get: operations["list-members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{orgId}/invite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invite a member
         * @description Mails an invitation that is valid for 7 days and can be accepted by whoever holds its token, which is also returned, once. Inviting the same address again replaces the earlier invitation. Nobody invites above their own role. Pending invitations count as members for the plan’s limit.
         */
        post: operations["invite-member"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/invite/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Makes the caller a member with the invitation’s role. Whoever is signed in and holds the token may accept, with any e-mail address; the token works once.
         */
        post: operations["accept-invitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/members/{orgId}/{id}": {
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
         * Remove a member or cancel an invitation
         * @description Removes a member, whose tokens bound to the organization are revoked for good, or cancels the invitation of that identifier. Owners and admins; an admin can’t remove an owner, and the last owner can’t be removed.
         */
        delete: operations["remove-member"];
        options?: never;
        head?: never;
        /**
         * Change a member’s role
         * @description Owners only. The last owner can’t be demoted. An invitation can’t be changed, only replaced or cancelled.
         */
        patch: operations["change-role"];
        trace?: never;
    };
    "/v1/audit/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Query the audit log
         * @description Every change in the organization and every read of values, newest first, as long as the plan keeps them. In a log that grew by tens of thousands of entries since it was last read, `total` may for some requests be less than the number of entries. A page of entries with very long lists of keys names only the first keys of each; a smaller `limit` shows more. Owners and admins.
         */
        get: operations["list-audit-entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Billing status and usage
         * @description The plan, the subscription’s state, the limits in force and what is used of them. Every member may see it.
         */
        get: operations["get-billing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/{orgId}/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a hosted checkout
         * @description Creates a checkout session at the payment provider and returns its address. The plan changes when the provider reports the payment. Owners and admins.
         */
        post: operations["start-checkout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/{orgId}/portal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open the customer portal
         * @description Creates a session of the payment provider’s customer portal, where the subscription is changed or cancelled, and returns its address. A customer is made where there is none. Owners and admins.
         */
        post: operations["open-portal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive the payment provider’s webhook
         * @description For the payment provider alone. The signature over the raw body is verified before anything else; each event counts once, and one older than what is known of its subscription changes nothing.
         */
        post: operations["receive-provider-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Platform statistics
         * @description How many users, organizations and projects there are on the platform.
         */
        get: operations["get-statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All organizations with usage counts
         * @description The organizations of the platform, by slug, in pages.
         */
        get: operations["list-organizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/orgs/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Organization detail and effective limits
         * @description An organization, its usage, the limits in force and where each of them comes from.
         */
        get: operations["inspect-organization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an organization’s plan and limit overrides
         * @description Changes the plan, the overrides or both. An override that is not named stays, null removes one. After a downgrade nothing is deleted, only growth is refused.
         */
        patch: operations["update-organization"];
        trace?: never;
    };
    "/v1/admin/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All plan configurations
         * @description Every plan with its default limits as they are configured now.
         */
        get: operations["list-plans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/plans/{planName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Update a plan’s default limits
         * @description Sets all or some of a plan’s limits, for every organization of the plan without an override; those not named stay.
         */
        put: operations["update-plan"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/metrics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Request metrics
         * @description Requests, errors and latencies of the last hours, by route and by hour. A request counts within seconds.
         */
        get: operations["summarize-metrics"];
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
        AcceptInvitationResponse: {
            organization: components["schemas"]["Organization"];
            member: components["schemas"]["Member"];
        };
        AddTemplateKeyRequest: {
            /**
             * @description The secret key.
             * @example DATABASE_PORT
             */
            key: string;
            /**
             * @description What it is for.
             * @example Port of the main database.
             */
            description?: string;
            /**
             * @description Whether an environment without it is invalid.
             * @default true
             */
            required?: boolean;
            /**
             * @description A regular expression (RE2) for the whole value.
             * @example [0-9]{1,5}
             */
            pattern?: string;
        };
        AddTemplateKeyResponse: {
            templateKey: components["schemas"]["TemplateKey"];
        };
        /**
         * @description What was done.
         * @example secret.pulled
         * @enum {string}
         */
        AuditAction: "secret.pulled" | "secret.history_read" | "secret.created" | "secret.updated" | "secret.deleted" | "secret.promoted" | "secret.bulk_set" | "secret.bulk_delete" | "project.created" | "project.deleted" | "project.key_rotated" | "environment.created" | "template_key.added" | "template_key.removed" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.tested" | "member.invited" | "member.invitation_cancelled" | "member.joined" | "member.role_changed" | "member.removed" | "organization.created" | "token.created" | "token.revoked" | "billing.checkout_started" | "billing.portal_opened" | "billing.plan_changed" | "organization.limits_changed";
        /** @description A change in the organization or a read of values. No value stands in it. */
        AuditEntry: {
            /**
             * Format: uuid
             * @description Entry identifier.
             * @example b8d1f4a7-6c3e-4920-9b5d-2e7a0c8f1d63
             */
            id: string;
            action: components["schemas"]["AuditAction"];
            /** @description Who did it. */
            actor: {
                /** @description The user; null for the system. */
                id: string | null;
                /** @description The user’s e-mail address then; null for the system. */
                email: string | null;
                /**
                 * @description How the request was authenticated; `system` = no request.
                 * @enum {string}
                 */
                type: "session" | "token" | "system";
                /**
                 * Format: uuid
                 * @description The token used; only for the type `token`.
                 */
                tokenId?: string;
            };
            /** @description What it was done to. */
            target: {
                /**
                 * @description What kind of thing it was done to.
                 * @example project
                 * @enum {string}
                 */
                type: "organization" | "project" | "environment" | "template_key" | "webhook" | "member" | "invitation" | "token";
                /** @description Its identifier; null for what is known by its name alone, as a secret is. */
                id: string | null;
                /**
                 * @description Its name, slug, key or address.
                 * @example DATABASE_HOST
                 */
                name: string | null;
            };
            /** @description The environment, where there is one. */
            environment?: {
                /**
                 * Format: uuid
                 * @description Environment identifier.
                 * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
                 */
                id: string;
                /**
                 * @description Environment slug.
                 * @example staging
                 */
                slug: string;
            };
            /**
             * @description The keys concerned, never values.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            keys?: string[];
            /**
             * @description How many more keys there were: of very long lists the first keys are named.
             * @example 12
             */
            keysOmitted?: number;
            /**
             * @description The environment’s revision read or made.
             * @example 18
             */
            revision?: number;
            /**
             * @description Where the request came from.
             * @example 203.0.113.7
             */
            ip: string | null;
            /**
             * @description What the client called itself.
             * @example example-cli/1.4
             */
            userAgent: string | null;
            /**
             * @description The request’s `X-Request-Id`.
             * @example EXAMPLE-request-id
             */
            requestId: string;
            /**
             * Format: date-time
             * @description When it was done.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /**
         * @description The state of the subscription at the payment provider; `none` = there never was one.
         * @example active
         * @enum {string}
         */
        BillingStatus: "none" | "active" | "past_due" | "canceled";
        BulkDeleteSecretsRequest: {
            /**
             * @description The keys to delete, without duplicates.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            keys: string[];
        };
        BulkDeleteSecretsResponse: {
            /**
             * @description Keys that were deleted.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            deleted: string[];
            /**
             * @description Keys that were not there.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            notFound: string[];
            /**
             * @description The environment’s revision: raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
        };
        ChangePasswordRequest: {
            /**
             * @description The password so far.
             * @example an example of a pass phrase
             */
            currentPassword: string;
            /**
             * @description The new password.
             * @example another example of a pass phrase
             */
            newPassword: string;
        };
        ChangeRoleRequest: {
            /**
             * @description The new role.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        ChangeRoleResponse: {
            member: components["schemas"]["Member"];
        };
        /** @description A bearer token of the CLI or an SDK, without its secret part. */
        CliToken: {
            /**
             * Format: uuid
             * @description Token identifier.
             * @example 3e7c1d94-52a8-4b0f-9a6d-71f0c2e85b46
             */
            id: string;
            /**
             * @description What the token is for.
             * @example deploy pipeline
             */
            name: string;
            /**
             * @description The first characters of the token, to recognise it by.
             * @example service_tok_EXAM
             */
            prefix: string;
            access: components["schemas"]["TokenAccess"];
            /** @description The only organization it sees; null = all of its user’s. */
            organizationId: string | null;
            /** @description The only project it sees; null = all. */
            projectId: string | null;
            /** @description The only environment it sees; null = all. */
            environmentId: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description When it was last used, to within minutes; null = never. */
            lastUsedAt: string | null;
            /** @description When it stops working; null = never. */
            expiresAt: string | null;
        };
        CreateEnvironmentRequest: {
            /**
             * @description Display name.
             * @example Load test
             */
            name: string;
            /**
             * @description Made from the name where omitted.
             * @example load-test
             */
            slug?: string;
            /**
             * @description Which role rules hold for the environment.
             * @default production
             * @example staging
             * @enum {string}
             */
            type?: "development" | "staging" | "production";
        };
        CreateEnvironmentResponse: {
            environment: components["schemas"]["Environment"];
        };
        CreateOrganizationRequest: {
            /**
             * @description Display name.
             * @example Analytical Engines
             */
            name: string;
            /**
             * @description Made from the name where omitted.
             * @example analytical-engines
             */
            slug?: string;
        };
        CreateOrganizationResponse: {
            organization: components["schemas"]["Organization"];
        };
        CreateProjectRequest: {
            /**
             * @description Display name.
             * @example Web shop
             */
            name: string;
            /**
             * @description Made from the name where omitted.
             * @example web-shop
             */
            slug?: string;
            /**
             * @description What the project is.
             * @example The public shop.
             */
            description?: string;
        };
        CreateProjectResponse: {
            project: components["schemas"]["Project"];
        };
        CreateTokenRequest: {
            /**
             * @description What the token is for.
             * @example deploy pipeline
             */
            name: string;
            /**
             * @description What the token may do; its user’s role still applies.
             * @default full
             */
            access?: components["schemas"]["TokenAccess"];
            /**
             * Format: uuid
             * @description Limits the token to one organization.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            organizationId?: string;
            /**
             * Format: uuid
             * @description Limits the token to one project; needs `organizationId`.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            projectId?: string;
            /**
             * Format: uuid
             * @description Limits the token to one environment; needs `projectId`.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            environmentId?: string;
            /**
             * @description Days until the token expires; without it, it does not.
             * @example 90
             */
            expiresInDays?: number;
        };
        CreateWebhookRequest: {
            /**
             * Format: uri
             * @description Delivery target.
             * @example https://hooks.example.com/holdfast
             */
            url: string;
            /**
             * @description The events to subscribe to.
             * @example [
             *       "secret.created",
             *       "secret.updated"
             *     ]
             */
            events: components["schemas"]["EventName"][];
            /**
             * Format: uuid
             * @description Limits the webhook to one project.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            projectId?: string;
            /**
             * Format: uuid
             * @description Limits the webhook to one environment.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            environmentId?: string;
        };
        CreateWebhookResponse: {
            webhook: components["schemas"]["Webhook"];
            /**
             * @description Keys the HMAC-SHA256 of every delivery.
             * @example whsec_EXAMPLEnotARealSecret
             */
            signingSecret: string;
        };
        DeleteSecretResponse: {
            /**
             * @description Always true; a failure has an error body instead.
             * @constant
             */
            success: true;
            /**
             * @description The environment’s revision: raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
        };
        /**
         * @description An event that a delivery can carry.
         * @example secret.updated
         * @enum {string}
         */
        DeliveredEventName: "secret.created" | "secret.updated" | "secret.deleted" | "secret.promoted" | "secret.bulk_set" | "secret.bulk_delete" | "webhook.ping";
        /** @description A delivery, as logged. It is never retried. */
        Delivery: {
            /**
             * Format: uuid
             * @description Delivery identifier, the `X-Service-Delivery` header.
             */
            id: string;
            event: components["schemas"]["DeliveredEventName"];
            /**
             * @description The answer’s status; null without an answer.
             * @example 204
             */
            statusCode: number | null;
            /** @description Whether the answer was 2xx. */
            success: boolean;
            /**
             * @description Milliseconds until the answer or failure; null where unknown.
             * @example 87
             */
            responseTimeMs: number | null;
            /**
             * @description Why it failed; null if it succeeded.
             * @example timed out after 5 s
             */
            error: string | null;
            /**
             * Format: date-time
             * @description When its event happened.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description Limits in force, resolved as override, then plan, then default. */
        EffectiveLimits: {
            /** @description The limits in force. */
            effective: components["schemas"]["PlanLimits"];
            /** @description Where each limit comes from. */
            source: {
                /**
                 * @description Projects in the organization.
                 * @example default
                 */
                maxProjects: components["schemas"]["LimitSource"];
                /**
                 * @description Environments in each project.
                 * @example default
                 */
                maxEnvironmentsPerProject: components["schemas"]["LimitSource"];
                /**
                 * @description Secrets in each environment.
                 * @example default
                 */
                maxSecretsPerEnvironment: components["schemas"]["LimitSource"];
                /**
                 * @description Members, pending invitations counted.
                 * @example default
                 */
                maxMembers: components["schemas"]["LimitSource"];
                /**
                 * @description Webhooks in the organization.
                 * @example default
                 */
                maxWebhooks: components["schemas"]["LimitSource"];
                /**
                 * @description Days an audit entry is kept.
                 * @example default
                 */
                auditRetentionDays: components["schemas"]["LimitSource"];
            };
        };
        /** @description A set of secrets, such as those of one stage of deployment. */
        Environment: {
            /**
             * Format: uuid
             * @description Environment identifier.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            id: string;
            /**
             * @description Unique in its project, never changes.
             * @example staging
             */
            slug: string;
            /**
             * @description Display name.
             * @example Staging
             */
            name: string;
            /**
             * @description Which role rules hold for the environment.
             * @example development
             * @enum {string}
             */
            type: "development" | "staging" | "production";
            /**
             * @description Raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
            /**
             * @description Secrets in it, deleted ones not counted.
             * @example 42
             */
            secretCount: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description The one shape of every error. */
        Error: {
            /** @description The error. */
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description A sentence for people; it may change. */
                message: string;
                /** @description The request’s `X-Request-Id`. */
                requestId: string;
                /** @description Every problem for `invalid_request`; elsewhere an object, where there is more to say. */
                details?: components["schemas"]["Problem"][] | Record<string, unknown>;
            };
        };
        /**
         * @description What went wrong, of a closed set.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_token" | "invalid_signature" | "unauthenticated" | "invalid_credentials" | "plan_limit_exceeded" | "forbidden" | "insufficient_scope" | "csrf_header_required" | "admin_required" | "organization_not_found" | "project_not_found" | "environment_not_found" | "secret_not_found" | "webhook_not_found" | "member_not_found" | "token_not_found" | "template_key_not_found" | "plan_not_found" | "route_not_found" | "email_taken" | "slug_taken" | "already_member" | "last_owner" | "rotation_in_progress" | "template_key_exists" | "revision_mismatch" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "billing_provider_error" | "billing_not_configured" | "temporarily_unavailable";
        /** @description What else there is to say about an event; never a value. */
        EventMetadata: {
            /**
             * @description The version of the key; events of one key.
             * @example 3
             */
            version?: number;
            /**
             * @description The environment’s revision after the change.
             * @example 18
             */
            revision?: number;
            /**
             * @description The names of the keys; events of many keys.
             * @example [
             *       "DATABASE_HOST",
             *       "LOG_LEVEL"
             *     ]
             */
            keys?: string[];
            /** @description The source environment of a promotion. */
            from?: {
                /**
                 * Format: uuid
                 * @description Identifier.
                 * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
                 */
                id: string;
                /**
                 * @description Slug.
                 * @example staging
                 */
                slug: string;
            };
        };
        /**
         * @description An event that a webhook can subscribe to.
         * @example secret.updated
         * @enum {string}
         */
        EventName: "secret.created" | "secret.updated" | "secret.deleted" | "secret.promoted" | "secret.bulk_set" | "secret.bulk_delete";
        /** @description The body of a webhook delivery. */
        EventPayload: {
            event: components["schemas"]["DeliveredEventName"];
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T09:26:53.589Z
             */
            timestamp: string;
            /** @description The organization. */
            org: {
                /**
                 * Format: uuid
                 * @description Identifier.
                 * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
                 */
                id: string;
            };
            /** @description The project. */
            project: {
                /**
                 * Format: uuid
                 * @description Identifier.
                 * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
                 */
                id: string;
                /**
                 * @description Slug.
                 * @example staging
                 */
                slug: string;
            };
            /** @description The environment; for a promotion its target. */
            environment: {
                /**
                 * Format: uuid
                 * @description Identifier.
                 * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
                 */
                id: string;
                /**
                 * @description Slug.
                 * @example staging
                 */
                slug: string;
            };
            /**
             * @description The secret’s key, never its value; `*` for events of many keys and the ping.
             * @example DATABASE_HOST
             */
            key: string;
            /** @description Who did it. */
            actor: components["schemas"]["UserReference"];
            metadata: components["schemas"]["EventMetadata"];
        };
        GetBillingResponse: {
            /**
             * @description The plan in force.
             * @example pro
             */
            plan: components["schemas"]["PlanName"];
            status: components["schemas"]["BillingStatus"];
            /** @description The limits in force. */
            limits: components["schemas"]["PlanLimits"];
            usage: components["schemas"]["Usage"];
            /** @description End of the paid period; null without one. */
            currentPeriodEnd: string | null;
        };
        GetCurrentUserResponse: {
            user: components["schemas"]["User"];
            /** @description The organizations the caller can see. */
            organizations: components["schemas"]["OwnOrganization"][];
            /** @description How the request was authenticated. */
            authentication: {
                /**
                 * @description How the request was authenticated.
                 * @enum {string}
                 */
                method: "session" | "token";
                /** @description The token used; absent for a session. */
                token?: components["schemas"]["CliToken"];
            };
        };
        GetProjectResponse: {
            project: components["schemas"]["Project"];
        };
        GetStatisticsResponse: {
            /**
             * @description Users.
             * @example 1204
             */
            users: number;
            /**
             * @description Organizations.
             * @example 1310
             */
            organizations: number;
            /**
             * @description Projects.
             * @example 2877
             */
            projects: number;
        };
        GetWebhookResponse: {
            webhook: components["schemas"]["Webhook"];
            /** @description At most 20, newest first. */
            deliveries: components["schemas"]["Delivery"][];
        };
        /** @description A code that the CLI exchanges for its token. */
        HandOffCode: {
            /**
             * @description Works once.
             * @example EXAMPLE-handoff-code-000000
             */
            code: string;
            /**
             * Format: date-time
             * @description A minute from now.
             * @example 2026-01-31T09:26:53.589Z
             */
            expiresAt: string;
        };
        HandOffTokenRequest: {
            /**
             * @description Base64url SHA-256 of the verifier that the CLI keeps (RFC 7636, S256).
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge: string;
            /**
             * @description What the token is for.
             * @example deploy pipeline
             */
            name: string;
            /**
             * @description What the token may do; its user’s role still applies.
             * @default full
             */
            access?: components["schemas"]["TokenAccess"];
            /**
             * Format: uuid
             * @description Limits the token to one organization.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            organizationId?: string;
            /**
             * Format: uuid
             * @description Limits the token to one project; needs `organizationId`.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            projectId?: string;
            /**
             * Format: uuid
             * @description Limits the token to one environment; needs `projectId`.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            environmentId?: string;
            /**
             * @description Days until the token expires; without it, it does not.
             * @example 90
             */
            expiresInDays?: number;
        } | {
            /**
             * @description The code of the first half.
             * @example EXAMPLE-handoff-code-000000
             */
            code: string;
            /**
             * @description The verifier whose hash was the challenge.
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            codeVerifier: string;
        };
        HandOffTokenResponse: components["schemas"]["HandOffCode"] | components["schemas"]["IssuedToken"];
        ImportSecretsRequest: {
            /** @description A list without duplicate keys. */
            secrets: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /**
                 * @description The value.
                 * @example db.internal.example
                 */
                value: string;
            }[];
        } | {
            /** @description Values by key. */
            secrets: {
                [key: string]: string;
            };
        } | {
            /**
             * @description Lines of `KEY=value`, with an optional `export`. Unquoted values are trimmed and end at a `#` after white space; single quotes are literal; double quotes may span lines and know `\n \r \t \" \\ \$`. No interpolation.
             * @example # database
             *     DATABASE_HOST=db.internal.example
             */
            dotenv: string;
        };
        ImportSecretsResponse: {
            /**
             * @description Keys that are new.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            created: string[];
            /**
             * @description Keys that have a new version.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            updated: string[];
            /**
             * @description Keys that had that value already.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            unchanged: string[];
            /**
             * @description The environment’s revision: raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
        };
        InspectOrganizationResponse: {
            organization: components["schemas"]["Organization"];
            usage: components["schemas"]["Usage"];
            limits: components["schemas"]["EffectiveLimits"];
        };
        /** @description A pending invitation; it is gone when accepted, cancelled or expired. */
        Invitation: {
            /**
             * Format: uuid
             * @description Invitation identifier.
             * @example 6a0d9b8c-2e5f-4173-8c4b-9f1e7d3a6052
             */
            id: string;
            /**
             * @description Where the invitation was mailed.
             * @example grace@example.com
             */
            email: string;
            /**
             * @description The role it gives.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
            /** @description Who invited. */
            invitedBy: components["schemas"]["UserReference"];
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Until when it can be accepted.
             * @example 2026-01-31T09:26:53.589Z
             */
            expiresAt: string;
        };
        InviteMemberRequest: {
            /**
             * Format: email
             * @description Where to mail the invitation.
             * @example grace@example.com
             */
            email: string;
            /**
             * @description The role to give.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        InviteMemberResponse: {
            invitation: components["schemas"]["Invitation"];
            /**
             * @description Accepts the invitation, once.
             * @example EXAMPLE-invitation-token-0000
             */
            token: string;
        };
        /** @description A new bearer token and its record. */
        IssuedToken: {
            /**
             * @description The bearer token, shown this once.
             * @example service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal
             */
            token: string;
            cliToken: components["schemas"]["CliToken"];
        };
        /** @description How long requests took. */
        Latency: {
            /**
             * @description Median in milliseconds; null without requests.
             * @example 14
             */
            p50: number | null;
            /**
             * @description 95th percentile in milliseconds; null without requests.
             * @example 48
             */
            p95: number | null;
            /**
             * @description 99th percentile in milliseconds; null without requests.
             * @example 120
             */
            p99: number | null;
        };
        /** @description The limits set for one organization alone; they win over its plan. */
        LimitOverrides: {
            /** @description Projects in the organization. */
            maxProjects?: number;
            /** @description Environments in each project. */
            maxEnvironmentsPerProject?: number;
            /** @description Secrets in each environment. */
            maxSecretsPerEnvironment?: number;
            /** @description Members, pending invitations counted. */
            maxMembers?: number;
            /** @description Webhooks in the organization. */
            maxWebhooks?: number;
            /** @description Days an audit entry is kept. */
            auditRetentionDays?: number;
        };
        /**
         * @description Where a limit comes from: built in, the plan’s runtime configuration, or the organization’s override.
         * @example default
         * @enum {string}
         */
        LimitSource: "default" | "plan" | "override";
        ListAuditEntriesResponse: {
            /** @description The entries, newest first. */
            entries: components["schemas"]["AuditEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        ListKeysResponse: {
            /** @description The secrets without values, in key order. */
            keys: components["schemas"]["SecretSummary"][];
            /**
             * @description The environment’s revision: raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
            /** @description Only where `limit` was given. */
            pagination?: components["schemas"]["Pagination"];
        };
        ListMembersResponse: {
            /** @description The members. */
            members: components["schemas"]["Member"][];
            /** @description The pending invitations. */
            invitations: components["schemas"]["Invitation"][];
        };
        ListOrganizationsResponse: {
            /** @description The organizations, by slug. */
            organizations: components["schemas"]["OrganizationWithUsage"][];
            pagination: components["schemas"]["Pagination"];
        };
        ListPlansResponse: {
            /** @description The plans, smallest first. */
            plans: components["schemas"]["Plan"][];
        };
        ListProjectsResponse: {
            /** @description The projects, by slug. */
            projects: components["schemas"]["Project"][];
        };
        ListTemplateKeysResponse: {
            /** @description The template’s keys, in key order. */
            keys: components["schemas"]["TemplateKey"][];
        };
        ListTokensResponse: {
            /** @description The active tokens, newest first. */
            tokens: components["schemas"]["CliToken"][];
        };
        ListVersionsResponse: {
            /**
             * @description The secret’s key.
             * @example DATABASE_HOST
             */
            key: string;
            /** @description The versions, newest first. */
            versions: components["schemas"]["SecretVersion"][];
            /** @description Only where `limit` was given. */
            pagination?: components["schemas"]["Pagination"];
        };
        ListWebhooksResponse: {
            /** @description The webhooks, oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
        LogInRequest: {
            /**
             * Format: email
             * @description The e-mail address, in any case.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The password.
             * @example an example of a pass phrase
             */
            password: string;
        };
        LogInResponse: {
            user: components["schemas"]["User"];
        };
        /** @description A user in an organization. */
        Member: {
            /**
             * Format: uuid
             * @description Member identifier.
             * @example 1c7f5e3a-8b29-4d06-a1f4-3e9d7c0b5a82
             */
            id: string;
            /**
             * Format: uuid
             * @description The user behind it.
             * @example 5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11
             */
            userId: string;
            /**
             * @description The user’s e-mail address.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The user’s display name.
             * @example Ada
             */
            name: string;
            /**
             * @description A member’s role in the organization.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
            /**
             * Format: date-time
             * @description When the user joined.
             * @example 2026-01-31T09:26:53.589Z
             */
            joinedAt: string;
        };
        OpenPortalResponse: {
            /**
             * @description Send the browser there; it works for a while.
             * @example https://pay.example.com/session
             */
            url: string;
        };
        /** @description A tenant: it owns projects, members, webhooks and an audit log. */
        Organization: {
            /**
             * Format: uuid
             * @description Organization identifier.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            id: string;
            /**
             * @description Unique on the platform, never changes.
             * @example analytical-engines
             */
            slug: string;
            /**
             * @description Display name.
             * @example Analytical Engines
             */
            name: string;
            /**
             * @description The plan in force.
             * @example free
             */
            plan: components["schemas"]["PlanName"];
            /** @description Limits set for this organization alone; empty without any. */
            limitOverrides: components["schemas"]["LimitOverrides"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description An organization and what it uses. */
        OrganizationWithUsage: {
            /**
             * Format: uuid
             * @description Organization identifier.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            id: string;
            /**
             * @description Unique on the platform, never changes.
             * @example analytical-engines
             */
            slug: string;
            /**
             * @description Display name.
             * @example Analytical Engines
             */
            name: string;
            /**
             * @description The plan in force.
             * @example free
             */
            plan: components["schemas"]["PlanName"];
            /** @description Limits set for this organization alone; empty without any. */
            limitOverrides: components["schemas"]["LimitOverrides"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            usage: components["schemas"]["Usage"];
        };
        /** @description An organization together with the caller’s role in it. */
        OwnOrganization: {
            /**
             * Format: uuid
             * @description Organization identifier.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            id: string;
            /**
             * @description Unique on the platform, never changes.
             * @example analytical-engines
             */
            slug: string;
            /**
             * @description Display name.
             * @example Analytical Engines
             */
            name: string;
            /**
             * @description The plan in force.
             * @example free
             */
            plan: components["schemas"]["PlanName"];
            /** @description Limits set for this organization alone; empty without any. */
            limitOverrides: components["schemas"]["LimitOverrides"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * @description The caller’s role in it.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        /** @description Where a page stands in the whole list. */
        Pagination: {
            /**
             * @description The page size asked for.
             * @example 50
             */
            limit: number;
            /**
             * @description How many results were skipped.
             * @example 0
             */
            offset: number;
            /**
             * @description How many results there are in all, with the search applied.
             * @example 128
             */
            total: number;
        };
        /** @description A plan and its default limits. */
        Plan: {
            name: components["schemas"]["PlanName"];
            /** @description The plan’s limits, as configured, else the built-in defaults. */
            limits: components["schemas"]["PlanLimits"];
        };
        /** @description A value for every plan limit; -1 means unlimited. */
        PlanLimits: {
            /** @description Projects in the organization. */
            maxProjects: number;
            /** @description Environments in each project. */
            maxEnvironmentsPerProject: number;
            /** @description Secrets in each environment. */
            maxSecretsPerEnvironment: number;
            /** @description Members, pending invitations counted. */
            maxMembers: number;
            /** @description Webhooks in the organization. */
            maxWebhooks: number;
            /** @description Days an audit entry is kept. */
            auditRetentionDays: number;
        };
        /**
         * @description A plan.
         * @example pro
         * @enum {string}
         */
        PlanName: "free" | "pro" | "enterprise";
        /** @description One problem of a request. The offending value is never quoted. */
        Problem: {
            /**
             * @description Where; empty for the whole body.
             * @example secrets.3.key
             */
            path: string;
            /**
             * @description What is wrong.
             * @example must have 1 to 100 characters
             */
            message: string;
        };
        /** @description Environments that share an encryption key and a template. */
        Project: {
            /**
             * Format: uuid
             * @description Project identifier.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            id: string;
            /**
             * @description Unique in its organization, never changes.
             * @example web-shop
             */
            slug: string;
            /**
             * @description Display name.
             * @example Web shop
             */
            name: string;
            /**
             * @description What the project is.
             * @example The public shop.
             */
            description: string | null;
            /**
             * @description The version of the encryption key that new values get.
             * @example 1
             */
            keyVersion: number;
            /** @description The last key rotation; null before the first. */
            rotation: components["schemas"]["Rotation"] | null;
            /** @description Its environments; a limited token sees only its own. */
            environments: components["schemas"]["Environment"][];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        PromoteSecretsRequest: {
            /**
             * @description Slug of the source environment.
             * @example dev
             */
            from: string;
            /**
             * @description Slug of the target environment.
             * @example staging
             */
            to: string;
            /**
             * @description The keys to promote; all of the source where omitted.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            keys?: string[];
            /**
             * @description Whether to replace values that the target already has.
             * @default true
             */
            overwrite?: boolean;
        };
        PromoteSecretsResponse: {
            /**
             * @description Keys whose value was copied.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            promoted: string[];
            /**
             * @description Keys that the target had already, with `overwrite` false.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            skipped: string[];
            /**
             * @description Keys whose value was the same already.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            unchanged: string[];
            /**
             * @description The target’s revision.
             * @example 17
             */
            revision: number;
        };
        PullSecretsResponse: {
            /** @description The secrets, in key order. */
            secrets: components["schemas"]["SecretEntry"][];
            /**
             * @description The environment’s revision: raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
            /** @description Only where `limit` was given. */
            pagination?: components["schemas"]["Pagination"];
        };
        RegisterRequest: {
            /**
             * Format: email
             * @description The e-mail address to log in with.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The password, any characters.
             * @example an example of a pass phrase
             */
            password: string;
            /**
             * @description Display name.
             * @example Ada
             */
            name?: string;
            /**
             * @description Name of the personal organization; made from the user’s name where omitted.
             * @example Analytical Engines
             */
            organizationName?: string;
        };
        RegisterResponse: {
            user: components["schemas"]["User"];
            organization: components["schemas"]["Organization"];
        };
        /** @description How many requests failed. */
        RequestErrors: {
            /**
             * @description Answers 400 to 499.
             * @example 31
             */
            client: number;
            /**
             * @description Answers 500 to 599.
             * @example 0
             */
            server: number;
        };
        RequestPasswordResetRequest: {
            /**
             * Format: email
             * @description The account’s e-mail.
             * @example ada@example.com
             */
            email: string;
        };
        ResetPasswordRequest: {
            /**
             * @description The token of the mailed link; it works once.
             * @example EXAMPLE-reset-token-0000
             */
            token: string;
            /**
             * @description The new password.
             * @example an example of a pass phrase
             */
            newPassword: string;
        };
        RotateKeyResponse200: {
            project: components["schemas"]["Project"];
            rotation: components["schemas"]["Rotation"];
        };
        RotateKeyResponse202: {
            project: components["schemas"]["Project"];
            rotation: components["schemas"]["Rotation"];
        };
        /** @description The last rotation of a project’s encryption key. */
        Rotation: {
            /**
             * @description Whether re-encryption goes on.
             * @example completed
             * @enum {string}
             */
            status: "in_progress" | "completed";
            /**
             * @description The key version that is replaced.
             * @example 1
             */
            fromVersion: number;
            /**
             * @description The key version in its place.
             * @example 2
             */
            toVersion: number;
            /**
             * @description Stored values re-encrypted so far, history included.
             * @example 310
             */
            reencrypted: number;
            /**
             * @description Stored values to re-encrypt, history included.
             * @example 310
             */
            total: number;
        };
        /** @description A secret with its value. */
        SecretEntry: {
            /**
             * @description The secret’s key.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description The value, as it was set.
             * @example db.internal.example
             */
            value: string;
            /**
             * @description Counts the changes of this key, from 1.
             * @example 3
             */
            version: number;
            /**
             * Format: date-time
             * @description When the key was first set (again, after a deletion).
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When this version was written.
             * @example 2026-01-31T09:26:53.589Z
             */
            updatedAt: string;
            /** @description Who wrote this version. */
            updatedBy: components["schemas"]["UserReference"];
        };
        /** @description A secret without its value. */
        SecretSummary: {
            /**
             * @description The secret’s key.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description Counts the changes of this key, from 1.
             * @example 3
             */
            version: number;
            /**
             * Format: date-time
             * @description When the key was first set (again, after a deletion).
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When this version was written.
             * @example 2026-01-31T09:26:53.589Z
             */
            updatedAt: string;
            /** @description Who wrote this version. */
            updatedBy: components["schemas"]["UserReference"];
        };
        /** @description An entry in the history of a key. */
        SecretVersion: {
            /**
             * @description Counts the changes of this key, from 1.
             * @example 3
             */
            version: number;
            /**
             * @description The environment’s revision that this version belongs to.
             * @example 17
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was written.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description Who wrote it. */
            createdBy: components["schemas"]["UserReference"];
            /** @description Whether this entry records a deletion. */
            deleted: boolean;
            /**
             * @description Only with `values=true`, and not for a deletion.
             * @example db.internal.example
             */
            value?: string;
        };
        SetSecretRequest: {
            /**
             * @description The secret’s key.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description Any well-formed Unicode, 0 to 64 KiB in UTF-8; returned byte for byte.
             * @example db.internal.example
             */
            value: string;
            /**
             * @description The version the key must have; 0 = it must not exist.
             * @example 2
             */
            expectedVersion?: number;
        };
        SetSecretResponse: {
            /** @description The secret as it is now, without its value. */
            secret: components["schemas"]["SecretSummary"];
            /** @description False where the value was already there: no version, no event. */
            changed: boolean;
            /**
             * @description The environment’s revision: raised by one for each accepted change of its secrets.
             * @example 17
             */
            revision: number;
        };
        StartCheckoutRequest: {
            /**
             * @description The plan to buy.
             * @example pro
             * @enum {string}
             */
            plan: "pro" | "enterprise";
        };
        StartCheckoutResponse: {
            /**
             * @description Send the browser there; it works for a while.
             * @example https://pay.example.com/session
             */
            url: string;
        };
        /** @description The change was made. */
        Success: {
            /**
             * @description Always true; a failure has an error body instead.
             * @constant
             */
            success: true;
        };
        SummarizeMetricsResponse: {
            /**
             * @description The hours looked at.
             * @example 24
             */
            hours: number;
            /**
             * @description Requests in all.
             * @example 5210
             */
            requests: number;
            errors: components["schemas"]["RequestErrors"];
            latencyMs: components["schemas"]["Latency"];
            /** @description Routes that had requests, busiest first. */
            routes: {
                /**
                 * @description Method and path template.
                 * @example GET /v1/secrets/:orgSlug/:project/:env
                 */
                route: string;
                /**
                 * @description Requests.
                 * @example 4100
                 */
                requests: number;
                errors: components["schemas"]["RequestErrors"];
                latencyMs: components["schemas"]["Latency"];
            }[];
            /** @description One entry an hour, oldest first, hours without requests included. */
            series: {
                /**
                 * Format: date-time
                 * @description Beginning of the hour.
                 * @example 2026-01-31T09:00:00.000Z
                 */
                hour: string;
                /**
                 * @description Requests.
                 * @example 217
                 */
                requests: number;
                errors: components["schemas"]["RequestErrors"];
            }[];
        };
        /** @description A key that every environment of the project is expected to have. */
        TemplateKey: {
            /**
             * @description The secret key that the project requires.
             * @example DATABASE_PORT
             */
            key: string;
            /**
             * @description What it is for.
             * @example Port of the main database.
             */
            description?: string;
            /** @description Whether an environment without it is invalid. */
            required: boolean;
            /**
             * @description A regular expression (RE2) that the whole value must match.
             * @example [0-9]{1,5}
             */
            pattern?: string;
            /**
             * Format: date-time
             * @description When it was added.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        TestWebhookResponse: {
            /**
             * Format: uuid
             * @description The delivery to look for in the log.
             * @example 0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03
             */
            deliveryId: string;
        };
        /**
         * @description `read` reads, `write` also changes secrets, `full` is everything its user may do except passwords and tokens.
         * @example read
         * @enum {string}
         */
        TokenAccess: "read" | "write" | "full";
        UpdateOrganizationRequest: {
            /** @description The plan to put in force. */
            plan?: components["schemas"]["PlanName"];
            /** @description Limits for this organization alone; -1 = unlimited, null removes the override. */
            limitOverrides?: {
                /** @description Projects in the organization. */
                maxProjects?: number | null;
                /** @description Environments in each project. */
                maxEnvironmentsPerProject?: number | null;
                /** @description Secrets in each environment. */
                maxSecretsPerEnvironment?: number | null;
                /** @description Members, pending invitations counted. */
                maxMembers?: number | null;
                /** @description Webhooks in the organization. */
                maxWebhooks?: number | null;
                /** @description Days an audit entry is kept. */
                auditRetentionDays?: number | null;
            };
        };
        UpdateOrganizationResponse: {
            organization: components["schemas"]["Organization"];
            limits: components["schemas"]["EffectiveLimits"];
        };
        UpdatePlanRequest: {
            /** @description The limits to set; -1 = unlimited. */
            limits: {
                /** @description Projects in the organization. */
                maxProjects?: number;
                /** @description Environments in each project. */
                maxEnvironmentsPerProject?: number;
                /** @description Secrets in each environment. */
                maxSecretsPerEnvironment?: number;
                /** @description Members, pending invitations counted. */
                maxMembers?: number;
                /** @description Webhooks in the organization. */
                maxWebhooks?: number;
                /** @description Days an audit entry is kept. */
                auditRetentionDays?: number;
            };
        };
        UpdatePlanResponse: {
            plan: components["schemas"]["Plan"];
        };
        UpdateWebhookRequest: {
            /**
             * Format: uri
             * @description Delivery target.
             * @example https://hooks.example.com/holdfast
             */
            url?: string;
            /**
             * @description The events to subscribe to.
             * @example [
             *       "secret.deleted"
             *     ]
             */
            events?: components["schemas"]["EventName"][];
            /** @description Limits it to one project; null = all. */
            projectId?: string | null;
            /** @description Limits it to one environment; null = all. */
            environmentId?: string | null;
            /** @description Whether events are delivered. */
            active?: boolean;
        };
        UpdateWebhookResponse: {
            webhook: components["schemas"]["Webhook"];
        };
        /** @description What an organization uses at this moment. */
        Usage: {
            /**
             * @description Projects.
             * @example 4
             */
            projects: number;
            /**
             * @description Members, without pending invitations.
             * @example 7
             */
            members: number;
            /**
             * @description Pending invitations.
             * @example 1
             */
            invitations: number;
            /**
             * @description Webhooks.
             * @example 2
             */
            webhooks: number;
            /**
             * @description Environments of all projects.
             * @example 13
             */
            environments: number;
            /**
             * @description Secrets of all environments, deleted ones not counted.
             * @example 412
             */
            secrets: number;
        };
        /** @description A person’s account. */
        User: {
            /**
             * Format: uuid
             * @description User identifier.
             * @example 5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11
             */
            id: string;
            /**
             * @description As it was entered; compared without case.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Display name.
             * @example Ada
             */
            name: string;
            /** @description Whether the e-mail address was confirmed by its link. */
            emailVerified: boolean;
            /** @description Whether the user may call the admin routes. */
            isAdmin: boolean;
            /**
             * Format: date-time
             * @description When the account was registered.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description A user, as named beside what they did. */
        UserReference: {
            /**
             * Format: uuid
             * @description User identifier.
             * @example 5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11
             */
            id: string;
            /**
             * @description The user’s e-mail address.
             * @example ada@example.com
             */
            email: string;
        };
        ValidateEnvironmentResponse: {
            /** @description Nothing required is missing and nothing is invalid. */
            valid: boolean;
            /**
             * @description Required keys that are not there.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            missing: string[];
            /**
             * @description Declared keys that are there, required or not, valid or not.
             * @example [
             *       "DATABASE_PORT"
             *     ]
             */
            present: string[];
            /**
             * @description Keys that the template does not name; null for those who may not read the environment.
             * @example [
             *       "LEGACY_FLAG"
             *     ]
             */
            undeclared: string[] | null;
            /** @description Declared keys whose value is not as the template wants it. */
            invalid: {
                /**
                 * @description The declared key.
                 * @example DATABASE_PORT
                 */
                key: string;
                /**
                 * @description What is wrong.
                 * @example does not match the pattern
                 */
                reason: string;
            }[];
        };
        VerifyEmailRequest: {
            /**
             * @description The token of the mailed link; it works once.
             * @example EXAMPLE-verification-token-0000
             */
            token: string;
        };
        VerifyEmailResponse: {
            user: components["schemas"]["User"];
        };
        /** @description A subscription of a URL to secret events. */
        Webhook: {
            /**
             * Format: uuid
             * @description Webhook identifier.
             * @example f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940
             */
            id: string;
            /**
             * @description Where deliveries are sent.
             * @example https://hooks.example.com/holdfast
             */
            url: string;
            /**
             * @description The events it is subscribed to.
             * @example [
             *       "secret.updated"
             *     ]
             */
            events: components["schemas"]["EventName"][];
            /** @description The only project it fires for; null = all. */
            projectId: string | null;
            /** @description The only environment it fires for; null = all. */
            environmentId: string | null;
            /** @description Whether events are delivered; a test ping always is. */
            active: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-01-31T09:26:53.589Z
             */
            updatedAt: string;
        };
    };
    responses: {
        /** @description `already_member`: The user is a member of the organization already. */
        AlreadyMember: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "already_member";
                    };
                };
            };
        };
        /**
         * @description `billing_not_configured`: This installation has no payment provider.
         *
         *     `temporarily_unavailable`: Contention or throttling outlasted the service’s own retries; send the same request again.
         */
        BillingNotConfiguredOrTemporarilyUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "Retry-After": components["headers"]["retryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "billing_not_configured" | "temporarily_unavailable";
                    };
                };
            };
        };
        /** @description `billing_provider_error`: The payment provider failed or refused. */
        BillingProviderError: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "billing_provider_error";
                    };
                };
            };
        };
        /** @description `email_taken`: There is an account with this e-mail address. */
        EmailTaken: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "email_taken";
                    };
                };
            };
        };
        /** @description `forbidden`: The caller’s role in the organization does not allow this. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "forbidden";
                    };
                };
            };
        };
        /**
         * @description `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, whatever its user’s role.
         */
        ForbiddenOrInsufficientScope: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "forbidden" | "insufficient_scope";
                    };
                };
            };
        };
        /**
         * @description `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, whatever its user’s role.
         *
         *     `csrf_header_required`: A change with the session cookie needs the header `X-Requested-With: service`.
         */
        ForbiddenOrInsufficientScopeOrCsrfHeaderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "forbidden" | "insufficient_scope" | "csrf_header_required";
                    };
                };
            };
        };
        /** @description `insufficient_scope`: The bearer token does not allow this, whatever its user’s role. */
        InsufficientScope: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, whatever its user’s role.
         *
         *     `admin_required`: The caller is not a platform administrator.
         */
        InsufficientScopeOrAdminRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "admin_required";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, whatever its user’s role.
         *
         *     `csrf_header_required`: A change with the session cookie needs the header `X-Requested-With: service`.
         */
        InsufficientScopeOrCsrfHeaderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, whatever its user’s role.
         *
         *     `csrf_header_required`: A change with the session cookie needs the header `X-Requested-With: service`.
         *
         *     `admin_required`: The caller is not a platform administrator.
         */
        InsufficientScopeOrCsrfHeaderRequiredOrAdminRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required" | "admin_required";
                    };
                };
            };
        };
        /** @description `internal_error`: Something went wrong in the service; `requestId` finds it in the logs. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "internal_error";
                    };
                };
            };
        };
        /** @description `invalid_credentials`: The e-mail address or the password is wrong. */
        InvalidCredentials: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "invalid_credentials";
                    };
                };
            };
        };
        /** @description `invalid_request`: The request is not valid; `details` names every problem at once. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "invalid_request";
                    };
                };
            };
        };
        /**
         * @description `invalid_request`: The request is not valid; `details` names every problem at once.
         *
         *     `invalid_signature`: The provider’s signature over the raw body does not verify.
         */
        InvalidRequestOrInvalidSignature: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "invalid_request" | "invalid_signature";
                    };
                };
            };
        };
        /**
         * @description `invalid_request`: The request is not valid; `details` names every problem at once.
         *
         *     `invalid_token`: The link token or code is unknown, used or expired.
         */
        InvalidRequestOrInvalidToken: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "invalid_request" | "invalid_token";
                    };
                };
            };
        };
        /** @description `last_owner`: The last owner of an organization can’t be demoted or removed. */
        LastOwner: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "last_owner";
                    };
                };
            };
        };
        /** @description `organization_not_found`: There is no such organization, or the caller is no member of it. */
        OrganizationNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `member_not_found`: There is no such member or invitation for this caller.
         */
        OrganizationNotFoundOrMemberNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "member_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `project_not_found`: There is no such project for this caller.
         */
        OrganizationNotFoundOrProjectNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `project_not_found`: There is no such project for this caller.
         *
         *     `environment_not_found`: There is no such environment for this caller.
         */
        OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "environment_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `project_not_found`: There is no such project for this caller.
         *
         *     `environment_not_found`: There is no such environment for this caller.
         *
         *     `secret_not_found`: There is no such secret for this caller.
         */
        OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "environment_not_found" | "secret_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `project_not_found`: There is no such project for this caller.
         *
         *     `environment_not_found`: There is no such environment for this caller.
         *
         *     `webhook_not_found`: There is no such webhook for this caller.
         */
        OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrWebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "environment_not_found" | "webhook_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `project_not_found`: There is no such project for this caller.
         *
         *     `template_key_not_found`: There is no such template key for this caller.
         */
        OrganizationNotFoundOrProjectNotFoundOrTemplateKeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "template_key_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: There is no such organization, or the caller is no member of it.
         *
         *     `webhook_not_found`: There is no such webhook for this caller.
         */
        OrganizationNotFoundOrWebhookNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "webhook_not_found";
                    };
                };
            };
        };
        /** @description `payload_too_large`: The request’s body, the environment’s total or the answer would be too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "payload_too_large";
                    };
                };
            };
        };
        /** @description `plan_limit_exceeded`: The plan does not allow more; `details` has the limit’s name, its value and what is used. */
        PlanLimitExceeded: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "plan_limit_exceeded";
                    };
                };
            };
        };
        /** @description `plan_not_found`: There is no such plan for this caller. */
        PlanNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "plan_not_found";
                    };
                };
            };
        };
        /** @description `rate_limited`: Too many attempts; try again after `Retry-After` seconds. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "Retry-After": components["headers"]["retryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "rate_limited";
                    };
                };
            };
        };
        /** @description `revision_mismatch`: The environment is not at the revision of `If-Match`; nothing was changed. */
        RevisionMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "revision_mismatch";
                    };
                };
            };
        };
        /**
         * @description `revision_mismatch`: The environment is not at the revision of `If-Match`; nothing was changed.
         *
         *     `version_mismatch`: The key is not at `expectedVersion` (0 = it is not there); nothing was changed.
         */
        RevisionMismatchOrVersionMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "revision_mismatch" | "version_mismatch";
                    };
                };
            };
        };
        /** @description `rotation_in_progress`: The last rotation of the key is still going on. */
        RotationInProgress: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "rotation_in_progress";
                    };
                };
            };
        };
        /** @description `slug_taken`: The slug that was asked for is taken. */
        SlugTaken: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "slug_taken";
                    };
                };
            };
        };
        /** @description `template_key_exists`: The template has this key already. */
        TemplateKeyExists: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "template_key_exists";
                    };
                };
            };
        };
        /** @description `temporarily_unavailable`: Contention or throttling outlasted the service’s own retries; send the same request again. */
        TemporarilyUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "Retry-After": components["headers"]["retryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "temporarily_unavailable";
                    };
                };
            };
        };
        /** @description `token_not_found`: There is no such token for this caller. */
        TokenNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "token_not_found";
                    };
                };
            };
        };
        /** @description `unauthenticated`: There is no valid session cookie or bearer token. */
        Unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "unauthenticated";
                    };
                };
            };
        };
        /** @description `unsupported_media_type`: The body is not `application/json`. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "unsupported_media_type";
                    };
                };
            };
        };
    };
    parameters: {
        /** @description Organization identifier. */
        orgId: string;
        /** @description Organization slug. */
        orgSlug: string;
        /** @description Project slug. */
        project: string;
        /** @description Project slug. */
        slug: string;
        /** @description Environment slug. */
        env: string;
        /** @description Secret key or template key. */
        key: string;
        /** @description CLI token identifier. */
        tokenId: string;
        /** @description Webhook identifier. */
        webhookId: string;
        /** @description Member or invitation identifier. */
        id: string;
        /** @description Invitation token. */
        token: string;
        /** @description Plan name. */
        planName: string;
        /** @description Protects against cross-site request forgery. */
        csrfHeader: "service";
        /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
        csrfHeaderWithCookie: "service";
    };
    requestBodies: never;
    headers: {
        /** @description Identifies the request in the logs, the audit entry and the error body. */
        requestId: string;
        /** @description Seconds to wait before the next attempt. */
        retryAfter: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterRequest"];
            };
        };
        responses: {
            /** @description The account and its organization; the session cookie is set. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The session cookie: HttpOnly, SameSite=Lax, Secure (but on a local http address). */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisterResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            409: components["responses"]["EmailTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "log-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogInRequest"];
            };
        };
        responses: {
            /** @description Logged in; the session cookie is set. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The session cookie: HttpOnly, SameSite=Lax, Secure (but on a local http address). */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogInResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidCredentials"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "log-out": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Logged out; the cookie is cleared. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description Clears the session cookie. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-current-user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetCurrentUserResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "create-token": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTokenRequest"];
            };
        };
        responses: {
            /** @description The token, shown this once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "hand-off-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HandOffTokenRequest"];
            };
        };
        responses: {
            /** @description The code (first half) or the token, shown this once (second half). */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HandOffTokenResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active tokens, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTokensResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "revoke-token": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path: {
                /** @description CLI token identifier. */
                tokenId: components["parameters"]["tokenId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is revoked. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["TokenNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "change-password": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description The password is changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "send-verification": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link is on its way. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyEmailRequest"];
            };
        };
        responses: {
            /** @description The address is verified. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyEmailResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "request-password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestPasswordResetRequest"];
            };
        };
        responses: {
            /** @description Always, account or not. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPasswordRequest"];
            };
        };
        responses: {
            /** @description The password is changed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-projects": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The projects, by slug. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListProjectsResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "create-project": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProjectRequest"];
            };
        };
        responses: {
            /** @description The project with its environments. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateProjectResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-project": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Project slug. */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetProjectResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-project": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Project slug. */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project is deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "create-environment": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Project slug. */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEnvironmentRequest"];
            };
        };
        responses: {
            /** @description The environment, still empty. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateEnvironmentResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "rotate-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Project slug. */
                slug: components["parameters"]["slug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is rotated: there was nothing to re-encrypt. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateKeyResponse200"];
                };
            };
            /** @description The new key is in use; re-encryption goes on in the background. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateKeyResponse202"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            409: components["responses"]["RotationInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "pull-secrets": {
        parameters: {
            query?: {
                /** @description Results per page; without it all results are returned. */
                limit?: number;
                /** @description Results to skip; used only together with `limit`. */
                offset?: number;
                /** @description Keeps keys that start with this prefix; case-sensitive. */
                search?: string;
            };
            header?: {
                /** @description The `ETag` of an earlier answer; if the environment is still at that revision the answer is `304`. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secrets. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The environment’s revision in double quotes, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PullSecretsResponse"];
                };
            };
            /** @description The environment is still at the revision of `If-None-Match`; nothing was read or decrypted. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The environment’s revision in double quotes, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "set-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Changes only that revision of the environment; any other is `412 revision_mismatch`. `*` is any. */
                "If-Match"?: string;
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSecretRequest"];
            };
        };
        responses: {
            /** @description The secret was there before. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetSecretResponse"];
                };
            };
            /** @description The secret is new. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetSecretResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            412: components["responses"]["RevisionMismatchOrVersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-keys": {
        parameters: {
            query?: {
                /** @description Results per page; without it all results are returned. */
                limit?: number;
                /** @description Results to skip; used only together with `limit`. */
                offset?: number;
                /** @description Keeps keys that start with this prefix; case-sensitive. */
                search?: string;
            };
            header?: {
                /** @description The `ETag` of an earlier answer; if the environment is still at that revision the answer is `304`. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The environment’s revision in double quotes, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListKeysResponse"];
                };
            };
            /** @description The environment is still at the revision of `If-None-Match`; nothing was read or decrypted. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The environment’s revision in double quotes, for `If-None-Match` and `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "import-secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description Changes only that revision of the environment; any other is `412 revision_mismatch`. `*` is any. */
                "If-Match"?: string;
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportSecretsRequest"];
            };
        };
        responses: {
            /** @description What the import did. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportSecretsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-versions": {
        parameters: {
            query?: {
                /** @description Whether to return the values. */
                values?: boolean;
                /** @description Results per page; without it all results are returned. */
                limit?: number;
                /** @description Results to skip; used only together with `limit`. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
                /** @description Secret key or template key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The history. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListVersionsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "promote-secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description Changes only that revision of the environment; any other is `412 revision_mismatch`. `*` is any. */
                "If-Match"?: string;
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromoteSecretsRequest"];
            };
        };
        responses: {
            /** @description What the promotion did. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromoteSecretsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "bulk-delete-secrets": {
        parameters: {
            query?: never;
            header?: {
                /** @description Changes only that revision of the environment; any other is `412 revision_mismatch`. `*` is any. */
                "If-Match"?: string;
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkDeleteSecretsRequest"];
            };
        };
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDeleteSecretsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-secret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Changes only that revision of the environment; any other is `412 revision_mismatch`. `*` is any. */
                "If-Match"?: string;
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
                /** @description Secret key or template key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret is deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteSecretResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "create-organization": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrganizationRequest"];
            };
        };
        responses: {
            /** @description The organization. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateOrganizationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-organization": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization is deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-template-keys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListTemplateKeysResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "add-template-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddTemplateKeyRequest"];
            };
        };
        responses: {
            /** @description The template key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddTemplateKeyResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            409: components["responses"]["TemplateKeyExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "remove-template-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Secret key or template key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template key is removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrTemplateKeyNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "validate-environment": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
                /** @description Project slug. */
                project: components["parameters"]["project"];
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How the environment compares with the template. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidateEnvironmentResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListWebhooksResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScope"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "create-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook and its signing secret, shown this once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateWebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Webhook identifier. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook and its deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetWebhookResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScope"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Webhook identifier. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Webhook identifier. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateWebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrWebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "test-webhook": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Webhook identifier. */
                webhookId: components["parameters"]["webhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ping is on its way. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestWebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-members": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members and pending invitations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMembersResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "invite-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteMemberRequest"];
            };
        };
        responses: {
            /** @description The invitation and its token, shown this once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InviteMemberResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            409: components["responses"]["AlreadyMember"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "accept-invitation": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Invitation token. */
                token: components["parameters"]["token"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller is a member now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AcceptInvitationResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
            409: components["responses"]["AlreadyMember"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "remove-member": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Member or invitation identifier. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member or invitation is gone. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrMemberNotFound"];
            409: components["responses"]["LastOwner"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "change-role": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Member or invitation identifier. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRoleRequest"];
            };
        };
        responses: {
            /** @description The member with the new role. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeRoleResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFoundOrMemberNotFound"];
            409: components["responses"]["LastOwner"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-audit-entries": {
        parameters: {
            query?: {
                /** @description Results per page. */
                limit?: number;
                /** @description Entries to skip. */
                offset?: number;
                /** @description Keeps entries of this action. */
                action?: components["schemas"]["AuditAction"];
            };
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListAuditEntriesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScope"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-billing": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Billing status, limits and usage. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetBillingResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "start-checkout": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartCheckoutRequest"];
            };
        };
        responses: {
            /** @description The checkout’s address. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartCheckoutResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BillingProviderError"];
            503: components["responses"]["BillingNotConfiguredOrTemporarilyUnavailable"];
        };
    };
    "open-portal": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The portal’s address. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenPortalResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["ForbiddenOrInsufficientScopeOrCsrfHeaderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BillingProviderError"];
            503: components["responses"]["BillingNotConfiguredOrTemporarilyUnavailable"];
        };
    };
    "receive-provider-event": {
        parameters: {
            query?: never;
            header?: {
                /** @description The provider’s signature over the raw body. Without a valid one the answer is `invalid_signature`. */
                "Stripe-Signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The event, as the payment provider signed it. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description The event was taken note of. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidSignature"];
            413: components["responses"]["PayloadTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["BillingNotConfiguredOrTemporarilyUnavailable"];
        };
    };
    "get-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetStatisticsResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequired"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-organizations": {
        parameters: {
            query?: {
                /** @description Results per page. */
                limit?: number;
                /** @description Results to skip. */
                offset?: number;
                /** @description Keeps organizations whose slug or name starts with this, whatever the case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of organizations. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListOrganizationsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequired"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "inspect-organization": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectOrganizationResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequired"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-organization": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateOrganizationRequest"];
            };
        };
        responses: {
            /** @description The organization and its limits as they are now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateOrganizationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrAdminRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plans. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPlansResponse"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequired"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-plan": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Plan name. */
                planName: components["parameters"]["planName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePlanRequest"];
            };
        };
        responses: {
            /** @description The plan as it is now. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatePlanResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrAdminRequired"];
            404: components["responses"]["PlanNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "summarize-metrics": {
        parameters: {
            query?: {
                /** @description How many hours to look back. */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SummarizeMetricsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequired"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
}
