import type { MemberContext } from '../../access/request-context.ts';
import type { EnvironmentPath } from '../../secrets/engine/environment-path.ts';
import { type BegunRead, beginRead, readLive } from '../../secrets/engine/read-live-secrets.ts';
import { ranges } from '../../table/keys.ts';
import { type TemplateKeyRecord, templateKeyRecord } from '../../table/records/template-key.ts';
import { list } from '../../table/store.ts';
import { type Comparison, compareWithTemplate } from './compare-with-template.ts';

export interface BegunValidation {
  template: TemplateKeyRecord[];
  environment: BegunRead;
}

/** One wave, to start in parallel with authentication. */
export async function beginValidation(path: EnvironmentPath): Promise<BegunValidation> {
  const [template, environment] = await Promise.all([
    list(templateKeyRecord, ranges.templateKeys(path.orgSlug, path.project)),
    beginRead(path),
  ]);
  return { template, environment };
}

/**
 * Compares an environment with its project's template. Values are opened only to match them with patterns, and none
 * leaves, so there is no audit entry.
 */
export async function validateEnvironment(
  context: MemberContext,
  { template, environment }: BegunValidation,
): Promise<Comparison> {
  return readLive(
    context,
    environment,
    async ({ state, live, ring }) => {
      const patterned = new Set(template.filter(({ pattern }) => pattern !== undefined).map(({ key }) => key));
      const matched = live.filter(({ key }) => patterned.has(key));
      const values = new Map(
        await Promise.all(
          matched.map(async head => [head.key, await ring.open(state.id, head)] satisfies [string, string]),
        ),
      );
      const comparison = compareWithTemplate(
        template,
        live.map(({ key }) => key),
        values,
      );
      // Keys that the template does not declare are shown only to those who may read the environment.
      return context.access.roleMay('read', state.type) ? comparison : { ...comparison, undeclared: null };
    },
    'see',
  );
}
