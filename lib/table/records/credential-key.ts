import { Bytes, entity } from '../entity.ts';
import { keys } from '../keys.ts';

/** The wrapped MAC key of sessions and tokens. One item, created with the first session or token. */
export const credentialKeyRecord = entity('credentialKey', keys.credentialKey, { wrapped: Bytes });
