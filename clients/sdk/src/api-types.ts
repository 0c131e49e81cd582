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
         * @description Creates a user and an organization that the user owns, logs the user in with a session cookie, and sends an e-mail with a link to verify the address. The name defaults to the part of the e-mail address before the @.
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
         * @description Starts a session for the dashboard and sets its cookie. An unknown e-mail address and a wrong password get the same response in about the same time. If the account has a second factor, a correct password doesn’t set a cookie yet: the response is 401 `second_factor_required`, and `POST /v1/auth/login/verify` completes the log-in.
         */
        post: operations["log-in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to log in with a passkey alone
         * @description Returns a challenge for a discoverable passkey. No e-mail address or password is needed. Send the passkey’s response to `POST /v1/auth/login/verify`. Limited per client IP address.
         */
        post: operations["start-passkey-login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a log-in with a second factor or a passkey
         * @description Answers a log-in challenge with exactly one of `totp`, `recoveryCode` and `passkey`, and starts the session. A challenge works once and expires after five minutes. Five wrong codes within 15 minutes return 429. A challenge from `POST /v1/auth/login/options` accepts only a passkey. One from a sign-in with a company’s provider also makes somebody who signs in for the first time a member.
         */
        post: operations["complete-login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out how an address can sign in
         * @description Returns the methods for the log-in page. It only tells whether a verified domain has a sign-in provider: the response is the same for all addresses of a domain, whether they have an account or not. Limited per client IP address.
         */
        get: operations["find-sign-in-methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/provider/{orgSlug}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start to sign in with the organization’s provider
         * @description Sends the browser to the organization’s OpenID Connect provider (authorization code flow with PKCE). A cookie ties the sign-in to this browser for ten minutes. Whatever prevents the start sends the browser to the dashboard’s `/log-in#error=<code>` instead; `GET /v1/auth/provider/{orgSlug}/callback` lists the codes. Limited per client IP address.
         */
        get: operations["start-provider-sign-in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/provider/{orgSlug}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete a sign-in with the organization’s provider
         * @description The organization’s redirect URI to register at its provider. Verifies the provider’s response, starts a session of at most 12 hours and sends the browser to the dashboard. The session and the tokens created with it are confined to that organization, until the session steps up with the account’s own password or passkey. Further parameters are ignored. Whatever goes wrong sends the browser to `/log-in#error=<code>`, and nothing is created. After `second_factor_required`, `POST /v1/auth/provider/factor` continues. The codes:
         *     - `provider_not_configured`: This organization has no sign-in provider. Log in another way.
         *     - `provider_unavailable`: Your company’s sign-in provider did not respond, or not as expected. Try again in a minute.
         *     - `provider_refused`: Your company’s sign-in provider did not sign you in.
         *     - `sign_in_expired`: This sign-in has expired, was already used or was started in another browser. Start again.
         *     - `invalid_answer`: The response of your company’s sign-in provider could not be verified. Tell an owner about it.
         *     - `email_missing`: Your company’s sign-in provider sent no e-mail address for you. Its administrator can add one to your account there, or the claim email to what it sends.
         *     - `email_not_verified`: Your company’s sign-in provider has not verified your e-mail address.
         *     - `domain_not_verified`: Your e-mail address is not in a domain that your organization has verified.
         *     - `link_required`: There already is an account with your e-mail address. Log in once, and it is linked to your provider.
         *     - `second_factor_required`: Confirm your second factor to finish signing in.
         *     - `invitation_required`: You are not a member of this organization. Ask an owner or admin for an invitation.
         *     - `plan_limit_exceeded`: Your organization has no room for another member. Tell an owner about it.
         *     - `other_person`: You signed in as somebody else at your company’s sign-in provider. Nothing was changed.
         *     - `not_fresh`: Your company’s sign-in provider did not ask you to sign in again. Use a passkey, or log in again.
         *     - `start_here`: Enter your e-mail address, and sign in from here.
         *     - `session_required`: Log in first, and then try again.
         *     - `rate_limited`: There were too many attempts from your network or in your organization. Try again later.
         *     - `temporarily_unavailable`: This did not work because of a problem on our side. Try again.
         */
        get: operations["complete-provider-sign-in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/provider/factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Continue a provider sign-in with a second factor
         * @description After `/log-in#error=second_factor_required`: returns the challenge for the account’s own second factor, which the callback left in a cookie. `POST /v1/auth/login/verify` completes the sign-in.
         */
        post: operations["continue-provider-sign-in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/step-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your identity again
         * @description Sensitive operations require a session that was confirmed in the last ten minutes. Send the password, and a second factor if the account has one. Without it, the response is 401 `second_factor_required` with a challenge for `passkey`; `totp` needs no challenge. The session gets a new secret, and the old cookie stops working. A wrong password or factor returns `invalid_request` for its field. A session that came through a company’s provider also steps up with a passkey alone: an empty request gets its challenge. It is then no longer confined to the provider’s organization. `GET /v1/auth/provider/{orgSlug}/start?stepUp=true` confirms it at the provider instead, for that organization only.
         */
        post: operations["step-up"];
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
         * @description Ends the session on the server and clears its cookie. Other sessions and tokens keep working.
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
         * Get the current user and their organizations
         * @description Returns the caller, their organizations with their role in each, and how the request was authenticated. A token limited to one organization sees only that organization, and so does a session through a company’s provider, which is confined to its organization until it steps up with the account’s own password or passkey.
         */
        get: operations["get-current-user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the current user’s name
         * @description Sets the display name. Members of the user’s organizations can see it.
         */
        patch: operations["rename-user"];
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
         * @description Creates a bearer token with at most its user’s rights. It can be limited to an organization, project or environment, and can expire. The token is shown once; only its hash is stored. Requires a session: a token can’t create tokens. In a session that is confined to its provider’s organization, the token must be limited to that organization (403 `session_confined`).
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
         * @description Works in two steps (PKCE, RFC 7636). The dashboard, with a session, sends the CLI’s challenge and gets a code that works once and expires after 60 seconds. The CLI, without a session, sends the code and its verifier and gets the token. The token never travels through a URL or the dashboard. A wrong verifier invalidates the code. The redirect to the CLI carries `iss`; a code for pasting has the form `<code>~<base64url(iss)>`.
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
         * @description Lists the caller’s active tokens. Token secrets are not stored, so they are not returned. A session that is confined to its provider’s organization sees only the tokens limited to that organization.
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
         * @description Revokes one of the caller’s own tokens. It stops working at once.
         */
        delete: operations["revoke-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/tokens/current": {
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
         * Revoke the current token
         * @description The token that authenticates this request stops working at once. Any token can do this, including an identity’s.
         */
        delete: operations["revoke-current-token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List active sessions
         * @description Lists the caller’s sessions, most recently used first. A session that is confined to its provider’s organization sees only itself.
         */
        get: operations["list-sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{sessionId}": {
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
         * End a session
         * @description The session stops working at once. It can be the session of this request. Requires a session.
         */
        delete: operations["end-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to add a passkey
         * @description Returns a challenge for a new passkey. Send the browser’s response to `POST /v1/auth/passkeys`.
         */
        post: operations["start-passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List passkeys
         * @description Lists the caller’s passkeys, newest first.
         */
        get: operations["list-passkeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Verifies the browser’s response to the challenge and adds the passkey. An account can have up to 20. The passkey counts as a second factor and can also be used to log in on its own. Adding an account’s first factor also returns ten recovery codes. Requires a verified e-mail address. The user gets an e-mail with a link that removes the passkey again. These e-mails are limited to five an hour; if one can’t be sent, no passkey is added. Passkeys of other accounts are rejected.
         */
        post: operations["add-passkey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/{passkeyId}": {
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
         * Remove a passkey
         * @description The passkey stops working at once. Removing the last factor also deletes the recovery codes, and the account’s tokens no longer count as created with a second factor. The user is notified by e-mail.
         */
        delete: operations["remove-passkey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to add an authenticator app
         * @description Returns a secret for an authenticator app (TOTP, RFC 6238). The app is not added until `POST /v1/auth/totp/confirm` receives one of its codes, within ten minutes. Until then, an existing authenticator app keeps working; afterwards the new one replaces it.
         */
        post: operations["start-totp"];
        /**
         * Remove the authenticator app
         * @description Its codes stop working at once. Removing the last factor also deletes the recovery codes, and the account’s tokens no longer count as created with a second factor. The user is notified by e-mail.
         */
        delete: operations["remove-totp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add the authenticator app
         * @description Adds the authenticator app as a second factor, given a valid code from it. The code can’t be used again. Adding an account’s first factor also returns ten recovery codes. A wrong code returns `invalid_request` for `code`. Requires a verified e-mail address. The user gets an e-mail with a link that removes the app again. These e-mails are limited to five an hour; if one can’t be sent, no app is added. If the response with the recovery codes was lost, sending the same code once more returns ten new ones.
         */
        post: operations["confirm-totp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate new recovery codes
         * @description Replaces the recovery codes with ten new ones. Requires a second factor on the account. The user is notified by e-mail. Limited to five times an hour.
         */
        post: operations["renew-recovery-codes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/factors/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove a second factor that someone else added
         * @description Removes a passkey or authenticator app with the token from the e-mail about it. The token works once and expires after 7 days. Recovery codes generated with the factor or since then are removed as well. All of the account’s sessions end, and all of its tokens are revoked. The password stays the same: reset it next.
         */
        post: operations["undo-factor"];
        delete?: never;
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
         * @description Sets a new password and ends the user’s other sessions. A wrong current password returns `invalid_request` for `currentPassword`; repeated attempts are rate-limited like failed log-ins. Tokens keep working unless `revokeTokens` is set.
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
         * @description Sends an e-mail with a link that is valid for 24 hours and replaces any earlier one. Does nothing if the address is already verified. Limited to 20 e-mails an hour.
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
         * @description Verifies the address with the token from the mailed link. Requires no session. The token works once.
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
         * @description If the account exists, sends an e-mail with a link that is valid for an hour. The response and its timing are the same either way. Limited to a few requests an hour per e-mail address and per client IP address.
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
         * @description Sets a new password with the token from the mailed link, which works once. Ends all of the account’s sessions and revokes all of its tokens and other reset links. If the e-mail address was never verified, the account’s second factors are removed as well.
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
         * @description Lists the projects with their environments. A token limited to a project sees only that project.
         */
        get: operations["list-projects"];
        put?: never;
        /**
         * Create a project
         * @description Creates a project with its own encryption key and the environments `dev`, `staging` and `production`. If the slug is omitted, it is derived from the name. A slug that is taken is rejected, so a script that runs twice creates only one project. Reusing the slug of a deleted project requires a fresh session if more roles could read one of the three environments than before.
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
         * @description Returns the project with its environments and the state of its key rotation. A limited token sees only the environments in its scope.
         */
        get: operations["get-project"];
        put?: never;
        post?: never;
        /**
         * Delete a project
         * @description Makes the project inaccessible at once and destroys its wrapped data key, so its values can never be decrypted again. The stored data is erased in the background. Owners only.
         */
        delete: operations["delete-project"];
        options?: never;
        head?: never;
        /**
         * Change a project
         * @description Changes the name, the description or both. A `null` description removes it. The slug stays the same. Owners and admins only.
         */
        patch: operations["update-project"];
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
         * @description Adds an environment to the project. Its type determines which roles can read and write its secrets. The default is `production`, which only owners and admins can read. Available to all members. Reusing the slug of a deleted environment with a type that more roles can read is limited to owners and admins and requires a fresh session.
         */
        post: operations["create-environment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{orgId}/{slug}/environments/{env}": {
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
         * Delete an environment
         * @description Makes the environment and its history inaccessible at once and erases them in the background. The slug can be reused once that is done. Webhooks limited to the environment are deleted with it. Owners and admins only.
         */
        delete: operations["delete-environment"];
        options?: never;
        head?: never;
        /**
         * Change an environment
         * @description Changes the name, the type or both. The slug stays the same. Owners and admins only. The type determines which roles can read and write the secrets, so only owners may change it, with a fresh session.
         */
        patch: operations["update-environment"];
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
         * @description Creates a new data key for new values and re-encrypts everything stored, including the history. Reads and writes continue throughout. When the rotation completes, the old wrapped key is deleted. `project.rotation` shows the progress. Owners and admins only.
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
         * @description Returns the secrets with their values, in key order, as one snapshot of the environment at `revision`: a pull never returns half a change. With `If-None-Match`, an unchanged environment returns `304`. Owners and admins can read every environment, developers `development` and `staging` environments, viewers only `development` ones. Every pull is audited. With `keys`, only these secrets are read and returned. With `format`, the same pull returns only the values, as a text for shells, build tools and operators.
         */
        get: operations["pull-secrets"];
        /**
         * Set one secret
         * @description Creates the secret or its next version, and increases the environment’s revision by one. Setting the same value again changes nothing, so a retry is harmless. (If the caller can’t read the environment, it does create a version, so that values can’t be guessed.) `If-Match` checks the environment’s revision, `expectedVersion` the key’s version. Owners, admins and developers only.
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
         * List keys without values
         * @description Like a pull, but without values: nothing is decrypted and no audit entry is written. Requires read access to the environment.
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
    "/v1/secrets/{orgSlug}/{project}/{env}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two environments
         * @description Compares two environments of the project, each at one revision: which secrets exist in only one of them, and which have different or equal values. `from` is the environment in the path. Values are included only with `values=true`. Requires read access to both. Every comparison is audited, with an entry for each environment.
         */
        get: operations["compare-environments"];
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
         * @description Sets up to 1,000 secrets, given as a list, an object or dotenv text, in one change with one event and one revision, all or nothing. Other secrets stay as they are. Owners, admins and developers only.
         */
        post: operations["import-secrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set and delete secrets in one change
         * @description Sets and deletes up to 1,000 secrets in one revision, all or nothing. A key may appear only once. Deleting a key that doesn’t exist returns `404 secret_not_found`. Owners, admins and developers only; deleting more than one secret is limited to owners and admins.
         */
        post: operations["apply-changes"];
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
         * Get the version history of a key
         * @description Returns the history of a key, newest first, even if the key was deleted. A deletion is an entry of its own. Values are included only with `values=true`, which is audited and requires no more than read access to the environment. If the values of the whole history are too large for one response, use `limit`.
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
    "/v1/secrets/{orgSlug}/{project}/{env}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of an environment
         * @description Returns the changes of an environment, newest first, with the names of the keys that each one created, updated and deleted, but never a value. A page may have fewer than `limit` entries if more names would not fit in a response. Requires read access to the environment.
         */
        get: operations["list-revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two revisions
         * @description Lists the keys that were created, updated or deleted between two revisions of an environment. Keys whose value is the same at both revisions are omitted. `from` may be later than `to`. Values are included only with `values=true`, which is audited. Requires read access to the environment.
         */
        get: operations["diff-revisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an earlier revision
         * @description Restores the environment, or the given keys, to an earlier revision in one change. This creates a new revision; the history is never rewound. A key that exists neither now nor at the earlier revision is ignored. Owners and admins only.
         */
        post: operations["restore-secrets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/{orgSlug}/{project}/{env}/versions/{key}/destroy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Destroy old values of a key
         * @description Permanently removes the values of these versions from the table, for values that must no longer be stored. The history keeps the versions, marked as destroyed, and the revision doesn’t change. The current version can’t be destroyed. Versions that no longer have a value are left out of `destroyed`. Reading or restoring a point in time that needs a destroyed value returns `409 version_destroyed`. Owners and admins only; a token needs `full` access.
         */
        post: operations["destroy-versions"];
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
         * @description Copies all secrets, or the given keys, from one environment of the project to another in one change, all or nothing. Secrets that exist only in the target stay as they are. Requires read access to the source and write access to the target; a limited token must cover both. `If-Match` refers to the target.
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
         * @description Soft-deletes up to 1,000 secrets in one change. Their histories are kept. Keys that don’t exist are reported and otherwise ignored. Owners and admins only.
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
         * @description Removes the secret from pulls and lists. Its history is kept, with an entry for the deletion. If the key is set again, its version numbers continue. Owners, admins and developers only.
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
         * @description Creates an organization that the caller owns. If the slug is omitted, it is derived from the name, with a suffix if that slug is taken. An explicit slug that is taken is rejected. The number of organizations a user can own is limited.
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
         * @description Makes the organization and all its data inaccessible at once and erases them in the background. The slug can be reused once that is done. Owners only.
         */
        delete: operations["delete-organization"];
        options?: never;
        head?: never;
        /**
         * Rename an organization or require a second factor
         * @description Changes the display name; the slug stays the same. Owners and admins only. An owner with a second factor can require one of all members: from then on, sessions and tokens created without one are rejected.
         */
        patch: operations["rename-organization"];
        trace?: never;
    };
    "/v1/orgs/{orgId}/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sign-in provider
         * @description Returns how members sign in with their company’s provider, without the client secret. Owners with a verified e-mail address only.
         */
        get: operations["get-sign-in"];
        /**
         * Set the sign-in provider
         * @description Lets members sign in with their company’s OpenID Connect provider. Domains that stay in the list stay verified, and dropped ones become free for other organizations. `required` needs an owner with a passkey or an authenticator app (403 `second_factor_required`). Owners with a verified e-mail address only.
         */
        put: operations["set-sign-in"];
        post?: never;
        /**
         * Remove the sign-in provider
         * @description Nobody can sign in through the provider any more, and it is no longer required. Members and their sessions stay. The domains become free for other organizations. Owners with a verified e-mail address only.
         */
        delete: operations["delete-sign-in"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/sign-in/domains/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a domain
         * @description Looks up the domain’s TXT records. If one of them is the domain’s `txtRecord`, addresses of the domain can sign in through the provider. A domain can be verified for one organization only. Owners with a verified e-mail address only.
         */
        post: operations["verify-domain"];
        delete?: never;
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
         * @description Lists the keys that the project’s environments should have. Available to all members.
         */
        get: operations["list-template-keys"];
        put?: never;
        /**
         * Add a template key
         * @description Declares a key. Templates are not enforced when secrets are written; environments are validated on request. A pattern is a regular expression in RE2 syntax, which runs in linear time, and must match the whole value. Owners and admins only.
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
         * @description Removes the key from the template. Secrets with this key are not affected. Owners and admins only.
         */
        delete: operations["remove-template-key"];
        options?: never;
        head?: never;
        /**
         * Change a template key
         * @description Changes a template key. A `null` removes the description or the pattern. The same rules apply as for a new key. Owners and admins only.
         */
        patch: operations["update-template-key"];
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
         * @description Reports required keys that are missing from the environment and values that don’t match their pattern, but never a value. Available to all members; `undeclared` is null for members who can’t read the environment. If values were decrypted to match patterns, an audit entry is written. A value that takes too long to match is reported as invalid, with that reason.
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
         * @description Lists the organization’s webhooks without their signing secrets. Owners and admins only.
         */
        get: operations["list-webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Subscribes a public https URL to events of the organization, or of one project or environment. The signing secret, which receivers need to verify `X-Service-Signature`, is returned only once. Owners and admins only.
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
         * @description Returns the webhook and its last 20 deliveries, including failures and test pings. Owners and admins only.
         */
        get: operations["get-webhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook and its delivery log. Nothing more is delivered to it. Owners and admins only.
         */
        delete: operations["delete-webhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Changes the given fields, at least one. A null `projectId` or `environmentId` removes that limit. The signing secret stays the same. Owners and admins only.
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
         * @description Queues a signed delivery of the event `webhook.ping`, even if the webhook is inactive. The result appears in the webhook’s deliveries. Owners and admins only.
         */
        post: operations["test-webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{orgId}/{webhookId}/deliveries/{deliveryId}/redeliver": {
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
         * @description Queues the same body, byte for byte, for the webhook’s current URL, as a new delivery with its own identifier. The header `X-Service-Redelivery-Of` names the original delivery. The result appears in the webhook’s deliveries. Only the deliveries that the log shows can be sent again. Owners and admins only.
         */
        post: operations["redeliver-webhook"];
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
         * @description Lists the organization’s members and pending invitations. Available to all members.
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
         * @description Sends an e-mail invitation that is valid for 7 days. The token is also returned, once; anyone who has it can accept. Inviting the same address again replaces the earlier invitation. You can’t invite someone to a role above your own. Pending invitations count towards the plan’s member limit. Invitations are limited per day for each organization and each address.
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
         * @description Makes the caller a member with the role in the invitation, provided its inviter is still a member who could send it. Any signed-in user with the token can accept, whatever their e-mail address. The token works once. A session that is confined to its provider’s organization can only accept an invitation to that one, and only for somebody who was never a member (403 `session_confined`).
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
         * @description Removes the member with this identifier and permanently revokes their tokens limited to the organization, or cancels the invitation with this identifier. Owners and admins only. An admin can’t remove an owner, and the last owner can’t be removed. Identities and webhooks that the member created keep working; the response lists them. A fresh session is required to remove an owner or admin other than yourself, to cancel an invitation to one of these roles, and to end identities.
         */
        delete: operations["remove-member"];
        options?: never;
        head?: never;
        /**
         * Change a member’s role
         * @description Changes a member’s role. Owners only. The last owner can’t be demoted. An invitation can’t be changed, only replaced or cancelled.
         */
        patch: operations["change-role"];
        trace?: never;
    };
    "/v1/identities/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List identities
         * @description Lists the organization’s identities. Owners and admins only.
         */
        get: operations["list-identities"];
        put?: never;
        /**
         * Create an identity
         * @description Lets a pipeline or workload sign in with the OpenID Connect token of its platform (GitHub Actions, GitLab, Kubernetes and others), so that no token has to be stored there. The platform must issue the token for the identity’s `audience`. Require identifiers that are never reused: on GitHub, `repository_id` and `repository_owner_id`. Pull and merge request events (`event_name`, `pipeline_source` and others) are rejected unless the claims list them. Limited to owners and admins with a verified e-mail address.
         */
        post: operations["create-identity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/identities/{orgId}/{identityId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an identity
         * @description Returns the identity. Owners and admins only.
         */
        get: operations["get-identity"];
        put?: never;
        post?: never;
        /**
         * Delete an identity
         * @description Deletes the identity. Its tokens stop working at once. Owners and admins only.
         */
        delete: operations["delete-identity"];
        options?: never;
        head?: never;
        /**
         * Update an identity
         * @description Changes the given fields, at least one. A null `projectId` or `environmentId` removes that limit; a null `jwks` means that keys are fetched from the issuer. Changes to the role, access and limits apply at once, including to tokens issued earlier. A `deployer` must keep an `environmentId`. Once `singleUse` is false, tokens of the platform that were rejected as already exchanged are accepted; once it is true, each is accepted only if it was never exchanged. Changing `issuer`, `claims` or `jwks` invalidates those tokens. Owners and admins only.
         */
        patch: operations["update-identity"];
        trace?: never;
    };
    "/v1/auth/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in as an identity
         * @description Exchanges a platform’s OpenID Connect token for a bearer token with the identity’s role and limits. The token must be signed with RS256, ES256, ES384 or EdDSA, have `exp` and `iat`, have the identity’s audience as its only `aud`, and be at most the identity’s `maxAssertionAgeMinutes` old. Each token can be exchanged once, or repeatedly if the identity’s `singleUse` is false. An identity has at most 100 valid bearer tokens: issuing another one revokes the oldest.
         */
        post: operations["exchange-assertion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Lists changes in the organization and reads of values, newest first, for as long as the plan retains them. The filters can be combined. A request reads a limited number of entries; if that is not enough to find and count all matches, `total` is null, the page may be short, and `next` continues after it. If entries have very long lists of keys, a page includes only the first keys of each; a smaller `limit` returns more. Very long details are omitted in the same way. Owners and admins only.
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
    "/v1/audit/{orgId}/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the audit log
         * @description Returns entries oldest first, for a reader that stores them elsewhere. A reader that always passes the last `next` as `after` gets every entry exactly once. Entries appear about a minute late, when no earlier one can still be written. A page may be short or empty although more entries follow; the reader has all of them when `upTo` is about a minute ago. Without `after`, the feed starts at `since`, or with the oldest entry. Following the feed leaves no entry. Owners and admins only.
         */
        get: operations["feed-audit-entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/{orgId}/exposure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say what a credential saw
         * @description With `tokenId`, `identityId`, `userId` or `sessionId`: every secret whose value became known to it, by version, and whether the environment still holds it, so that it must be changed. With `environment` and `key`: everyone who knows the current value. Credentials and people that no longer exist can be asked about too. It is computed from the audit log and the recorded revisions; where they leave a doubt, `complete` is false and the answer lists everything that may have been read, also for an unknown credential. Values that were promoted to another environment are not followed there. Owners and admins only.
         */
        get: operations["get-exposure"];
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
         * Get billing status and usage
         * @description Returns the plan, the subscription’s status, the limits in force, the usage, and the limits of every plan. Available to all members.
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
         * @description Creates a checkout session with the payment provider and returns its URL. The plan changes once the provider reports the payment. Owners and admins only.
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
         * @description Creates a session in the payment provider’s customer portal, where the subscription can be changed or cancelled, and returns its URL. Creates the customer if there is none. Owners and admins only.
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
         * @description Only for the payment provider. The signature over the raw body is verified before anything else. Each event is applied once. An event older than the known state of its subscription changes nothing.
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
         * Get platform statistics
         * @description Returns the number of users, organizations and projects on the platform.
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
         * List all organizations with their usage
         * @description Lists the organizations of the platform, ordered by slug. Without `limit`, returns all of them if they fit in one response.
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
         * Get an organization and its limits
         * @description Returns an organization with its usage, the limits in force, and where each limit comes from.
         */
        get: operations["inspect-organization"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update an organization’s plan and limit overrides
         * @description Changes the plan, the overrides or both. Overrides that are not given stay as they are; null removes one. A downgrade deletes nothing; it only prevents further growth.
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
         * List all plans
         * @description Lists every plan with its current default limits.
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
         * @description Sets some or all of a plan’s limits. They apply to every organization on the plan without an override; other limits stay as they are.
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
         * Get request metrics
         * @description Returns requests, errors and latencies of the last hours, by route and by hour. Requests appear within seconds.
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
        AddPasskeyRequest: {
            /**
             * @description The challenge.
             * @example EXAMPLE-challenge-0000
             */
            challenge: string;
            /**
             * @description A name for the passkey.
             * @example laptop
             */
            name: string;
            passkey: components["schemas"]["NewPasskeyCredential"];
        };
        AddPasskeyResponse: {
            passkey: components["schemas"]["Passkey"];
            /**
             * @description Ten recovery codes, shown only once; absent unless this is the account’s first factor.
             * @example [
             *       "EXAM-PLEA-AAAA-AAAA-AAAA-AAAA"
             *     ]
             */
            recoveryCodes?: string[];
        };
        AddTemplateKeyRequest: {
            /**
             * @description The secret key.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description A description of the key.
             * @example Host of the main database.
             */
            description?: string;
            /**
             * @description Whether every environment must have the key.
             * @default true
             */
            required?: boolean;
            /**
             * @description A regular expression (RE2) that the whole value must match.
             * @example [a-z0-9.-]+
             */
            pattern?: string;
        };
        AddTemplateKeyResponse: {
            templateKey: components["schemas"]["TemplateKey"];
        };
        ApplyChangesRequest: {
            /**
             * @description The secrets to set.
             * @default []
             * @example [
             *       {
             *         "key": "DATABASE_HOST",
             *         "value": "db.internal.example",
             *         "expectedVersion": 2
             *       }
             *     ]
             */
            set?: {
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
                /**
                 * @description The version that the key must have; 0 if it must not exist.
                 * @example 2
                 */
                expectedVersion?: number;
            }[];
            /**
             * @description The keys to delete. All of them must exist.
             * @default []
             * @example [
             *       "LOG_LEVEL"
             *     ]
             */
            delete?: string[];
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        };
        ApplyChangesResponse: {
            /**
             * @description Keys that were created.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            created: string[];
            /**
             * @description Keys that got a new version.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            updated: string[];
            /**
             * @description Keys that already had the value.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            unchanged: string[];
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
            /**
             * @description Keys that were deleted.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            deleted: string[];
        } | components["schemas"]["DryRun"];
        /**
         * @description The action.
         * @example secret.pulled
         * @enum {string}
         */
        AuditAction: "secret.pulled" | "secret.history_read" | "secret.compared" | "secret.created" | "secret.updated" | "secret.deleted" | "secret.promoted" | "secret.bulk_set" | "secret.bulk_delete" | "secret.changed" | "secret.restored" | "secret.version_destroyed" | "project.created" | "project.updated" | "project.deleted" | "project.key_rotated" | "environment.created" | "environment.updated" | "environment.deleted" | "environment.validated" | "environment.repaired" | "template_key.added" | "template_key.updated" | "template_key.removed" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.tested" | "webhook.redelivered" | "member.invited" | "member.invitation_cancelled" | "member.joined" | "member.role_changed" | "member.removed" | "organization.created" | "organization.updated" | "token.created" | "token.revoked" | "identity.created" | "identity.updated" | "identity.deleted" | "identity.token_issued" | "identity.refused" | "sign_in.configured" | "sign_in.domain_verified" | "sign_in.removed" | "sign_in.refused" | "billing.checkout_started" | "billing.portal_opened" | "billing.plan_changed" | "organization.limits_changed";
        /** @description A change in the organization, or a read of values. Never contains a value. */
        AuditEntry: {
            /**
             * Format: uuid
             * @description Entry identifier.
             * @example b8d1f4a7-6c3e-4920-9b5d-2e7a0c8f1d63
             */
            id: string;
            action: components["schemas"]["AuditAction"];
            /** @description Who acted. */
            actor: {
                /** @description The user or identity; null for the system. */
                id: string | null;
                /** @description The user’s e-mail address at the time; null for an identity or the system. */
                email: string | null;
                /** @description The name of the identity or the token at the time; only for these types. */
                name?: string;
                /**
                 * @description How the request was authenticated; `system` if the service acted on its own.
                 * @enum {string}
                 */
                type: "session" | "token" | "identity" | "system";
                /**
                 * Format: uuid
                 * @description The token used; only for the types `token` and `identity`.
                 */
                tokenId?: string;
                /**
                 * Format: uuid
                 * @description The session used; only for the type `session`.
                 */
                sessionId?: string;
            };
            /** @description The target of the action. */
            target: {
                /**
                 * @description The type of the target.
                 * @example project
                 * @enum {string}
                 */
                type: "organization" | "project" | "environment" | "template_key" | "webhook" | "member" | "invitation" | "token" | "identity" | "sign_in";
                /**
                 * @description Its identifier.
                 * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
                 */
                id: string;
                /**
                 * @description Its name, slug, key or address.
                 * @example web-shop
                 */
                name: string;
            };
            /** @description The environment’s project, if the target is an environment. */
            project?: {
                /**
                 * Format: uuid
                 * @description Project identifier.
                 * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
                 */
                id: string;
                /**
                 * @description Project slug.
                 * @example web-shop
                 */
                slug: string;
            };
            /** @description The environment, if the action concerns one. */
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
             * @description The keys concerned, never their values.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            keys?: string[];
            /**
             * @description The number of further keys, if the list was too long to include them all.
             * @example 12
             */
            keysOmitted?: number;
            /** @description Keys of which the answer to a change says that they already had their value. */
            unchanged?: string[];
            /**
             * @description The revision of the environment that was read or written.
             * @example 18
             */
            revision?: number;
            /**
             * @description The author’s reason for changing secrets, if given.
             * @example Move to the new database
             */
            message?: string;
            /**
             * @description What changed: `from` and `to` for roles, plans and changed fields, limits, a template key’s pattern, the restored revision, the promoted environment and revision.
             * @example {
             *       "from": "viewer",
             *       "to": "developer"
             *     }
             */
            details?: {
                [key: string]: (string | number | boolean | null) | {
                    [key: string]: string | number | boolean | null;
                };
            };
            /**
             * @description The IP address that the request came from.
             * @example 203.0.113.7
             */
            ip: string;
            /**
             * @description The client’s `User-Agent`.
             * @example example-cli/1.4
             */
            userAgent: string;
            /**
             * @description The request’s `X-Request-Id`.
             * @example EXAMPLE-request-id
             */
            requestId: string;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description The position of a page in the log. */
        AuditPagination: {
            /**
             * @description The requested page size.
             * @example 50
             */
            limit: number;
            /**
             * @description The number of results that were skipped.
             * @example 0
             */
            offset: number;
            /** @description The number of entries that match; null if one request cannot count them all. */
            total: number | null;
        };
        /**
         * @description The subscription’s status at the payment provider; `none` = there never was one.
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
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
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
             * @description Keys that did not exist.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            notFound: string[];
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        } | components["schemas"]["DryRun"];
        ChangePasswordRequest: {
            /**
             * @description The current password.
             * @example an example of a pass phrase
             */
            currentPassword: string;
            /**
             * @description The new password.
             * @example another example of a pass phrase
             */
            newPassword: string;
            /**
             * @description Whether to revoke all of the user’s tokens as well.
             * @default false
             */
            revokeTokens?: boolean;
        };
        /** @description What a change would do. Each list is in key order. */
        ChangePlan: {
            /**
             * @description Keys that would be created.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            created: string[];
            /**
             * @description Keys that would get a new version.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            updated: string[];
            /**
             * @description Keys that already have the value. Empty if the caller can’t read the environment.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            unchanged: string[];
            /**
             * @description Keys that would be deleted.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            deleted: string[];
            /**
             * @description Keys that would be left unchanged for another reason.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            skipped: string[];
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
        /** @description A bearer token for the CLI or an SDK, without its secret. */
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
             * @description The first characters of the token, for recognizing it.
             * @example service_tok_EXAM
             */
            prefix: string;
            access: components["schemas"]["TokenAccess"];
            /** @description The only organization it can access; null for all of the user’s organizations. */
            organizationId: string | null;
            /** @description The only project it can access; null for all. */
            projectId: string | null;
            /** @description The only environment it can access; null for all. */
            environmentId: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description When it was last used, to within an hour; null if never. */
            lastUsedAt: string | null;
            /** @description When it expires; null if it never does. */
            expiresAt: string | null;
        };
        CompareEnvironmentsResponse: {
            /** @description The environment in the path. */
            from: {
                /**
                 * @description Slug of the environment.
                 * @example dev
                 */
                slug: string;
                /**
                 * @description The environment’s revision. It increases by one with each accepted change to its secrets.
                 * @example 17
                 */
                revision: number;
            };
            /** @description The environment it was compared with. */
            to: {
                /**
                 * @description Slug of the environment.
                 * @example dev
                 */
                slug: string;
                /**
                 * @description The environment’s revision. It increases by one with each accepted change to its secrets.
                 * @example 17
                 */
                revision: number;
            };
            /** @description Secrets that exist only in `from`. */
            onlyFrom: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /**
                 * @description The value in `from`; only with `values=true`.
                 * @example db.internal.example
                 */
                from?: string;
            }[];
            /** @description Secrets that exist only in `to`. */
            onlyTo: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /**
                 * @description The value in `to`; only with `values=true`.
                 * @example db.internal.example
                 */
                to?: string;
            }[];
            /** @description Secrets with different values. */
            different: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /**
                 * @description The value in `from`; only with `values=true`.
                 * @example db.internal.example
                 */
                from?: string;
                /**
                 * @description The value in `to`; only with `values=true`.
                 * @example db.internal.example
                 */
                to?: string;
            }[];
            /**
             * @description Keys with the same value in both environments.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            same: string[];
        };
        CompleteLoginRequest: {
            /**
             * @description The challenge.
             * @example EXAMPLE-challenge-0000
             */
            challenge: string;
            /**
             * @description A code from the authenticator app. Each code works once.
             * @example 492039
             */
            totp?: string;
            /**
             * @description A recovery code, with or without its hyphens. Each works once.
             * @example EXAM-PLEA-AAAA-AAAA-AAAA-AAAA
             */
            recoveryCode?: string;
            passkey?: components["schemas"]["PasskeyAssertion"];
        };
        CompleteLoginResponse: {
            user: components["schemas"]["User"];
        };
        ConfirmTotpRequest: {
            /**
             * @description A code from the authenticator app. Each code works once.
             * @example 492039
             */
            code: string;
        };
        ConfirmTotpResponse: {
            /**
             * @description Ten recovery codes, shown only once; absent unless this is the account’s first factor.
             * @example [
             *       "EXAM-PLEA-AAAA-AAAA-AAAA-AAAA"
             *     ]
             */
            recoveryCodes?: string[];
        };
        ContinueProviderSignInResponse: {
            /**
             * @description The challenge. It works once and expires after five minutes.
             * @example EXAMPLE-challenge-0000
             */
            challenge: string;
            /**
             * @description The factors that the account has.
             * @example [
             *       "totp",
             *       "recovery_code"
             *     ]
             */
            methods: ("passkey" | "totp" | "recovery_code")[];
            /** @description For a passkey, if the account has one. */
            publicKey?: components["schemas"]["PasskeyRequestOptions"];
        };
        CreateEnvironmentRequest: {
            /**
             * @description Display name.
             * @example Load test
             */
            name: string;
            /**
             * @description The slug. Defaults to one derived from the name.
             * @example load-test
             */
            slug?: string;
            /**
             * @description Determines which roles can read and write the environment’s secrets.
             * @default production
             * @example staging
             * @enum {string}
             */
            type?: "development" | "staging" | "production";
        };
        CreateEnvironmentResponse: {
            environment: components["schemas"]["Environment"];
        };
        CreateIdentityRequest: {
            /**
             * @description The name shown wherever a member’s e-mail address would be.
             * @example web-shop deploy
             */
            name: string;
            /**
             * @description What the identity’s tokens may do: `write` also changes secrets.
             * @example read
             * @enum {string}
             */
            access: "read" | "write";
            /**
             * @description The identity’s role in the organization. A `deployer` requires `environmentId`: in that environment it may read secrets or, with `write`, also change them, whatever the environment’s type. It can’t restore, destroy, promote or delete several secrets at once. Everywhere else it has the rights of a `viewer` limited to that environment.
             * @example viewer
             * @enum {string}
             */
            role: "deployer" | "developer" | "viewer";
            /**
             * Format: uuid
             * @description Limits the identity to one project.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            projectId?: string;
            /**
             * Format: uuid
             * @description Limits the identity to one environment; requires `projectId`. Required for a deployer.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            environmentId?: string;
            /**
             * Format: uri
             * @description The issuer of the tokens: their exact `iss`.
             * @example https://token.actions.githubusercontent.com
             */
            issuer: string;
            /**
             * @description The claims that tokens must have: for each, the exact value or a list of accepted values. A name that begins with / is a JSON pointer (RFC 6901) to a nested claim. `iss`, `aud` and `sub` alone are not enough. For a shared issuer such as GitHub’s, at least one claim must identify the owner, such as `repository_id`.
             * @example {
             *       "repository_id": "74"
             *     }
             */
            claims: {
                [key: string]: string | string[];
            };
            /**
             * @description Whether each of the platform’s tokens can be exchanged only once. If false, a token can be exchanged again until it expires or is too old, for workloads that sign in again before their platform renews the token.
             * @default true
             * @example true
             */
            singleUse?: boolean;
            /**
             * @description How many minutes after it was issued a platform’s token can be exchanged.
             * @default 10
             * @example 10
             */
            maxAssertionAgeMinutes?: number;
            /**
             * @description How many minutes each bearer token is valid.
             * @default 15
             * @example 15
             */
            tokenMinutes?: number;
            /** @description The keys of an issuer that the service can’t reach. If omitted, they are fetched from the issuer. */
            jwks?: {
                /** @description The keys. */
                keys: {
                    /**
                     * @description The key type.
                     * @example EC
                     * @enum {string}
                     */
                    kty: "RSA" | "EC" | "OKP";
                    /** @description The key’s identifier, as in the header of tokens. */
                    kid?: string;
                    /** @description The algorithm that the key is for. */
                    alg?: string;
                    /** @description The intended use; only `sig` keys are used. */
                    use?: string;
                    /** @description The curve. */
                    crv?: string;
                    /** @description Coordinate of an EC or OKP key. */
                    x?: string;
                    /** @description Coordinate of an EC key. */
                    y?: string;
                    /** @description Modulus of an RSA key. */
                    n?: string;
                    /** @description Exponent of an RSA key. */
                    e?: string;
                    /** @description Ignored. */
                    key_ops?: string[];
                    /** @description Ignored. */
                    x5t?: string;
                    /** @description Ignored. */
                    "x5t#S256"?: string;
                    /** @description Ignored. */
                    x5c?: string[];
                }[];
            };
        };
        CreateIdentityResponse: {
            identity: components["schemas"]["Identity"];
        };
        CreateOrganizationRequest: {
            /**
             * @description Display name.
             * @example Analytical Engines
             */
            name: string;
            /**
             * @description The slug. Defaults to one derived from the name.
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
             * @description The slug. Defaults to one derived from the name.
             * @example web-shop
             */
            slug?: string;
            /**
             * @description A description of the project.
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
             * @description What the token may do, within its user’s role.
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
             * @description Limits the token to one project; requires `organizationId`.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            projectId?: string;
            /**
             * Format: uuid
             * @description Limits the token to one environment; requires `projectId`.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            environmentId?: string;
            /**
             * @description Days until the token expires. Without this, it never does.
             * @example 90
             */
            expiresInDays?: number;
        };
        CreateWebhookRequest: {
            /**
             * Format: uri
             * @description The URL to send deliveries to.
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
             * @description The key for the HMAC-SHA256 signature of every delivery.
             * @example whsec_EXAMPLEnotARealSecret
             */
            signingSecret: string;
        };
        DeleteSecretResponse: {
            /**
             * @description Always true. A failure has an error body instead.
             * @constant
             */
            success: true;
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        } | components["schemas"]["DryRun"];
        /**
         * @description An event that a delivery can carry.
         * @example secret.updated
         * @enum {string}
         */
        DeliveredEventName: "secret.created" | "secret.updated" | "secret.deleted" | "secret.promoted" | "secret.bulk_set" | "secret.bulk_delete" | "webhook.ping";
        /** @description An attempt to deliver an event. It is repeated only on request. */
        Delivery: {
            /**
             * Format: uuid
             * @description Delivery identifier, as in the `X-Service-Delivery` header.
             */
            id: string;
            event: components["schemas"]["DeliveredEventName"];
            /**
             * @description The status code of the response; null if there was none.
             * @example 204
             */
            statusCode: number | null;
            /** @description Whether the status code was 2xx. */
            success: boolean;
            /**
             * @description Milliseconds until the response or the failure; null if unknown.
             * @example 87
             */
            responseTimeMs: number | null;
            /**
             * @description Why the delivery failed; null if it succeeded.
             * @example timed out after 5 s
             */
            error: string | null;
            /**
             * Format: date-time
             * @description When the event happened, or was requested to be sent again.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: uuid
             * @description The delivery whose body was sent again, as in the `X-Service-Redelivery-Of` header.
             * @example 0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03
             */
            redeliveryOf?: string;
        };
        DestroyVersionsRequest: {
            /**
             * @description These versions.
             * @example [
             *       1,
             *       2
             *     ]
             */
            versions?: number[];
            /**
             * @description All versions before this one.
             * @example 3
             */
            before?: number;
        };
        DestroyVersionsResponse: {
            /** @description The versions whose values were destroyed. */
            destroyed: number[];
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        };
        DiffRevisionsResponse: {
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            from: number;
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            to: number;
            /** @description Keys that exist only at `to`. */
            created: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /** @description The value at `to`; only with `values=true`. */
                after?: string;
            }[];
            /** @description Keys with different values. */
            updated: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /** @description The value at `from`; only with `values=true`. */
                before?: string;
                /** @description The value at `to`; only with `values=true`. */
                after?: string;
            }[];
            /** @description Keys that exist only at `from`. */
            deleted: {
                /**
                 * @description The secret’s key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /** @description The value at `from`; only with `values=true`. */
                before?: string;
            }[];
        };
        /** @description The response to `dryRun=true`. */
        DryRun: {
            /**
             * @description Nothing was changed.
             * @constant
             */
            dryRun: true;
            plan: components["schemas"]["ChangePlan"];
            /**
             * @description The revision that the plan is based on.
             * @example 17
             */
            revision: number;
        };
        /** @description The limits in force: the override if there is one, else the plan’s limit, else the default. */
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
                 * @description Members, including pending invitations.
                 * @example default
                 */
                maxMembers: components["schemas"]["LimitSource"];
                /**
                 * @description Webhooks in the organization.
                 * @example default
                 */
                maxWebhooks: components["schemas"]["LimitSource"];
                /**
                 * @description How many days audit entries are kept.
                 * @example default
                 */
                auditRetentionDays: components["schemas"]["LimitSource"];
            };
        };
        /** @description A set of secrets, for example for one deployment stage. */
        Environment: {
            /**
             * Format: uuid
             * @description Environment identifier.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            id: string;
            /**
             * @description Unique within its project. It never changes.
             * @example staging
             */
            slug: string;
            /**
             * @description Display name.
             * @example Staging
             */
            name: string;
            /**
             * @description Determines which roles can read and write the environment’s secrets.
             * @example development
             * @enum {string}
             */
            type: "development" | "staging" | "production";
            /**
             * @description Increases by one with each accepted change to the environment’s secrets.
             * @example 17
             */
            revision: number;
            /**
             * @description The number of secrets, excluding deleted ones.
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
        /** @description The shape of every error. */
        Error: {
            /** @description The error. */
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description A message for people; it may change. */
                message: string;
                /** @description The request’s `X-Request-Id`. */
                requestId: string;
                /** @description All problems for `invalid_request`; for other codes an optional object. */
                details?: components["schemas"]["Problem"][] | Record<string, unknown>;
            };
        };
        /**
         * @description What went wrong, from a closed set of codes.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_token" | "invalid_signature" | "unauthenticated" | "invalid_credentials" | "invalid_assertion" | "second_factor_required" | "plan_limit_exceeded" | "forbidden" | "insufficient_scope" | "csrf_header_required" | "admin_required" | "email_not_verified" | "claims_mismatch" | "step_up_required" | "provider_required" | "session_confined" | "organization_not_found" | "project_not_found" | "environment_not_found" | "secret_not_found" | "revision_not_found" | "webhook_not_found" | "delivery_not_found" | "member_not_found" | "token_not_found" | "template_key_not_found" | "plan_not_found" | "session_not_found" | "identity_not_found" | "passkey_not_found" | "route_not_found" | "email_taken" | "passkey_taken" | "slug_taken" | "already_member" | "last_owner" | "rotation_in_progress" | "template_key_exists" | "token_limit_reached" | "organization_limit_reached" | "identity_limit_reached" | "assertion_replayed" | "version_destroyed" | "webhook_inactive" | "not_redeliverable" | "domain_taken" | "domain_not_verified" | "cursor_expired" | "revision_mismatch" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "not_representable" | "rate_limited" | "internal_error" | "billing_provider_error" | "billing_not_configured" | "issuer_unavailable" | "temporarily_unavailable";
        /** @description Further details of the event; never a value. */
        EventMetadata: {
            /**
             * @description The version of the key, for events about one key.
             * @example 3
             */
            version?: number;
            /**
             * @description The environment’s revision after the change.
             * @example 18
             */
            revision?: number;
            /**
             * @description The names of the keys, for events about many keys.
             * @example [
             *       "DATABASE_HOST",
             *       "LOG_LEVEL"
             *     ]
             */
            keys?: string[];
            /**
             * @description The author’s reason for the change, if given.
             * @example Move to the new database
             */
            message?: string;
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
            /** @description The environment; for a promotion, the target. */
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
             * @description The secret’s key, never its value; `*` for a ping and for events about many keys.
             * @example DATABASE_HOST
             */
            key: string;
            /** @description Who acted. */
            actor: components["schemas"]["UserReference"];
            metadata: components["schemas"]["EventMetadata"];
        };
        ExchangeAssertionRequest: {
            /**
             * Format: uuid
             * @description The identity’s id.
             * @example a4c7e10b-52d9-8f36-b18e-6d03f9a2c754
             */
            identityId: string;
            /**
             * @description The slug of the identity’s organization.
             * @example analytical-engines
             */
            organizationSlug: string;
            /**
             * @description The OpenID Connect token, a JSON Web Token.
             * @example EXAMPLE.id-token.0000
             */
            subjectToken: string;
        };
        ExchangeAssertionResponse: {
            /**
             * @description The bearer token.
             * @example service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal
             */
            token: string;
            /**
             * Format: date-time
             * @description When it expires.
             * @example 2026-01-31T09:26:53.589Z
             */
            expiresAt: string;
            /**
             * Format: uuid
             * @description The organization’s identifier, which some routes have in their path.
             */
            organizationId: string;
        };
        /** @description A secret whose value became known. Never contains the value. */
        Exposure: {
            /** @description The project. */
            project: {
                /**
                 * Format: uuid
                 * @description Project identifier.
                 * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
                 */
                id: string;
                /**
                 * @description Project slug.
                 * @example web-shop
                 */
                slug: string;
            };
            /** @description The environment. */
            environment: {
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
                /** @description Its type; null for an erased environment. */
                type: ("development" | "staging" | "production") | null;
            };
            /**
             * @description The key of the secret.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description The versions that became known, ascending. Empty if it is not known which.
             * @example [
             *       3
             *     ]
             */
            versions: number[];
            /**
             * Format: date-time
             * @description When one of them first became known, or may have.
             * @example 2026-01-31T09:26:53.589Z
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description When one of them last became known, or may have.
             * @example 2026-01-31T09:26:53.589Z
             */
            lastAt: string;
            /**
             * @description How they became known. Empty if no entry says so, but lost entries may have.
             * @example [
             *       "pulled"
             *     ]
             */
            how: ("pulled" | "history" | "compared" | "written" | "validated")[];
            /** @description Whether the environment holds a known value now: the newest known version, or one that restores a known one. */
            current: boolean;
        };
        FeedAuditEntriesResponse: {
            /** @description The entries, oldest first. */
            entries: components["schemas"]["AuditEntry"][];
            /** @description Pass it as `after`, with the same filters, to continue. */
            next: string;
            /**
             * Format: date-time
             * @description The feed has returned every matching entry from before this time.
             * @example 2026-01-31T09:26:53.589Z
             */
            upTo: string;
        };
        FindSignInMethodsResponse: {
            /**
             * @description `provider` only if the address’s domain is verified for an organization with a provider.
             * @example [
             *       "password",
             *       "passkey",
             *       "provider"
             *     ]
             */
            methods: ("password" | "passkey" | "provider")[];
            /** @description The organization whose provider it is; absent without `provider`. */
            organization?: {
                /**
                 * @description Its slug, for the provider’s start.
                 * @example analytical-engines
                 */
                slug: string;
                /**
                 * @description Its name.
                 * @example Analytical Engines
                 */
                name: string;
            };
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
            /** @description The limits of each plan, smallest first. */
            plans: components["schemas"]["Plan"][];
            /** @description End of the paid period; null if there is none. */
            currentPeriodEnd: string | null;
        };
        GetCurrentUserResponse: {
            user: components["schemas"]["OwnUser"];
            /** @description The organizations the caller can see. */
            organizations: components["schemas"]["OwnOrganization"][];
            /** @description The organization that the credential is confined to, because it came through the organization’s provider and no password or passkey of the account was proved in it; null otherwise. */
            confinedTo: {
                /**
                 * Format: uuid
                 * @description The organization’s identifier.
                 * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
                 */
                id: string;
                /**
                 * @description Its slug.
                 * @example analytical-engines
                 */
                slug: string;
            } | null;
            /** @description How the request was authenticated. */
            authentication: {
                /**
                 * @description How the request was authenticated.
                 * @enum {string}
                 */
                method: "session" | "token";
                /** @description The token that was used; absent for a session. */
                token?: components["schemas"]["CliToken"];
                /** @description When the session stops being fresh; null for a token, and for a session without a second factor if the account has one. */
                freshUntil: string | null;
                /** @description Whether the session, or the session that created the token, was verified with a second factor. */
                secondFactor: boolean;
                /** @description The company’s provider that the session, or the session that created the token, came through; absent for any other log-in. */
                provider?: {
                    /**
                     * Format: uuid
                     * @description The organization whose provider it is.
                     * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
                     */
                    organizationId: string;
                    /**
                     * @description Its slug.
                     * @example analytical-engines
                     */
                    orgSlug: string;
                };
            };
        };
        GetExposureResponse: {
            /** @description The credential, person or identity. */
            subject: {
                /**
                 * @description What was asked about.
                 * @example token
                 * @enum {string}
                 */
                type: "token" | "identity" | "user" | "session";
                /**
                 * Format: uuid
                 * @description Its identifier.
                 */
                id: string;
                /**
                 * @description The e-mail address or the identity’s name in its latest entry; null if it has none.
                 * @example ada@example.com
                 */
                name: string | null;
            };
            /**
             * Format: date-time
             * @description Since when the audit log has every entry.
             * @example 2026-01-31T09:26:53.589Z
             */
            knownSince: string;
            /** @description Whether the answer is exact for the period asked for. If not, it lists more rather than less. */
            complete: boolean;
            /** @description Why it is not complete. */
            incomplete?: {
                /**
                 * @description `retention`: what happened before `before` is not recorded, or not exactly. `environment_erased`: the environment’s history is gone, so its versions follow from the audit log alone.
                 * @enum {string}
                 */
                reason: "retention" | "environment_erased";
                /**
                 * Format: date-time
                 * @description Until when there is a doubt.
                 * @example 2026-01-31T09:26:53.589Z
                 */
                before?: string;
                /**
                 * Format: uuid
                 * @description The erased environment.
                 * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
                 */
                environment?: string;
            }[];
            /** @description Pass it as `after` for the rest. Entries of the same secret on several pages belong together. */
            next?: string;
            /** @description What became known to it, still current secrets first. */
            exposures: components["schemas"]["Exposure"][];
        } | {
            /**
             * @description The key of the secret.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description Its current version.
             * @example 3
             */
            version: number;
            /**
             * Format: date-time
             * @description Since when the audit log has every entry.
             * @example 2026-01-31T09:26:53.589Z
             */
            knownSince: string;
            /** @description Whether everyone is listed. If not, entries are lost, and only authors are known from before `before`. */
            complete: boolean;
            /** @description Why it is not complete. */
            incomplete?: {
                /**
                 * @description `retention`: what happened before `before` is not recorded, or not exactly. `environment_erased`: the environment’s history is gone, so its versions follow from the audit log alone.
                 * @enum {string}
                 */
                reason: "retention" | "environment_erased";
                /**
                 * Format: date-time
                 * @description Until when there is a doubt.
                 * @example 2026-01-31T09:26:53.589Z
                 */
                before?: string;
                /**
                 * Format: uuid
                 * @description The erased environment.
                 * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
                 */
                environment?: string;
            }[];
            /** @description Pass it as `after` for the rest. Entries of the same secret on several pages belong together. */
            next?: string;
            /** @description Everyone who knows the current value, the latest first. */
            readers: {
                /** @description Who knows the value. */
                actor: {
                    /**
                     * Format: uuid
                     * @description The user or identity.
                     */
                    id: string;
                    /** @description The user’s e-mail address; null for an identity. */
                    email: string | null;
                    /** @description The identity’s name. */
                    name?: string;
                    /**
                     * @description Whether it is a person or an identity.
                     * @enum {string}
                     */
                    type: "user" | "identity";
                };
                /** @description The tokens with which it became known; sessions are not listed. */
                tokenIds: string[];
                /**
                 * Format: date-time
                 * @description When it first became known.
                 * @example 2026-01-31T09:26:53.589Z
                 */
                firstAt: string;
                /**
                 * Format: date-time
                 * @description When it last became known.
                 * @example 2026-01-31T09:26:53.589Z
                 */
                lastAt: string;
                /** @description Whether they may read the environment today: by their role, and with the second factor that the organization may require. */
                hasAccess: boolean;
            }[];
        };
        GetIdentityResponse: {
            identity: components["schemas"]["Identity"];
        };
        GetProjectResponse: {
            project: components["schemas"]["Project"];
        };
        GetSignInResponse: {
            /**
             * @description The redirect URI to register at the provider, also before one is set.
             * @example https://app.example.com/v1/auth/provider/analytical-engines/callback
             */
            redirectUri: string;
            /** @description The provider; null if none is set. */
            signIn: components["schemas"]["SignIn"] | null;
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
             * @description The code. It works once.
             * @example EXAMPLE-handoff-code-000000
             */
            code: string;
            /**
             * @description The origin that issued the code. The CLI must redeem the code only if this is the origin it contacted (RFC 9207).
             * @example https://secrets.example.com
             */
            iss: string;
            /**
             * Format: date-time
             * @description When the code expires, one minute after it was issued.
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
             * @description What the token may do, within its user’s role.
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
             * @description Limits the token to one project; requires `organizationId`.
             * @example 7d5a3b1c-9e2f-4d60-b8a1-4c6e0f9d2a73
             */
            projectId?: string;
            /**
             * Format: uuid
             * @description Limits the token to one environment; requires `projectId`.
             * @example c41f8e27-06d3-4b9a-a5e2-8d7b3f1c6094
             */
            environmentId?: string;
            /**
             * @description Days until the token expires. Without this, it never does.
             * @example 90
             */
            expiresInDays?: number;
        } | {
            /**
             * @description The code from the first step.
             * @example EXAMPLE-handoff-code-000000
             */
            code: string;
            /**
             * @description The verifier that the challenge is the hash of.
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            codeVerifier: string;
        };
        HandOffTokenResponse: components["schemas"]["HandOffCode"] | components["schemas"]["IssuedToken"];
        /** @description A pipeline or workload that signs in with its platform’s token. */
        Identity: {
            /**
             * Format: uuid
             * @description Identity identifier.
             * @example a4c7e10b-52d9-8f36-b18e-6d03f9a2c754
             */
            id: string;
            /**
             * @description The name shown wherever a member’s e-mail address would be.
             * @example web-shop deploy
             */
            name: string;
            /**
             * @description What the identity’s tokens may do: `write` also changes secrets.
             * @example read
             * @enum {string}
             */
            access: "read" | "write";
            /**
             * @description The identity’s role in the organization. A `deployer` requires `environmentId`: in that environment it may read secrets or, with `write`, also change them, whatever the environment’s type. It can’t restore, destroy, promote or delete several secrets at once. Everywhere else it has the rights of a `viewer` limited to that environment.
             * @example viewer
             * @enum {string}
             */
            role: "deployer" | "developer" | "viewer";
            /** @description The only project that it can access; null for all. */
            projectId: string | null;
            /** @description The only environment that it can access; null for all. */
            environmentId: string | null;
            /**
             * @description The issuer of the tokens: their exact `iss`.
             * @example https://token.actions.githubusercontent.com
             */
            issuer: string;
            /**
             * @description The claims that tokens must have: for each, the exact value or a list of accepted values. A name that begins with / is a JSON pointer (RFC 6901) to a nested claim. `iss`, `aud` and `sub` alone are not enough. For a shared issuer such as GitHub’s, at least one claim must identify the owner, such as `repository_id`.
             * @example {
             *       "repository_id": "74"
             *     }
             */
            claims: {
                [key: string]: string | string[];
            };
            /**
             * @description Whether each of the platform’s tokens can be exchanged only once. If false, a token can be exchanged again until it expires or is too old, for workloads that sign in again before their platform renews the token.
             * @example true
             */
            singleUse: boolean;
            /**
             * @description How many minutes after it was issued a platform’s token can be exchanged.
             * @example 10
             */
            maxAssertionAgeMinutes: number;
            /**
             * @description How many minutes each bearer token is valid.
             * @example 15
             */
            tokenMinutes: number;
            /** @description The issuer’s keys; null if they are fetched from the issuer. */
            jwks: {
                /** @description The keys. */
                keys: {
                    /**
                     * @description The key type.
                     * @example EC
                     * @enum {string}
                     */
                    kty: "RSA" | "EC" | "OKP";
                    /** @description The key’s identifier, as in the header of tokens. */
                    kid?: string;
                    /** @description The algorithm that the key is for. */
                    alg?: string;
                    /** @description The intended use; only `sig` keys are used. */
                    use?: string;
                    /** @description The curve. */
                    crv?: string;
                    /** @description Coordinate of an EC or OKP key. */
                    x?: string;
                    /** @description Coordinate of an EC key. */
                    y?: string;
                    /** @description Modulus of an RSA key. */
                    n?: string;
                    /** @description Exponent of an RSA key. */
                    e?: string;
                    /** @description Ignored. */
                    key_ops?: string[];
                    /** @description Ignored. */
                    x5t?: string;
                    /** @description Ignored. */
                    "x5t#S256"?: string;
                    /** @description Ignored. */
                    x5c?: string[];
                }[];
            } | null;
            /**
             * @description The only `aud` that tokens may have.
             * @example holdfast:identity:a4c7e10b-52d9-8f36-b18e-6d03f9a2c754
             */
            audience: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description Who created it; null for an identity created before this was recorded. */
            createdBy: components["schemas"]["UserReference"] | null;
            /** @description When it last got a token, to within an hour; null if never. */
            lastUsedAt: string | null;
        };
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
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        } | {
            /** @description Values by key. */
            secrets: {
                [key: string]: string;
            };
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        } | {
            /**
             * @description Lines of `KEY=value`, with an optional `export`. Unquoted values are trimmed and end at a `#` after white space; single quotes are literal; double quotes may span lines and support the escapes `
             *      \r \t \" \\ \$`. No interpolation.
             * @example # database
             *     DATABASE_HOST=db.internal.example
             */
            dotenv: string;
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        };
        ImportSecretsResponse: {
            /**
             * @description Keys that were created.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            created: string[];
            /**
             * @description Keys that got a new version.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            updated: string[];
            /**
             * @description Keys that already had the value.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            unchanged: string[];
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        } | components["schemas"]["DryRun"];
        InspectOrganizationResponse: {
            organization: components["schemas"]["Organization"];
            usage: components["schemas"]["Usage"];
            limits: components["schemas"]["EffectiveLimits"];
        };
        /** @description A pending invitation. It disappears once it is accepted, cancelled or expired. */
        Invitation: {
            /**
             * Format: uuid
             * @description Invitation identifier.
             * @example 6a0d9b8c-2e5f-4173-8c4b-9f1e7d3a6052
             */
            id: string;
            /**
             * @description The address that the invitation was sent to.
             * @example grace@example.com
             */
            email: string;
            /**
             * @description The role that the invitation grants.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
            /** @description Who sent the invitation. */
            invitedBy: components["schemas"]["UserReference"];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it expires.
             * @example 2026-01-31T09:26:53.589Z
             */
            expiresAt: string;
        };
        InviteMemberRequest: {
            /**
             * Format: email
             * @description The address to send the invitation to.
             * @example grace@example.com
             */
            email: string;
            /**
             * @description The role to grant.
             * @example developer
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        InviteMemberResponse: {
            invitation: components["schemas"]["Invitation"];
            /**
             * @description The token for accepting the invitation. It works once.
             * @example EXAMPLE-invitation-token-0000
             */
            token: string;
        };
        /** @description A new bearer token and its description. */
        IssuedToken: {
            /**
             * @description The bearer token. It is shown only once.
             * @example service_tok_EXAMPLEnotARealTokenEXAMPLEnotAReal
             */
            token: string;
            cliToken: components["schemas"]["CliToken"];
        };
        /** @description How long requests took. */
        Latency: {
            /**
             * @description Median in milliseconds; null if there were no requests.
             * @example 14
             */
            p50: number | null;
            /**
             * @description 95th percentile in milliseconds; null if there were no requests.
             * @example 48
             */
            p95: number | null;
            /**
             * @description 99th percentile in milliseconds; null if there were no requests.
             * @example 120
             */
            p99: number | null;
        };
        /** @description Limits for this organization only. They take precedence over its plan. */
        LimitOverrides: {
            /** @description Projects in the organization. */
            maxProjects?: number;
            /** @description Environments in each project. */
            maxEnvironmentsPerProject?: number;
            /** @description Secrets in each environment. */
            maxSecretsPerEnvironment?: number;
            /** @description Members, including pending invitations. */
            maxMembers?: number;
            /** @description Webhooks in the organization. */
            maxWebhooks?: number;
            /** @description How many days audit entries are kept. */
            auditRetentionDays?: number;
        };
        /**
         * @description Where a limit comes from: the built-in default, the configuration of the plan, or the organization’s override.
         * @example default
         * @enum {string}
         */
        LimitSource: "default" | "plan" | "override";
        ListAuditEntriesResponse: {
            /** @description The entries, newest first. */
            entries: components["schemas"]["AuditEntry"][];
            /** @description Pass it as `after`, with the same filters, to continue. Only if `total` is null, or no `offset` reaches the following page. */
            next?: string;
            pagination: components["schemas"]["AuditPagination"];
        };
        ListIdentitiesResponse: {
            /** @description The identities, oldest first. */
            identities: components["schemas"]["Identity"][];
        };
        ListKeysResponse: {
            /** @description The secrets without values, in key order. */
            keys: components["schemas"]["SecretSummary"][];
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
            /** @description Only if `limit` was given. */
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
            pagination?: components["schemas"]["Pagination"];
        };
        ListPasskeysResponse: {
            /** @description The passkeys, newest first. */
            passkeys: components["schemas"]["Passkey"][];
        };
        ListPlansResponse: {
            /** @description The plans, smallest first. */
            plans: components["schemas"]["Plan"][];
        };
        ListProjectsResponse: {
            /** @description The projects, by slug. */
            projects: components["schemas"]["Project"][];
        };
        ListRevisionsResponse: {
            /** @description The revisions, newest first. */
            revisions: components["schemas"]["SecretRevision"][];
            /**
             * @description Pass it as `before` to get the next page; null on the last page.
             * @example 17
             */
            next: number | null;
        };
        ListSessionsResponse: {
            /** @description The active sessions. */
            sessions: components["schemas"]["Session"][];
        };
        ListTemplateKeysResponse: {
            /** @description The keys of the template, in key order. */
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
            /** @description Only if `limit` was given. */
            pagination?: components["schemas"]["Pagination"];
        };
        ListWebhooksResponse: {
            /** @description The webhooks, oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
        LogInRequest: {
            /**
             * Format: email
             * @description The e-mail address, in upper or lower case.
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
             * @description The member’s user identifier.
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
        /** @description The result of `navigator.credentials.create`, as its `toJSON` returns it. */
        NewPasskeyCredential: {
            /**
             * @description The credential’s id.
             * @example EXAMPLEcredentialId
             */
            id: string;
            /**
             * @description The same as `id`.
             * @example EXAMPLEcredentialId
             */
            rawId: string;
            /**
             * @description Always `public-key`.
             * @constant
             */
            type: "public-key";
            /** @description The authenticator’s response. */
            response: {
                /**
                 * @description The data that the browser signed, including the challenge and the origin.
                 * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
                 */
                clientDataJSON: string;
                /**
                 * @description The new public key and its attestation.
                 * @example o2NmbXRkbm9uZQ
                 */
                attestationObject: string;
                /**
                 * @description The transports that the authenticator supports.
                 * @example [
                 *       "internal"
                 *     ]
                 */
                transports?: string[];
            };
        };
        OpenPortalResponse: {
            /**
             * @description The URL to redirect the browser to. It is valid for a limited time.
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
             * @description Unique on the platform. It never changes.
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
            /** @description Limits for this organization only; empty if there are none. */
            limitOverrides: components["schemas"]["LimitOverrides"];
            /** @description Whether sessions and tokens must have been created with a second factor. */
            requireSecondFactor: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description An organization and its usage. */
        OrganizationWithUsage: {
            /**
             * Format: uuid
             * @description Organization identifier.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            id: string;
            /**
             * @description Unique on the platform. It never changes.
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
            /** @description Limits for this organization only; empty if there are none. */
            limitOverrides: components["schemas"]["LimitOverrides"];
            /** @description Whether sessions and tokens must have been created with a second factor. */
            requireSecondFactor: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            usage: components["schemas"]["Usage"];
        };
        /** @description An organization and the caller’s role in it. */
        OwnOrganization: {
            /**
             * Format: uuid
             * @description Organization identifier.
             * @example 9b2d6f0e-3c1a-4c5d-8e77-2f4b6a9d0c31
             */
            id: string;
            /**
             * @description Unique on the platform. It never changes.
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
            /** @description Limits for this organization only; empty if there are none. */
            limitOverrides: components["schemas"]["LimitOverrides"];
            /** @description Whether sessions and tokens must have been created with a second factor. */
            requireSecondFactor: boolean;
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
        /** @description The caller’s own account. */
        OwnUser: {
            /**
             * Format: uuid
             * @description User identifier.
             * @example 5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11
             */
            id: string;
            /**
             * @description The address as it was entered. Addresses are compared case-insensitively.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Display name.
             * @example Ada
             */
            name: string;
            /** @description Whether the user has verified the e-mail address. */
            emailVerified: boolean;
            /** @description Whether the user may call the admin routes. */
            isAdmin: boolean;
            /**
             * Format: date-time
             * @description When the account was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description The account’s second factors. */
            secondFactors: {
                /**
                 * @description The number of passkeys.
                 * @example 1
                 */
                passkeys: number;
                /** @description Whether an authenticator app is set up. */
                totp: boolean;
                /**
                 * @description The number of unused recovery codes.
                 * @example 10
                 */
                recoveryCodesLeft: number;
            };
        };
        /** @description The position of a page in the full list. */
        Pagination: {
            /**
             * @description The requested page size.
             * @example 50
             */
            limit: number;
            /**
             * @description The number of results that were skipped.
             * @example 0
             */
            offset: number;
            /**
             * @description The total number of results that match the search.
             * @example 128
             */
            total: number;
        };
        /** @description A user’s passkey (WebAuthn). */
        Passkey: {
            /**
             * Format: uuid
             * @description Passkey identifier.
             * @example 4b8e2f6a-9c1d-4e70-a3b5-7f0d2c9e6a18
             */
            id: string;
            /**
             * @description The user’s name for it.
             * @example laptop
             */
            name: string;
            /**
             * Format: date-time
             * @description When it was added.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description When it was last used to log in; null if never. */
            lastUsedAt: string | null;
        };
        /** @description The result of `navigator.credentials.get`, as its `toJSON` returns it. */
        PasskeyAssertion: {
            /**
             * @description The credential’s id.
             * @example EXAMPLEcredentialId
             */
            id: string;
            /**
             * @description The same as `id`.
             * @example EXAMPLEcredentialId
             */
            rawId: string;
            /**
             * @description Always `public-key`.
             * @constant
             */
            type: "public-key";
            /** @description The authenticator’s response. */
            response: {
                /**
                 * @description The data that the browser signed, including the challenge and the origin.
                 * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
                 */
                clientDataJSON: string;
                /**
                 * @description The authenticator’s data about itself and the user.
                 * @example SZYN5YgOjGh0NBcPZHZgW4
                 */
                authenticatorData: string;
                /**
                 * @description The signature over `authenticatorData` and the hash of `clientDataJSON`.
                 * @example MEUCIQDEXAMPLE
                 */
                signature: string;
                /**
                 * @description The user the passkey belongs to. Required to log in with a passkey alone.
                 * @example NWYwYzlhNTItN2IxZQ
                 */
                userHandle?: string;
            };
        };
        /** @description For `navigator.credentials.create` (`parseCreationOptionsFromJSON`). */
        PasskeyCreationOptions: {
            /**
             * @description The bytes that the authenticator signs.
             * @example RVhBTVBMRS1jaGFsbGVuZ2U
             */
            challenge: string;
            /**
             * @description Milliseconds until the challenge expires.
             * @example 300000
             */
            timeout: number;
            /** @description The relying party. */
            rp: {
                /**
                 * @description The dashboard’s host.
                 * @example app.example.com
                 */
                id: string;
                /**
                 * @description The service’s name.
                 * @example Holdfast
                 */
                name: string;
            };
            /** @description The account. */
            user: {
                /**
                 * @description The account’s identifier in passkeys.
                 * @example NWYwYzlhNTItN2IxZQ
                 */
                id: string;
                /**
                 * @description The account’s e-mail address.
                 * @example ada@example.com
                 */
                name: string;
                /**
                 * @description The account’s name.
                 * @example Ada
                 */
                displayName: string;
            };
            /** @description The accepted algorithms. */
            pubKeyCredParams: {
                /**
                 * @description Always `public-key`.
                 * @constant
                 */
                type: "public-key";
                /**
                 * @description A COSE algorithm identifier.
                 * @example -7
                 */
                alg: number;
            }[];
            /** @description The account’s existing passkeys. */
            excludeCredentials: {
                /**
                 * @description Always `public-key`.
                 * @constant
                 */
                type: "public-key";
                /**
                 * @description The credential’s id.
                 * @example EXAMPLEcredentialId
                 */
                id: string;
                /**
                 * @description The transports that the authenticator supports.
                 * @example [
                 *       "internal"
                 *     ]
                 */
                transports: string[];
            }[];
            /** @description Requirements for the authenticator. */
            authenticatorSelection: {
                /**
                 * @description The passkey must be discoverable, so that it can log in without an e-mail address.
                 * @constant
                 */
                residentKey: "required";
                /**
                 * @description The same as `residentKey`, for older browsers.
                 * @constant
                 */
                requireResidentKey: true;
                /**
                 * @description The authenticator must verify the user.
                 * @constant
                 */
                userVerification: "required";
            };
            /**
             * @description No attestation by a manufacturer is required.
             * @constant
             */
            attestation: "none";
        };
        /** @description For `navigator.credentials.get` (`parseRequestOptionsFromJSON`). */
        PasskeyRequestOptions: {
            /**
             * @description The bytes that the authenticator signs.
             * @example RVhBTVBMRS1jaGFsbGVuZ2U
             */
            challenge: string;
            /**
             * @description Milliseconds until the challenge expires.
             * @example 300000
             */
            timeout: number;
            /**
             * @description The dashboard’s host.
             * @example app.example.com
             */
            rpId: string;
            /** @description The passkeys that are accepted; if empty, any passkey for this site. */
            allowCredentials: {
                /**
                 * @description Always `public-key`.
                 * @constant
                 */
                type: "public-key";
                /**
                 * @description The credential’s id.
                 * @example EXAMPLEcredentialId
                 */
                id: string;
                /**
                 * @description The transports that the authenticator supports.
                 * @example [
                 *       "internal"
                 *     ]
                 */
                transports: string[];
            }[];
            /**
             * @description The authenticator must verify the user.
             * @constant
             */
            userVerification: "required";
        };
        /** @description A plan and its default limits. */
        Plan: {
            name: components["schemas"]["PlanName"];
            /** @description The plan’s limits: the configured ones, or else the built-in defaults. */
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
            /** @description Members, including pending invitations. */
            maxMembers: number;
            /** @description Webhooks in the organization. */
            maxWebhooks: number;
            /** @description How many days audit entries are kept. */
            auditRetentionDays: number;
        };
        /**
         * @description A plan.
         * @example pro
         * @enum {string}
         */
        PlanName: "free" | "pro" | "enterprise";
        /** @description One problem in a request. Never quotes the offending value. */
        Problem: {
            /**
             * @description The location of the problem; empty for the whole body.
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
             * @description Unique within its organization. It never changes.
             * @example web-shop
             */
            slug: string;
            /**
             * @description Display name.
             * @example Web shop
             */
            name: string;
            /**
             * @description A description of the project.
             * @example The public shop.
             */
            description: string | null;
            /**
             * @description The version of the key that encrypts new values.
             * @example 1
             */
            keyVersion: number;
            /** @description The last key rotation; null before the first one. */
            rotation: components["schemas"]["Rotation"] | null;
            /** @description Its environments. A limited token sees only those in its scope. */
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
             * @description The keys to promote. Defaults to all keys of the source.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            keys?: string[];
            /**
             * @description Whether to overwrite existing values in the target.
             * @default true
             */
            overwrite?: boolean;
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        };
        PromoteSecretsResponse: {
            /**
             * @description Keys whose values were copied.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            promoted: string[];
            /**
             * @description Keys that already existed in the target, if `overwrite` is false.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            skipped: string[];
            /**
             * @description Keys that already had the same value.
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
        } | components["schemas"]["DryRun"];
        PullSecretsResponse: {
            /** @description The secrets, in key order. */
            secrets: components["schemas"]["SecretEntry"][];
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
            /** @description Only if `limit` was given. */
            pagination?: components["schemas"]["Pagination"];
        };
        RedeliverWebhookResponse: {
            /** @description The new delivery, before it is sent. */
            delivery: {
                /**
                 * Format: uuid
                 * @description Delivery identifier, as in the `X-Service-Delivery` header.
                 */
                id: string;
                event: components["schemas"]["DeliveredEventName"];
                /**
                 * Format: date-time
                 * @description When the event happened, or was requested to be sent again.
                 * @example 2026-01-31T09:26:53.589Z
                 */
                createdAt: string;
                /**
                 * Format: uuid
                 * @description The delivery whose body was sent again, as in the `X-Service-Redelivery-Of` header.
                 * @example 0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03
                 */
                redeliveryOf: string;
            };
        };
        RegisterRequest: {
            /**
             * Format: email
             * @description The e-mail address to log in with.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description The password. Any characters are allowed.
             * @example an example of a pass phrase
             */
            password: string;
            /**
             * @description Display name.
             * @example Ada
             */
            name?: string;
            /**
             * @description Name of the personal organization. Defaults to a name based on the user’s.
             * @example Analytical Engines
             */
            organizationName?: string;
        };
        RegisterResponse: {
            user: components["schemas"]["User"];
            organization: components["schemas"]["Organization"];
        };
        RemoveMemberResponse: {
            /**
             * @description Always true. A failure has an error body instead.
             * @constant
             */
            success: true;
            /** @description What the member created that keeps working. Empty for an invitation. */
            left: {
                /** @description Identities. Empty if they were ended. */
                identities: {
                    /**
                     * Format: uuid
                     * @description Identity identifier.
                     * @example a4c7e10b-52d9-8f36-b18e-6d03f9a2c754
                     */
                    id: string;
                    /**
                     * @description The identity’s name.
                     * @example web-shop deploy
                     */
                    name: string;
                }[];
                /** @description Webhooks. */
                webhooks: {
                    /**
                     * Format: uuid
                     * @description Webhook identifier.
                     * @example f27a9c54-3d8e-4b61-a0f5-8c2d6e1b7940
                     */
                    id: string;
                    /**
                     * @description The URL that it delivers to.
                     * @example https://hooks.example.com/holdfast
                     */
                    url: string;
                }[];
            };
        };
        RenameOrganizationRequest: {
            /**
             * @description Display name.
             * @example Analytical Engines Ltd
             */
            name?: string;
            /** @description Whether members need a second factor. Only owners can change this. */
            requireSecondFactor?: boolean;
        };
        RenameOrganizationResponse: {
            organization: components["schemas"]["Organization"];
        };
        RenameUserRequest: {
            /**
             * @description The new display name.
             * @example Ada
             */
            name: string;
        };
        RenameUserResponse: {
            user: components["schemas"]["User"];
        };
        RenewRecoveryCodesResponse: {
            /**
             * @description Ten recovery codes, shown only once. Each replaces the second factor once.
             * @example [
             *       "EXAM-PLEA-AAAA-AAAA-AAAA-AAAA"
             *     ]
             */
            recoveryCodes: string[];
        };
        /** @description The number of requests that failed. */
        RequestErrors: {
            /**
             * @description Responses with a status from 400 to 499.
             * @example 31
             */
            client: number;
            /**
             * @description Responses with a status from 500 to 599.
             * @example 0
             */
            server: number;
        };
        RequestPasswordResetRequest: {
            /**
             * Format: email
             * @description The account’s e-mail address.
             * @example ada@example.com
             */
            email: string;
        };
        ResetPasswordRequest: {
            /**
             * @description The token from the mailed link; it works once.
             * @example EXAMPLE-reset-token-0000
             */
            token: string;
            /**
             * @description The new password.
             * @example an example of a pass phrase
             */
            newPassword: string;
        };
        RestoreSecretsRequest: {
            /**
             * @description The revision to restore; 0 is empty.
             * @example 12
             */
            revision: number;
            /**
             * @description The keys to restore. Defaults to all keys.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            keys?: string[];
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        };
        RestoreSecretsResponse: {
            /**
             * @description Keys that were created again.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            created: string[];
            /**
             * @description Keys that were set back to their earlier value.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            updated: string[];
            /**
             * @description Keys that were deleted because they didn’t exist at the earlier revision.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            deleted: string[];
            /**
             * @description Keys that already had the value.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            unchanged: string[];
            /**
             * @description The revision that was restored.
             * @example 17
             */
            restored: number;
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        } | components["schemas"]["DryRun"];
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
             * @description Whether values are still being re-encrypted.
             * @example completed
             * @enum {string}
             */
            status: "in_progress" | "completed";
            /**
             * @description The version of the key that is being replaced.
             * @example 1
             */
            fromVersion: number;
            /**
             * @description The version of the key that replaces it.
             * @example 2
             */
            toVersion: number;
            /**
             * @description The number of stored values re-encrypted so far, including the history.
             * @example 310
             */
            reencrypted: number;
            /**
             * @description The total number of stored values to re-encrypt, including the history.
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
             * @description The value, exactly as it was set.
             * @example db.internal.example
             */
            value: string;
            /**
             * @description Counts this key’s changes, starting at 1.
             * @example 3
             */
            version: number;
            /**
             * Format: date-time
             * @description When the key was first set, or set again after it was deleted.
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
        /** @description One accepted change to an environment’s secrets. */
        SecretRevision: {
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
            /**
             * @description The action of its audit entry; null for a change made before revisions were recorded.
             * @example secret.bulk_set
             */
            action: components["schemas"]["AuditAction"] | null;
            /**
             * @description The author’s reason for the change.
             * @example Rotate the key
             */
            message: string | null;
            /**
             * Format: date-time
             * @description When the change was made.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /** @description Who made it; null for a repair by an operator. */
            createdBy: components["schemas"]["UserReference"] | null;
            /**
             * @description Keys that were created.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            created: string[];
            /**
             * @description Keys that got a new value.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            updated: string[];
            /**
             * @description Keys that were deleted.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            deleted: string[];
            /** @description The environment and revision that a promotion copied from. */
            from?: {
                /**
                 * @description Slug of the environment.
                 * @example dev
                 */
                slug: string;
                /**
                 * @description The environment’s revision. It increases by one with each accepted change to its secrets.
                 * @example 17
                 */
                revision: number;
            };
            /**
             * @description The revision that was restored.
             * @example 12
             */
            restored?: number;
        };
        /** @description A secret without its value. */
        SecretSummary: {
            /**
             * @description The secret’s key.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description Counts this key’s changes, starting at 1.
             * @example 3
             */
            version: number;
            /**
             * Format: date-time
             * @description When the key was first set, or set again after it was deleted.
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
             * @description Counts this key’s changes, starting at 1.
             * @example 3
             */
            version: number;
            /**
             * @description The revision of the environment that this version belongs to.
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
            /** @description Whether the value was destroyed. */
            destroyed: boolean;
            /**
             * @description The value; only with `values=true`, and never for a deletion or a destroyed value.
             * @example db.internal.example
             */
            value?: string;
        };
        /** @description A dashboard session, without its secret. */
        Session: {
            /**
             * Format: uuid
             * @description Session identifier.
             * @example 8c2a6e41-0f7d-8b95-9e13-5d4b7c0a2f68
             */
            id: string;
            /** @description Whether this request uses the session. */
            current: boolean;
            /**
             * Format: date-time
             * @description When the user logged in.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last used, to within an hour.
             * @example 2026-01-31T09:26:53.589Z
             */
            lastUsedAt: string;
            /**
             * @description The IP address of the last use.
             * @example 203.0.113.7
             */
            ip: string;
            /**
             * @description The client’s `User-Agent`.
             * @example example-browser/1.0
             */
            userAgent: string;
            /**
             * Format: date-time
             * @description When it expires unless it is used again.
             * @example 2026-01-31T09:26:53.589Z
             */
            expiresAt: string;
        };
        SetSecretRequest: {
            /**
             * @description The secret’s key.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description Any well-formed Unicode text of 0 to 64 KiB in UTF-8. It is returned byte for byte.
             * @example db.internal.example
             */
            value: string;
            /**
             * @description The version that the key must have; 0 if it must not exist.
             * @example 2
             */
            expectedVersion?: number;
            /**
             * @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret.
             * @example Move to the new database
             */
            message?: string;
        };
        SetSecretResponse200: {
            /** @description The secret after the change, without its value. */
            secret: components["schemas"]["SecretSummary"];
            /** @description False if the secret already had this value. No version or event is created then. */
            changed: boolean;
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        } | components["schemas"]["DryRun"];
        SetSecretResponse201: {
            /** @description The secret after the change, without its value. */
            secret: components["schemas"]["SecretSummary"];
            /** @description False if the secret already had this value. No version or event is created then. */
            changed: boolean;
            /**
             * @description The environment’s revision. It increases by one with each accepted change to its secrets.
             * @example 17
             */
            revision: number;
        };
        SetSignInRequest: {
            /**
             * Format: uri
             * @description The provider’s issuer URL, exactly as in its tokens.
             * @example https://login.example.com
             */
            issuer: string;
            /**
             * @description The client’s identifier at the provider.
             * @example EXAMPLE-client-id
             */
            clientId: string;
            /**
             * @description The client’s secret. If omitted, the stored one is kept unless the issuer or the client changes. A public client has none.
             * @example EXAMPLE-client-secret
             */
            clientSecret?: string;
            /**
             * @description The domains of the organization’s e-mail addresses.
             * @example [
             *       "example.com"
             *     ]
             */
            domains: string[];
            /**
             * @description The role of somebody who first signs in without an invitation; null: an invitation is needed.
             * @default null
             * @example viewer
             */
            defaultRole?: ("viewer" | "developer") | null;
            /**
             * @description Whether members have to sign in through the provider. Owners can still log in with a passkey or an authenticator app that was added before, or seven days ago. Each such log-in is mailed to all owners.
             * @default false
             */
            required?: boolean;
            /**
             * @description Whether a second factor that the provider reports (`amr`, `acr`) counts as one here.
             * @default false
             */
            trustFactor?: boolean;
            /**
             * @description Whether an address of a verified domain counts although the provider doesn’t send `email_verified`, as Entra ID doesn’t. Only for an issuer that belongs to one customer; Entra’s must name a tenant.
             * @default false
             */
            trustEmail?: boolean;
            /**
             * @description Whether a confirmation counts as recent although the provider doesn’t send `auth_time`, once it has sent the person back to the session that asked for it.
             * @default false
             */
            acceptRoundTrip?: boolean;
        };
        SetSignInResponse: {
            signIn: components["schemas"]["SignIn"];
        };
        /** @description How an organization’s members sign in with their company’s provider. */
        SignIn: {
            /**
             * @description The provider’s issuer URL, exactly as in its tokens.
             * @example https://login.example.com
             */
            issuer: string;
            /**
             * @description The client’s identifier at the provider.
             * @example EXAMPLE-client-id
             */
            clientId: string;
            /** @description Whether a client secret is stored. It is never returned. */
            hasClientSecret: boolean;
            /**
             * @description The redirect URI to register at the provider.
             * @example https://app.example.com/v1/auth/provider/analytical-engines/callback
             */
            redirectUri: string;
            /** @description The domains of the organization’s e-mail addresses. */
            domains: {
                /**
                 * @description The domain.
                 * @example example.com
                 */
                domain: string;
                /** @description Whether the organization has proved that it controls it. */
                verified: boolean;
                /**
                 * @description The TXT record that proves it.
                 * @example holdfast-verification=EXAMPLE
                 */
                txtRecord: string;
            }[];
            /**
             * @description The role of somebody who first signs in without an invitation; null: an invitation is needed.
             * @example viewer
             */
            defaultRole: ("viewer" | "developer") | null;
            /** @description Whether members have to sign in through the provider. Owners can still log in with a passkey or an authenticator app that was added before, or seven days ago. Each such log-in is mailed to all owners. */
            required: boolean;
            /** @description Whether a second factor that the provider reports (`amr`, `acr`) counts as one here. */
            trustFactor: boolean;
            /** @description Whether an address of a verified domain counts although the provider doesn’t send `email_verified`, as Entra ID doesn’t. Only for an issuer that belongs to one customer; Entra’s must name a tenant. */
            trustEmail: boolean;
            /** @description Whether a confirmation counts as recent although the provider doesn’t send `auth_time`, once it has sent the person back to the session that asked for it. */
            acceptRoundTrip: boolean;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-01-31T09:26:53.589Z
             */
            updatedAt: string;
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
             * @description The URL to redirect the browser to. It is valid for a limited time.
             * @example https://pay.example.com/session
             */
            url: string;
        };
        StartPasskeyLoginResponse: {
            /**
             * @description The challenge. It works once and expires after five minutes.
             * @example EXAMPLE-challenge-0000
             */
            challenge: string;
            publicKey: components["schemas"]["PasskeyRequestOptions"];
        };
        StartPasskeyResponse: {
            /**
             * @description The challenge. It works once and expires after five minutes.
             * @example EXAMPLE-challenge-0000
             */
            challenge: string;
            publicKey: components["schemas"]["PasskeyCreationOptions"];
        };
        StartTotpResponse: {
            /**
             * @description The secret in base32, for manual entry.
             * @example EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            secret: string;
            /**
             * @description The same secret as an `otpauth` URI, for a QR code.
             * @example otpauth://totp/Holdfast:ada%40example.com?secret=EXAMPLEAAAAAAAAAAAAAAAAAAAAAAAAA&issuer=Holdfast
             */
            uri: string;
        };
        StepUpRequest: {
            /**
             * @description The password. Required, except for a passkey in a session that came through a provider.
             * @example an example of a pass phrase
             */
            password?: string;
            /**
             * @description A code from the authenticator app. Each code works once.
             * @example 492039
             */
            totp?: string;
            /**
             * @description The challenge for `passkey`.
             * @example EXAMPLE-challenge-0000
             */
            challenge?: string;
            passkey?: components["schemas"]["PasskeyAssertion"];
        };
        StepUpResponse: {
            /**
             * Format: date-time
             * @description When the session stops being fresh.
             * @example 2026-01-31T09:26:53.589Z
             */
            freshUntil: string;
        };
        /** @description The change was made. */
        Success: {
            /**
             * @description Always true. A failure has an error body instead.
             * @constant
             */
            success: true;
        };
        SummarizeMetricsResponse: {
            /**
             * @description The number of hours covered.
             * @example 24
             */
            hours: number;
            /**
             * @description The total number of requests.
             * @example 5210
             */
            requests: number;
            errors: components["schemas"]["RequestErrors"];
            latencyMs: components["schemas"]["Latency"];
            /** @description Routes with requests, busiest first. */
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
            /** @description One entry per hour, oldest first, including hours without requests. */
            series: {
                /**
                 * Format: date-time
                 * @description The start of the hour.
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
        /** @description A key that the project’s environments should have. */
        TemplateKey: {
            /**
             * @description The secret key that the template declares.
             * @example DATABASE_HOST
             */
            key: string;
            /**
             * @description A description of the key.
             * @example Host of the main database.
             */
            description?: string;
            /** @description Whether every environment must have the key. */
            required: boolean;
            /**
             * @description A regular expression (RE2) that the whole value must match.
             * @example [a-z0-9.-]+
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
             * @description The identifier of the delivery.
             * @example 0d4e8b6f-7c21-4a95-9e38-5f1b2c7d6a03
             */
            deliveryId: string;
        };
        /**
         * @description `read` can read. `write` can also change secrets. `full` can do everything its user can, except manage passwords and tokens.
         * @example read
         * @enum {string}
         */
        TokenAccess: "read" | "write" | "full";
        UndoFactorRequest: {
            /**
             * @description The token from the mailed link; it works once.
             * @example EXAMPLE-undo-token-0000
             */
            token: string;
        };
        UpdateEnvironmentRequest: {
            /**
             * @description Display name.
             * @example Development
             */
            name?: string;
            /**
             * @description Determines which roles can read and write the environment’s secrets.
             * @example development
             * @enum {string}
             */
            type?: "development" | "staging" | "production";
        };
        UpdateEnvironmentResponse: {
            environment: components["schemas"]["Environment"];
        };
        UpdateIdentityRequest: {
            /**
             * @description The name shown wherever a member’s e-mail address would be.
             * @example web-shop deploy
             */
            name?: string;
            /**
             * @description What the identity’s tokens may do: `write` also changes secrets.
             * @example read
             * @enum {string}
             */
            access?: "read" | "write";
            /**
             * @description The identity’s role in the organization. A `deployer` requires `environmentId`: in that environment it may read secrets or, with `write`, also change them, whatever the environment’s type. It can’t restore, destroy, promote or delete several secrets at once. Everywhere else it has the rights of a `viewer` limited to that environment.
             * @example viewer
             * @enum {string}
             */
            role?: "deployer" | "developer" | "viewer";
            /** @description Limits the identity to one project; null for all. */
            projectId?: string | null;
            /** @description Limits the identity to one environment; null for all. */
            environmentId?: string | null;
            /**
             * Format: uri
             * @description The issuer of the tokens: their exact `iss`.
             */
            issuer?: string;
            /** @description The claims that tokens must have: for each, the exact value or a list of accepted values. A name that begins with / is a JSON pointer (RFC 6901) to a nested claim. `iss`, `aud` and `sub` alone are not enough. For a shared issuer such as GitHub’s, at least one claim must identify the owner, such as `repository_id`. */
            claims?: {
                [key: string]: string | string[];
            };
            /**
             * @description Whether each of the platform’s tokens can be exchanged only once. If false, a token can be exchanged again until it expires or is too old, for workloads that sign in again before their platform renews the token.
             * @example false
             */
            singleUse?: boolean;
            /** @description How many minutes after it was issued a platform’s token can be exchanged. */
            maxAssertionAgeMinutes?: number;
            /** @description How many minutes each bearer token is valid. */
            tokenMinutes?: number;
            /** @description The issuer’s keys; null if they are fetched from the issuer. */
            jwks?: {
                /** @description The keys. */
                keys: {
                    /**
                     * @description The key type.
                     * @example EC
                     * @enum {string}
                     */
                    kty: "RSA" | "EC" | "OKP";
                    /** @description The key’s identifier, as in the header of tokens. */
                    kid?: string;
                    /** @description The algorithm that the key is for. */
                    alg?: string;
                    /** @description The intended use; only `sig` keys are used. */
                    use?: string;
                    /** @description The curve. */
                    crv?: string;
                    /** @description Coordinate of an EC or OKP key. */
                    x?: string;
                    /** @description Coordinate of an EC key. */
                    y?: string;
                    /** @description Modulus of an RSA key. */
                    n?: string;
                    /** @description Exponent of an RSA key. */
                    e?: string;
                    /** @description Ignored. */
                    key_ops?: string[];
                    /** @description Ignored. */
                    x5t?: string;
                    /** @description Ignored. */
                    "x5t#S256"?: string;
                    /** @description Ignored. */
                    x5c?: string[];
                }[];
            } | null;
        };
        UpdateIdentityResponse: {
            identity: components["schemas"]["Identity"];
        };
        UpdateOrganizationRequest: {
            /** @description The new plan. */
            plan?: components["schemas"]["PlanName"];
            /** @description Limits for this organization only; -1 = unlimited, null removes the override. */
            limitOverrides?: {
                /** @description Projects in the organization. */
                maxProjects?: number | null;
                /** @description Environments in each project. */
                maxEnvironmentsPerProject?: number | null;
                /** @description Secrets in each environment. */
                maxSecretsPerEnvironment?: number | null;
                /** @description Members, including pending invitations. */
                maxMembers?: number | null;
                /** @description Webhooks in the organization. */
                maxWebhooks?: number | null;
                /** @description How many days audit entries are kept. */
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
                /** @description Members, including pending invitations. */
                maxMembers?: number;
                /** @description Webhooks in the organization. */
                maxWebhooks?: number;
                /** @description How many days audit entries are kept. */
                auditRetentionDays?: number;
            };
        };
        UpdatePlanResponse: {
            plan: components["schemas"]["Plan"];
        };
        UpdateProjectRequest: {
            /**
             * @description Display name.
             * @example Web shop
             */
            name?: string;
            /**
             * @description A description of the project; null for none.
             * @example The public shop.
             */
            description?: string | null;
        };
        UpdateProjectResponse: {
            project: components["schemas"]["Project"];
        };
        UpdateTemplateKeyRequest: {
            /**
             * @description A description of the key; null for none.
             * @example Host of the main database.
             */
            description?: string | null;
            /** @description Whether every environment must have the key. */
            required?: boolean;
            /**
             * @description A regular expression (RE2) that the whole value must match; null for none.
             * @example [a-z0-9.-]+
             */
            pattern?: string | null;
        };
        UpdateTemplateKeyResponse: {
            templateKey: components["schemas"]["TemplateKey"];
        };
        UpdateWebhookRequest: {
            /**
             * Format: uri
             * @description The URL to send deliveries to.
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
            /** @description Limits the webhook to one project; null for all. */
            projectId?: string | null;
            /** @description Limits the webhook to one environment; null for all. */
            environmentId?: string | null;
            /** @description Whether events are delivered. */
            active?: boolean;
        };
        UpdateWebhookResponse: {
            webhook: components["schemas"]["Webhook"];
        };
        /** @description The current usage of an organization. */
        Usage: {
            /**
             * @description Projects.
             * @example 4
             */
            projects: number;
            /**
             * @description Members, excluding pending invitations.
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
             * @description Environments in all projects.
             * @example 13
             */
            environments: number;
            /**
             * @description Secrets in all environments, excluding deleted ones.
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
             * @description The address as it was entered. Addresses are compared case-insensitively.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description Display name.
             * @example Ada
             */
            name: string;
            /** @description Whether the user has verified the e-mail address. */
            emailVerified: boolean;
            /** @description Whether the user may call the admin routes. */
            isAdmin: boolean;
            /**
             * Format: date-time
             * @description When the account was created.
             * @example 2026-01-31T09:26:53.589Z
             */
            createdAt: string;
        };
        /** @description The user who did something. */
        UserReference: {
            /**
             * Format: uuid
             * @description User or identity identifier.
             * @example 5f0c9a52-7b1e-4c43-9a55-0d6c1e8f2b11
             */
            id: string;
            /**
             * @description The user’s e-mail address, or the identity’s name.
             * @example ada@example.com
             */
            email: string;
        };
        ValidateEnvironmentResponse: {
            /** @description Whether all required keys exist and all values are valid. */
            valid: boolean;
            /**
             * @description Required keys that the environment doesn’t have.
             * @example [
             *       "DATABASE_USER"
             *     ]
             */
            missing: string[];
            /**
             * @description Declared keys that the environment has, required and valid or not.
             * @example [
             *       "DATABASE_HOST"
             *     ]
             */
            present: string[];
            /**
             * @description Keys that the template doesn’t declare; null if the caller can’t read the environment.
             * @example [
             *       "LEGACY_FLAG"
             *     ]
             */
            undeclared: string[] | null;
            /** @description Declared keys whose values don’t match their pattern. */
            invalid: {
                /**
                 * @description The declared key.
                 * @example DATABASE_HOST
                 */
                key: string;
                /**
                 * @description What is wrong.
                 * @example does not match the pattern
                 */
                reason: string;
            }[];
        };
        VerifyDomainRequest: {
            /**
             * @description One of the provider’s domains.
             * @example example.com
             */
            domain: string;
        };
        VerifyDomainResponse: {
            signIn: components["schemas"]["SignIn"];
        };
        VerifyEmailRequest: {
            /**
             * @description The token from the mailed link; it works once.
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
             * @description The URL that deliveries are sent to.
             * @example https://hooks.example.com/holdfast
             */
            url: string;
            /**
             * @description The events that the webhook is subscribed to.
             * @example [
             *       "secret.updated"
             *     ]
             */
            events: components["schemas"]["EventName"][];
            /** @description The only project whose events are sent; null for all. */
            projectId: string | null;
            /** @description The only environment whose events are sent; null for all. */
            environmentId: string | null;
            /** @description Whether events are delivered. Test pings always are. */
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
        /** @description `already_member`: The user is already a member of the organization. */
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
        /** @description `assertion_replayed`: The assertion was already exchanged. Get a new one or, for a workload that can’t, set `singleUse: false` on the identity. */
        AssertionReplayed: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "assertion_replayed";
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
        /** @description `billing_provider_error`: The payment provider failed or rejected the request. */
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
        /** @description `claims_mismatch`: The assertion is valid, but its claims don’t match those the identity requires; `details` names the claims. */
        ClaimsMismatch: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "claims_mismatch";
                    };
                };
            };
        };
        /** @description `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`. */
        CsrfHeaderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "csrf_header_required";
                    };
                };
            };
        };
        /** @description `cursor_expired`: The plan no longer retains all entries after this position, so the feed would have a gap. */
        CursorExpired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "cursor_expired";
                    };
                };
            };
        };
        /**
         * @description `domain_taken`: The domain is verified for another organization.
         *
         *     `domain_not_verified`: The domain does not have the TXT record that proves who controls it. DNS changes may take hours.
         */
        DomainTakenOrDomainNotVerified: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "domain_taken" | "domain_not_verified";
                    };
                };
            };
        };
        /** @description `email_taken`: An account with this e-mail address already exists. */
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
        /** @description `identity_limit_reached`: The organization has the maximum number of identities. */
        IdentityLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "identity_limit_reached";
                    };
                };
            };
        };
        /** @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does. */
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
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `admin_required`: The caller is not a platform administrator.
         *
         *     `session_confined`: The session came through a company’s provider and is limited to its organization. Confirm it with the account’s own password or passkey (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrAdminRequiredOrSessionConfined: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "admin_required" | "session_confined";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
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
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `admin_required`: The caller is not a platform administrator.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         *
         *     `session_confined`: The session came through a company’s provider and is limited to its organization. Confirm it with the account’s own password or passkey (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrCsrfHeaderRequiredOrAdminRequiredOrStepUpRequiredOrSessionConfined: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required" | "admin_required" | "step_up_required" | "session_confined";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `email_not_verified`: This requires a verified e-mail address, and the caller has not verified theirs.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         *
         *     `session_confined`: The session came through a company’s provider and is limited to its organization. Confirm it with the account’s own password or passkey (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrSessionConfined: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required" | "email_not_verified" | "step_up_required" | "session_confined";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `session_confined`: The session came through a company’s provider and is limited to its organization. Confirm it with the account’s own password or passkey (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrCsrfHeaderRequiredOrSessionConfined: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required" | "session_confined";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required" | "step_up_required";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         *
         *     `session_confined`: The session came through a company’s provider and is limited to its organization. Confirm it with the account’s own password or passkey (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrSessionConfined: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "csrf_header_required" | "step_up_required" | "session_confined";
                    };
                };
            };
        };
        /**
         * @description `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `session_confined`: The session came through a company’s provider and is limited to its organization. Confirm it with the account’s own password or passkey (`POST /v1/auth/step-up`), then send the request again.
         */
        InsufficientScopeOrSessionConfined: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "insufficient_scope" | "session_confined";
                    };
                };
            };
        };
        /** @description `internal_error`: Something went wrong in the service; `requestId` identifies it in the logs. */
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
        /** @description `invalid_assertion`: The assertion was rejected: the identity or organization is unknown, the signature, issuer or audience is wrong, or the token is too old. All of these get the same response. */
        InvalidAssertion: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "invalid_assertion";
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
        /**
         * @description `invalid_credentials`: The e-mail address or the password is wrong.
         *
         *     `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         */
        InvalidCredentialsOrSecondFactorRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "invalid_credentials" | "second_factor_required";
                    };
                };
            };
        };
        /** @description `invalid_request`: The request is not valid; `details` lists all problems. */
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
         * @description `invalid_request`: The request is not valid; `details` lists all problems.
         *
         *     `invalid_signature`: The provider’s signature does not match the raw body.
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
         * @description `invalid_request`: The request is not valid; `details` lists all problems.
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
        /**
         * @description `issuer_unavailable`: The issuer’s keys can’t be read, and no cached ones are fresh enough.
         *
         *     `temporarily_unavailable`: Contention or throttling outlasted the service’s own retries; send the same request again.
         */
        IssuerUnavailableOrTemporarilyUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                "Retry-After": components["headers"]["retryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "issuer_unavailable" | "temporarily_unavailable";
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
        /** @description `not_representable`: The requested `format` can’t hold these values exactly. `details.keys` lists each key with the reason. Nothing was returned. Use `keys` to request the others, or `format=json`, which holds every value. */
        NotRepresentable: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "not_representable";
                    };
                };
            };
        };
        /** @description `organization_not_found`: The organization does not exist, or the caller is not a member. */
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
         *
         *     `secret_not_found`: The secret does not exist or the caller can’t see it.
         */
        OrganizationNotFoundOrEnvironmentNotFoundOrSecretNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "environment_not_found" | "secret_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `identity_not_found`: The identity does not exist or the caller can’t see it.
         */
        OrganizationNotFoundOrIdentityNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "identity_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `member_not_found`: The member or invitation does not exist or the caller can’t see it.
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
         *
         *     `identity_not_found`: The identity does not exist or the caller can’t see it.
         */
        OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrIdentityNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "environment_not_found" | "identity_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
         *
         *     `revision_not_found`: The revision does not exist or the caller can’t see it.
         */
        OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrRevisionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "environment_not_found" | "revision_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
         *
         *     `secret_not_found`: The secret does not exist or the caller can’t see it.
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
         *
         *     `secret_not_found`: The secret does not exist or the caller can’t see it.
         *
         *     `revision_not_found`: The revision does not exist or the caller can’t see it.
         */
        OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFoundOrRevisionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "project_not_found" | "environment_not_found" | "secret_not_found" | "revision_not_found";
                    };
                };
            };
        };
        /**
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `environment_not_found`: The environment does not exist or the caller can’t see it.
         *
         *     `webhook_not_found`: The webhook does not exist or the caller can’t see it.
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `project_not_found`: The project does not exist or the caller can’t see it.
         *
         *     `template_key_not_found`: The template key does not exist or the caller can’t see it.
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
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `webhook_not_found`: The webhook does not exist or the caller can’t see it.
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
        /**
         * @description `organization_not_found`: The organization does not exist, or the caller is not a member.
         *
         *     `webhook_not_found`: The webhook does not exist or the caller can’t see it.
         *
         *     `delivery_not_found`: The delivery does not exist or the caller can’t see it.
         */
        OrganizationNotFoundOrWebhookNotFoundOrDeliveryNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "organization_not_found" | "webhook_not_found" | "delivery_not_found";
                    };
                };
            };
        };
        /** @description `passkey_not_found`: The passkey does not exist or the caller can’t see it. */
        PasskeyNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "passkey_not_found";
                    };
                };
            };
        };
        /** @description `passkey_taken`: Another account has this passkey. */
        PasskeyTaken: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "passkey_taken";
                    };
                };
            };
        };
        /** @description `payload_too_large`: The request’s body, the environment’s total or the response would be too large. */
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
        /** @description `plan_limit_exceeded`: The plan’s limit is reached; `details` contains the limit’s name, its value and the current usage. */
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
        /** @description `plan_not_found`: The plan does not exist or the caller can’t see it. */
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
         *     `version_mismatch`: The key is not at `expectedVersion` (0 = it does not exist); nothing was changed.
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
        /** @description `rotation_in_progress`: The previous rotation of the key is still in progress. */
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
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `email_not_verified`: This requires a verified e-mail address, and the caller has not verified theirs.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "forbidden" | "insufficient_scope" | "csrf_header_required" | "email_not_verified" | "step_up_required" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "forbidden" | "insufficient_scope" | "csrf_header_required" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `csrf_header_required`: A change with the session cookie requires the header `X-Requested-With: service`.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "forbidden" | "insufficient_scope" | "csrf_header_required" | "step_up_required" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `email_not_verified`: This requires a verified e-mail address, and the caller has not verified theirs.
         *
         *     `step_up_required`: This requires a log-in or step-up within the last ten minutes: step up (`POST /v1/auth/step-up`), then send the request again.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrForbiddenOrInsufficientScopeOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "forbidden" | "insufficient_scope" | "email_not_verified" | "step_up_required" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "forbidden" | "insufficient_scope" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `forbidden`: The caller’s role in the organization does not allow this.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrForbiddenOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "forbidden" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `insufficient_scope`: The bearer token does not allow this, even if its user’s role does.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrInsufficientScopeOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "insufficient_scope" | "provider_required";
                    };
                };
            };
        };
        /**
         * @description `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         *
         *     `provider_required`: The organization requires its sign-in provider, and this session or token did not come through it. Sign in with the provider. An owner can also log in with a passkey or an authenticator app that was added before the provider was required, or seven days ago.
         */
        SecondFactorRequiredOrProviderRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "second_factor_required" | "provider_required";
                    };
                };
            };
        };
        /** @description `session_not_found`: The caller has no active session with this identifier. */
        SessionNotFound: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "session_not_found";
                    };
                };
            };
        };
        /** @description `slug_taken`: The requested slug is taken. */
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
        /**
         * @description `slug_taken`: The requested slug is taken.
         *
         *     `organization_limit_reached`: The user owns the maximum number of organizations.
         */
        SlugTakenOrOrganizationLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "slug_taken" | "organization_limit_reached";
                    };
                };
            };
        };
        /** @description `template_key_exists`: The template already has this key. */
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
        /** @description `token_limit_reached`: The user has the maximum number of tokens. */
        TokenLimitReached: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "token_limit_reached";
                    };
                };
            };
        };
        /** @description `token_not_found`: The token does not exist or the caller can’t see it. */
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
        /**
         * @description `unauthenticated`: There is no valid session cookie or bearer token.
         *
         *     `second_factor_required`: The account has a second factor; `details` contains the challenge, the methods and the passkey options. In an organization that requires one (403, without details), this session or token was created without a second factor.
         */
        UnauthenticatedOrSecondFactorRequired: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "unauthenticated" | "second_factor_required";
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
        /** @description `version_destroyed`: Reading or restoring this point in time requires destroyed values. `details` lists their keys; use `keys` to read or restore the others. */
        VersionDestroyed: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "version_destroyed";
                    };
                };
            };
        };
        /**
         * @description `webhook_inactive`: The webhook is inactive, so nothing is sent to it.
         *
         *     `not_redeliverable`: What this delivery sent is no longer known, so it can’t be sent again.
         */
        WebhookInactiveOrNotRedeliverable: {
            headers: {
                "X-Request-Id": components["headers"]["requestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    error?: {
                        /** @enum {unknown} */
                        code?: "webhook_inactive" | "not_redeliverable";
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
        /** @description Session identifier. */
        sessionId: string;
        /** @description Passkey identifier. */
        passkeyId: string;
        /** @description Webhook identifier. */
        webhookId: string;
        /** @description Delivery identifier. */
        deliveryId: string;
        /** @description Identity identifier. */
        identityId: string;
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
                    /** @description The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address. */
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
            cookie?: {
                /** @description Set by the service; browsers send it by themselves. */
                __service_link?: string;
            };
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
                    /** @description The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogInResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidCredentialsOrSecondFactorRequired"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "start-passkey-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartPasskeyLoginResponse"];
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
    "complete-login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: {
                /** @description Set by the service; browsers send it by themselves. */
                __service_link?: string;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteLoginRequest"];
            };
        };
        responses: {
            /** @description Logged in; the session cookie is set. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompleteLoginResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            401: components["responses"]["InvalidCredentials"];
            402: components["responses"]["PlanLimitExceeded"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "find-sign-in-methods": {
        parameters: {
            query: {
                /** @description The e-mail address, in upper or lower case. */
                email: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The methods. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindSignInMethodsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "start-provider-sign-in": {
        parameters: {
            query?: {
                /** @description The path of the dashboard to go to afterwards. Nothing but a path is accepted. */
                to?: string;
                /** @description With `true`, makes the session fresh: the provider asks its user to sign in again. It needs a session that came through this provider. Somebody else at the provider is refused. */
                stepUp?: boolean;
                /** @description With `true`, an owner tries the provider out: everything is checked, and nothing is changed. The browser returns to `to` with `#tested`. */
                test?: boolean;
            };
            header?: never;
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the provider, or to the dashboard’s log-in page with an error. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The provider’s authorization endpoint, or the dashboard’s log-in page. */
                    Location?: string;
                    /** @description A short-lived cookie for the callback: HttpOnly, SameSite=Lax. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "complete-provider-sign-in": {
        parameters: {
            query?: {
                /** @description As the service sent it to the provider. */
                state?: string;
                /** @description The authorization code. */
                code?: string;
                /** @description The issuer (RFC 9207). Required if the provider announces that it sends it. */
                iss?: string;
                /** @description Why the provider did not sign the user in. */
                error?: string;
            };
            header?: never;
            path: {
                /** @description Organization slug. */
                orgSlug: components["parameters"]["orgSlug"];
            };
            cookie?: {
                /** @description Set by the service; browsers send it by themselves. */
                __service_sign_in?: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description To the dashboard, with the session cookie or an error. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description A page of the dashboard. */
                    Location?: string;
                    /** @description The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            404: components["responses"]["OrganizationNotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "continue-provider-sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: {
                /** @description Set by the service; browsers send it by themselves. */
                __service_factor?: string;
            };
        };
        requestBody?: never;
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContinueProviderSignInResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "step-up": {
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
                "application/json": components["schemas"]["StepUpRequest"];
            };
        };
        responses: {
            /** @description The session is fresh, and its cookie is renewed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    /** @description The session cookie: HttpOnly, SameSite=Lax, and Secure except on a local http address. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepUpResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            401: components["responses"]["UnauthenticatedOrSecondFactorRequired"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequired"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "rename-user": {
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
                "application/json": components["schemas"]["RenameUserRequest"];
            };
        };
        responses: {
            /** @description The user with the new name. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenameUserResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
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
            /** @description The token, which is shown only once. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrSessionConfined"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            409: components["responses"]["TokenLimitReached"];
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
            /** @description The code (first step), or the token, which is shown only once (second step). */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            409: components["responses"]["TokenLimitReached"];
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
            400: components["responses"]["InvalidRequest"];
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
            /** @description The token was revoked. */
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
    "revoke-current-token": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token was revoked. */
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
            403: components["responses"]["CsrfHeaderRequired"];
            404: components["responses"]["TokenNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The active sessions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListSessionsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScope"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "end-session": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path: {
                /** @description Session identifier. */
                sessionId: components["parameters"]["sessionId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
            404: components["responses"]["SessionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "start-passkey": {
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
            /** @description The challenge. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartPasskeyResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkeys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListPasskeysResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrSessionConfined"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "add-passkey": {
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
                "application/json": components["schemas"]["AddPasskeyRequest"];
            };
        };
        responses: {
            /** @description The passkey. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddPasskeyResponse"];
                };
            };
            400: components["responses"]["InvalidRequestOrInvalidToken"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrSessionConfined"];
            409: components["responses"]["PasskeyTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "remove-passkey": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path: {
                /** @description Passkey identifier. */
                passkeyId: components["parameters"]["passkeyId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The passkey was removed. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrSessionConfined"];
            404: components["responses"]["PasskeyNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "start-totp": {
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
            /** @description The secret, shown only once. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartTotpResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "remove-totp": {
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
            /** @description The account has no authenticator app. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "confirm-totp": {
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
                "application/json": components["schemas"]["ConfirmTotpRequest"];
            };
        };
        responses: {
            /** @description The authenticator app is now a second factor. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmTotpResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "renew-recovery-codes": {
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
            /** @description The new codes, shown only once. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewRecoveryCodesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "undo-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UndoFactorRequest"];
            };
        };
        responses: {
            /** @description The factor was removed. */
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
            /** @description The password was changed. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrSessionConfined"];
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
            /** @description The e-mail is on its way. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrSessionConfined"];
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
            /** @description The address was verified. */
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
            /** @description The request was accepted, whether or not the account exists. */
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
            /** @description The password was changed. */
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            429: components["responses"]["RateLimited"];
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
            /** @description The project was deleted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-project": {
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
                "application/json": components["schemas"]["UpdateProjectRequest"];
            };
        };
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateProjectResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The new, empty environment. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            409: components["responses"]["SlugTaken"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-environment": {
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
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The environment was deleted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-environment": {
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
                /** @description Environment slug. */
                env: components["parameters"]["env"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateEnvironmentRequest"];
            };
        };
        responses: {
            /** @description The environment. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateEnvironmentResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The rotation is complete: there was nothing to re-encrypt. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotateKeyResponse200"];
                };
            };
            /** @description The new key is in use. Re-encryption continues in the background. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            409: components["responses"]["RotationInProgress"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "pull-secrets": {
        parameters: {
            query?: {
                /** @description Results per page. Without it, all results are returned. */
                limit?: number;
                /** @description Results to skip. Used only together with `limit`. */
                offset?: number;
                /** @description Only keys that start with this prefix. Case-sensitive. */
                search?: string;
                /** @description Read the environment as of this revision. Defaults to the current one. */
                revision?: number;
                /** @description Only these keys, separated by commas, at most 100. All of them must exist. Can’t be combined with `search` or `limit`. */
                keys?: string;
                /** @description Return only the values, in this format: `json` is one flat object, and every other format is byte for byte what `holdfast pull --format` writes. Can’t be combined with `limit` or `offset`. */
                format?: "env" | "dotenv" | "node" | "python-dotenv" | "docker" | "compose" | "sh" | "fish" | "powershell" | "json" | "yaml" | "k8s" | "tfvars" | "systemd";
            };
            header?: {
                /** @description The `ETag` of an earlier response. If the environment is still at that revision, the response is `304`. */
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
                    "application/json": components["schemas"]["PullSecretsResponse"] | {
                        [key: string]: string;
                    };
                    "application/yaml": string;
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The environment is still at the revision of `If-None-Match`. No value was read or decrypted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFoundOrRevisionNotFound"];
            409: components["responses"]["VersionDestroyed"];
            413: components["responses"]["PayloadTooLarge"];
            422: components["responses"]["NotRepresentable"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "set-secret": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
            /** @description The secret already existed, or it was a dry run. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetSecretResponse200"];
                };
            };
            /** @description The secret is new. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetSecretResponse201"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            412: components["responses"]["RevisionMismatchOrVersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-keys": {
        parameters: {
            query?: {
                /** @description Results per page. Without it, all results are returned. */
                limit?: number;
                /** @description Results to skip. Used only together with `limit`. */
                offset?: number;
                /** @description Only keys that start with this prefix. Case-sensitive. */
                search?: string;
                /** @description Read the environment as of this revision. Defaults to the current one. */
                revision?: number;
            };
            header?: {
                /** @description The `ETag` of an earlier response. If the environment is still at that revision, the response is `304`. */
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
            /** @description The environment is still at the revision of `If-None-Match`. No value was read or decrypted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrRevisionNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "compare-environments": {
        parameters: {
            query: {
                /** @description Slug of the other environment. */
                with: string;
                /** @description Whether to return the values. */
                values?: boolean;
            };
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
            /** @description The comparison. Each list is in key order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompareEnvironmentsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "import-secrets": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
            /** @description The result of the import. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "apply-changes": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
                "application/json": components["schemas"]["ApplyChangesRequest"];
            };
        };
        responses: {
            /** @description The result of the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyChangesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            412: components["responses"]["RevisionMismatchOrVersionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-versions": {
        parameters: {
            query?: {
                /** @description Whether to return the values. */
                values?: boolean;
                /** @description Results per page. Without it, all results are returned. */
                limit?: number;
                /** @description Results to skip. Used only together with `limit`. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-revisions": {
        parameters: {
            query?: {
                /** @description Revisions per page. */
                limit?: number;
                /** @description Only revisions before this one: `next` of the previous page. */
                before?: number;
            };
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
            /** @description The revisions. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRevisionsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "diff-revisions": {
        parameters: {
            query: {
                /** @description The first revision; 0 is empty. */
                from: number;
                /** @description The second revision. Defaults to the current one. */
                to?: number;
                /** @description Whether to return the values. */
                values?: boolean;
            };
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
            /** @description The differences. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffRevisionsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrRevisionNotFound"];
            409: components["responses"]["VersionDestroyed"];
            413: components["responses"]["PayloadTooLarge"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "restore-secrets": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
                "application/json": components["schemas"]["RestoreSecretsRequest"];
            };
        };
        responses: {
            /** @description The result of the restore. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreSecretsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            402: components["responses"]["PlanLimitExceeded"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrRevisionNotFound"];
            409: components["responses"]["VersionDestroyed"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "destroy-versions": {
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
                /** @description Environment slug. */
                env: components["parameters"]["env"];
                /** @description Secret key or template key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DestroyVersionsRequest"];
            };
        };
        responses: {
            /** @description The values were destroyed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DestroyVersionsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "promote-secrets": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
            /** @description The result of the promotion. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "bulk-delete-secrets": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
            /** @description The result of the deletion. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-secret": {
        parameters: {
            query?: {
                /** @description Whether to return only what the change would do. Everything is validated as for the change itself, but nothing is changed, recorded or sent. */
                dryRun?: boolean;
                /** @description The reason for the change, in one line. It is shown in the audit log and sent to webhooks: never include a secret. */
                message?: string;
            };
            header?: {
                /** @description Makes the change only if the environment is at this revision; otherwise the response is `412 revision_mismatch`. `*` matches any revision. */
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
            /** @description The secret was deleted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            412: components["responses"]["RevisionMismatch"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrSessionConfined"];
            409: components["responses"]["SlugTakenOrOrganizationLimitReached"];
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
            /** @description The organization was deleted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "rename-organization": {
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
                "application/json": components["schemas"]["RenameOrganizationRequest"];
            };
        };
        responses: {
            /** @description The organization. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenameOrganizationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-sign-in": {
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
            /** @description The provider. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetSignInResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "set-sign-in": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetSignInRequest"];
            };
        };
        responses: {
            /** @description The provider. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetSignInResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-sign-in": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no provider any more. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "verify-domain": {
        parameters: {
            query?: never;
            header: {
                /** @description Protects against cross-site request forgery. */
                "X-Requested-With": components["parameters"]["csrfHeader"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyDomainRequest"];
            };
        };
        responses: {
            /** @description The domain is verified. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyDomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            409: components["responses"]["DomainTakenOrDomainNotVerified"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            429: components["responses"]["RateLimited"];
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFound"];
            409: components["responses"]["TemplateKeyExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The template key was removed. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrTemplateKeyNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-template-key": {
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
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTemplateKeyRequest"];
            };
        };
        responses: {
            /** @description The template key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateTemplateKeyResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrTemplateKeyNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The result of the validation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidateEnvironmentResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            429: components["responses"]["RateLimited"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
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
            /** @description The webhook and its signing secret. The secret is shown only once. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFound"];
            429: components["responses"]["RateLimited"];
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
            /** @description The webhook was deleted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The webhook after the change. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrWebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "redeliver-webhook": {
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
                /** @description Delivery identifier. */
                deliveryId: components["parameters"]["deliveryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery is on its way. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeliverWebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrWebhookNotFoundOrDeliveryNotFound"];
            409: components["responses"]["WebhookInactiveOrNotRedeliverable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
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
            /** @description The invitation and its token. The token is shown only once. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            409: components["responses"]["AlreadyMember"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The caller is now a member. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrSessionConfined"];
            409: components["responses"]["AlreadyMember"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "remove-member": {
        parameters: {
            query?: {
                /** @description Whether to end the identities that the member created as well. */
                endIdentities?: boolean;
            };
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
            /** @description The member or invitation was removed. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemoveMemberResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrMemberNotFound"];
            409: components["responses"]["LastOwner"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrMemberNotFound"];
            409: components["responses"]["LastOwner"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-identities": {
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
            /** @description The identities. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListIdentitiesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "create-identity": {
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
                "application/json": components["schemas"]["CreateIdentityRequest"];
            };
        };
        responses: {
            /** @description The identity. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateIdentityResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrEmailNotVerifiedOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFound"];
            409: components["responses"]["IdentityLimitReached"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-identity": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Identity identifier. */
                identityId: components["parameters"]["identityId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetIdentityResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrIdentityNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "delete-identity": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Identity identifier. */
                identityId: components["parameters"]["identityId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The identity was deleted. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrIdentityNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "update-identity": {
        parameters: {
            query?: never;
            header?: {
                /** @description Required with the session cookie, against cross-site request forgery; not needed without it. */
                "X-Requested-With"?: components["parameters"]["csrfHeaderWithCookie"];
            };
            path: {
                /** @description Organization identifier. */
                orgId: components["parameters"]["orgId"];
                /** @description Identity identifier. */
                identityId: components["parameters"]["identityId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateIdentityRequest"];
            };
        };
        responses: {
            /** @description The identity after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdateIdentityResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrStepUpRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrProjectNotFoundOrEnvironmentNotFoundOrIdentityNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "exchange-assertion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeAssertionRequest"];
            };
        };
        responses: {
            /** @description A bearer token. It is shown only once. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExchangeAssertionResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["InvalidAssertion"];
            403: components["responses"]["ClaimsMismatch"];
            409: components["responses"]["AssertionReplayed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["IssuerUnavailableOrTemporarilyUnavailable"];
        };
    };
    "list-audit-entries": {
        parameters: {
            query?: {
                /** @description Results per page. */
                limit?: number;
                /** @description The number of entries to skip. Without effect together with `after`, which is a position by itself. */
                offset?: number;
                /** @description Only entries with this action. */
                action?: components["schemas"]["AuditAction"];
                /** @description Only what this user or identity did. */
                actor?: string;
                /** @description Only what was done with this token. */
                tokenId?: string;
                /** @description Only entries about this project and its environments. */
                project?: string;
                /** @description Only entries about this environment. */
                environment?: string;
                /** @description Only entries about this key, and pulls of everything at a revision that had it. What revisions of a deleted environment had is not known. */
                key?: string;
                /** @description Only entries from this time on. */
                since?: string;
                /** @description Only entries before this time. */
                until?: string;
                /** @description `next` of the previous page. */
                after?: string;
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "feed-audit-entries": {
        parameters: {
            query?: {
                /** @description Entries per page. */
                limit?: number;
                /** @description `next` of the previous page. */
                after?: string;
                /** @description Only entries with this action. */
                action?: components["schemas"]["AuditAction"];
                /** @description Only what this user or identity did. */
                actor?: string;
                /** @description Only what was done with this token. */
                tokenId?: string;
                /** @description Only entries about this project and its environments. */
                project?: string;
                /** @description Only entries about this environment. */
                environment?: string;
                /** @description Only entries about this key, and pulls of everything at a revision that had it. What revisions of a deleted environment had is not known. */
                key?: string;
                /** @description Only entries from this time on. */
                since?: string;
                /** @description Only entries before this time. */
                until?: string;
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
            /** @description The next entries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedAuditEntriesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            410: components["responses"]["CursorExpired"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "get-exposure": {
        parameters: {
            query?: {
                /** @description What a token saw. */
                tokenId?: string;
                /** @description What an identity saw, with all of its tokens. */
                identityId?: string;
                /** @description What a user saw, with all sessions and tokens. */
                userId?: string;
                /** @description What a session saw. */
                sessionId?: string;
                /** @description The environment of the secret whose readers are asked for. */
                environment?: string;
                /** @description The key of that secret. */
                key?: string;
                /** @description Only from this time on. */
                since?: string;
                /** @description Only before this time. */
                until?: string;
                /** @description `next` of the previous page. */
                after?: string;
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
            /** @description What became known, or to whom. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["requestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetExposureResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFoundOrEnvironmentNotFoundOrSecretNotFound"];
            429: components["responses"]["RateLimited"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["SecondFactorRequiredOrInsufficientScopeOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            429: components["responses"]["RateLimited"];
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
            /** @description The checkout’s URL. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
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
            /** @description The portal’s URL. */
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
            403: components["responses"]["SecondFactorRequiredOrForbiddenOrInsufficientScopeOrCsrfHeaderRequiredOrProviderRequired"];
            404: components["responses"]["OrganizationNotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["BillingProviderError"];
            503: components["responses"]["BillingNotConfiguredOrTemporarilyUnavailable"];
        };
    };
    "receive-provider-event": {
        parameters: {
            query?: never;
            header?: {
                /** @description The provider’s signature over the raw body. Without a valid signature, the response is `invalid_signature`. */
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
            /** @description The event was received. */
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequiredOrSessionConfined"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
    "list-organizations": {
        parameters: {
            query?: {
                /** @description Results per page. Without it, all results are returned. */
                limit?: number;
                /** @description Results to skip. Used only together with `limit`. */
                offset?: number;
                /** @description Only organizations whose slug or name starts with this, case-insensitive. */
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
            403: components["responses"]["InsufficientScopeOrAdminRequiredOrSessionConfined"];
            413: components["responses"]["PayloadTooLarge"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequiredOrSessionConfined"];
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
            /** @description The organization and its current limits. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrAdminRequiredOrStepUpRequiredOrSessionConfined"];
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
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["InsufficientScopeOrAdminRequiredOrSessionConfined"];
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
            /** @description The plan after the change. */
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
            403: components["responses"]["InsufficientScopeOrCsrfHeaderRequiredOrAdminRequiredOrStepUpRequiredOrSessionConfined"];
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
            403: components["responses"]["InsufficientScopeOrAdminRequiredOrSessionConfined"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["TemporarilyUnavailable"];
        };
    };
}
