import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { read } from './pages.ts';
import { agents } from './use/agents.ts';
import { aws } from './use/aws.ts';
import { docker } from './use/containers.ts';
import { kubernetes } from './use/kubernetes.ts';
import { machine, systemd } from './use/machines.ts';
import { moving } from './use/moving.ts';
import { gitHub, gitLab } from './use/pipelines.ts';
import { python } from './use/python.ts';
import { rotate } from './use/rotate.ts';
import { sync } from './use/sync.ts';
import { terraform } from './use/terraform.ts';
import { openWorld, type Run } from './use/world.ts';

/* The blocks of docs/use run in order, or are replayed as their tool's documentation and sources say. */

/** For each page, how each of its blocks is run. */
const runs: Readonly<Record<string, readonly Run[]>> = {
  'README.md': [],
  'agents.md': agents,
  'aws.md': aws,
  'docker.md': docker,
  'github-actions.md': gitHub,
  'gitlab.md': gitLab,
  'kubernetes.md': kubernetes,
  'moving.md': moving,
  'python.md': python,
  'rotate.md': rotate,
  'sync.md': sync,
  'systemd.md': systemd,
  'terraform.md': terraform,
  'vm.md': machine,
  'windows.md': [],
};

/** The pages that other tests run. */
const elsewhere = ['any-image.md'];

const pages = globSync(join(import.meta.dirname, '../../docs/use/*.md'))
  .filter(path => !elsewhere.includes(basename(path)))
  .toSorted()
  .map(path => ({ name: basename(path), text: readFileSync(path, 'utf8') }))
  .map(({ name, text }) => ({
    name,
    text,
    blocks: [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```$/gm)].map(match => match[1] ?? ''),
  }));

const world = shared(openWorld);

it('every block of docs/use has a way to run it, and every page is in the index', () => {
  const index = read('docs/use/README.md');
  expect(Object.fromEntries(pages.map(({ name, blocks }) => [name, blocks.length]))).toEqual(
    Object.fromEntries(Object.entries(runs).map(([name, ofPage]) => [name, ofPage.length])),
  );
  for (const { name } of pages) if (name !== 'README.md') expect(index).toContain(`](${name})`);
});

it('no page names a command or an option that holdfast does not have', () => {
  const reference = read('docs/command-line.md');
  const sections = new Map(reference.split(/^### /m).map(section => [section.split('\n')[0] ?? '', section]));
  const named = pages.flatMap(({ text }) => [...text.matchAll(/`holdfast ([^`]+)`/g)].map(match => match[1] ?? ''));
  const unknown = named.filter(words => {
    const command = [...sections.keys()].findLast(name => name !== '' && `${words} `.startsWith(`${name} `));
    const options = words.match(/--[\w-]+/g) ?? [];
    return command === undefined || options.some(option => !isOption(option, sections.get(command) ?? ''));
  });
  expect(named.length).toBeGreaterThan(5);
  expect(unknown).toEqual([]);
});

/** Those of every command choose the organization, the project and the environment. */
const isOption = (option: string, section: string) =>
  ['--org', '--project', '--env'].includes(option) || section.includes(`${option}\``) || section.includes(`${option} `);

describe.each(pages.filter(({ blocks }) => blocks.length > 0))('docs/use/$name', ({ name, blocks }) => {
  const numbered = blocks.map((text, index) => ({ text, title: `${index + 1}: ${text.split('\n')[0]}`, index }));

  it.for(numbered)('works as printed, $title', async ({ text, index }, { skip }) => {
    await runs[name]?.[index]?.(text, world, note => {
      process.stderr.write(`SKIPPED: docs/use/${name}, block ${index + 1}: ${note}\n`);
      skip(note);
    });
  });
});
