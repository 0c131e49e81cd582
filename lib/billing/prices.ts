import { settings } from '../core/settings.ts';
import type { Prices } from './payment-event.ts';

/** The payment provider's price ids. A plan without one can't be bought. */
export function configuredPrices(): Prices {
  const { STRIPE_PRICE_PRO: pro, STRIPE_PRICE_ENTERPRISE: enterprise } = settings();
  return { pro, enterprise };
}
