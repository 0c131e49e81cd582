import { expect, it } from 'vitest';
import { createProject, createToken, startApi } from '#test/support/api.ts';
import { fresh, shared, untilEnd } from '#test/support/fixtures.ts';
import { seedPerson } from '#test/support/people.ts';
import { expectStatus } from '#test/support/sample-requests.ts';
import { passTo } from '../relay.ts';
import { type ReceivedRequest, startServer } from '../sdk/scripted-server.ts';
import { describeWithPython, runScript } from './python.ts';

const start = `
import json, os, sys, threading
from holdfast import Holdfast, HoldfastError, RevisionMismatchError
hf = Holdfast.from_environment()
place = sys.argv[1]
env = hf.environment(f"{place}/dev")
def show(one): print(json.dumps(one))
`;

/** As Python and JSON write it. */
const nasty = `{"EMPTY": "", "QUOTES": "\\"'\`$HOME \\\\n \\\\", "LINES": "a\\r\\nb\\n\\u2028c\\u0000", "UNICODE": "🙂 e\\u0301 \\ufeff", "__PROTO": "x"}`;

describeWithPython('the Python client against the service', () => {
  const api = shared(startApi);
  const ada = fresh(() => seedPerson());
  const project = fresh(() => createProject(api, ada));
  const token = fresh(() => createToken(api, ada));

  const run = (script: string, url = api.url) => {
    const place = `${ada.organization.slug}/${project.slug}`;
    return runScript(start + script, { HOLDFAST_URL: url, HOLDFAST_TOKEN: token.token }, place);
  };

  it('sets, applies, pulls, and reads one key, and every value arrives as it is', async () => {
    const printed = await run(`
first = env.set("A", "1", if_version=0, message="the first")
values = ${nasty}
applied = env.apply({"set": values}, if_revision=1)
second = env.apply({"set": {"A": "2", "EMPTY": ""}, "delete": ["QUOTES"]}, message="why")
values.update(A="2"); del values["QUOTES"]
snapshot = env.pull()
old = env.pull(revision=1)
show([
    [first.revision, first.version, first.changed],
    [applied.revision, sorted(applied.created) == sorted(${nasty})],
    [second.revision, second.created, second.updated, second.unchanged, second.deleted],
    [snapshot.revision, dict(snapshot) == values, dict(old), env.get("A"), env.set("A", "2").changed],
])
`);
    expect(printed).toEqual([
      [1, 1, true],
      [2, true],
      [3, [], ['A'], ['EMPTY'], ['QUOTES']],
      [3, true, { A: '1' }, '2', false],
    ]);
  });

  it('reports what the service refuses', async () => {
    const printed = await run(`
env.set("A", "1")
codes = []
for work in (
    lambda: env.set("A", "2", if_revision=0),
    lambda: env.get("B"),
    lambda: env.apply({"delete": ["B"]}),
    lambda: env.apply({}),
    lambda: hf.environment(f"{place}/nowhere").pull(),
    lambda: env.set("no key", "x"),
):
    try: work()
    except HoldfastError as error: codes.append([type(error).__name__, error.code, error.status, bool(error.request_id)])
for work in (
    lambda: env.apply({"set": {"A": 1}}),
    lambda: env.apply({"delete": "AB"}),
    lambda: env.apply({"unset": ["A"]}),
    lambda: env.set("A", None),
    lambda: env.pull(keys="AB"),
):
    try: work()
    except TypeError as error: codes.append(str(error))
show([codes, dict(env.pull())])
`);
    expect(printed).toEqual([
      [
        ['RevisionMismatchError', 'revision_mismatch', 412, true],
        ['HoldfastError', 'secret_not_found', 404, true],
        ['HoldfastError', 'secret_not_found', 404, true],
        ['HoldfastError', 'invalid_request', 400, true],
        ['HoldfastError', 'environment_not_found', 404, true],
        ['HoldfastError', 'invalid_request', 400, true],
        'The value of A must be a string.',
        'delete must be a list of keys.',
        'changes has set and delete, not unset.',
        'The value of A must be a string.',
        'keys must be a list of keys.',
      ],
      { A: '1' },
    ]);
  });

  it('finds out whether a change whose response was lost was applied', async () => {
    const pass = passTo(api.url);
    let lost = 0;
    const isChange = ({ method }: ReceivedRequest) => method !== 'GET';
    const server = await untilEnd(
      startServer((request, response) => {
        if (!isChange(request) || lost > 1) return void pass(request, response);
        lost += 1;
        // The first change is the one that the others are about.
        if (lost === 1) return void pass(request, response);
        const { socket } = response;
        const end = response.end.bind(response);
        response.end = () => {
          socket?.resetAndDestroy();
          return end();
        };
        return void pass(request, response);
      }),
    );
    const printed = await run(
      `
env.apply({"set": {"A": "1", "B": "1"}})
done = env.apply({"set": {"A": "2", "C": {"value": "\${A}", "expand": True}}, "delete": ["B"]}, if_revision=1)
show([[done.revision, done.created, done.updated, done.unchanged, done.deleted], dict(env.pull())])
`,
      server.url,
    );
    expect(printed).toEqual([[2, [], [], ['A', 'C'], ['B']], { A: '2', C: '2' }]);
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'GET', 'GET']);
  });

  it('pulls layers with one request, and watches them', async () => {
    const pass = passTo(api.url);
    const server = await untilEnd(startServer((request, response) => void pass(request, response)));
    const printed = await run(
      `
below = hf.environment(f"{place}/staging")
below.apply({"set": {"A": "below", "B": "below", "HOST": "db", "URL": {"value": "//\${HOST}", "expand": True}}})
env.apply({"set": {"B": "above", "HOST": "elsewhere"}})
names = [f"{place}/staging", f"{place}/dev"]
watch = hf.watch_layers(names, interval=0.05)
first = next(watch)
below.set("A", "new")
second = next(watch)
some = hf.layers(names, keys=["A", "URL"], raw=True)
try: hf.layers(names, keys=["A", "C"])
except HoldfastError as error: missing = [error.code, error.status]
def shown(one): return [one.layers == tuple(zip(names, [layer.revision for layer in one.layers])), one.revision, dict(one)]
show([shown(first), shown(second), shown(some), missing, [first.source_of(key) == name for key, name in (
    ("A", names[0]), ("B", names[1]), ("HOST", names[1]), ("URL", names[0]), ("C", None))]])
`,
      server.url,
    );
    const first = { A: 'below', B: 'above', HOST: 'elsewhere', URL: '//db' };
    expect(printed).toEqual([
      [true, 1, first],
      [true, 1, { ...first, A: 'new' }],
      [true, 1, { A: 'new', URL: `//\${HOST}` }],
      ['secret_not_found', 404],
      [true, true, true, true, true],
    ]);
    const pulls = server.requests.filter(({ method }) => method === 'GET');
    expect(pulls.length).toBeGreaterThan(3);
    expect(new Set(pulls.map(({ query }) => query.get('layers')))).toEqual(new Set([`${project.slug}/staging`]));
  });

  it('holds 2,000 values, and watches them over a rotation of the data key', async () => {
    const [admin, limitOverrides] = [await seedPerson({ isAdmin: true }), { maxSecretsPerEnvironment: 2000 }];
    await expectStatus(api.patch(`/admin/orgs/${ada.organization.id}`, { limitOverrides }, admin.session), 200);
    const rotate = `/projects/${ada.organization.id}/${project.slug}/rotate-key`;
    const pass = passTo(api.url);
    let rotated = false;
    const server = await untilEnd(
      startServer((request, response) => {
        const work = async () => {
          // After the watch's first pull, so that a poll meets the rotation.
          if (!rotated && request.headers['if-none-match'] !== undefined) {
            rotated = true;
            await expectStatus(api.post(rotate, {}, ada.session), 202);
          }
          await pass(request, response);
        };
        void work();
      }),
    );
    const printed = await run(
      `
values = {f"KEY_{number}": f"value {number}" for number in range(2000)}
keys = list(values)
for part in (keys[:1000], keys[1000:]):
    env.apply({"set": {key: values[key] for key in part}})
watch = env.watch(interval=0.05)
first = next(watch)
threading.Timer(0.5, lambda: Holdfast.from_environment().environment(f"{place}/dev").set("KEY_7", "new")).start()
second = next(watch)
show([first.revision, dict(first) == values, second.revision, dict(second) == {**values, "KEY_7": "new"}])
`,
      server.url,
    );
    expect(printed).toEqual([2, true, 3, true]);
    expect(rotated).toBe(true);
  });

  it('shares one pull between threads, and ends them when it is closed', async () => {
    const held: (() => void)[] = [];
    const pass = passTo(api.url);
    const server = await untilEnd(
      startServer((request, response) => {
        if (request.path !== '/release') return void held.push(() => void pass(request, response));
        // It may overtake the pull that it releases.
        return void expect
          .poll(() => held.length)
          .toBe(1)
          .then(() => {
            held.shift()?.();
            response.writeHead(204).end();
          });
      }),
    );
    const printed = await run(
      `
import time, traceback, urllib.request
def waits(thread):
    frame = sys._current_frames().get(thread.ident)
    names = [] if frame is None else [one.name for one in traceback.extract_stack(frame)]
    return "in_time" in names or "result" in names
def start(work):
    thread = threading.Thread(target=work)
    thread.start()
    while not waits(thread): time.sleep(0.01)
    return thread
results, closed = [], []
threads = [start(lambda: results.append(env.pull().revision)) for _ in range(4)]
urllib.request.urlopen(os.environ["HOLDFAST_URL"] + "/release").read()
for thread in threads: thread.join()
def pull():
    try: env.pull()
    except RuntimeError as error: closed.append(str(error))
threads = [start(pull), start(lambda: closed.append(len(list(env.watch()))))]
hf.close()
for thread in threads: thread.join()
pull()
show([results, closed])
`,
      server.url,
    );
    const isClosed = 'This client is closed.';
    expect(printed).toEqual([[0, 0, 0, 0], expect.arrayContaining([isClosed, 0, isClosed])]);
    const pulls = server.requests.filter(({ path }) => path.endsWith('/dev'));
    expect(pulls.length).toBeLessThanOrEqual(2);
  });
});
