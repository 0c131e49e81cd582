import type { Format } from './format.ts';

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
      const rest = entries.length - index;
      if (bytes > mostDataBytes)
        return [{ key, reason: `and ${rest - 1} more keys exceed the 1 MiB that a Secret holds` }];
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
