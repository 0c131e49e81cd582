import * as z from 'zod';

/** The body of a change: any of the fields, at least one. */
export function changes<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .refine(body => Object.keys(body).length > 0, { message: 'must have at least one field' })
    .meta({ minProperties: 1 });
}
