import { roles, writers } from '../fields/role.ts';

/*
 * The access rules of most operations on one environment's secrets. They admit deployers; operations that are harder to
 * undo, or that need a second environment, have a rule of their own.
 */

const inEnvironment = { kind: 'member', narrowestToken: 'environment', deployers: true } as const;

export const readsSecrets = { ...inEnvironment, roles, tokens: 'read', environmentRule: 'read' } as const;

export const writesSecrets = { ...inEnvironment, roles: writers, tokens: 'write', environmentRule: 'write' } as const;
