import * as z from 'zod';
import type { TextType } from '../contract.ts';
import { formats } from '../fields/formats/formats.ts';

/** Needs a second stream for its masks, which a response doesn't have. */
const needsTwoStreams = 'github';

const servedFormats = Object.keys(formats).filter(name => name !== needsTwoStreams);

/** The output formats of `holdfast pull` that the service renders too, by name. */
export const ServedFormat = z.enum(servedFormats).meta({
  description:
    'Return only the values, in this format: `json` is one flat object, and every other format is byte for byte what ' +
    '`holdfast pull --format` writes. Can’t be combined with `limit` or `offset`.',
  example: 'env',
});
export type ServedFormat = z.infer<typeof ServedFormat>;

export function contentTypeOf(format: ServedFormat): TextType {
  if (format === 'json') return 'application/json';
  return format === 'yaml' || format === 'k8s' ? 'application/yaml' : 'text/plain; charset=utf-8';
}
