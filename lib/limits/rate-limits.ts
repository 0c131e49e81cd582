import { createHash } from 'node:crypto';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { settings } from '../core/settings.ts';
import { at } from '../table/read.ts';
import { rateRecord } from '../table/records/limits.ts';
import type { Counter } from './count.ts';

/*
 * Every rate limit of the service. They are counted in `count.ts`, except for the organization's share, which
 * `fair-share.ts` counts for every request. `networkOf` derives a network from a caller's address.
 */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Wrong passwords at log-in, per e-mail address and network. */
export const failedLogins = /* @__PURE__ */ limit(
  'login',
  () => settings().LOGIN_FAILURE_LIMIT,
  15 * minute,
  (email: string, network: string) => `${normalizeEmail(email)} ${network}`,
);

/** Wrong passwords at log-in per network. Ten times as many, because many people may share a network. */
export const failedLoginsOfNetwork = /* @__PURE__ */ limit<[network: string]>(
  'login-address',
  () => times(10, settings().LOGIN_FAILURE_LIMIT),
  15 * minute,
);

/**
 * Wrong passwords at log-ins that may break glass, per account. They count here while others have used up the network's
 * window, so that one machine behind a shared address doesn't lock out the owners whose provider has failed.
 */
export const failedBreakGlass = /* @__PURE__ */ limit<[userId: string]>(
  'login-break-glass',
  () => settings().LOGIN_FAILURE_LIMIT,
  15 * minute,
);

/** Wrong passwords of a signed-in user. Counted per account, so a stolen session can't guess from many addresses. */
export const wrongCurrentPasswords = /* @__PURE__ */ limit<[userId: string]>(
  'current-password',
  () => settings().LOGIN_FAILURE_LIMIT,
  15 * minute,
);

/** Wrong codes of a second factor. Three time steps are accepted, so a guess has a chance of 3 in a million. */
export const wrongCodes = /* @__PURE__ */ limit<[userId: string]>('second-factor', () => 5, 15 * minute);

/** E-mails about wrong codes: one per window of `wrongCodes`. */
export const wrongCodeMails = /* @__PURE__ */ limit<[userId: string, windowEndsAt: number]>(
  'second-factor-mail',
  () => 1,
  15 * minute,
);

/** E-mails about changed factors. Without a limit, adding and removing a factor repeatedly would flood the mailbox. */
export const factorMails = /* @__PURE__ */ limit<[userId: string]>('factor-mails', () => 5, hour);

export const recoveryCodeRenewals = /* @__PURE__ */ limit<[userId: string]>('recovery-codes', () => 5, hour);

/** Passkey-only log-ins started per network. Each writes a challenge before anything is proved. */
export const passkeyLogins = /* @__PURE__ */ limit<[network: string]>(
  'passkey-login',
  () => times(10, settings().LOGIN_FAILURE_LIMIT),
  15 * minute,
);

/**
 * Sign-ins with an organization's provider started per network. A whole company may share one, and comes on Monday
 * morning. Those of other organizations don't count, so that nobody uses up theirs.
 */
export const startedSignIns = /* @__PURE__ */ limit<[organizationSlug: string, network: string]>(
  'provider-sign-in',
  () => times(30, settings().LOGIN_FAILURE_LIMIT),
  15 * minute,
);

/** Look-ups of an address's sign-in methods per network. */
export const signInLookups = /* @__PURE__ */ limit<[network: string]>(
  'sign-in-methods',
  () => times(30, settings().LOGIN_FAILURE_LIMIT),
  15 * minute,
);

/** Look-ups of TXT records, whose name servers customers choose. */
export const domainLookups = /* @__PURE__ */ limit<[organizationId: string]>('domain-lookups', () => 60, hour);

/** Audit entries about refused sign-ins: anyone with an account at the provider could fill the audit log. */
export const refusedSignIns = /* @__PURE__ */ limit<[organizationId: string]>('sign-in-refusals', () => 100, hour);

/** E-mails to an organization's owners about log-ins without the required provider. */
export const breakGlassMails = /* @__PURE__ */ limit<[organizationId: string]>('break-glass-mails', () => 20, hour);

export const registrations = /* @__PURE__ */ limit<[network: string]>(
  'register',
  () => settings().REGISTER_LIMIT_PER_HOUR,
  hour,
);

/**
 * Accounts made by sign-ins with an organization's provider, which could name any number of people. More than this where
 * the organization has more free places (see `withRoomFor`).
 */
export const accountsFromProvider = /* @__PURE__ */ limit<[organizationId: string]>(
  'provider-accounts',
  () => 100,
  hour,
);

