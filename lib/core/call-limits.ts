/** The limits of calls to AWS: up to three attempts with the SDK's jittered back-off; one that hangs ends after 5 s. */
export const callLimits = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
};

/** The limits of the single read from the other region, whose outage must not delay requests in this one. */
export const peerCallLimits = {
  maxAttempts: 1,
  requestHandler: { ...callLimits.requestHandler, requestTimeout: 1000 },
};

/** For a machine that runs what it calls. While that machine is busy, a call can take longer than one to AWS. */
export function allowSlowCalls(): void {
  for (const { requestHandler } of [callLimits, peerCallLimits]) {
    Object.assign(requestHandler, { connectionTimeout: 20_000, requestTimeout: 20_000 });
  }
}
