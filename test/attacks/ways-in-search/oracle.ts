import { type Company, endOf, type Held, hasFactor, type Trial } from './world.ts';

/* What a credential in the thief's hands may open: no more than docs/security.md grants to the stolen thing. */

export const doors = ['own organization', 'company', 'other company', 'account', 'fresh account', 'platform'] as const;
export type Door = (typeof doors)[number];

/** Whether the credential may open the door. It may also be refused there. Pure. */
export function mayOpen(trial: Trial, held: Held, door: Door): boolean {
  const { eras, company, other } = trial;
  if (held.eras.recoveries !== eras.recoveries) return false;
  if (held.kind === 'session' && held.eras.sessions !== eras.sessions) return false;
  if (held.isOfCompany && (door !== 'company' || held.eras.memberships !== eras.memberships)) return false;
  const hasProvedFactor = held.hasFactor && hasFactor(trial);
  if (held.via === 'provider') {
    const isStillLinked = trial.isLinked && held.eras.links === eras.links;
    const passes = !company.requireSecondFactor || company.trustFactor || hasProvedFactor;
    return door === 'company' && isStillLinked && trial.isMember && passes;
  }
  const passes = ({ required, requireSecondFactor }: Company) => !required && (!requireSecondFactor || hasProvedFactor);
  switch (door) {
    case 'own organization':
      return true;
    case 'company':
      return trial.isMember && passes(company);
    case 'other company':
      return trial.isOtherMember && passes(other);
    case 'account':
      return held.kind === 'session';
    case 'fresh account':
      return held.kind === 'session' && !held.isStale;
    case 'platform':
      return trial.isAdmin && hasProvedFactor;
  }
}

export async function tryDoors(trial: Trial): Promise<void> {
  const { api, company, other, ownId, thief } = trial;
  const requests: Record<Door, (held: Held) => ReturnType<typeof api.get>> = {
    'own organization': held => api.get(`/projects/${ownId ?? company.id}`, held.caller),
    company: held => api.get(`/projects/${company.id}`, held.caller),
    'other company': held => api.get(`/projects/${other.id}`, held.caller),
    account: held => api.get('/auth/passkeys', held.caller),
    'fresh account': held => api.post('/auth/passkeys/options', {}, held.caller),
    platform: held => api.get('/admin/stats', held.caller),
  };
  const tries = thief.held.flatMap(held =>
    doors
      .filter(door => door !== 'own organization' || ownId !== undefined)
      .map(async door => {
        const answer = await requests[door](held);
        if (answer.status >= 500) trial.violations.push(`${held.name} at ${door}: ${endOf(answer)}`);
        if (answer.status >= 400) return;
        trial.opened.add(`${trial.stolen}: ${door}`);
        if (!mayOpen(trial, held, door)) trial.violations.push(`${held.name} opened ${door}`);
      }),
  );
  await Promise.all(tries);
}
