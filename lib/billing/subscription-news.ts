import type { PlanName } from '../contracts/fields/limits.ts';
import type { BillingState, OrganizationRecord } from '../table/records/organization.ts';

/** What an event says of one subscription, in the service's words. */
export interface SubscriptionNews {
  /** The provider's time of the event in epoch seconds: the order of events of one subscription. */
  created: number;
  /** null where the event does not name one: news of whatever subscription there is. */
  subscriptionId: string | null;
  customerId: string | null;
  /**
   * - `active`: paid for, or in a trial.
   * - `past_due`: a payment failed and the provider still tries; the plan stays meanwhile.
   * - `suspended`: the provider gave up collecting or the subscription rests; it can come back, the plan cannot stay.
   * - `canceled`: over for good.
   * - `pending`: the first payment is not made; grants nothing, ends nothing.
   */
  state: 'active' | 'past_due' | 'suspended' | 'canceled' | 'pending';
  /** undefined where the event names none. */
  plan: PlanName | undefined;
  /** ISO 8601; undefined where the event does not say. */
  currentPeriodEnd: string | undefined;
  /** An invoice tells of a payment and not how the subscription stands, so it neither ends nor revives one. */
  fromInvoice: boolean;
}

type Known = Pick<OrganizationRecord, 'plan' | 'planChangedAtMs' | 'billing'>;

export interface BillingChange {
  plan: PlanName;
  billing: BillingState;
}

/** An organization has one subscription at a time; this many of the past are remembered to tell late events by. */
const rememberedSubscriptions = 20;

/** The name under which events that name no subscription are ordered. */
const unnamed = 'unnamed';

/**
 * What the news make of an organization's plan and billing; undefined where they change nothing. Pure.
 * Older news of the same subscription change nothing, a tie is applied. News of another subscription count only when
 * it is active, or when the present one is no longer alive: a leftover that ends must not take away the plan that is
 * being paid. Times of different subscriptions are not compared. An administrator's plan yields to a later event only, compared in whole
 * seconds, for that is how precise the provider's times are.
 */
export function applyNews(known: Known, news: SubscriptionNews): BillingChange | undefined {
  const before: BillingState = known.billing ?? {
    customerId: null,
    subscriptionId: null,
    status: 'none',
    currentPeriodEnd: null,
    eventTimes: {},
  };
  const orderedBy = news.subscriptionId ?? unnamed;
  const lastTime = timeOf(before, orderedBy);
  if (lastTime !== undefined && news.created < lastTime) return undefined;
  if (news.fromInvoice && !invoiceCounts(before, news)) return undefined;

  const billing: BillingState = {
    ...before,
    customerId: before.customerId ?? news.customerId,
    eventTimes: newestTimes({ ...before.eventTimes, [orderedBy]: news.created }),
  };
  if (!concernsPresentState(before, news)) return { plan: known.plan, billing };

  const isSame = news.subscriptionId === null || before.subscriptionId === news.subscriptionId;
  const isOver = news.state === 'canceled';
  billing.subscriptionId = news.subscriptionId ?? (isAlive(before) ? before.subscriptionId : null);
  billing.customerId = news.customerId ?? before.customerId;
  billing.status = news.state === 'suspended' ? 'past_due' : (news.state as BillingState['status']);
  billing.currentPeriodEnd = isOver ? null : (news.currentPeriodEnd ?? (isSame ? before.currentPeriodEnd : null));
  const grantsNothing = isOver || news.state === 'suspended';
  const plan = grantsNothing ? 'free' : (news.plan ?? known.plan);
  const adminWasLater = news.created < Math.floor(known.planChangedAtMs / 1000);
  return { plan: adminWasLater ? known.plan : plan, billing };
}

function concernsPresentState(before: BillingState, news: SubscriptionNews): boolean {
  if (news.state === 'pending') return false;
  if (before.subscriptionId === null || before.subscriptionId === news.subscriptionId) return true;
  if (!isAlive(before)) return news.state !== 'canceled';
  return news.state === 'active';
}

function isAlive({ status }: BillingState): boolean {
  return status === 'active' || status === 'past_due';
}

/** A payment counts for the living present subscription, or for a new one whose plan it names. */
function invoiceCounts(before: BillingState, news: SubscriptionNews): boolean {
  if (before.subscriptionId === news.subscriptionId) return before.status !== 'canceled';
  if (before.subscriptionId === null && isAlive(before)) return true;
  const isUnknown = news.subscriptionId !== null && timeOf(before, news.subscriptionId) === undefined;
  return isUnknown && news.state === 'active' && news.plan !== undefined;
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
