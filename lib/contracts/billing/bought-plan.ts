import * as z from 'zod';
import { planNames } from '../fields/limits.ts';

export const boughtPlans = planNames.filter(name => name !== 'free');

export const BoughtPlan = z.enum(boughtPlans).meta({ description: 'The plan to buy.', example: 'pro' });
export type BoughtPlan = z.infer<typeof BoughtPlan>;
