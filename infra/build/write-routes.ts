import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Lists the contracts in lib/contracts/routes.ts. It keeps the order there, adds new contracts at the end of their area,
 * and removes those whose file is gone.
 */

const folder = join(import.meta.dirname, '../../lib/contracts');
const routesFile = join(folder, 'routes.ts');

/** The name of each contract, by its file. */
function declaredContracts(): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    /^\w+\/[\w-]+\.ts$/.test(file),
  );
  const named = files.map(file => [
    file,
    /^export const (\w+) = contract\(/m.exec(readFileSync(join(folder, file), 'utf8')),
  ]);
  return new Map(named.flatMap(([file, match]) => (match === null ? [] : [[file as string, match?.[1] as string]])));
}

/** The file with exactly the declared contracts. */
export function listedRoutes(text = readFileSync(routesFile, 'utf8'), declared = declaredContracts()): string {
  const imports = new Map(
    [...text.matchAll(/^import \{ (\w+) \} from '\.\/(\w+\/[\w-]+\.ts)';\n/gm)].map(m => [m[2], m]),
  );
  let result = text;
  for (const [file, match] of imports) {
    if (file === undefined || declared.has(file)) continue;
    result = result.replace(match[0], '').replace(new RegExp(`\\b${match[1]},?\\s*(?=[\\w\\]])`), '');
  }
  for (const [file, name] of declared) {
    if (imports.has(file)) continue;
    const area = file.split('/')[0] as string;
    result = `import { ${name} } from './${file}';\n${result}`;
    const list = new RegExp(`(^  ${area}: \\[[^\\]]*?),?(\\s*\\])`, 'm');
    result = list.test(result)
      ? result.replace(list, `$1, ${name}$2`)
      : result.replace(/^\} as const satisfies/m, `  ${area}: [${name}],\n} as const satisfies`);
  }
  return result;
}

if (import.meta.main) {
  writeFileSync(routesFile, listedRoutes());
  spawnSync('biome', ['check', '--write', '--log-level=error', routesFile], { stdio: 'inherit' });
}
