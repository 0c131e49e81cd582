import { createHash } from 'node:crypto';
import { normalizeEmail } from '../contracts/fields/text.ts';
import { settings } from '../core/settings.ts';
import { at } from '../table/read.ts';
import { rateRecord } from '../table/records/rate.ts';
import type { Counter } from './count.ts';

/*
 * Every rate limit of the service. `count.ts` counts them, but the organization's share, which is counted for each request
 * in `fair-share.ts`. A network is what `networkOf` makes of a caller's address.
 */

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Wrong passwords at log-in, for an e-mail address from one network. */
export const failedLogins = /* @__PURE__ */ limit(
  'login',
  () => settings().LOGIN_FAILURE_LIMIT,
  15 * minute,
  (email: string, network: string) => `${normalizeEmail(email)} ${network}`,
);

/** Wrong passwords at log-in from one network, ten times as many, because many people may share it. */
export const failedLoginsOfNetwork = /* @__PURE__ */ limit(
  'login-address',
  () => times(10, settings().LOGIN_FAILURE_LIMIT),
  15 * minute,
  (network: string) => network,
);

/** Wrong passwords of a signed-in user. On the account, so a stolen session can't guess from many addresses. */
export const wrongCurrentPasswords = /* @__PURE__ */ limit(
  'current-password',
  () => settings().LOGIN_FAILURE_LIMIT,
  15 * minute,
  (userId: string) => userId,
);

/** Wrong codes of a second factor. Three time steps are accepted, so a guess is right with a chance of 3 in a million. */
export const wrongCodes = /* @__PURE__ */ limit(
  'second-factor',
  () => 5,
  15 * minute,
  (userId: string) => userId,
);

/** Mails about wrong codes: one for each window of `wrongCodes`. */
export const wrongCodeMails = /* @__PURE__ */ limit(
  'second-factor-mail',
  () => 1,
  15 * minute,
  (userId: string, windowEndsAt: number) => `${userId} ${windowEndsAt}`,
);

/** Mails about changes of an account's factors. Without the bound, adding and removing one floods its mailbox. */
export const factorMails = /* @__PURE__ */ limit(
  'factor-mails',
  () => 5,
  hour,
  (userId: string) => userId,
);

export const recoveryCodeRenewals = /* @__PURE__ */ limit(
  'recovery-codes',
  () => 5,
  hour,
  (userId: string) => userId,
);

/** Log-ins with a passkey alone that one network begins. Each writes a challenge before anything is proved. */
export const passkeyLogins = /* @__PURE__ */ limit(
  'passkey-login',
  () => times(10, settings().LOGIN_FAILURE_LIMIT),
  15 * minute,
  (network: string) => network,
);

export const registrations = /* @__PURE__ */ limit(
  'register',
  () => settings().REGISTER_LIMIT_PER_HOUR,
  hour,
  (network: string) => network,
);

export const passwordResets = /* @__PURE__ */ limit(
  'password-reset',
  () => settings().PASSWORD_RESET_LIMIT_PER_HOUR,
  hour,
  normalizeEmail,
);

/** Of one network, ten times as many, because many people may share it. */
export const passwordResetsOfNetwork = /* @__PURE__ */ limit(
  'password-reset-address',
  () => times(10, settings().PASSWORD_RESET_LIMIT_PER_HOUR),
  hour,
  (network: string) => network,
);

/** Enough for a user whose mail does not arrive, and too few to flood another person's mailbox. */
export const verificationMails = /* @__PURE__ */ limit(
  'verification',
  () => 20,
  hour,
  (userId: string) => userId,
);

/** Invitations that an organization sends. */
export const invitationsFrom = /* @__PURE__ */ limit(
  'invitations',
  () => settings().INVITATION_LIMIT_PER_DAY,
  day,
  (organizationId: string) => organizationId,
);

/** Invitations to one address, from all organizations together, so that many of them cannot flood one mailbox. */
export const invitationsTo = /* @__PURE__ */ limit(
  'invitations-of-address',
  () => (settings().INVITATION_LIMIT_PER_DAY < 0 ? -1 : 5),
  day,
  normalizeEmail,
);

/**
 * Exchanges whose assertion could not be verified, for an organization. Forged ones use up nothing of what its members
 * have, and behind the bound they no longer make the service ask an issuer for its keys.
 */
export const failedExchanges = /* @__PURE__ */ limit(
  'failed-exchanges',
  () => times(0.1, settings().REQUESTS_PER_MINUTE),
  minute,
  (organizationSlug: string) => organizationSlug,
);

/** Audit entries about refused assertions: anybody who gets genuine ones for an audience could fill the audit log. */
export const recordedRefusals = /* @__PURE__ */ limit(
  'identity-refusals',
  () => 100,
  hour,
  (identityId: string) => identityId,
);

/** Requests of an organization's own callers in one minute of the clock. */
export const requestsOfOrganization = /* @__PURE__ */ limit(
  'requests',
  () => settings().REQUESTS_PER_MINUTE,
  minute,
  (organizationId: string, minuteOfClock: number) => `${organizationId} ${minuteOfClock}`,
);

/**
 * @param bound how many are taken in a window; -1 is no bound
 * @param subject what they are counted for. Only its hash is stored.
 */
function limit<const Subject extends readonly unknown[]>(
  name: string,
  bound: () => number,
  windowSeconds: number,
  subject: (...parts: Subject) => string,
): (...parts: Subject) => Counter {
  return (...parts) => {
    const hash = createHash('sha256')
      .update(subject(...parts))
      .digest('base64url');
    return { bound: bound(), windowSeconds, item: at(rateRecord, name, hash) };
  };
}

function times(factor: number, bound: number): number {
  return bound < 0 ? bound : Math.ceil(factor * bound);
}
