import type { MemberContext } from '../../access/request-context.ts';
import type { TemplateProblems } from '../../contracts/secrets/proposals.ts';
import { type EnvironmentPath, ranges } from '../../table/keys.ts';
import { list } from '../../table/read.ts';
import { type TemplateKeyRecord, templateKeyRecord } from '../../table/records/project.ts';
import type { Decision, Target } from '../change/change-request.ts';
import { boundedValueCheck, invalidValues } from '../value-pattern.ts';

/** The template of the project that has the slug. One round trip. */
export const readTemplate = ({ orgSlug, project }: EnvironmentPath): Promise<TemplateKeyRecord[]> =>
  list(templateKeyRecord, ranges.templateKeys(orgSlug, project));

/** What a change breaks in its project's template. Like other changes, it is made anyway. Pure. */
export function templateProblems(
  template: readonly TemplateKeyRecord[],
  projectId: string,
  { puts, deletions }: Pick<Decision<unknown>, 'puts' | 'deletions'>,
): { templateProblems?: TemplateProblems } {
  const own = template.filter(templateKey => templateKey.projectId === projectId);
  const missing = own.filter(({ key, required }) => required && deletions.includes(key)).map(({ key }) => key);
  // What a value expands to takes values that the proposal doesn't have, and that its author may not read.
  const plain = puts.filter(({ expand }) => expand !== true);
  const values = new Map(plain.map(({ key, value }) => [key, value]));
  const invalid = invalidValues(own, values, boundedValueCheck());
  return missing.length === 0 && invalid.length === 0 ? {} : { templateProblems: { missing, invalid } };
}

/** As far as a caller may know them: whether a value matches its pattern, only one who may see values. */
export function knownProblems(
  { access }: MemberContext,
  template: readonly TemplateKeyRecord[],
  { project }: Target,
  { puts, deletions }: Pick<Decision<unknown>, 'puts' | 'deletions'>,
): { templateProblems?: TemplateProblems } {
  return templateProblems(template, project.id, { puts: access.seesValues ? puts : [], deletions });
}
