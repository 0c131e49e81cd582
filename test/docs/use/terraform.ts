import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isInstalled, type Run, secrets, settingsOf } from './world.ts';

const saveModule: Run = async (text, { file }) => {
  file('terraform/main.tf', text);
  file('terraform/migrate.sh', '#!/bin/sh\nprintf %s "$DATABASE_URL" >migrated\n', 0o755);
  expect(text).toContain('ephemeral = true');
};

const apply: Run = async (text, world, skip) => {
  if (!isInstalled('terraform')) return skip('terraform is not installed');
  const cwd = join(world.home, 'terraform');
  const env = {
    ...settingsOf(world),
    HOLDFAST_TOKEN: world.token,
    CHECKPOINT_DISABLE: '1',
    // Nobody confirms here.
    TF_CLI_ARGS_apply: '-auto-approve -input=false -no-color',
  };
  await world.shell(text, env, { cwd });
  const kept = globSync(['*.tfstate*', '.terraform/**/*'], { cwd }).filter(path => /state/.test(path));

  expect(readFileSync(join(cwd, 'migrated'), 'utf8')).toBe(secrets.DATABASE_URL);
  expect(kept.length).toBeGreaterThan(0);
  for (const path of kept) expect(readFileSync(join(cwd, path), 'utf8')).not.toContain('db.internal');
};

export const terraform = [saveModule, apply];
