import * as z from 'zod';

export const TokenMinutes = z.int().min(5).max(60);
