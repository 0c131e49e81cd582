import type { Format } from './format.ts';
import { json } from './json.ts';

/** Names that a `variable` block can't have (Terraform, "Input variables"). */
const reserved = new Set([
  '_',
  'source',
  'version',
  'providers',
  'count',
  'for_each',
  'lifecycle',
  'depends_on',
  'locals',
]);

/**
 * `terraform.tfvars.json`, in ASCII. Terraform 1.11 reads JSON one grapheme cluster at a time, and a character such as
 * U+0602 forms a cluster with the closing quote behind it: the string would not end there.
 */
export const tfvars: Format = {
  isData: true,
  refuses: (key, value) => {
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(key)) return 'is not a Terraform variable name: it has a dot';
    if (reserved.has(key)) return 'is a reserved name in Terraform';
    // Terraform normalizes strings, which would change the value.
    if (value !== value.normalize('NFC')) return 'is not in Unicode’s normalization form C';
    return undefined;
  },
  write: (entries, source) =>
    json
      .write(entries, source)
      .replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
};
