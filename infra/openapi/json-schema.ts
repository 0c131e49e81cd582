import * as z from 'zod';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json | undefined };
export type JsonObject = { [name: string]: Json | undefined };

/** Named schemas found while converting others, by name. */
export type Components = Map<string, JsonObject>;

/** Formats that need no pattern; zod's patterns for them have hundreds of characters. */
const selfExplaining = ['date-time', 'uuid', 'email'];

interface Documented {
  documentedAs?: () => z.ZodType;
  description?: string;
  example?: Json;
}

/**
 * The JSON Schema (2020-12) of a zod schema's input or output. A schema with an id becomes a reference, and its
 * definition goes to `components`.
 * @throws Error for two different definitions of one name
 */
export function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonObject {
  const converted = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const target = jsonSchema as JsonObject;
      const meta = (z.globalRegistry.get(zodSchema as unknown as z.ZodType) ?? {}) as Documented;
      if (meta.documentedAs !== undefined) {
        // A schema with a custom parser names another one as its documentation.
        for (const name of Object.keys(target)) delete target[name];
        Object.assign(target, jsonSchemaOf(meta.documentedAs(), io, components));
        if (meta.description !== undefined) target.description = meta.description;
        if (meta.example !== undefined) target.example = meta.example;
      }
      tidy(target, io);
    },
  }) as JsonObject;
  const definitions = (converted.$defs ?? {}) as Record<string, JsonObject>;
  delete converted.$defs;
  delete converted.$schema;
  for (const [name, definition] of Object.entries(definitions)) define(components, name, definition);
  return referToComponents(converted) as JsonObject;
}

function define(components: Components, name: string, definition: JsonObject): void {
  delete definition.id;
  const referring = referToComponents(definition) as JsonObject;
  const known = components.get(name);
  if (known === undefined) components.set(name, referring);
  else if (JSON.stringify(known) !== JSON.stringify(referring)) {
    throw new Error(`Two different schemas have the id ${name}.`);
  }
}

function tidy(target: JsonObject, io: 'input' | 'output'): void {
  if (target.example !== undefined) {
    target.examples = [target.example];
    delete target.example;
  }
  if (typeof target.format === 'string' && selfExplaining.includes(target.format)) delete target.pattern;
  if (target.minimum === Number.MIN_SAFE_INTEGER) delete target.minimum;
  if (target.maximum === Number.MAX_SAFE_INTEGER) delete target.maximum;
  // Clients must ignore unknown members, so that responses can gain some.
  if (io === 'output' && target.additionalProperties === false) delete target.additionalProperties;
}

function referToComponents(json: Json | undefined): Json | undefined {
  if (Array.isArray(json)) return json.map(item => referToComponents(item) as Json);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string'
        ? value.replace(/^#\/\$defs\//, '#/components/schemas/')
        : referToComponents(value),
    ]),
  );
}

/** A reference to a component of the document. */
export function reference(kind: string, name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}
