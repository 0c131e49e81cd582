import { createHash } from 'node:crypto';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { settings } from '../core/settings.ts';
import { at } from '../table/read.ts';
import { rateRecord } from '../table/records/limits.ts';
import type { Counter } from './count.ts';

/* Every rate limit of the service, counted by `count.ts`, or by `fair-share.ts` for an organization's share. */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

type Network = [network: string];
type User = [userId: string];
type Organization = [organizationId: string];
/** Separate for each organization, so that none uses up another's. */
type OwnPerson = [organizationId: string, userId: string];
type Slug = [organizationSlug: string];

/** The bound for log-ins, times a factor where many people may share what is counted. */
const logIns = (factor = 1) => times(factor, settings().LOGIN_FAILURE_LIMIT);

/** The same for mailed reset links. */
const resets = (factor = 1) => times(factor, settings().PASSWORD_RESET_LIMIT_PER_HOUR);

const invitations = () => settings().INVITATION_LIMIT_PER_DAY;

/** A bound that is lifted together with the limit on requests. */
const withRequests = (bound: number) => (settings().REQUESTS_PER_MINUTE < 0 ? -1 : bound);

export const failedLogins = /* @__PURE__ */ limit(
  'login',
  () => logIns(),
  15 * minute,
  (email: string, network: string) => `${normalizeEmail(email)} ${network}`,
);

/** Wrong passwords at log-in per network. Ten times as many, because many people may share a network. */
export const failedLoginsOfNetwork = /* @__PURE__ */ limit<Network>('login-address', () => logIns(10), 15 * minute);

/**
 * Per account, for log-ins that may break glass. They count here once others have used up the network's window, so that
 * one machine behind a shared address can't lock out owners whose provider has failed.
 */
export const failedBreakGlass = /* @__PURE__ */ limit<User>('login-break-glass', () => logIns(), 15 * minute);

/** Wrong passwords of a signed-in user. Counted per account, so a stolen session can't guess from many addresses. */
export const wrongCurrentPasswords = /* @__PURE__ */ limit<User>('current-password', () => logIns(), 15 * minute);

/** Wrong codes of a second factor. Three time steps are accepted, so a guess has a chance of 3 in a million. */
export const wrongCodes = /* @__PURE__ */ limit<User>('second-factor', () => 5, 15 * minute);

export const wrongCodeMails = /* @__PURE__ */ limit<[userId: string, windowEndsAt: number]>(
  'second-factor-mail',
  () => 1,
  15 * minute,
);

/** E-mails about changed factors. Without a limit, adding and removing a factor repeatedly would flood the mailbox. */
export const factorMails = /* @__PURE__ */ limit<User>('factor-mails', () => 5, hour);

export const recoveryCodeRenewals = /* @__PURE__ */ limit<User>('recovery-codes', () => 5, hour);

/** Passkey-only log-ins started per network. Each writes a challenge before anything is proved. */
export const passkeyLogins = /* @__PURE__ */ limit<Network>('passkey-login', () => logIns(10), 15 * minute);

/** Sign-ins with an organization's provider started per network, which a whole company may share. */
export const startedSignIns = /* @__PURE__ */ limit<[organizationSlug: string, network: string]>(
  'provider-sign-in',
  () => logIns(30),
  15 * minute,
);

export const signInLookups = /* @__PURE__ */ limit<Network>('sign-in-methods', () => logIns(30), 15 * minute);

/** Look-ups of TXT records, whose name servers customers choose. */
export const domainLookups = /* @__PURE__ */ limit<Organization>('domain-lookups', () => 60, hour);

/** Audit entries about refused sign-ins: anyone with an account at the provider could fill the audit log. */
export const refusedSignIns = /* @__PURE__ */ limit<Organization>('sign-in-refusals', () => 100, hour);

/** E-mails to an organization's owners about log-ins without the required provider. */
export const breakGlassMails = /* @__PURE__ */ limit<Organization>('break-glass-mails', () => 20, hour);

/** E-mails to one person about proposals in an organization. */
export const proposalMails = /* @__PURE__ */ limit<OwnPerson>('proposal-mails', () => 1, hour);

/** The same about requests for access. */
export const grantRequestMails = /* @__PURE__ */ limit<OwnPerson>('grant-request-mails', () => 1, hour);

export const registrations = /* @__PURE__ */ limit<Network>('register', () => settings().REGISTER_LIMIT_PER_HOUR, hour);

