import * as z from 'zod';
import type { Json, JsonObject } from './json-schema.ts';

/**
 * The example of a response, built from the examples of its fields unless the contract overrides them. An optional
 * field is omitted unless the contract shows it. A list of objects has one entry, or as many as the contract shows.
 * @throws Error for a field that has neither an example nor an obvious one
 */
export function exampleOf(schema: z.core.$ZodType, shown?: unknown): Json {
  const { example } = (z.globalRegistry.get(schema) ?? {}) as { example?: Json };
  if (shown === undefined && example !== undefined) return example;
  if (schema instanceof z.ZodObject) return objectExample(schema, shown as JsonObject | undefined);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return exampleOf(schema.def.innerType, shown);
  if (schema instanceof z.ZodNullable) return shown == null ? null : exampleOf(schema.def.innerType, shown);
  if (schema instanceof z.ZodUnion) return exampleOf(schema.def.options[0] as z.core.$ZodType, shown);
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodObject) {
    return ((shown ?? [{}]) as Json[]).map(item => exampleOf(schema.element, item));
  }
  if (shown !== undefined) return shown as Json;
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodRecord) return {};
  if (schema instanceof z.ZodLiteral) return schema.value as Json;
  throw new Error('A field of a response has no example.');
}

function objectExample(schema: z.ZodObject, shown: JsonObject = {}): JsonObject {
  const names = Object.keys(schema.shape);
  const unknown = Object.keys(shown).filter(name => !names.includes(name));
  if (unknown.length > 0)
    throw new Error(`An example shows fields that its schema does not have: ${unknown.join(', ')}.`);
  const given = names.filter(name => shown[name] !== undefined || !(schema.shape[name] instanceof z.ZodOptional));
  return Object.fromEntries(given.map(name => [name, exampleOf(schema.shape[name] as z.ZodType, shown[name])]));
}
