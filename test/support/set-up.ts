import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { allowSlowCalls } from '#lib/core/call-limits.ts';
import { resetEnvironment } from './process-environment.ts';
import { setScrypt } from './quick-scrypt.ts';
import { seed } from './seed.ts';

// Vitest would otherwise restore, at the next unstub, what a previous file's first stub found.
vi.unstubAllEnvs();
resetEnvironment();
// After an assignment to `process.env`, Vitest would stub the new object but unstub the old one.
Object.defineProperty(process, 'env', { value: process.env, writable: false });

allowSlowCalls();
fc.configureGlobal({ seed });

/** The tests of password hashes themselves. */
const realHashes = 'test/lib/crypto/passwords.test.ts';
setScrypt(expect.getState().testPath?.endsWith(realHashes) ? 'real' : 'quick');
