import type { MemberContext } from '../../access/request-context.ts';
import { keysUnlessAll } from '../../audit/keys-that-fit.ts';
import type { AnswerOf } from '../../contracts/contract.ts';
import type { validateEnvironment as contract } from '../../contracts/templates/templates.ts';
import { headsToOpen, openExpanded } from '../../secrets/engine/open-values.ts';
import { environmentFacts } from '../../secrets/engine/read-environment.ts';
import { beginRead, type LiveSecrets, readLive } from '../../secrets/engine/read-live-secrets.ts';
import { requireFittingExpanded } from '../../secrets/require-fitting-expanded.ts';
import { boundedValueCheck, invalidValues, type ValueCheck } from '../../secrets/value-pattern.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import { type TemplateKeyRecord, templateKeyRecord } from '../../table/records/project.ts';
import { putAlone } from '../../table/write.ts';
import { templateOf } from './template-keys.ts';

/** One round trip, in parallel with authentication. */
export async function beginValidation(path: EnvironmentPath) {
  const [template, environment] = await Promise.all([
    list(templateKeyRecord, ranges.templateKeys(path.orgSlug, path.project)),
    beginRead(path),
  ]);
  return { template, environment };
}

/**
 * Compares an environment with its project's template. Patterns reveal which values match them, so if values were
 * decrypted, the response waits for the audit entry.
 */
export async function validateEnvironment(context: MemberContext, begun: Awaited<ReturnType<typeof beginValidation>>) {
  const validate = async ({ project, state, live, ring }: LiveSecrets) => {
    const template = templateOf(project, begun.template);
    const patterned = new Set(template.filter(({ pattern }) => pattern !== undefined).map(({ key }) => key));
    const mayRead = context.access.roleMay('read', state);
    const knowsValues = context.access.knowsValues(state);
    // Somebody who may write but not read could name any key, and learn whether its value matches a pattern. Expanding
    // also depends on how long the named values are, and a reason may too.
    const matched = live.filter(({ key, expands }) => patterned.has(key) && (knowsValues || expands === undefined));
    const needed = headsToOpen(matched, live);
    requireFittingExpanded(matched, needed);
    const audit = async () => {
      const keys = needed.map(({ key }) => key);
      const facts = { ...environmentFacts(project, state), ...keysUnlessAll(keys, live.length) };
      await putAlone(await context.audit({ action: 'environment.validated', ...facts }));
    };
    const [textOf] = await Promise.all([
      openExpanded(state.id, needed, ring),
      matched.length === 0 ? undefined : audit(),
    ]);
    const keys = live.map(({ key }) => key);
    const values = new Map(matched.map(({ key }) => [key, textOf(key)]));
    const check = boundedValueCheck();
    const problemOf = knowsValues ? check : withoutReason(check);
    const comparison = compareWithTemplate(template, keys, values, problemOf);
    // Keys that the template does not declare are only shown to callers who may read the environment.
    return mayRead ? comparison : { ...comparison, undeclared: null };
  };
  return readLive(context, begun.environment, validate, { right: 'see', opensValues: false });
}

/** Doesn't tell a value that is too long for its pattern from one that doesn't match it. Pure. */
const withoutReason =
  (check: ValueCheck): ValueCheck =>
  (pattern, value) =>
    check(pattern, value) === undefined ? undefined : 'does not match the pattern';

export type Comparison = AnswerOf<typeof contract>;

/**
 * Compares an environment with the template. A reason never contains any part of a value. Pure.
 * @param keys the environment's keys, in order
 * @param values the values of the keys with a pattern
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
  const invalid = invalidValues(template, values, problemOf);
  return {
    valid: missing.length === 0 && invalid.length === 0,
    missing,
    present,
    undeclared: keys.filter(key => !declared.has(key)),
    invalid,
  };
}
