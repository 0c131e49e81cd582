import * as z from 'zod';
import { Usage } from '../fields/limits.ts';
import { Organization } from '../fields/organization.ts';

export const OrganizationWithUsage = z
  .object({ ...Organization.shape, usage: Usage })
  .meta({ id: 'OrganizationWithUsage', description: 'An organization and its usage.' });
export type OrganizationWithUsage = z.infer<typeof OrganizationWithUsage>;
