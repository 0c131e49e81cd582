import { readdirSync } from 'node:fs';
import type { AnyCommand } from './define-command.ts';

/*
 * Every file of the folder `commands`. The bundle contains the result of this module instead: an import of each file
 * (`allCommands` in bundle.ts).
 */
const folder = `${import.meta.dirname}/commands`;

export const commands: readonly AnyCommand[] = await Promise.all(
  readdirSync(folder).map(async file => (await import(`${folder}/${file}`)).default),
);
