/** The limits of calls to AWS: up to three attempts with the SDK's jittered back-off; one that hangs ends after 5 s. */
export const callLimits = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 5000, throwOnRequestTimeout: true },
};
