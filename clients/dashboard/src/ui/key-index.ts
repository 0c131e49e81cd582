import { environmentRules } from 'virtual:contracts';
import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { roleInProject } from '@holdfast/contracts/fields/role-in-project.ts';
import type { Environment, Project } from '@holdfast/contracts/projects/projects.ts';
import { useEffect, useState } from 'preact/hooks';
import { call, Refusal } from '../api.ts';
import { useLoad } from '../load.ts';
import { onOtherUser, user } from '../session.ts';
import { atMost } from './at-most.ts';

/** The names of an environment's keys. */
export interface KeysIn {
  project: Project;
  environment: Environment;
  keys: readonly string[];
}

/** By environment id. Names only; a list is loaded again when its environment has a new revision. */
let cached = new Map<string, { revision: number; keys: readonly string[] }>();
// A new one, so that what still arrives for the previous user is not kept.
onOtherUser(() => {
  cached = new Map();
});

const none: readonly KeysIn[] = [];

/**
 * The names of the keys in all environments that the user can read, as they arrive. Nothing is decrypted or audited.
 * The requests start with `wanted`, and stop when the page no longer shows the result.
 */
export function useKeyIndex(organization: OwnOrganization, projects: readonly Project[] | undefined, wanted: boolean) {
  const whose = `${user.value?.id} ${organization.id}`;
  const [arrived, setArrived] = useState<{ whose: string; lists: readonly KeysIn[] }>();
  const places = (projects ?? []).flatMap(project =>
    project.environments.map(environment => ({ project, environment })),
  );
  const readable = places.filter(({ project, environment }) =>
    environmentRules.read[roleInProject(organization, project.id)?.role ?? 'viewer'].includes(environment.type),
  );
  const start = wanted && projects !== undefined;
  const loading = useLoad(`${whose} ${start}`, async signal => {
    if (!start) return;
    // In the order of the environments, whichever list arrives first.
    const lists: (KeysIn | undefined)[] = readable.map(() => undefined);
    await atMost(6, readable.entries(), signal, async ([index, place]) => {
      lists[index] = { ...place, keys: await keysOf(organization.slug, place, signal) };
      if (!signal.aborted) setArrived({ whose, lists: lists.filter(list => list !== undefined) });
    });
  });
  return {
    lists: arrived?.whose === whose ? arrived.lists : none,
    searching: start && loading.pending,
    error: loading.error,
    retry: () => void loading.reload(),
    /** The environments that the user can't read. */
    unreadable: places.length - readable.length,
  };
}

async function keysOf(
  orgSlug: string,
  { project, environment: { id, slug, revision } }: Omit<KeysIn, 'keys'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const own = cached;
  const known = own.get(id);
  if (known?.revision === revision) return known.keys;
  try {
    const params = { orgSlug, project: project.slug, env: slug };
    const answer = await call('GET /v1/secrets/{orgSlug}/{project}/{env}/keys', { params, signal });
    const keys = answer.keys.map(({ key }) => key);
    own.set(id, { revision: answer.revision, keys });
    return keys;
  } catch (error) {
    // It was deleted since it was listed.
    if (error instanceof Refusal && error.status === 404) return [];
    throw error;
  }
}

/** A value that has not changed for 200 milliseconds. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), 200);
    return () => window.clearTimeout(timer);
  }, [value]);
  return settled;
}
