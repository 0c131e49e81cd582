import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { call } from '../../../api.ts';
import type { Subject } from './use-exposure.ts';

export interface Standing {
  /** The name of the subject, if the list that contains it has a better one than the answer. */
  name: string | undefined;
  /** Whether it can still read; `link` leads to where that can be stopped. */
  text: string;
  link?: readonly [label: string, href: string];
}

interface Asking {
  organization: OwnOrganization;
  id: string;
  signal: AbortSignal;
}

const standings: Readonly<Record<Subject['type'], (asking: Asking) => Promise<Standing>>> = {
  token: async ({ id, signal }) => {
    const { tokens } = await call('GET /v1/auth/tokens', { signal });
    const found = tokens.find(token => token.id === id);
    if (found === undefined) return { name: undefined, text: 'If it still works, its owner has to revoke it first.' };
    return {
      name: `the token “${found.name}”`,
      text: 'The token still works.',
      link: ['Revoke it first', '/account/tokens'],
    };
  },
  session: async ({ id, signal }) => {
    const { sessions } = await call('GET /v1/auth/sessions', { signal });
    const found = sessions.find(session => session.id === id);
    if (found === undefined)
      return {
        name: undefined,
        text: 'If it is still logged in, its user has to end it first, or change the password.',
      };
    return {
      name: found.current ? 'this session' : `your session from ${found.ip}`,
      text: 'The session is still logged in.',
      link: [found.current ? 'See your sessions' : 'End it first', '/account'],
    };
  },
  user: async ({ organization, id, signal }) => {
    const { members } = await call('GET /v1/members/{orgId}', { params: { orgId: organization.id }, signal });
    const found = members.find(({ userId }) => userId === id);
    if (found === undefined) return { name: undefined, text: 'This person is no longer a member.' };
    return {
      name: found.name === '' ? found.email : found.name,
      text: `${found.email} is still a member, as ${found.role}.`,
      link: ['See the members', `/organizations/${organization.slug}/members`],
    };
  },
  identity: async ({ organization, id, signal }) => {
    const { identities } = await call('GET /v1/identities/{orgId}', { params: { orgId: organization.id }, signal });
    const found = identities.find(identity => identity.id === id);
    if (found === undefined) return { name: undefined, text: 'The identity has been deleted.' };
    return {
      name: found.name,
      text: 'Jobs can still sign in as this identity.',
      link: ['Narrow or delete it first', `/organizations/${organization.slug}/identities/${id}`],
    };
  },
};

/** Whether the subject still exists, according to the lists that this user can see. */
export function findStanding(
  organization: OwnOrganization,
  { type, id }: Subject,
  signal: AbortSignal,
): Promise<Standing> {
  return standings[type]({ organization, id, signal });
}

/** The subject’s name for a heading. */
export function nameOf({ type, id }: Subject, standing: Standing | undefined, recorded: string | null): string {
  if (standing?.name !== undefined) return standing.name;
  if (type === 'user' || type === 'identity') return recorded ?? `the ${type} ${id}`;
  return recorded === null ? `the ${type} ${id}` : `a ${type} of ${recorded}`;
}
