import { environmentRules } from 'virtual:contracts';
import { sourcesWith } from './project-access.ts';

/** All sources of access to a project, with the rules of this service. */
export const sources = sourcesWith(environmentRules);
