import * as z from 'zod';

export const Bytes = z.string().regex(/^[A-Za-z0-9_-]*$/, { message: 'must be base64url without padding' });
