import * as z from 'zod';
import { keyNames } from './key-names.ts';
import { Revision } from './revision.ts';

export const ImportResult = z.object({
  created: keyNames('Keys that were created.'),
  updated: keyNames('Keys that got a new version.'),
  unchanged: keyNames('Keys that already had the value.'),
  revision: Revision,
});
