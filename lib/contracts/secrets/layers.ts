import * as z from 'zod';
import { uniqueList } from '../fields/bodies.ts';
import { slugPattern } from '../fields/text.ts';

export const maximumLayers = 5;

const slug = slugPattern.source.slice(1, -1);

/** An environment of the organization in the path. */
const LayerName = z.string().regex(new RegExp(`^${slug}/${slug}$`), {
  message: 'must be project/environment, by their slugs',
});

export const layersQuery = z
  .string()
  .max(maximumLayers * 98)
  .transform((names): unknown[] => (names === '' ? [] : names.split(',')))
  .pipe(uniqueList(LayerName, 1, maximumLayers))
  .optional()
  .meta({
    description:
      `Other environments of the organization that lie below this one, as \`project/environment\`, separated by commas, at ` +
      `most ${maximumLayers}. Where several have a key, the last of them wins, and this environment over all. Requires the ` +
      'right to read each one: if one is refused, nothing is returned, and `details.layer` names it. Each is audited on ' +
      'its own. The `ETag` joins their revisions in this order, and then this environment’s, with dots: `"12.7.31"`. Can ' +
      'be combined with `keys`, `raw`, `format` and `allow` only.',
    documentedAs: () => z.string(),
    example: 'shared/production,platform/base',
  });

export const layeredFields = {
  from: z.string().optional().meta({
    description: 'The environment that the value comes from, as `project/environment`. Only with `layers`.',
    example: 'shared/production',
  }),
};

const combinable = ['layers', 'keys', 'raw', 'format', 'allow'];

/** What a query gives that can't be combined with its layers. A parameter that is not listed above can't. */
export function excludedByLayers(query: { layers?: readonly string[] | undefined }): string[] {
  if (query.layers === undefined) return [];
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.map(([name]) => name).filter(name => !combinable.includes(name));
}
