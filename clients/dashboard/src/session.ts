import { projectAdminOperations, rolesOf } from 'virtual:contracts';
import type { OwnOrganization, OwnUser } from '@holdfast/contracts/auth/account.ts';
import type { Role } from '@holdfast/contracts/fields/role.ts';
import { computed, signal } from '@preact/signals';
import { type Answer, call, Refusal, sessionEnded } from './api.ts';

interface Session {
  user: OwnUser;
  organizations: OwnOrganization[];
  /** The organization that it is limited to, because only a company's provider vouches for it. */
  confinedTo: Answer<'GET /v1/auth/me'>['confinedTo'];
  /** The company's provider that the session came through; absent for any other log-in. */
  provider: Answer<'GET /v1/auth/me'>['authentication']['provider'];
}

/** The signed-in user; null if signed out, undefined if not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** Incremented when a new session begins, so that failed requests are sent again. */
export const epoch = signal(0);
export const user = computed(() => session.value?.user);
/** The name of the organization that the session is limited to. */
export const confinedTo = computed(() => {
  const slug = session.value?.confinedTo?.slug;
  return slug === undefined ? undefined : (organizationBySlug(slug)?.name ?? slug);
});
/** Clears the data of the previous user when another one signs in. */
const forgetting: (() => void)[] = [];
export const onOtherUser = (forget: () => void) => forgetting.push(forget);

/**
 * @param userId who has just signed in: if it is somebody else's session, another site of the same domain has replaced the
 * cookie, and the user would work in a stranger's account
 */
export async function loadSession(userId?: string): Promise<void> {
  try {
    const { user: found, organizations, confinedTo, authentication } = await call('GET /v1/auth/me');
    if (userId !== undefined && found.id !== userId) throw new Refusal(401, 'unauthenticated', otherSession);
    if (session.value?.user.id !== found.id) for (const forget of forgetting) forget();
    session.value = { user: found, organizations, confinedTo, provider: authentication.provider };
    sessionEnded.value = false;
  } catch (error) {
    if (userId !== undefined || !(error instanceof Refusal) || error.code !== 'unauthenticated') throw error;
    // A page with a user's work stays open, and the log-in opens over it.
    if (!session.value) {
      session.value = null;
      sessionEnded.value = false;
    }
  }
}

const otherSession =
  'You signed in, but this browser sends another account’s session. Another site of the same domain may have set it. ' +
  'Delete the cookies of this site and of its parent domain, then sign in again.';

/** Continues with a new session, of this user if it is known. */
export async function signedIn(userId?: string): Promise<void> {
  await resume(userId);
  tellOtherTabs();
}

async function resume(userId?: string): Promise<void> {
  await loadSession(userId);
  epoch.value += 1;
}

/** The other tabs of this dashboard in the browser. They hear only that somebody signed in, not who. */
const tabs = new BroadcastChannel('holdfast');
let waiting = 0;

/** Lets the tabs that wait for a session, or for a fresh one, continue. */
export const tellOtherTabs = () => tabs.postMessage('signed in');

/** Continues here when another tab signs in. Returns a function that stops waiting. */
export function waitForOtherTabs(): () => void {
  waiting += 1;
  return () => {
    waiting -= 1;
  };
}

tabs.addEventListener('message', () => {
  // If the session can't be loaded, the page still waits, and can still be signed in to.
  if (waiting > 0) resume().catch(() => undefined);
});

export async function logOut(): Promise<void> {
  await call('POST /v1/auth/logout');
  forgetSession();
}

/** For a session that has ended on the server. */
export function forgetSession(): void {
  for (const forget of forgetting) forget();
  session.value = null;
  sessionEnded.value = false;
}

export function organizationBySlug(slug: string): OwnOrganization | undefined {
  return session.value?.organizations.find(organization => organization.slug === slug);
}

/** The roles that may call an operation, from the contracts. @throws Error for an unknown operation. */
function rolesFor(operation: string): readonly Role[] {
  const found = rolesOf[operation];
  if (found === undefined) throw new Error(`No operation is called ${operation}.`);
  return found;
}

export function may(operation: string, role: Role): boolean {
  return rolesFor(operation).includes(role);
}

/** The projects for which the user may call an operation of an organization: all, or those whose admin they are. */
export function managedProjects(operation: string, { role, projectRoles }: OwnOrganization) {
  if (may(operation, role)) return 'all';
  return projectAdminOperations.includes(operation) ? projectRoles.filter(listed => listed.role === 'admin') : [];
}

export function mayAnywhere(operation: string, organization: OwnOrganization): boolean {
  const managed = managedProjects(operation, organization);
  return managed === 'all' || managed.length > 0;
}

const plural: Readonly<Record<Role, string>> = {
  owner: 'owners',
  admin: 'admins',
  developer: 'developers',
  viewer: 'viewers',
};

/** The allowed roles as a sentence: `Only owners and admins can do this.` */
export function whoMay(operation: string, doing = 'do this'): string {
  const names = rolesFor(operation).map(role => plural[role]);
  return `Only ${new Intl.ListFormat('en').format(names)} can ${doing}.`;
}

/** Why a role can't do something; undefined if it can. */
export function whyNot(operation: string, role: Role): string | undefined {
  return may(operation, role) ? undefined : whoMay(operation);
}
