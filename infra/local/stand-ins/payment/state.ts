import type { EventSender } from './events.ts';
import type { Plans } from './objects.ts';
import type { Store } from './store.ts';

/** What the stand-in's API and its hosted pages share. */
export interface ProviderState {
  store: Store;
  plans: Plans;
  events: EventSender;
  /** Base address of the API and the pages. */
  url: string;
}
