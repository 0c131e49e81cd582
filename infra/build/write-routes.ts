import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Lists the contracts in lib/contracts/routes.ts. It keeps the order there, adds new contracts at the end of their area,
 * and removes those that are gone.
 */

const folder = join(import.meta.dirname, '../../lib/contracts');
const routesFile = join(folder, 'routes.ts');

/** The names of the contracts in each file. */
function declaredContracts(): Map<string, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    /^\w+\/[\w-]+\.ts$/.test(file),
  );
  return new Map(
    files.map(file => {
      const declarations = readFileSync(join(folder, file), 'utf8').matchAll(/^export const (\w+) = contract\(/gm);
      return [file, [...declarations].map(([, name]) => name as string)];
    }),
  );
}

function listOf(names: string): string[] {
  return names
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every(name => b.includes(name));

/** The file with exactly the declared contracts. */
export function listedRoutes(text = readFileSync(routesFile, 'utf8'), declared = declaredContracts()): string {
  const files = [...declared].filter(([, names]) => names.length > 0);
  const imports = files.map(([file, names]) => `import { ${names.join(', ')} } from './${file}';\n`);
  const imported = [...text.matchAll(/^import \{([^}]*)\} from '\.\/(\w+\/[\w-]+\.ts)'/gm)];
  const isListed = imported.every(([, names = '', file = '']) => isSame(listOf(names), declared.get(file) ?? []));
  if (isListed && imported.length === files.length) return text;
  const namesOf = (area: string) => files.filter(([file]) => file.startsWith(`${area}/`)).flatMap(([, names]) => names);
  const lists = text
    .replace(/^import \{[^}]*\} from '\.\/\w+\/[\w-]+\.ts';\n/gm, '')
    .replace(/^( {2}(\w+): \[)([^\]]*)\]/gm, (_, start: string, area: string, list: string) => {
      const kept = listOf(list).filter(name => namesOf(area).includes(name));
      return `${start}${kept.join(', ')}]`;
    });
  return files.reduce((result, [file, names]) => {
    const area = file.split('/')[0] as string;
    const missing = names
      .filter(name => !new RegExp(`^  ${area}: \\[[^\\]]*\\b${name}\\b`, 'm').test(result))
      .join(', ');
    if (missing === '') return result;
    const list = new RegExp(`^(  ${area}: \\[[^\\]]+)\\]`, 'm');
    return list.test(result)
      ? result.replace(list, `$1, ${missing}]`)
      : result.replace(/^\} as const satisfies/m, `  ${area}: [${missing}],\n} as const satisfies`);
  }, imports.join('') + lists);
}

if (import.meta.main) {
  writeFileSync(routesFile, listedRoutes());
  spawnSync('biome', ['check', '--write', '--log-level=error', routesFile], { stdio: 'inherit' });
}
