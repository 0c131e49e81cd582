import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * The number of partitions of an organization whose reads are too many for one. All other organizations have one, and no
 * such item.
 */
export const auditPartitionsRecord = entity('auditPartitions', keys.auditPartitions, { partitions: z.int() });
