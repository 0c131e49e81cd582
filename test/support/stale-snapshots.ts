import { keptHeads } from '#lib/secrets/engine/kept-snapshots.ts';
import { isLive } from '#lib/secrets/engine/read-snapshot.ts';
import { keys } from '#lib/table/keys.ts';
import type { Item } from '#lib/table/read.ts';
import { environmentStateRecord } from '#lib/table/records/environment.ts';
import { type HeadRecord, headRecord } from '#lib/table/records/secret.ts';
import type { Api } from './api.ts';
import type { Violation } from './invariants.ts';
import { placeOf } from './sample-requests.ts';

/** Makes the service keep the sample's environments, so that whatever happens next could make them stale. */
export async function keepSnapshots(api: Api, name: string): Promise<void> {
  const place = placeOf(name);
  if (place === undefined) return;
  for (const env of ['dev', 'staging']) await api.get(`${place.secrets}/${env}`, place.session);
}

/** The environments whose kept snapshot would be used although it differs from the table. */
export function staleSnapshots(items: readonly Item[]): { stale: Violation[]; used: number } {
  const heads = Map.groupBy(
    items.filter(({ kind }) => kind === headRecord.kind),
    ({ pk }) => pk,
  );
  const stale: Violation[] = [];
  let used = 0;
  for (const item of items.filter(({ kind }) => kind === environmentStateRecord.kind)) {
    const [, orgSlug = '', project = '', env = ''] = String(item.pk).split('#');
    const path = { orgSlug, project, env };
    const kept = keptHeads(path, environmentStateRecord.parse(item));
    if (kept === undefined) continue;
    used += 1;
    const stored = (heads.get(keys.environmentState(path).pk) ?? []).map(head => headRecord.parse(head));
    if (shown(kept) !== shown(stored)) stale.push({ where: orgSlug, what: 'a kept snapshot differs from the table' });
  }
  return { stale, used };
}

function shown(heads: readonly HeadRecord[]): string {
  const live = heads.filter(isLive).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  return JSON.stringify(live.map(head => [head.key, head.version, head.fence, head.keyVersion, head.sealed]));
}
