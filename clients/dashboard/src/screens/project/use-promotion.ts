import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import type { ChangePlan } from '@holdfast/contracts/secrets/changes.ts';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { planOf } from '../../secrets/proof.tsx';
import { count } from '../../ui/count.ts';
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

interface Options {
  params: { orgSlug: string; project: string };
  sources: readonly Environment[];
  targets: readonly Environment[];
  /** The only keys to promote; all by default. */
  keys?: readonly string[];
  reload: () => Promise<void>;
  /** By default, the plan is made again. */
  onPromoted?: (promoted: Promoted) => void;
}

export type Promotion = ReturnType<typeof usePromotion>;

/** The source, target and plan of a promotion, and the excluded keys. */
export function usePromotion({ params, sources, targets, keys: only, reload, onPromoted }: Options) {
  const [choice, setChoice] = useState(() => {
    const from = sources[0]?.slug ?? '';
    return { from, to: targets.find(({ slug }) => slug !== from)?.slug ?? '', overwrite: true };
  });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const { from, to, overwrite } = choice;
  const target = from === to ? undefined : targets.find(({ slug }) => slug === to);
  const plan = useLoad<Planned | undefined>(`${from} ${to} ${overwrite}`, async signal => {
    if (from === '' || target === undefined) return undefined;
    const answer = await call('POST /v1/secrets/{orgSlug}/{project}/promote', {
      params,
      query: { dryRun: true },
      body: { ...choice, ...(only === undefined ? {} : { keys: [...only] }) },
      signal,
    });
    return { plan: planOf(answer), revision: answer.revision };
  });
  const applying = useAction(async (planned: Planned, keys: string[], message: string) => {
    const { revision } = await call('POST /v1/secrets/{orgSlug}/{project}/promote', {
      params,
      body: { ...choice, keys, ...(message === '' ? {} : { message }) },
      ifMatch: planned.revision,
    });
    showToast(`Promoted ${count(keys.length, 'key')}: ${to} is at revision ${revision}.`);
    setLeft(new Set());
    if (onPromoted !== undefined) onPromoted({ revision, keys: [...keys, ...planned.plan.unchanged] });
    await Promise.all([onPromoted === undefined ? plan.reload() : undefined, reload()]);
  });
  return {
    ...choice,
    target,
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
