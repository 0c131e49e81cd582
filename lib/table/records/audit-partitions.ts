import * as z from 'zod';
import { entity } from '../entity.ts';
import { keys } from '../keys.ts';

/**
 * The number of partitions for the entries of an organization with more reads than one partition can record. All other
 * organizations have one partition and no such item.
 */
export const auditPartitionsRecord = entity('auditPartitions', keys.auditPartitions, { partitions: z.int() });