/** Accounts made by sign-ins with an organization's provider. More if it has more free places (`withRoomFor`). */
export const accountsFromProvider = /* @__PURE__ */ limit<Organization>('provider-accounts', () => 100, hour);

/** Per network, because one person may have many organizations. Likewise more if there are more free places. */
export const accountsFromProviderOfNetwork = /* @__PURE__ */ limit<Network>(
  'provider-accounts-address',
  () => times(10, settings().REGISTER_LIMIT_PER_HOUR),
  hour,
);

/**
 * Sign-ins that return from an organization's provider. Each waits for a host that a customer chose, so it counts
 * before anything is sent. Per network too, so that strangers can't use up a company's share.
 */
export const completedSignIns = /* @__PURE__ */ limit<[organizationId: string, network: string]>(
  'provider-callbacks',
  () => withRequests(300),
  minute,
);

export const passwordResets = /* @__PURE__ */ limit('password-reset', () => resets(), hour, normalizeEmail);

/** Per network. Ten times as many, because many people may share a network. */
export const passwordResetsOfNetwork = /* @__PURE__ */ limit<Network>('password-reset-address', () => resets(10), hour);

/** Anyone can register somebody else's address, so it gets as few e-mails as from invitations. */
export const verificationMails = /* @__PURE__ */ limit('verification', () => 5, day, normalizeEmail);

/** Requested changes of an account's address. Each sends two e-mails. */
export const emailChanges = /* @__PURE__ */ limit<User>('email-changes', () => 5, day);

export const invitationsFrom = /* @__PURE__ */ limit<Organization>('invitations', invitations, day);

/** Invitations to one address, from all organizations together, so that several of them can't flood one mailbox. */
export const invitationsTo = /* @__PURE__ */ limit(
  'invitations-of-address',
  () => (invitations() < 0 ? -1 : 5),
  day,
  normalizeEmail,
);

/**
 * Exchanges whose assertion could not be verified. Forged ones use up no other limit, and above this one they no longer
 * make the service fetch an issuer's keys.
 */
export const failedExchanges = /* @__PURE__ */ limit<Slug>(
  'failed-exchanges',
  () => times(0.1, settings().REQUESTS_PER_MINUTE),
  minute,
);

/**
 * Fetches of issuers' keys. Each waits for a host that a customer chose, so it counts when it starts. Strangers can't
 * use this up: an organization has at most 50 identities, and an issuer is asked once a minute at most.
 */
export const keyFetches = /* @__PURE__ */ limit<Slug>('key-fetches', () => withRequests(60), minute);

/** Per network, because one person may have many organizations. */
export const keyFetchesOfNetwork = /* @__PURE__ */ limit<Network>(
  'key-fetches-address',
  () => withRequests(120),
  minute,
);

/** Audit entries about rejected assertions: anyone who can get genuine ones could fill the audit log. */
export const recordedRefusals = /* @__PURE__ */ limit<[identityId: string]>('identity-refusals', () => 100, hour);

/** Requests of an organization's own callers in one clock minute. */
export const requestsOfOrganization = /* @__PURE__ */ limit<
  [organizationId: string, minuteOfClock: number, bound: number]
>(
  'requests',
  (_organizationId, _minuteOfClock, bound) => bound,
  minute,
  (organizationId, minuteOfClock) => `${organizationId} ${minuteOfClock}`,
);

/**
 * @param bound how many are allowed per window; -1 means unlimited
 * @param subject the subject that is counted, by default all parts; only its hash is stored
 */
function limit<const Subject extends readonly unknown[]>(
  name: string,
  bound: (...parts: NoInfer<Subject>) => number,
  windowSeconds: number,
  subject: (...parts: Subject) => string = (...parts) => parts.join(' '),
): (...parts: Subject) => Counter {
  return (...parts) => {
    const counted = subject(...parts);
    const hash = createHash('sha256').update(counted).digest('base64url');
    return { bound: bound(...parts), windowSeconds, item: at(rateRecord, name, hash) };
  };
}

/** The counter with a bound of at least `places`; -1 means unlimited. */
export function withRoomFor(counter: Counter, places: number): Counter {
  return { ...counter, bound: counter.bound < 0 || places < 0 ? -1 : Math.max(counter.bound, places) };
}

const times = (factor: number, bound: number): number => (bound < 0 ? bound : Math.ceil(factor * bound));
