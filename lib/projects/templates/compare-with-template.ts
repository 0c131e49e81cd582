import type { TemplateKeyRecord } from '../../table/records/template-key.ts';
import { matchesWhole } from './pattern.ts';

export interface Comparison {
  valid: boolean;
  missing: string[];
  present: string[];
  undeclared: string[] | null;
  invalid: { key: string; reason: string }[];
}

/**
 * How an environment compares with the template. Names of keys only: a reason never has a part of a value. Pure.
 * @param keys the environment's keys, in order
 * @param values the values of those keys that the template has a pattern for
 */
export function compareWithTemplate(
  template: readonly TemplateKeyRecord[],
  keys: readonly string[],
  values: ReadonlyMap<string, string>,
): Comparison & { undeclared: string[] } {
  const there = new Set(keys);
  const declared = new Set(template.map(({ key }) => key));
  const missing = template.filter(({ key, required }) => required && !there.has(key)).map(({ key }) => key);
  const present = template.filter(({ key }) => there.has(key)).map(({ key }) => key);
  const invalid = template
    .filter(({ key, pattern }) => {
      const value = values.get(key);
      return pattern !== undefined && value !== undefined && !matchesWhole(pattern, value);
    })
    .map(({ key }) => ({ key, reason: 'does not match the pattern' }));
  return {
    valid: missing.length === 0 && invalid.length === 0,
    missing,
    present,
    undeclared: keys.filter(key => !declared.has(key)),
    invalid,
  };
}
