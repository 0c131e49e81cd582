import { randomInt } from 'node:crypto';
import { keysThatFit } from '../../audit/keys-that-fit.ts';
import type { NewSecret } from '../../contracts/fields/changes-body.ts';
import type { Generate } from '../../contracts/fields/generate.ts';
import type { Put } from './change-request.ts';

/** What a request sets. Values are generated here, once for all attempts at the change. */
export function newPuts(secrets: readonly NewSecret[]): Put[] {
  return secrets.map(({ key, value, expand, generate }) => {
    if (generate !== undefined) return { key, value: generatedValue(generate), generated: true };
    if (value === undefined) throw new Error(`A secret to set has neither a value nor a way to generate one: ${key}.`);
    return { key, value, expand };
  });
}

/** Every character is chosen by itself, each with the same probability. */
function generatedValue({ length, alphabet }: Generate): string {
  const characters = [...new Set(alphabet)];
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

/** The keys whose values the service made. */
export const generatedKeys = (puts: readonly Put[]) => puts.filter(put => put.generated === true).map(({ key }) => key);

/** Beside the entry's own list of keys, in an item of at most 400 KB. */
const maximumListBytes = 64_000;

/**
 * For the details of an audit entry: the keys whose values the service made, so that the caller doesn't know them. Those
 * left out of a very long list count as known. Pure.
 */
export function generatedFact(keys: readonly string[]): { generated?: string[] } {
  return keys.length === 0 ? {} : { generated: [...keysThatFit(keys, maximumListBytes).keys] };
}
