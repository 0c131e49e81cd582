import type { EventSender } from './events.ts';
import type { Plans } from './objects.ts';
import type { Store } from './store.ts';

/** State shared by the stand-in's API and its hosted pages. */
export interface PaymentState {
  store: Store;
  plans: Plans;
  events: EventSender;
  /** Base URL of the API and the pages. */
  url: string;
}