/**
 * Per network, because one person may have many organizations. Ten times as many as may register, and more where the
 * organization has more free places: a whole company may share one network.
 */
export const accountsFromProviderOfNetwork = /* @__PURE__ */ limit<[network: string]>(
  'provider-accounts-address',
  () => times(10, settings().REGISTER_LIMIT_PER_HOUR),
  hour,
);

/**
 * Sign-ins that come back from an organization's provider, per network. Each makes the service wait for a host that a
 * customer chose, so it counts before anything is sent. Strangers elsewhere can't use up a company's share.
 */
export const completedSignIns = /* @__PURE__ */ limit<[organizationId: string, network: string]>(
  'provider-callbacks',
  () => (settings().REQUESTS_PER_MINUTE < 0 ? -1 : 300),
  minute,
);

export const passwordResets = /* @__PURE__ */ limit(
  'password-reset',
  () => settings().PASSWORD_RESET_LIMIT_PER_HOUR,
  hour,
  normalizeEmail,
);

/** Per network. Ten times as many, because many people may share a network. */
export const passwordResetsOfNetwork = /* @__PURE__ */ limit<[network: string]>(
  'password-reset-address',
  () => times(10, settings().PASSWORD_RESET_LIMIT_PER_HOUR),
  hour,
);

/** Anyone can register somebody else's address, so it gets as few e-mails as from invitations. */
export const verificationMails = /* @__PURE__ */ limit('verification', () => 5, day, normalizeEmail);

/** Invitations sent by an organization. */
export const invitationsFrom = /* @__PURE__ */ limit<[organizationId: string]>(
  'invitations',
  () => settings().INVITATION_LIMIT_PER_DAY,
  day,
);

/** Invitations to one address, from all organizations together, so that several of them can't flood one mailbox. */
export const invitationsTo = /* @__PURE__ */ limit(
  'invitations-of-address',
  () => (settings().INVITATION_LIMIT_PER_DAY < 0 ? -1 : 5),
  day,
  normalizeEmail,
);

/**
 * Exchanges whose assertion could not be verified, per organization. Forged assertions don't use up any other limit,
 * and above this one they no longer make the service contact an issuer for its keys.
 */
export const failedExchanges = /* @__PURE__ */ limit<[organizationSlug: string]>(
  'failed-exchanges',
  () => times(0.1, settings().REQUESTS_PER_MINUTE),
  minute,
);

/**
 * Fetches of issuers' keys, per organization. Each makes an exchange wait for a host that a customer chose, so it counts
 * when it starts. Strangers can't use this up: an organization has at most 50 identities, and the keys of an issuer are
 * fetched at most once a minute.
 */
export const keyFetches = /* @__PURE__ */ limit<[organizationSlug: string]>(
  'key-fetches',
  () => (settings().REQUESTS_PER_MINUTE < 0 ? -1 : 60),
  minute,
);

/** Per network, because one person may have many organizations. */
export const keyFetchesOfNetwork = /* @__PURE__ */ limit<[network: string]>(
  'key-fetches-address',
  () => (settings().REQUESTS_PER_MINUTE < 0 ? -1 : 120),
  minute,
);

/**
 * Audit entries about rejected assertions: anyone who can get genuine ones for an audience could fill the audit log.
 */
export const recordedRefusals = /* @__PURE__ */ limit<[identityId: string]>('identity-refusals', () => 100, hour);

/** Requests of an organization's own callers in one clock minute. */
export const requestsOfOrganization = /* @__PURE__ */ limit<[organizationId: string, minuteOfClock: number]>(
  'requests',
  () => settings().REQUESTS_PER_MINUTE,
  minute,
);

/**
 * @param bound how many are allowed per window; -1 means unlimited
 * @param subject the subject that is counted, by default all parts; only its hash is stored
 */
function limit<const Subject extends readonly unknown[]>(
  name: string,
  bound: () => number,
  windowSeconds: number,
  subject: (...parts: Subject) => string = (...parts) => parts.join(' '),
): (...parts: Subject) => Counter {
  return (...parts) => {
    const hash = createHash('sha256')
      .update(subject(...parts))
      .digest('base64url');
    return { bound: bound(), windowSeconds, item: at(rateRecord, name, hash) };
  };
}

/** The counter with a bound of at least `places`; -1 means unlimited. */
export function withRoomFor(counter: Counter, places: number): Counter {
  return { ...counter, bound: counter.bound < 0 || places < 0 ? -1 : Math.max(counter.bound, places) };
}

function times(factor: number, bound: number): number {
  return bound < 0 ? bound : Math.ceil(factor * bound);
}
