import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildDownloads } from '#clients/cli/build-downloads.ts';
import { packWheel } from '#clients/python/pack.ts';
import { shared } from '#test/support/fixtures.ts';
import { blocksOf, read } from '../../docs/pages.ts';
import { run } from '../packed.ts';
import { describeWithPython, packagePath, pinned, pipVariables } from './python.ts';

const wheel = packWheel();

/** An environment of Python with the wheel, which needs nothing from a registry. */
async function installWheel() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-wheel-'));
  const env = { PATH: process.env.PATH, HOME: folder, ...pipVariables() };
  const shell = async (program: string, ...args: string[]) => {
    const { stdout } = await run(program, args, { cwd: folder, env }).catch(failure => {
      throw new Error(`${failure.stdout}${failure.stderr}`);
    });
    return stdout;
  };
  writeFileSync(join(folder, wheel.fileName), wheel.content);
  await shell('python3', '-m', 'venv', 'venv');
  const python = join(folder, 'venv/bin/python');
  await shell(python, '-m', 'pip', 'install', '--no-index', wheel.fileName);
  return {
    folder,
    python: (...args: string[]) => shell(python, ...args),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

describe('the wheel', () => {
  const project = read('clients/python/pyproject.toml');
  const [, version] = /^version = "(.+)"$/m.exec(project) ?? [];

  it('has the version of the package, and the same bytes each time', () => {
    expect(wheel.fileName).toBe(`holdfast-${version}-py3-none-any.whl`);
    expect(read('clients/python/src/holdfast/_version.py')).toContain(`__version__ = "${version}"\n`);
    for (const page of ['docs/use/python.md', 'clients/python/README.md']) expect(read(page)).toContain(wheel.fileName);
    expect(packWheel().content.equals(wheel.content)).toBe(true);
  });

  it('is served by the installation', async () => {
    const downloads = (await buildDownloads())('https://secrets.example.com');
    expect(downloads.get(`/${wheel.fileName}`)?.equals(wheel.content)).toBe(true);
  });
});

describeWithPython('the installed wheel', () => {
  const installed = shared(installWheel);

  it('contains every module and the marker of types, with the hashes that its record states', async () => {
    const script = `
import base64, hashlib, importlib.metadata, json
one = importlib.metadata.distribution("holdfast")
wrong = []
for file in one.files:
    digest = base64.urlsafe_b64encode(hashlib.sha256(file.locate().read_bytes()).digest()).rstrip(b"=").decode()
    if file.hash and file.hash.value != digest: wrong.append(str(file))
names = [file.name for file in one.files if file.parts[0] == "holdfast" and not file.name.endswith(".pyc")]
print(json.dumps([sorted(names), wrong, one.requires, one.metadata["Requires-Python"], one.read_text("METADATA")]))
`;
    const [names, wrong, requires, python, metadata] = JSON.parse(await installed.python('-c', script));
    const sources = readdirSync(join(packagePath, 'holdfast')).filter(name => /\.(?:py|typed)$/.test(name));
    expect(names).toEqual(sources.toSorted());
    expect([wrong, requires, python]).toEqual([[], null, '>=3.9']);
    // Registries refuse it: they have another project of this name.
    expect(metadata).toContain('\nClassifier: Private :: Do Not Upload\n');
    expect(metadata).toContain('# holdfast\n');
  });

  it('imports only itself and the standard library', async () => {
    const script = `
import json, sys
before = set(sys.modules)
import holdfast
files = {name: getattr(sys.modules[name], "__file__", None) or "" for name in set(sys.modules) - before}
print(json.dumps(sorted({name.split(".")[0] for name, file in files.items() if "site-packages" in file})))
`;
    expect(JSON.parse(await installed.python('-I', '-c', script))).toEqual(['holdfast']);
  });

  it('has types in which mypy finds nothing to object to, nor in the page’s examples', async () => {
    const examples = blocksOf(read('docs/use/python.md'), 'python');
    expect(examples.length).toBeGreaterThan(3);
    mkdirSync(join(installed.folder, 'examples'));
    const files = examples.map((text, index) => {
      const path = `examples/example_${index}.py`;
      writeFileSync(join(installed.folder, path), text);
      return path;
    });
    writeFileSync(join(installed.folder, 'requirements.txt'), pinned('mypy'));
    await installed.python('-m', 'pip', 'install', '--requirement', 'requirements.txt');
    const check = ['-m', 'mypy', '--strict', '--no-incremental'];
    const counted = /^Success: no issues found in (\d+) source files\n$/;
    expect(await installed.python(...check, ...files)).toMatch(counted);
    for (const platform of ['linux', 'win32']) {
      expect(await installed.python(...check, '--platform', platform, join(packagePath, 'holdfast')), platform).toMatch(
        counted,
      );
    }
    writeFileSync(join(installed.folder, 'wrong.py'), wrong);
    await expect(installed.python(...check, 'wrong.py')).rejects.toThrow('Found 3 errors in 1 file');
    expect(readFileSync(join(packagePath, 'holdfast/py.typed'), 'utf8')).toBe('');
  });
});

/** Each line is one error, which shows that the types are read. */
const wrong = `from holdfast import Holdfast
number: int = Holdfast("http://localhost", "token").environment("a/b/c").get("A")
Holdfast("http://localhost", "token").environment("a/b/c").apply({"unset": ["A"]})
Holdfast("http://localhost", "token").environment("a/b/c").pull()["A"] = "value"
`;
