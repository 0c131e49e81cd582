import { type Format, lines } from './format.ts';

export const json: Format = {
  isData: true,
  refuses: () => undefined,
  write: entries =>
    `{${entries.map(([key, value]) => `\n  ${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(',')}\n}\n`,
};

/** Names that a `variable` block can't have (Terraform, "Input variables"). */
const reserved = new Set('_ source version providers count for_each lifecycle depends_on locals'.split(' '));

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
  write: (entries, source) => json.write(entries, source).replace(/[\u0080-\uffff]/g, escaped),
};

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const yaml: Format = {
  isData: true,
  refuses: () => undefined,
  write: entries => {
    const mapping = lines((key, value) => `${quotedForYaml(key)}: ${quotedForYaml(value)}`)(entries);
    return mapping === '' ? '{}\n' : mapping;
  },
};

/** JSON, except for what YAML calls non-printable, its other line breaks, and the byte order mark. */
function quotedForYaml(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}

/** Limits of the API server: of a key (`validation.IsConfigMapKey`) and of all data (`MaxSecretSize`). */
const longestKey = 253;
const mostDataBytes = 1_048_576;

/** The manifest of a Secret. No slug has a dot, so no two environments get the same name. */
export const kubernetes: Format = {
  refuses: key => (key.length > longestKey ? `has a name of more than ${longestKey} characters` : undefined),
  refusesTogether: entries => {
    let bytes = 0;
    for (const [index, [key, value]] of entries.entries()) {
      bytes += Buffer.byteLength(value);
      if (bytes <= mostDataBytes) continue;
      return [{ key, reason: `and ${entries.length - index - 1} more keys exceed the 1 MiB that a Secret holds` }];
    }
    return [];
  },
  write: (entries, { project, environment }) =>
    [
      'apiVersion: v1',
      'kind: Secret',
      'metadata:',
      `  name: "${project}.${environment}"`,
      'type: Opaque',
      entries.length === 0 ? 'data: {}' : 'data:',
      ...entries.map(([key, value]) => `  "${key}": "${Buffer.from(value).toString('base64')}"`),
      '',
    ].join('\n'),
};
