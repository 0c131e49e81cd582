import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { expectStatus } from '#test/support/sample-requests.ts';
import { pinned, pipVariables, whyWithoutPython } from '../../clients/python/python.ts';
import { type Run, secrets, settingsOf, type World } from './world.ts';

/** Only a machine without Python can't run the page. */
const withPython =
  (run: Run): Run =>
  async (text, world, skip) => {
    const note = whyWithoutPython();
    return note === undefined ? run(text, world, skip) : skip(note);
  };

const cwdOf = ({ home }: World) => join(home, 'python');
const tokenOf = (world: World) => ({ HOLDFAST_URL: world.origin, HOLDFAST_TOKEN: world.fullToken });

const install = withPython(async (text, world) => {
  world.file('python/requirements.txt', pinned('django'));
  const output = await world.shell(world.fill(text), {}, { cwd: cwdOf(world) });
  expect(output).toContain('Successfully installed holdfast-0.1.0');
});

const keepScript = withPython(async (text, world) => void world.file('python/report.py', text));

const runScript = withPython(async (text, world) => {
  const HOLDFAST_ID_TOKEN = await world.issuer.token(world.identity);
  const output = await world.shell(world.fill(text), { HOLDFAST_ID_TOKEN }, { cwd: cwdOf(world) });
  expect(output).toMatch(/^<Snapshot revision=\d+ keys=\['API_KEY', 'DATABASE_URL'\]>\ndb\.internal\n$/);
});

const keepSettings = withPython(async (text, world) => void world.file('python/settings.py', text));

/** Also makes the page that Django shows for an error while it is developed. */
const readSettings = `
import sys
import django
from django.conf import settings
from django.views.debug import ExceptionReporter
import settings as module
django.setup()
def fail(snapshot): raise RuntimeError
try: fail(module.production.pull())
except RuntimeError: page = ExceptionReporter(None, *sys.exc_info()).get_traceback_html()
print(settings.SECRET_KEY, settings.DATABASES["default"]["HOST"], settings.DATABASES["default"]["PASSWORD"])
print(module.api_key() == ${JSON.stringify(secrets.API_KEY)}, "Snapshot revision=" in page)
# The page has these lines too.
print("/".join(("db.internal", "shop")) in page, "-".join(("of", "django")) in page)
`;

const runDjango = withPython(async (text, world) => {
  const { api, ada } = world;
  const path = '/secrets/acme/web-shop/production';
  await expectStatus(api.put(path, { key: 'DJANGO_SECRET_KEY', value: 'of-django' }, ada.session), 201);
  const env = {
    ...settingsOf(world),
    HOLDFAST_ID_TOKEN: await world.issuer.token(world.identity),
    DJANGO_SETTINGS_MODULE: 'settings',
    ...pipVariables(),
  };
  const run = (script: string) => world.shell(script, env, { cwd: cwdOf(world) });
  try {
    await run('venv/bin/pip install --quiet --requirement requirements.txt');
    expect(await run(text)).toContain('System check identified no issues');
    world.file('python/read.py', readSettings);
    expect(await run('venv/bin/python read.py')).toBe('of-django db.internal pass\nTrue True\nFalse False\n');
  } finally {
    await expectStatus(api.delete(`${path}/DJANGO_SECRET_KEY`, ada.session), 200);
  }
});

const watch = withPython(async (text, world) => {
  world.file('python/watch.py', text.replace('interval=10', 'interval=0.2'));
  const child = spawn(join(cwdOf(world), 'venv/bin/python'), ['watch.py'], {
    cwd: cwdOf(world),
    env: { ...tokenOf(world), HOLDFAST_TOKEN: world.token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const [, first = ''] = /^now at revision (\d+)$/.exec((await lines.next()).value ?? '') ?? [];
    const path = '/secrets/acme/web-shop/production';
    await expectStatus(world.api.put(path, { key: 'WATCHED', value: '1' }, world.ada.session), 201);
    expect((await lines.next()).value).toBe(`now at revision ${Number(first) + 1}`);
    await expectStatus(world.api.delete(`${path}/WATCHED`, world.ada.session), 200);
  } finally {
    child.kill();
    await once(child, 'close');
  }
});

const change = withPython(async (text, world) => {
  world.file('python/change.py', text);
  const output = await world.shell('venv/bin/python change.py', tokenOf(world), { cwd: cwdOf(world) });
  expect(output).toMatch(
    /^\('WORKERS',\) \('LOG_LEVEL',\) 8\nconflict: now at revision \d+\nacme\/web-shop\/dev acme\/web-shop\/production\n$/,
  );
});

export const python = [install, keepScript, runScript, keepSettings, runDjango, watch, change];
