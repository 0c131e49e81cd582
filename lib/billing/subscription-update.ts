import type { PlanName } from '../contracts/fields/limits.ts';
import { epochSeconds } from '../core/time.ts';
import type { BillingState, OrganizationRecord } from '../table/records/organization.ts';

/** What an event says about one subscription, in the service's terms. */
export interface SubscriptionUpdate {
  /** The payment provider's timestamp of the event in epoch seconds; it orders the events of one subscription. */
  created: number;
  /** null for the current subscription. */
  subscriptionId: string | null;
  customerId: string | null;
  /**
   * - `active`: paid for, or in a trial.
   * - `past_due`: a payment failed and the provider is still retrying; the plan stays.
   * - `suspended`: the provider stopped collecting payments, or the subscription is paused. The plan ends.
   * - `canceled`: ended permanently.
   * - `pending`: waiting for the first payment; nothing is granted or revoked.
   */
  state: 'active' | 'past_due' | 'suspended' | 'canceled' | 'pending';
  plan?: PlanName | undefined;
  /** ISO 8601. */
  currentPeriodEnd?: string | undefined;
  /** An invoice reports a payment, not the subscription's state, so it neither ends nor revives a subscription. */
  fromInvoice: boolean;
}

/** The state of an organization that has never had a customer or a subscription. */
export const noBilling: BillingState = {
  customerId: null,
  subscriptionId: null,
  status: 'none',
  currentPeriodEnd: null,
  eventTimes: {},
};

/** The event times of this many are kept to recognize late events. */
const rememberedSubscriptions = 20;

/** The order of events that name no subscription. */
const unnamed = 'unnamed';

/**
 * Applies an update to an organization's plan and billing; undefined if nothing changes. Pure.
 * Older updates of the same subscription are ignored; an update with the same second is applied, unless the subscription
 * ended in it. An update of a different subscription only counts if that one is active or the current one has ended: the
 * end of an old subscription must not revoke a plan that is being paid for. Timestamps of different subscriptions are
 * never compared. Only later events, by whole seconds, replace a plan that an administrator set.
 */
export function applyUpdate(
  organization: Pick<OrganizationRecord, 'plan' | 'planChangedAtMs' | 'billing'>,
  update: SubscriptionUpdate,
): { plan: PlanName; billing: BillingState } | undefined {
  const stored = organization.billing ?? noBilling;
  const orderedBy = update.subscriptionId ?? unnamed;
  const lastTime = timeOf(stored, orderedBy);
  if (lastTime !== undefined && update.created < lastTime) return undefined;
  if (update.fromInvoice && !invoiceCounts(stored, update)) return undefined;

  const isOver = update.state === 'canceled';
  const time = update.created + (isOver ? 1 : 0);
  const billing: BillingState = {
    ...stored,
    customerId: stored.customerId ?? update.customerId,
    eventTimes: update.fromInvoice ? stored.eventTimes : newestTimes({ ...stored.eventTimes, [orderedBy]: time }),
  };
  if (!concernsPresentState(stored, update)) return { plan: organization.plan, billing };

  const isSame = update.subscriptionId === null || stored.subscriptionId === update.subscriptionId;
  const current = isSame ? stored : noBilling;
  const state = stateAfter(current, organization.plan, update);
  billing.subscriptionId = update.subscriptionId ?? (isAlive(stored) ? stored.subscriptionId : null);
  billing.customerId = update.customerId ?? stored.customerId;
  billing.status = state === 'suspended' ? 'past_due' : (state as BillingState['status']);
  billing.currentPeriodEnd = isOver ? null : periodEndAfter(current, update);
  billing.subscribedPlan = update.fromInvoice ? current.subscribedPlan : (update.plan ?? current.subscribedPlan);
  const invoice = { created: update.created, isPaid: update.state === 'active' };
  billing.invoice = update.fromInvoice ? invoice : current.invoice;
  const grantsNothing = isOver || state === 'suspended';
  const plan = grantsNothing ? 'free' : grantedPlan(organization.plan, billing, update);
  const adminWasLater = update.created < epochSeconds(organization.planChangedAtMs);
  return { plan: adminWasLater ? organization.plan : plan, billing };
}

/**
 * A subscription's event that is not newer than its newest invoice may not know yet whether that was paid. An invoice says
 * nothing about a suspension, which the provider lifts with an event of the subscription.
 */
function stateAfter(current: BillingState, plan: PlanName, update: SubscriptionUpdate): SubscriptionUpdate['state'] {
  const { status, subscribedPlan, invoice } = current;
  const isSuspended = status === 'past_due' && plan === 'free' && subscribedPlan !== undefined;
  if (update.fromInvoice) return isSuspended ? 'suspended' : update.state;
  const isCollected = update.state === 'active' || update.state === 'past_due';
  if (!isCollected || invoice === undefined || update.created > invoice.created) return update.state;
  return invoice.isPaid ? 'active' : 'past_due';
}

/** An old invoice that is paid late is about an earlier period. */
function periodEndAfter({ currentPeriodEnd }: BillingState, update: SubscriptionUpdate): string | null {
  const end = update.currentPeriodEnd ?? currentPeriodEnd;
  const isEarlier = currentPeriodEnd !== null && end !== null && end < currentPeriodEnd;
  return update.fromInvoice && isEarlier ? currentPeriodEnd : end;
}

/** An invoice may still have the price before a change of plan, so what the subscription itself says counts. */
function grantedPlan(plan: PlanName, { subscribedPlan }: BillingState, update: SubscriptionUpdate): PlanName {
  return update.fromInvoice && subscribedPlan !== undefined ? plan : (update.plan ?? plan);
}

function concernsPresentState(stored: BillingState, update: SubscriptionUpdate): boolean {
  if (update.state === 'pending') return false;
  if (stored.subscriptionId === null || stored.subscriptionId === update.subscriptionId) return true;
  return isAlive(stored) ? update.state === 'active' : update.state !== 'canceled';
}

function isAlive({ status }: BillingState): boolean {
  return status === 'active' || status === 'past_due';
}

/** The payment provider's id of the subscription that the organization is paying for, if any. */
export function liveSubscriptionOf({ billing = noBilling }: OrganizationRecord): string | undefined {
  return isAlive(billing) ? (billing.subscriptionId ?? undefined) : undefined;
}

/** A payment counts for the current live subscription, or for a new one that names its plan. */
function invoiceCounts(stored: BillingState, update: SubscriptionUpdate): boolean {
  if (stored.subscriptionId === update.subscriptionId) {
    return stored.status !== 'canceled' && update.created >= (stored.invoice?.created ?? 0);
  }
  if (stored.subscriptionId === null && isAlive(stored)) return true;
  const isUnknown = update.subscriptionId !== null && timeOf(stored, update.subscriptionId) === undefined;
  return isUnknown && update.state === 'active' && update.plan !== undefined;
}

function timeOf(billing: BillingState, subscriptionId: string): number | undefined {
  return Object.hasOwn(billing.eventTimes, subscriptionId) ? billing.eventTimes[subscriptionId] : undefined;
}

function newestTimes(eventTimes: Record<string, number>): Record<string, number> {
  const newestFirst = Object.entries(eventTimes).sort(([, a], [, b]) => b - a);
  return Object.fromEntries(newestFirst.slice(0, rememberedSubscriptions));
}
