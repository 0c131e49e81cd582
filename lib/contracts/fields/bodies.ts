import * as z from 'zod';

/** Without duplicates. The length is checked first, so that a body with a million wrong items yields one problem. */
export function uniqueList<Item extends z.ZodType<string>>(item: Item, minimum: number, maximum: number) {
  const message = `must have ${minimum} to ${maximum} items`;
  return z
    .array(z.unknown())
    .min(minimum, { message, abort: true })
    .max(maximum, { message, abort: true })
    .pipe(
      z.array(item).superRefine((items, context) => {
        const seen = new Map<string, number>();
        for (const [index, value] of items.entries()) {
          const first = seen.get(value);
          if (first === undefined) seen.set(value, index);
          else context.addIssue({ code: 'custom', path: [index], message: `is a duplicate of item ${first}` });
        }
      }),
    )
    .meta({ documentedAs: () => z.array(item).min(minimum).max(maximum).meta({ uniqueItems: true }) });
}

export const Success = z
  .object({ success: z.literal(true).describe('Always true. A failure has an error body instead.') })
  .meta({ id: 'Success', description: 'The change was made.' });
export type Success = z.infer<typeof Success>;

/** The body of a change: any of the fields, at least one. */
export function changes<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine(body => Object.keys(body).length > 0, { message: 'must have at least one field' })
    .meta({ minProperties: 1 });
}
