import * as z from 'zod';
import { EventName, eventNames } from '../fields/events.ts';

/** Removes duplicate names. The length is checked first, so that a huge list yields one problem. */
export const EventList = z
  .array(z.unknown())
  .min(1, { message: 'must name at least one event', abort: true })
  .max(50, { message: 'must have at most 50 items', abort: true })
  .pipe(z.array(EventName).transform(names => eventNames.filter(name => names.includes(name))))
  .meta({ documentedAs: () => z.array(EventName).min(1).max(50) });
