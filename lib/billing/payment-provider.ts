import Stripe from 'stripe';
import type { BoughtPlan } from '../contracts/fields/limits.ts';
import { ApiError, invalidRequest } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import type { Log } from '../core/logger.ts';
import { parameter } from '../core/parameter.ts';
import { processVariable } from '../core/process-memory.ts';
import { settings } from '../core/settings.ts';
import type { OrganizationRecord } from '../table/records/organization.ts';
import { configuredPrices } from './prices.ts';
import { liveSubscriptionOf } from './subscription-update.ts';

/** Every call ends within 10 s. */
const attempts = { timeout: 4000, maxNetworkRetries: 1 };

/** A secret of the payment provider's, from the environment or else from SSM; undefined if billing is not configured. */
async function secretOf(name: 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET'): Promise<string | undefined> {
  const { [name]: given, [`${name}_PARAMETER` as const]: stored } = settings();
  return given ?? (stored === undefined ? undefined : parameter(stored));
}

type Kept = { key: string; base: string | undefined; client: Stripe } | undefined;
const kept = processVariable<Kept>('stripe-client', () => undefined);

/** @throws billing_not_configured */
async function stripeClient(): Promise<Stripe> {
  const key = await secretOf('STRIPE_SECRET_KEY');
  const base = settings().STRIPE_API_BASE;
  if (key === undefined) throw notConfigured();
  if (kept.value?.key !== key || kept.value.base !== base) {
    const address = base === undefined ? {} : addressOf(base);
    kept.value = { key, base, client: new Stripe(key, { ...attempts, telemetry: false, ...address }) };
  }
  return kept.value.client;
}

function addressOf(base: string): { host: string; port: string; protocol: 'http' | 'https' } {
  const { hostname, port, protocol } = new URL(base);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return { host: hostname, port: port === '' ? (scheme === 'http' ? '80' : '443') : port, protocol: scheme };
}

function notConfigured(): ApiError {
  return new ApiError('billing_not_configured', 'Billing is not configured on this installation.');
}

/**
 * Calls the payment provider. Its messages may quote keys and customers, so neither the error nor the log includes them.
 * @throws billing_not_configured, billing_provider_error
 */
async function ask<T>(work: (client: Stripe) => Promise<T>): Promise<T> {
  const client = await stripeClient();
  try {
    return await work(client);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { type, code = '-', statusCode = '-', requestId = '-' } = error;
    const cause = new Error(`${type}, code ${code}, status ${statusCode}, provider request ${requestId}`);
    const message = 'The payment provider returned an error. Try again later.';
    throw new ApiError('billing_provider_error', message, { cause });
  }
}

/** @throws billing_not_configured if the plan has no price */
export function priceOf(plan: BoughtPlan): string {
  const price = configuredPrices()[plan];
  if (price === undefined) throw notConfigured();
  return price;
}

/**
 * Creates the organization's customer and returns its id: the same one for concurrent calls and retries after a crash.
 * The provider rejects a reused idempotency key with different parameters, so the caller is not one of them.
 */
export async function createCustomer(organization: { id: string; name: string }): Promise<string> {
  const { id: organizationId, name } = organization;
  const idempotencyKey = `customer-${organizationId}`;
  const facts = { name, metadata: { organizationId } };
  return (await ask(client => client.customers.create(facts, { idempotencyKey }))).id;
}

/** The e-mail address that the payment provider has for the organization, if any. A failure is only logged. */
export async function emailOfCustomer({ id, billing }: OrganizationRecord, log: Log): Promise<string[]> {
  const customerId = billing?.customerId ?? null;
  if (customerId === null) return [];
  try {
    const customer = await ask(client => client.customers.retrieve(customerId));
    return customer.deleted === true || !customer.email ? [] : [customer.email];
  } catch (error) {
    log.error('could not read the billing address of an organization', error, { organizationId: id });
    return [];
  }
}

interface CheckoutOrder {
  organizationId: string;
  customerId: string;
  plan: BoughtPlan;
  price: string;
  successUrl: string;
  cancelUrl: string;
}

/** The URL of a hosted checkout. Both its session and the subscription name the organization and the plan. */
export async function createCheckout(order: CheckoutOrder): Promise<string> {
  const metadata = { organizationId: order.organizationId, plan: order.plan };
  const session = await ask(client =>
    client.checkout.sessions.create({
      mode: 'subscription',
      customer: order.customerId,
      client_reference_id: order.organizationId,
      line_items: [{ price: order.price, quantity: 1 }],
      metadata,
      subscription_data: { metadata },
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
    }),
  );
  if (session.url === null) throw new Error('The payment provider created a checkout session without a URL.');
  return session.url;
}

/** The URL of the hosted customer portal (https://docs.stripe.com/customer-management/portal-deep-links). */
export async function createPortal(order: {
  customerId: string;
  returnUrl: string;
  /** Opens the page for changing this subscription. */
  changedSubscriptionId?: string;
}): Promise<string> {
  const { customerId: customer, returnUrl: return_url, changedSubscriptionId: subscription } = order;
  const change = subscription && ({ type: 'subscription_update', subscription_update: { subscription } } as const);
  const flow = change ? { flow_data: change } : {};
  return (await ask(client => client.billingPortal.sessions.create({ customer, return_url, ...flow }))).url;
}

/**
 * Cancels the subscription of an organization that is being erased. If the payment provider refuses, the erasure
 * continues, and an operator has to cancel the subscription. A subscription that has ended counts as cancelled.
 */
export async function cancelSubscription(organization: OrganizationRecord, log: Log): Promise<void> {
  const { id: organizationId } = organization;
  const subscriptionId = liveSubscriptionOf(organization);
  if (subscriptionId === undefined) return;
  try {
    await ask(client =>
      client.subscriptions.cancel(subscriptionId).catch(error => {
        if (!(error instanceof Stripe.errors.StripeError) || error.code !== 'resource_missing') throw error;
      }),
    );
    log.info('cancelled the subscription of an erased organization', { organizationId });
  } catch (error) {
    log.error('the subscription of an erased organization is still active: cancel it at the provider', error, {
      organizationId,
      subscriptionId,
    });
  }
}

const maximumSignatureAgeSeconds = 300;

/**
 * Verifies the signature and age of a raw body and returns its event.
 * @throws invalid_signature, also if no secret is configured; invalid_request if the body is not JSON
 */
export async function verifiedEvent(rawBody: string, signature: string | undefined): Promise<unknown> {
  const secret = await secretOf('STRIPE_WEBHOOK_SECRET');
  // A 4xx, because this is not an outage and resending the event would not help.
  if (secret === undefined) throw new ApiError('invalid_signature', 'Billing is not configured on this installation.');
  if (!isSigned(rawBody, signature ?? '', secret)) {
    throw new ApiError('invalid_signature', 'The Stripe-Signature header does not match this body, or is too old.');
  }
  const { value, problems } = parseJson(rawBody);
  if (problems.length > 0) throw invalidRequest(problems);
  return value;
}

/** The library's check: HMAC-SHA256 over timestamp and body, compared in constant time. Throws on any mismatch. */
function isSigned(rawBody: string, signature: string, secret: string): boolean {
  try {
    return Stripe.webhooks.signature?.verifyHeader(rawBody, signature, secret, maximumSignatureAgeSeconds) === true;
  } catch {
    return false;
  }
}
