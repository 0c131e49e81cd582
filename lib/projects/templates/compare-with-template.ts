import type { AnswerOf } from '../../contracts/contract.ts';
import type { validateEnvironment as contract } from '../../contracts/templates/validate-environment.ts';
import type { TemplateKeyRecord } from '../../table/records/template-key.ts';
import type { ValueCheck } from './pattern.ts';

export type Comparison = AnswerOf<typeof contract>;

/**
 * Compares an environment with the template. Names of keys only: a reason never contains any part of a value. Pure.
 * @param keys the environment's keys, in order
 * @param values the values of those keys that have a pattern in the template
 * @param problemOf says how a value violates its pattern
 */
export function compareWithTemplate(
  template: readonly TemplateKeyRecord[],
  keys: readonly string[],
  values: ReadonlyMap<string, string>,
  problemOf: ValueCheck,
): Comparison & { undeclared: string[] } {
  const there = new Set(keys);
  const declared = new Set(template.map(({ key }) => key));
  const missing = template.filter(({ key, required }) => required && !there.has(key)).map(({ key }) => key);
  const present = template.filter(({ key }) => there.has(key)).map(({ key }) => key);
  const invalid = template.flatMap(({ key, pattern }) => {
    const value = values.get(key);
    const reason = pattern === undefined || value === undefined ? undefined : problemOf(pattern, value);
    return reason === undefined ? [] : [{ key, reason }];
  });
  return {
    valid: missing.length === 0 && invalid.length === 0,
    missing,
    present,
    undeclared: keys.filter(key => !declared.has(key)),
    invalid,
  };
}
