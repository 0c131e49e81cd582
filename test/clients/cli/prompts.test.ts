import { spawnSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { shared } from '#test/support/fixtures.ts';
import { type Respond, startServer } from '../sdk/scripted-server.ts';
import { buildCli, variablesOf } from './cli.ts';
import { pathOf } from './scripts/image.ts';

const hasScript = pathOf('script') !== undefined;
const hasTmux = pathOf('tmux') !== undefined;
if (!hasScript) process.stderr.write('SKIPPED: script is not installed, so no prompt was tried on a terminal\n');
if (!hasTmux) process.stderr.write('SKIPPED: tmux is not installed, so no paste was tried in it\n');

/** Longer than the buffer of a pseudo-terminal. */
const pem = `-----BEGIN KEY-----\n${`${'never-shown+'.repeat(5)}\n`.repeat(100)}-----END KEY-----\n`;
const crlf = 'a\r\nb\r\n';
let values: unknown[] = [];

const answer: Respond = ({ body }, response) => {
  values.push((body as { value: unknown }).value);
  const secret = { key: 'K', version: 1, createdAt: '2026-01-31T09:26:53.589Z', updatedAt: '2026-01-31T09:26:53.589Z' };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ secret, changed: true, revision: 1 }));
};

const server = shared(() => startServer(answer));
const cli = shared(buildCli);
const env = shared(() => variablesOf(server.url, 'a-token'));
beforeEach(() => {
  values = [];
});

describe.skipIf(!hasScript)('set on a terminal', () => {
  it.each([
    ['without marks', pem.replaceAll('\n', '\r'), '', pem],
    ['in marks', `\u001b[200~${pem.replaceAll('\n', '\r')}\u001b[201~`, '\r', pem],
    ['of CRLF in marks', `\u001b[200~${crlf}\u001b[201~`, '\r', crlf],
    ['of one line', 'never-shown\r', '', 'never-shown'],
  ])('takes a whole paste %s and echoes nothing of it', async (_, paste, enter, value) => {
    const typed = [paste, enter].filter(text => text !== '').map((text): [string, string] => ['Value of K: ', text]);
    const { code, stdout } = await cli.converse(['set', 'K'], typed, { env });
    expect([code, values]).toEqual([0, [value]]);
    expect(stdout).not.toMatch(/never-shown|KEY--/);
    expect(stdout).toContain(value === pem ? 'K set, 102 lines, version 1' : 'K set, ');
  });

  it('stores no empty value for Enter, and nothing after an interruption', async () => {
    for (const [key, code] of [
      ['\r', 2],
      ['\u0003', 130],
    ] as const) {
      expect((await cli.converse(['set', 'K'], [['Value of K: ', key]], { env })).code).toBe(code);
    }
    expect(values).toEqual([]);
  });
});

describe.skipIf(!hasTmux)('set in tmux', () => {
  it.each([
    ['with', ['-p']],
    ['without', []],
  ])('takes a whole paste %s marks and echoes nothing of it', async (_, marks) => {
    const socket = `${cli.home}/tmux-${marks.length}`;
    const tmux = (...words: string[]) =>
      spawnSync('tmux', ['-S', socket, '-f', '/dev/null', ...words], {
        env: { PATH: process.env.PATH, ...env },
        encoding: 'utf8',
      });
    const text = '-----BEGIN KEY-----\nnever-shown\n-----END KEY-----\n';
    cli.file('pem', text);
    try {
      const command = `HOME='${cli.home}' '${process.execPath}' '${cli.bundle}' set K; cat`;
      expect(tmux('new-session', '-d', '-x', '60', '-y', '20', command).status).toBe(0);
      const until = async (shown: RegExp) => {
        for (;;) {
          const screen = tmux('capture-pane', '-p').stdout;
          if (shown.test(screen)) return screen;
          await new Promise(resolve => setTimeout(resolve, 50));
        }
      };
      await until(/Value of K:/);
      tmux('load-buffer', `${cli.home}/pem`);
      tmux('paste-buffer', ...marks);
      if (marks.length > 0) tmux('send-keys', 'Enter');
      const screen = await until(/revision 1/);
      expect(values).toEqual([text]);
      expect(screen).not.toMatch(/never-shown|KEY--/);
    } finally {
      tmux('kill-server');
    }
  });
});
