import type { PlanName } from '../contracts/fields/limits.ts';
import type { BillingState, OrganizationRecord } from '../table/records/organization.ts';

/** What an event says about one subscription, in the service's terms. */
export interface SubscriptionUpdate {
  /** The provider's time of the event in epoch seconds: the order of events of one subscription. */
  created: number;
  /** null if the event names none; then it is about the current subscription. */
  subscriptionId: string | null;
  customerId: string | null;
  /**
   * - `active`: paid for, or in a trial.
   * - `past_due`: a payment failed and the provider still retries; the plan stays.
   * - `suspended`: the provider stopped collecting or the subscription is paused. It can resume, but the plan ends.
   * - `canceled`: over for good.
   * - `pending`: the first payment is open; nothing is granted or ended.
   */
  state: 'active' | 'past_due' | 'suspended' | 'canceled' | 'pending';
  /** undefined if the event names none. */
  plan: PlanName | undefined;
  /** ISO 8601; undefined if the event does not say. */
  currentPeriodEnd: string | undefined;
  /** An invoice reports a payment, not the subscription's state, so it neither ends nor revives one. */
  fromInvoice: boolean;
}

type Known = Pick<OrganizationRecord, 'plan' | 'planChangedAtMs' | 'billing'>;

export interface BillingChange {
  plan: PlanName;
  billing: BillingState;
}

/** An organization has one subscription at a time. The times of this many are kept to recognize late events. */
const rememberedSubscriptions = 20;

/** Orders the events that name no subscription. */
const unnamed = 'unnamed';

/**
 * Applies an update to an organization's plan and billing; undefined if it changes nothing. Pure.
 * An older update of the same subscription changes nothing; one of the same second is applied. An update of another
 * subscription counts only if that one is active or the current one has ended: an old subscription that ends must not
 * take away the plan that is being paid. Times of different subscriptions are not compared. A plan set by an
 * administrator gives way to later events only, compared in whole seconds, the precision of the provider's times.
 */
export function applyUpdate(known: Known, update: SubscriptionUpdate): BillingChange | undefined {
  const before: BillingState = known.billing ?? {
    customerId: null,
    subscriptionId: null,
    status: 'none',
    currentPeriodEnd: null,
    eventTimes: {},
  };
  const orderedBy = update.subscriptionId ?? unnamed;
  const lastTime = timeOf(before, orderedBy);
  if (lastTime !== undefined && update.created < lastTime) return undefined;
  if (update.fromInvoice && !invoiceCounts(before, update)) return undefined;

  const billing: BillingState = {
    ...before,
    customerId: before.customerId ?? update.customerId,
    eventTimes: newestTimes({ ...before.eventTimes, [orderedBy]: update.created }),
  };
  if (!concernsPresentState(before, update)) return { plan: known.plan, billing };

  const isSame = update.subscriptionId === null || before.subscriptionId === update.subscriptionId;
  const isOver = update.state === 'canceled';
  billing.subscriptionId = update.subscriptionId ?? (isAlive(before) ? before.subscriptionId : null);
  billing.customerId = update.customerId ?? before.customerId;
  billing.status = update.state === 'suspended' ? 'past_due' : (update.state as BillingState['status']);
  billing.currentPeriodEnd = isOver ? null : (update.currentPeriodEnd ?? (isSame ? before.currentPeriodEnd : null));
  const grantsNothing = isOver || update.state === 'suspended';
  const plan = grantsNothing ? 'free' : (update.plan ?? known.plan);
  const adminWasLater = update.created < Math.floor(known.planChangedAtMs / 1000);
  return { plan: adminWasLater ? known.plan : plan, billing };
}

function concernsPresentState(before: BillingState, update: SubscriptionUpdate): boolean {
  if (update.state === 'pending') return false;
  if (before.subscriptionId === null || before.subscriptionId === update.subscriptionId) return true;
  if (!isAlive(before)) return update.state !== 'canceled';
  return update.state === 'active';
}

function isAlive({ status }: BillingState): boolean {
  return status === 'active' || status === 'past_due';
}

/** A payment counts for the current live subscription, or for a new one whose plan it names. */
function invoiceCounts(before: BillingState, update: SubscriptionUpdate): boolean {
  if (before.subscriptionId === update.subscriptionId) return before.status !== 'canceled';
  if (before.subscriptionId === null && isAlive(before)) return true;
  const isUnknown = update.subscriptionId !== null && timeOf(before, update.subscriptionId) === undefined;
  return isUnknown && update.state === 'active' && update.plan !== undefined;
}

function timeOf(billing: BillingState, subscriptionId: string): number | undefined {
  return Object.hasOwn(billing.eventTimes, subscriptionId) ? billing.eventTimes[subscriptionId] : undefined;
}

function newestTimes(eventTimes: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(eventTimes)
      .sort(([, a], [, b]) => b - a)
      .slice(0, rememberedSubscriptions),
  );
}
