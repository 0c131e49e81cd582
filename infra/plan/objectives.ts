/**
 * What users are promised over 30 days. An alarm rings by the rate at which the rest, the error budget, is used up
 * (Google's SRE workbook, "Alerting on SLOs"): at 14.4 times the even rate an hour takes 2 % of a month's budget.
 */
export const objectives = {
  /** Requests that do not end with an error of the service, percent. */
  availability: 99.9,
  /** Pulls that the gateway answers within the time, percent. */
  fastPulls: 99,
  fastPullMs: 1_000,
} as const;

/** Used up so fast, a month's budget lasts two days: the window is an hour. */
export const fastBurn = 14.4;

/** Used up so fast, it lasts five days: the window is six hours. */
export const slowBurn = 6;
