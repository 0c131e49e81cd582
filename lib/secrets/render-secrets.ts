import { type Entry, refusalsOf, type Source } from '../contracts/fields/formats/format.ts';
import { formats } from '../contracts/fields/formats/formats.ts';
import { contentTypeOf, type ServedFormat } from '../contracts/secrets/secrets.ts';
import { ApiError } from '../core/errors.ts';
import { encodingOf } from '../core/response-size.ts';

/**
 * A pull as the text that `holdfast pull --format` writes.
 * @throws not_representable naming every key that the format can't hold or that is dangerous there, payload_too_large
 */
export function renderSecrets(
  name: ServedFormat,
  entries: readonly Entry[],
  source: Source,
  allowed: readonly string[] = [],
) {
  const format = formats[name];
  if (format === undefined) throw new Error(`There is no format ${name}.`);
  const refusals = refusalsOf(format, entries, { allowed, option: key => `allow=${key}` });
  if (refusals.length > 0) {
    const count = refusals.length === 1 ? '1 secret' : `${refusals.length} secrets`;
    throw new ApiError(
      'not_representable',
      `${count} can’t be written as ${name}. Request the others with keys, or use format=json.`,
      { details: { keys: refusals } },
    );
  }
  const text = format.write(entries, source);
  if (encodingOf(text) === undefined) {
    throw new ApiError(
      'payload_too_large',
      `The response is larger than 6 MB as ${name}. Request fewer secrets, with keys.`,
    );
  }
  return { text, contentType: contentTypeOf(name) };
}
