import * as z from 'zod';
import { Organization } from '../fields/organization.ts';
import { Role } from '../fields/role.ts';

/** An organization as a member sees it. */
export const OwnOrganization = z
  .object({ ...Organization.shape, role: Role.meta({ description: 'The caller’s role in it.' }) })
  .meta({ id: 'OwnOrganization', description: 'An organization and the caller’s role in it.' });
export type OwnOrganization = z.infer<typeof OwnOrganization>;
