import { hotFunctions } from '../plan/functions.ts';
import { bundleFunctions, peakBytesOfBuild } from './bundle.ts';

/*
 * `npm run build` bundles every function and prints the sizes. `npm run build -- pull-secrets` also prints the contents
 * of that function's bundle.
 */

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0).padStart(6)} KB`;

const startedAt = Date.now();
const built = await bundleFunctions();
const bySize = [...built].sort((a, b) => b.sizeBytes - a.sizeBytes);
const total = bySize.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

console.log(
  `${bySize.length} functions in ${((Date.now() - startedAt) / 1000).toFixed(1)} s, ${kilobytes(total).trim()} in total`,
);
const peakBytes = peakBytesOfBuild();
if (peakBytes !== undefined) console.log(`esbuild used at most ${kilobytes(peakBytes).trim()} of memory`);
console.log('Largest:');
for (const { name, sizeBytes } of bySize.slice(0, 5)) console.log(`${kilobytes(sizeBytes)}  ${name}`);
console.log('Hot:');
for (const { name, sizeBytes } of bySize.filter(bundle => hotFunctions.includes(bundle.name))) {
  console.log(`${kilobytes(sizeBytes)}  ${name}`);
}
for (const { name, weights } of built.filter(bundle => process.argv.includes(bundle.name))) {
  console.log(`${name} contains:`);
  for (const [owner, bytes] of weights.slice(0, 20)) console.log(`${kilobytes(bytes)}  ${owner}`);
}
