/* Short-lived cookies of a sign-in with a company's provider. Each is only sent to the routes that need it. */

/** Ties a sign-in to the browser that started it. */
export const startedSignInCookie = '__service_sign_in';

/** The account's second factor completes a sign-in. */
export const factorCookie = '__service_factor';

/** The next log-in of the account links it to the provider. */
export const linkCookie = '__service_link';
