import { expect, it } from 'vitest';
import { untilEnd } from '#test/support/fixtures.ts';
import { isRunning } from '#test/support/is-running.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { environmentsIn } from '../cases/answers.ts';
import { inTurn, json, pullAnswer, reset, startServer } from '../sdk/scripted-server.ts';
import { describeWithPython, runScript } from './python.ts';

const start = `
import json, os, sys
import holdfast
def client(**options): return holdfast.Holdfast(os.environ["URL"], "service_tok_x", **options)
def show(one): print(json.dumps(one))
`;
const run = (script: string, env: Record<string, string>) => runScript(start + script, env);

/* What Python does in its own way. The cases that both SDKs pass are elsewhere. */
describeWithPython('the Python client', () => {
  it('uses the proxy of the environment, but never for a metadata server', async () => {
    const proxy = await untilEnd(startServer(pullAnswer(3, {})));
    const metadata = await untilEnd(
      startReceiver(response => response.writeHead(200, { 'metadata-flavor': 'Google' }).end('google.id.token')),
    );
    const proxied = proxy.url.replace('http://', 'http://ada:p%40ss@');
    const printed = await run(
      `
from holdfast._id_token_sources import platform_assertion
from holdfast._variables import Variables
revision = client().environment("acme/web-shop/dev").pull().revision
show([revision, platform_assertion("i-1", Variables(os.environ))()])
`,
      {
        URL: 'http://secrets.example.com',
        http_proxy: proxied,
        HOLDFAST_ID_TOKEN_SOURCE: 'gcp',
        GCE_METADATA_HOST: metadata.url,
      },
    );
    expect(printed).toEqual([3, 'google.id.token']);
    const credentials = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`;
    expect(proxy.requests.map(({ headers }) => [headers.host, headers['proxy-authorization']])).toEqual([
      ['secrets.example.com', credentials],
    ]);
    expect(metadata.received).toHaveLength(1);
  });

  it('keeps the end of an IPv6 address apart from a port', async () => {
    const script = `
from holdfast._http import Request, _connect_to
def place(url):
    connection = _connect_to(Request("GET", url, {}, None), 1, direct=True)[0]
    return [connection.host, connection.port]
show([place("http://[fd00:ec2::23]/v1"), place("https://[fd00:ec2::254]"), place("http://[::1]:81")])
`;
    expect(await run(script, { URL: 'http://localhost' })).toEqual([
      ['fd00:ec2::23', 80],
      ['fd00:ec2::254', 443],
      ['::1', 81],
    ]);
  });

  it('uses no proxy for hosts that are excluded', async () => {
    const server = await untilEnd(startServer(pullAnswer(3, {})));
    const script = 'show(client().environment("acme/web-shop/dev").pull().revision)';
    const env = { URL: server.url, http_proxy: 'http://127.0.0.1:2', no_proxy: '127.0.0.1' };
    expect(await run(script, env)).toBe(3);
  });

  it('logs each retry, without a value', async () => {
    const server = await untilEnd(startServer(inTurn(reset, pullAnswer(3, { A: 'nobody-may-log' }))));
    const printed = await run(
      `
import logging
lines = []
class Handler(logging.Handler):
    def emit(self, record): lines.append([record.levelname, record.getMessage()])
logging.getLogger("holdfast").addHandler(Handler())
logging.getLogger("holdfast").setLevel("INFO")
client().environment("acme/web-shop/dev").pull()
show(lines)
`,
      { URL: server.url },
    );
    const line = expect.stringMatching(
      /^GET \/v1\/secrets\/acme\/web-shop\/dev failed \(connection_failed\), attempt 2 in 0\.\d s$/,
    );
    expect(printed).toEqual([['INFO', line]]);
  });

  it('identifies itself and its version, or the program that uses it', async () => {
    const server = await untilEnd(startServer(pullAnswer(1, {})));
    const script = `
for options in ({}, {"user_agent": "shop-worker/2"}): client(**options).environment("acme/web-shop/dev").pull()
show(holdfast.__version__)
`;
    const version = await run(script, { URL: server.url });
    expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      `holdfast-python/${version}`,
      'shop-worker/2',
    ]);
  });

  it('keeps each name within its segment of the path', async () => {
    const server = await untilEnd(startServer(pullAnswer(1, {})));
    await run('show(client().environment("acme/a?b#c d/é").pull().revision)', { URL: server.url });
    expect(server.requests[0]?.path).toBe('/v1/secrets/acme/a%3Fb%23c%20d/%C3%A9');
  });

  it('keeps the environments used last, and no more', async () => {
    const printed = await run(
      `
hf = client()
first = hf.environment("acme/shop/dev")
def visit(count, name): return [hf.environment(f"acme/shop/{name}-{number}") for number in range(count)]
visit(99, "a"); kept = hf.environment("acme/shop/dev") is first
visit(100, "b")
show([kept, hf.environment("acme/shop/dev") is first])
`,
      { URL: 'http://127.0.0.1:2' },
    );
    expect(printed).toEqual([true, false]);
  });

  it('has errors that survive pickling, and snapshots that can be neither changed nor pickled', async () => {
    const server = await untilEnd(startServer(pullAnswer(17, { A: 'nobody-may-log' })));
    const printed = await run(
      `
import copy, pickle
snapshot = client().environment("acme/web-shop/dev").pull()
refused = []
for change in (
    lambda: snapshot.__setitem__("A", "2"), lambda: setattr(snapshot, "revision", 1), lambda: setattr(snapshot, "x", 1),
    lambda: snapshot._values.__setitem__("A", "2"), lambda: pickle.dumps(snapshot), lambda: json.dumps(snapshot),
):
    try: change()
    except (TypeError, AttributeError): refused.append(1)
try: snapshot["B"]
except KeyError as error: missing = str(error)
error = holdfast.RevisionMismatchError("No.", "revision_mismatch", status=412, details={"currentRevision": 3})
again = pickle.loads(pickle.dumps(error))
same = [again.code, again.status, again.current_revision, str(again)]
copied = copy.copy(snapshot) is snapshot and copy.deepcopy({"kept": snapshot})["kept"] is snapshot
show([repr(snapshot), len(refused), missing, snapshot.get("B"), "A" in snapshot, same, copied])
`,
      { URL: server.url },
    );
    const same = ['revision_mismatch', 412, 3, 'No.'];
    const missing = "'B is not set at revision 17.'";
    expect(printed).toEqual(["<Snapshot revision=17 keys=['A']>", 6, missing, null, true, same, true]);
  });

  it('pulls layers that are environments instead of names, those of another client with its token', async () => {
    const held = {
      'acme/shared/dev': { revision: 4, values: { A: '1' } },
      'acme/shop/dev': { revision: 17, values: {} },
    };
    const server = await untilEnd(startServer(environmentsIn(held)));
    const printed = await run(
      `
hf, other = client(), holdfast.Holdfast(os.environ["URL"], "service_tok_other")
first = hf.layers(["acme/shared/dev", hf.environment("acme/shop/dev")])
unchanged = hf.layers(["acme/shared/dev", "acme/shop/dev"]) is first
second = hf.layers(["acme/shared/dev", other.environment("acme/shop/dev")])
show([repr(first), unchanged, second == first, second.layers == first.layers])
`,
      { URL: server.url },
    );
    expect(printed).toEqual(["<LayeredSnapshot revision=17 keys=['A']>", true, true, true]);
    const sent = server.requests.map(({ path, query, headers }) => [path, query.get('layers'), headers.authorization]);
    const together = ['/v1/secrets/acme/shop/dev', 'shared/dev', 'Bearer service_tok_x'];
    expect(sent.slice(0, 2)).toEqual([together, together]);
    expect(sent.slice(2).toSorted()).toEqual([
      ['/v1/secrets/acme/shared/dev', null, 'Bearer service_tok_x'],
      ['/v1/secrets/acme/shop/dev', null, 'Bearer service_tok_other'],
    ]);
  });

  it('can’t know the outcome of a change that another server answered', async () => {
    const server = await untilEnd(startServer(json(200, { revision: 1 })));
    const printed = await run(
      `
env, unknown = client().environment("acme/web-shop/dev"), []
for change in (lambda: env.set("A", "1"), lambda: env.apply({"delete": ["A"]})):
    try: change()
    except holdfast.GatewayError as error: unknown.append(error.outcome_unknown)
show(unknown)
`,
      { URL: server.url },
    );
    expect(printed).toEqual([true, true]);
  });

  it('does not send a change that came too late to its connection', async () => {
    const server = await untilEnd(startServer(pullAnswer(1, {})));
    const printed = await run(
      `
import socket, threading
resolve, release, sent = socket.getaddrinfo, threading.Event(), threading.Event()
def slow(*args, **more):
    release.wait()
    try: return resolve(*args, **more)
    finally: sent.set()
socket.getaddrinfo = slow
env = client(timeout=0.2, retries=0).environment("acme/web-shop/dev")
try: env.set("A", "1")
except holdfast.ServiceTimeoutError as error: code = error.code
release.set(); sent.wait()
for thread in threading.enumerate():
    if thread.daemon: thread.join()
show(code)
`,
      { URL: server.url },
    );
    expect(printed).toBe('timeout');
    expect(server.requests).toEqual([]);
  });

  it('ends a command that takes too long, with everything that it started', async () => {
    const printed = await run(
      `
import tempfile
from holdfast._id_token_command import run_id_token_command
from holdfast._variables import Variables
pids = tempfile.NamedTemporaryFile()
command = f"sh -c 'sleep 600 & echo $! >> {pids.name}; wait' & echo $! >> {pids.name}; echo part; wait"
try: run_id_token_command("a", Variables({**os.environ, "HOLDFAST_ID_TOKEN_COMMAND": command}), 1.5)
except holdfast.HoldfastError as error: message = str(error)
show([message, open(pids.name).read().split()])
`,
      {},
    );
    const [message, pids] = printed as [string, string[]];
    expect(message).toBe(
      'HOLDFAST_ID_TOKEN_COMMAND did not end within 1.5 seconds: set it to a command that prints the token.',
    );
    expect(pids).toHaveLength(2);
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  it('works in a process that was forked while another thread was pulling', async () => {
    const server = await untilEnd(
      startServer((request, response) => {
        const pulls = () => server.requests.filter(({ path }) => path.endsWith('/dev')).length;
        if (request.path !== '/received') return pulls() > 1 && pullAnswer(5, {})(request, response);
        // It may overtake the pull that it waits for.
        return void expect
          .poll(pulls)
          .toBe(1)
          .then(() => response.writeHead(204).end());
      }),
    );
    const printed = await run(
      `
import threading, urllib.request
env = client(timeout=600, attempt_timeout=600).environment("acme/web-shop/dev")
threading.Thread(target=env.pull, daemon=True).start()
urllib.request.urlopen(os.environ["URL"] + "/received").read()
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    os.write(write, str(env.pull().revision).encode())
    os._exit(0)
os.waitpid(pid, 0)
show(os.read(read, 10).decode())
`,
      { URL: server.url },
    );
    expect(printed).toBe('5');
  });
});
