import { describe, expect, it } from 'vitest';
import { useShop } from './shop.ts';

const { cli, of, valuesIn, holdfast } = useShop();
const pushed = async (name: string, text: string, more: string[] = []) => {
  const { code, stderr } = await holdfast(['push', cli.file(name, text), '--prune', '--yes', ...more]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Done')]);
  return valuesIn();
};

const nasty = { A: '1', B: 'two\nlines\t"quoted" \\ \'', C: '', D: '日本 🙂 \u2028', E: 'yes', F: '{"inner": "json"}' };

describe('push', () => {
  it('takes a flat file of JSON or YAML exactly, by its name, its first character or --format', async () => {
    expect(await pushed('a.json', JSON.stringify(nasty, null, '\t'))).toEqual(nasty);
    const yaml =
      'A: "1"\nB: |-\n  two\n  lines\nC: ""\nD: &d yes\nE: *d\nF: \'2024-01-01\'\nG: 2024-01-01\nH: -5432\nI: true\n---\n'.slice(
        0,
        -4,
      );
    const date = '2024-01-01';
    const plain = { H: '-5432', I: 'true' };
    const fromYaml = { A: '1', B: 'two\nlines', C: '', D: 'yes', E: 'yes', F: date, G: date, ...plain };
    expect(await pushed('a.yml', yaml)).toEqual(fromYaml);
    expect(await pushed('plain.txt', '{"A":"\\ud83d\\ude42"}')).toEqual({ A: '🙂' });
    expect(await pushed('plain.txt', yaml, ['--format', 'yaml'])).toEqual(fromYaml);
    expect((await holdfast(['push', '-'], '{"Z":"z"}')).code).toBe(0);
    expect((await of().pull()).require('Z')).toBe('z');
    const { stdout } = await holdfast(['diff', cli.file('b.json', '{"Z":"other"}')]);
    expect(stdout).toContain('~ Z');
  });

  it('takes the exports of Doppler, Infisical and AWS Secrets Manager as they come', async () => {
    const download = { DOPPLER_CONFIG: 'dev', A: '1' };
    expect(await pushed('download.json', JSON.stringify(download))).toEqual(download);
    const doppler = { A: { computed: '1', computedVisibility: 'masked', note: '' }, B: { computed: 'two', note: 'n' } };
    expect(await pushed('doppler.json', JSON.stringify(doppler))).toEqual({ A: '1', B: 'two' });
    const infisical = [
      { key: 'A', value: '1', type: 'shared', _id: '65f' },
      { key: 'B', value: 'x\ny', type: 'personal', _id: '660' },
    ];
    expect(await pushed('infisical.json', JSON.stringify(infisical))).toEqual({ A: '1', B: 'x\ny' });
    expect(await pushed('infisical.yaml', 'A: "1"\nB: |-\n  x\n  y\n')).toEqual({ A: '1', B: 'x\ny' });
    const aws = {
      ARN: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:shop-AbCdEf',
      Name: 'shop',
      VersionId: 'a1b2c3d4-5678-90ab-cdef-EXAMPLE11111',
      SecretString: '{"username":"shop","password":"p\\"w"}',
      VersionStages: ['AWSCURRENT'],
      CreatedDate: '2026-01-01T00:00:00+00:00',
    };
    expect(await pushed('aws.json', JSON.stringify(aws))).toEqual({ username: 'shop', password: 'p"w' });
    expect(await pushed('string.json', aws.SecretString)).toEqual({ username: 'shop', password: 'p"w' });
  });

  it('refuses by name what is not a string, is there twice or is no key, and changes nothing', async () => {
    const restricted = '{"A":{"computed":null},"B":{"computed":"geheim"}}';
    const rds = JSON.stringify({ ARN: 'a', VersionId: 'v', SecretString: '{"password":"geheim","port":5432}' });
    const kinds = [/"A" is a number/, /"B" is a boolean/, /"C" is empty/, /"D" is a list/, /"E" is an object/];
    const cases: [name: string, text: string, reasons: RegExp[]][] = [
      ['a.json', '{"A":1,"B":true,"C":null,"D":["geheim"],"E":{"x":"geheim"},"F":"geheim"}', kinds],
      ['a.yaml', 'A: 1.0\nB: TRUE\nC:\nD: [geheim]\nE: {x: geheim}\nF: geheim\n', kinds],
      // Readers of YAML disagree about these.
      ['a.yaml', 'A: 0o17\nB: 1e3\nC: 007\n', [/"A" is a number[\s\S]*"B" is a number[\s\S]*"C" is a number/]],
      ['a.json', '{"A":"geheim","B":"x","\\u0041":"geheim"}', [/"A" is there twice/]],
      ['a.yaml', 'A: geheim\nB: x\nA: geheim\n', [/"A" is there twice/]],
      ['a.json', '[{"key":"A","value":"geheim"},{"key":"A","value":"x"}]', [/"A" is there twice/]],
      ['a.json', '{"a key":"geheim","__proto__":"x"}', [/"a key" is not a key/]],
      ['a.json', restricted, [/"A" is empty/]],
      ['a.json', rds, [/"port" is a number/]],
      ['a.json', '{"A":"geheim"', [/not valid JSON/]],
      ['a.json', '"geheim"', [/neither an object nor a list/]],
      ['a.json', '["geheim"]', [/item 1/]],
      ['a.json', '{"ARN":"a","VersionId":"v","SecretBinary":"geheim"}', [/no SecretString/]],
      ['a.yaml', 'A: x\nB: "geheim\n', [/not valid YAML \(line \d/]],
      ['a.yaml', 'A: x\n---\nA: geheim\n', [/several documents/]],
      ['a.yaml', '- geheim\n', [/not a mapping/]],
      ['a.yaml', 'A: *geheim\n', [/has an alias of nothing/]],
      ['a.yaml', 'A: !!binary geheim\n', [/not valid YAML|"A" is/]],
    ];
    for (const [name, text, reasons] of cases) {
      const { code, stdout, stderr } = await holdfast(['push', cli.file(name, text)]);
      expect([text, code, stdout]).toEqual([text, 1, '']);
      for (const reason of reasons) expect(stderr).toMatch(reason);
      expect(stderr).not.toContain('geheim');
      expect((await holdfast(['push', cli.file(name, text), '--json'])).stderr).not.toContain('geheim');
    }
    expect((await of().keys()).revision).toBe(0);
  });
});
