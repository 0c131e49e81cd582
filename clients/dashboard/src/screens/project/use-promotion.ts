import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import type { Sending } from '../../secrets/apply.tsx';
import { planOf } from '../../secrets/proof.tsx';
import { orOfferToPropose, propose } from '../../secrets/propose.ts';
import { count } from '../../ui/count.ts';
import { roleMay } from '../../ui/environment-rights.ts';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { showToast } from '../../ui/toast.tsx';

export interface Planned {
  plan: ChangePlan;
  /** The revision of the target that the plan was made on. */
  revision: number;
}

export interface Promoted {
  /** The revision of the target. */
  revision: number;
  /** The keys whose values the target has now. */
  keys: readonly string[];
}

interface Options extends Pick<ProjectProps, 'organization' | 'project' | 'reload'> {
  /** The only keys to promote; all by default. The plan leaves out those that the source does not have. */
  keys?: readonly string[];
  from?: string | undefined;
  /** The target to begin with, if the user may write to it; by default, the environment after the source. */
  to?: string | undefined;
  /** By default, the plan is made again. */
  onPromoted?: (promoted: Promoted) => void;
}

export type Promotion = ReturnType<typeof usePromotion>;

/** The source, target and plan of a promotion, and the excluded keys. */
export function usePromotion(options: Options) {
  const { organization, project, keys: only, reload, onPromoted } = options;
  const params = { orgSlug: organization.slug, project: project.slug };
  const sources = project.environments.filter(({ type }) => roleMay('read', organization.role, type));
  const targets = project.environments.filter(({ type }) => roleMay('write', organization.role, type));
  const [choice, setChoice] = useState(() => {
    const from = options.from ?? sources[0]?.slug ?? '';
    const others = targets.filter(({ slug }) => slug !== from);
    const next = project.environments[project.environments.findIndex(({ slug }) => slug === from) + 1]?.slug;
    const to = others.find(({ slug }) => slug === (options.to ?? next)) ?? others[0];
    return { from, to: to?.slug ?? '', overwrite: true };
  });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const { from, to, overwrite } = choice;
  const target = from === to ? undefined : targets.find(({ slug }) => slug === to);
  const plan = useLoad<Planned | undefined>(`${from} ${to} ${overwrite}`, async signal => {
    if (from === '' || target === undefined) return undefined;
    const answer = await call('POST /v1/secrets/{orgSlug}/{project}/promote', {
      params,
      query: { dryRun: true },
      body: choice,
      signal,
    });
    return { plan: onlyOf(planOf(answer), only), revision: answer.revision };
  });
  const applying = useAction(async (planned: Planned, keys: string[], { message, proposes, bypass }: Sending) => {
    const said = message === '' ? {} : { message };
    const request = { params, body: { ...choice, keys, ...said }, ifMatch: planned.revision };
    if (proposes) {
      // A proposal has no revision to match. A dry run checks that this is still the planned one.
      await call('POST /v1/secrets/{orgSlug}/{project}/promote', { ...request, query: { dryRun: true } });
      return propose({ ...params, env: to }, { promote: { from, keys, overwrite }, ...said }, reload);
    }
    const { revision } = await orOfferToPropose(
      call('POST /v1/secrets/{orgSlug}/{project}/promote', { ...request, query: { bypass } }),
      reload,
    );
    showToast(`Promoted ${count(keys.length, 'key')}: ${to} is at revision ${revision}.`);
    setLeft(new Set());
    if (onPromoted !== undefined) onPromoted({ revision, keys: [...keys, ...planned.plan.unchanged] });
    await Promise.all([onPromoted === undefined ? plan.reload() : undefined, reload()]);
  });
  return {
    ...choice,
    role: organization.role,
    sources,
    targets,
    target,
    /** Why the source has no target. */
    whyNone: targets.some(({ slug }) => slug !== from)
      ? undefined
      : `As a ${organization.role}, you can’t change another environment of this project.`,
    /** How many of the chosen keys the source does not have. */
    absent:
      only === undefined || plan.data === undefined ? 0 : only.length - Object.values(plan.data.plan).flat().length,
    plan,
    applying,
    change: (changed: Partial<typeof choice>) => {
      setLeft(new Set());
      applying.clear();
      setChoice({ ...choice, ...changed });
    },
    takes: (key: string) => !left.has(key),
    take: (key: string, taken: boolean) =>
      setLeft(taken ? new Set([...left].filter(other => other !== key)) : new Set([...left, key])),
    planAgain: () => {
      applying.clear();
      void plan.reload();
    },
  };
}

function onlyOf(plan: ChangePlan, keys: readonly string[] | undefined): ChangePlan {
  if (keys === undefined) return plan;
  const chosen = new Set(keys);
  const lists = Object.entries(plan).map(([name, list]) => [name, list.filter(key => chosen.has(key))]);
  return Object.fromEntries(lists) as ChangePlan;
}
