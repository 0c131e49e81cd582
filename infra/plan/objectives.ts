/**
 * The service level objectives over 30 days. Alarms fire on the rate at which the error budget is used up (Google's SRE
 * workbook, "Alerting on SLOs"): at 14.4 times the sustainable rate, one hour uses 2 % of a month's budget.
 */
export const objectives = {
  /** Requests that do not fail with a server error, percent. */
  availability: 99.9,
  /** Pulls that the gateway answers within this time, percent. */
  fastPulls: 99,
  fastPullMs: 1_000,
} as const;

/** At this rate, a month's budget lasts two days. Measured over an hour. */
export const fastBurn = 14.4;

/** At this rate, it lasts five days. Measured over six hours. */
export const slowBurn = 6;
