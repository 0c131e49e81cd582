import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleCli } from './bundle.ts';

/* `npm run build`, and by itself after `npm ci` and before `npm pack`. */
const outfile = process.argv[2] ?? join(import.meta.dirname, 'dist/holdfast.cjs');
const bundle = await bundleCli();
mkdirSync(dirname(outfile), { recursive: true });
writeFileSync(outfile, bundle, { mode: 0o755 });
