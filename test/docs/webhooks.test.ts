import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DeliveredEventName, EventPayload, eventPayloadExample } from '#lib/contracts/fields/events.ts';
import { createSigningSecret, signatureOf } from '#lib/deliveries/signing-secret.ts';
import { pathOf } from '../clients/cli/scripts/image.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const blockOf = (language: string) =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-webhooks-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Programs that print whether the signature in `argv` is that of their standard input. */
const programs: [program: string, file: string, text: string][] = [
  [
    process.execPath,
    'check.mjs',
    `${blockOf('js')}\nimport { readFileSync } from 'node:fs';\nconst [, , given, secret] = process.argv;\nconsole.log(isGenuine(readFileSync(0), given, secret) ? 'yes' : 'no');\n`,
  ],
  [
    'python3',
    'check.py',
    `${blockOf('python')}\nimport sys\nprint("yes" if is_genuine(sys.stdin.buffer.read(), sys.argv[1], sys.argv[2]) else "no")\n`,
  ],
  [
    'php',
    'check.php',
    `<?php\n${blockOf('php')}\necho isGenuine(stream_get_contents(STDIN), $argv[1], $argv[2]) ? "yes\\n" : "no\\n";\n`,
  ],
];

describe.each(programs)('the snippet for %s', (program, file, text) => {
  const isInstalled = program === process.execPath || pathOf(program) !== undefined;
  if (!isInstalled) process.stderr.write(`SKIPPED: ${program} is not installed, so its snippet was not run\n`);

  it.skipIf(!isInstalled)('accepts the signature of a body and no other', () => {
    const path = join(folder, file);
    writeFileSync(path, text);
    const secret = createSigningSecret();
    const body = JSON.stringify({ ...eventPayloadExample, metadata: { message: 'größer “quoted”\n' } });
    const genuine = signatureOf(Buffer.from(body), secret);
    const answer = (input: string, signature: string) => {
      const { stdout, stderr } = spawnSync(program, [path, signature, secret], { input, encoding: 'utf8' });
      return stdout.trim() || stderr;
    };
    expect(answer(body, genuine)).toBe('yes');
    for (const signature of [genuine.replace('sha256=', ''), `${genuine.slice(0, -1)}g`, '', 'sha256=']) {
      expect(answer(body, signature)).toBe('no');
    }
    expect(answer(`${body} `, genuine)).toBe('no');
  });
});

it('shows every event and a body that the service could send', () => {
  for (const event of DeliveredEventName.options) expect(page).toContain(`\`${event}\``);
  expect(EventPayload.parse(JSON.parse(blockOf('json')))).toEqual(JSON.parse(blockOf('json')));
});
