import { subjects } from 'virtual:contracts';
import type { CredentialExposure } from '@holdfast/contracts/audit/exposure.ts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call, sessionEnded } from '../../../api.ts';
import { usePages } from '../../../load.ts';
import { count } from '../../../ui/count.ts';
import type { SubjectType } from '../../../ui/leaked.tsx';
import { showToast } from '../../../ui/toast.tsx';
import type { Period } from '../period.tsx';
import { exposedSecrets, idOf, inOrder } from './exposed.ts';

export interface Subject {
  type: SubjectType;
  id: string;
}

/** Pages that load without a click. A page has thousands of secrets, or covers a part of a long log. */
const pagesAtOnce = 20;
const checkEveryMs = 10_000;
/** Checks stop after an hour in which the page did not get the focus. */
const mostChecks = 360;

type Revisions = ReadonlyMap<string, number>;

async function revisionsOf(orgId: string, signal: AbortSignal): Promise<Revisions> {
  const { projects } = await call('GET /v1/projects/{orgId}', { params: { orgId }, signal });
  return new Map(
    projects.flatMap(({ environments }) => environments.map(({ id, revision }) => [id, revision] as const)),
  );
}

/**
 * What a credential saw, kept up to date. While the page is visible, it compares the environments' revisions with those
 * read before the answer, and loads the answer again if an environment with a current secret has changed.
 */
export function useExposure(orgId: string, { type, id }: Subject, { since, until }: Period) {
  const revisions = useRef<Revisions>(new Map());
  const asked = Object.entries(subjects).find(([, name]) => name === type)?.[0] ?? '';
  const key = JSON.stringify([orgId, type, id, since, until]);
  const loaded = usePages(
    key,
    async (after, signal) => {
      if (after === undefined) revisions.current = await revisionsOf(orgId, signal);
      try {
        const query = { [asked]: id, since, until, after };
        return (await call('GET /v1/audit/{orgId}/exposure', {
          params: { orgId },
          query,
          signal,
        })) as CredentialExposure;
      } catch (error) {
        // The page now shows an answer older than these revisions, so the next check must load it again.
        revisions.current = new Map();
        throw error;
      }
    },
    pagesAtOnce,
  );
  const { wereCurrent, rows } = useOrder(key, loaded.data);
  useAnnouncement(key, loaded.pending ? undefined : rows, wereCurrent);
  const current = rows.filter(one => one.current);
  const isChanged = async (signal: AbortSignal) => {
    const before = revisions.current;
    const now = await revisionsOf(orgId, signal);
    return current.some(({ environment }) => now.get(environment.id) !== before.get(environment.id));
  };
  const checks = useChecks(current.length > 0 && !loaded.pending, isChanged, loaded.reload);
  return { ...loaded, rows, current, checks };
}

function useOrder(key: string, pages: readonly CredentialExposure[] | undefined) {
  const kept = useRef({ key, wereCurrent: new Set<string>() });
  const rows = useMemo(() => {
    if (kept.current.key !== key) kept.current = { key, wereCurrent: new Set() };
    const exposed = exposedSecrets(pages ?? []);
    for (const one of exposed) if (one.current) kept.current.wereCurrent.add(idOf(one));
    return inOrder(exposed, kept.current.wereCurrent);
  }, [key, pages]);
  return { rows, wereCurrent: kept.current.wereCurrent };
}

type Rows = ReturnType<typeof inOrder>;

/** Announces checked-off secrets with a toast, which screen readers read out. */
function useAnnouncement(key: string, rows: Rows | undefined, wereCurrent: ReadonlySet<string>): void {
  const announced = useRef({ key, ids: new Set<string>() });
  useEffect(() => {
    if (rows === undefined) return;
    if (announced.current.key !== key) announced.current = { key, ids: new Set() };
    const { ids } = announced.current;
    const checkedOff = rows.filter(one => !one.current && wereCurrent.has(idOf(one)) && !ids.has(idOf(one)));
    for (const one of checkedOff) ids.add(idOf(one));
    const [first] = checkedOff;
    if (first === undefined) return;
    const what =
      checkedOff.length === 1 ? `${first.key} has changed` : `${count(checkedOff.length, 'value')} have changed`;
    showToast(`${what}: ${progressOf(rows)}.`);
  }, [key, rows]);
}

/** For example “3 of 17 changed”. */
export function progressOf(rows: Rows): string {
  const changed = rows.filter(({ current }) => !current).length;
  return `${changed.toLocaleString('en')} of ${rows.length.toLocaleString('en')} changed`;
}

/** Checks at intervals while the page is visible, and when it gets the focus again. */
function useChecks(
  enabled: boolean,
  isChanged: (signal: AbortSignal) => Promise<boolean>,
  onChange: () => Promise<void>,
): 'working' | 'failed' | 'paused' {
  const [state, setState] = useState<'working' | 'failed' | 'paused'>('working');
  const latest = useRef({ isChanged, onChange });
  latest.current = { isChanged, onChange };
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    let left = mostChecks;
    let checking = false;
    const check = async () => {
      if (checking || document.visibilityState === 'hidden' || sessionEnded.value) return;
      if (left === 0) return setState('paused');
      checking = true;
      left -= 1;
      try {
        if (await latest.current.isChanged(controller.signal)) await latest.current.onChange();
        setState('working');
      } catch {
        // The page still shows the answer of an earlier time. The next check may succeed.
        if (!controller.signal.aborted) setState('failed');
      } finally {
        checking = false;
      }
    };
    const onLook = () => {
      left = mostChecks;
      void check();
    };
    const timer = window.setInterval(() => void check(), checkEveryMs);
    window.addEventListener('focus', onLook);
    document.addEventListener('visibilitychange', onLook);
    return () => {
      controller.abort();
      window.clearInterval(timer);
      window.removeEventListener('focus', onLook);
      document.removeEventListener('visibilitychange', onLook);
    };
  }, [enabled]);
  return state;
}
