import { maximumReceives } from '../../lib/deliveries/message.ts';

/** How often each queue hands a message over before it goes to the dead-letter queue, deployed and locally. */
export const receives = {
  /** The sender treats the last receive as such: it logs a delivery it cannot prepare as failed. */
  webhooks: maximumReceives,
  /** Deployed they are six minutes apart: a step may fail for an hour before an operator has to look at it. */
  jobs: 10,
} as const;
