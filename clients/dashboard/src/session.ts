import { rolesOf } from 'virtual:contracts';
import { computed, signal } from '@preact/signals';
import type { OwnOrganization } from '../../../lib/contracts/auth/own-organization.ts';
import type { OwnUser } from '../../../lib/contracts/auth/own-user.ts';
import type { Role } from '../../../lib/contracts/fields/role.ts';
import { call, Refusal, sessionEnded } from './api.ts';

interface Session {
  user: OwnUser;
  organizations: OwnOrganization[];
}

/** Who is signed in; null = no one; undefined = not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** Raised by one when the session is a new one, so that what failed without one is loaded again. */
export const epoch = signal(0);
export const user = computed(() => session.value?.user);
/** What to forget when another person signs in. */
const forgetting: (() => void)[] = [];
export const onOtherUser = (forget: () => void) => forgetting.push(forget);

export async function loadSession(): Promise<void> {
  try {
    const { user: found, organizations } = await call('GET /v1/auth/me');
    if (session.value?.user.id !== found.id) for (const forget of forgetting) forget();
    session.value = { user: found, organizations };
    sessionEnded.value = false;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'unauthenticated') throw error;
    // A page that already shows a person's work keeps it: the log-in opens over it.
    if (!session.value) {
      session.value = null;
      sessionEnded.value = false;
    }
  }
}

export async function signedIn(): Promise<void> {
  await loadSession();
  epoch.value += 1;
}

export async function logOut(): Promise<void> {
  await call('POST /v1/auth/logout');
  for (const forget of forgetting) forget();
  session.value = null;
  sessionEnded.value = false;
}

export function organizationBySlug(slug: string): OwnOrganization | undefined {
  return session.value?.organizations.find(organization => organization.slug === slug);
}

/** The roles that may call an operation, as the contracts say. @throws Error for a name that no operation has. */
function rolesFor(operation: string): readonly Role[] {
  const found = rolesOf[operation];
  if (found === undefined) throw new Error(`No operation is called ${operation}.`);
  return found;
}

export function may(operation: string, role: Role): boolean {
  return rolesFor(operation).includes(role);
}

const plural: Readonly<Record<Role, string>> = {
  owner: 'owners',
  admin: 'admins',
  developer: 'developers',
  viewer: 'viewers',
};

/** Who may, as a sentence: `Only owners and admins can do this.` */
export function whoMay(operation: string, doing = 'do this'): string {
  const names = rolesFor(operation).map(role => plural[role]);
  return `Only ${new Intl.ListFormat('en').format(names)} can ${doing}.`;
}

/** Why a role can't do something; undefined where it can. */
export function whyNot(operation: string, role: Role): string | undefined {
  return may(operation, role) ? undefined : whoMay(operation);
}
