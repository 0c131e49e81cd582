import { uniqueList } from '../fields/list.ts';
import { maxKeysPerChange } from '../fields/secret-rules.ts';
import { SecretKey } from '../fields/text.ts';

export const KeyList = uniqueList(SecretKey, 1, maxKeysPerChange);
