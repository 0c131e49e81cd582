import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownDirectory } from '#clients/cli/src/files.ts';
import { launchOf, launchOfShell } from '#clients/cli/src/launch/launch.ts';
import { batchArgument, batchCommandLine, systemProgram, windowsCandidates } from '#clients/cli/src/launch/windows.ts';
import { childEnvironment } from '#clients/cli/src/run/child-environment.ts';
import { findOnWindows } from '#clients/cli/src/run/find-program.ts';
import { isForwarded } from '#clients/cli/src/run/spawn.ts';
import { isWithheld } from '#clients/cli/src/withheld.ts';
import {
  afterSpecialCharacters,
  argumentsIn,
  parametersOf,
  replaceVariables,
  runByCmd,
  withoutQuotes,
} from './cmd-exe.ts';

/* The pure parts, with the environment and the rules of Windows. Nothing here has run on Windows. */

const npm = 'C:\\Program Files\\nodejs\\npm.cmd';
const files = [
  npm,
  'C:\\Program Files\\nodejs\\npm',
  'C:\\Program Files\\nodejs\\node.exe',
  'D:\\tools\\deploy.ps1',
  'D:\\tools\\both.exe',
  'D:\\tools\\both.cmd',
  'D:\\tools\\v1.2.exe',
  'build.cmd',
  '.\\build.cmd',
];
const isFile = (path: string) => files.some(file => file.toLowerCase() === path.toLowerCase().replaceAll('/', '\\'));
const variables = {
  Path: 'C:\\Windows\\system32;"C:\\Program Files\\nodejs";;D:\\tools',
  PathExt: '.COM;.EXE;.BAT;.CMD;.VBS;.JS;.PS1',
};
const found = (command: string, given: Record<string, string> = variables) => findOnWindows(command, given, isFile);

describe('a command on Windows', () => {
  it('is found by Path and PATHEXT, whatever case their names have', () => {
    expect(found('npm').toLowerCase()).toBe(npm.toLowerCase());
    expect(found('NPM').toLowerCase()).toBe(npm.toLowerCase());
    expect(found('npm.cmd')).toBe(npm);
    expect(found('node')).toBe('C:\\Program Files\\nodejs\\node.exe');
    expect(found('node.exe')).toBe('C:\\Program Files\\nodejs\\node.exe');
    expect(found('v1.2')).toBe('D:\\tools\\v1.2.exe');
    expect(found('both')).toBe('D:\\tools\\both.exe');
    expect(found('both', { PATH: 'D:\\tools', PATHEXT: '.CMD;.EXE' })).toBe('D:\\tools\\both.cmd');
    expect(found('both', { PATH: 'D:\\tools' })).toBe('D:\\tools\\both.exe');
    expect(found('D:\\tools\\both')).toBe('D:\\tools\\both.exe');
    expect(found('d:/tools/both.cmd')).toMatch(/^d:/);
  });

  it('is never taken from the current directory, which may be a repository of others', () => {
    expect(() => found('build')).toThrow('Command not found: build.');
    expect(() => found('build', { Path: '' })).toThrow('Command not found: build.');
    expect(found('.\\build')).toBe('.\\build.cmd');
  });

  it('is refused if Windows can’t run its file by itself', () => {
    expect(() => found('D:\\tools\\deploy.ps1')).toThrow('is no program and no batch file');
    expect(() => found('deploy')).toThrow('Command not found');
    expect(windowsCandidates('x', { PATHEXT: '.JS;.VBS', PATH: 'D:\\' })).toEqual(
      ['.com', '.exe', '.bat', '.cmd'].map(end => `D:\\x${end}`),
    );
  });
});

/** What has a meaning for cmd.exe, a batch file or a program, and what has been used against other languages. */
const fragments = [
  '"',
  '""',
  "'",
  '\\',
  '\\\\',
  '\\"',
  '^',
  '^^',
  '^"',
  '&',
  '&&',
  '|',
  '<',
  '>',
  '(',
  ')',
  '@',
  '!',
  '~',
  '`',
  '*',
  '%',
  '%%',
  '%PATH%',
  '%PATH',
  '%CD%',
  '%cd:~,%',
  '%PATHEXT:~-1%',
  '%1',
  '%*',
  '%~dp0',
  '%EVIL%',
  '%=EVIL%',
  '!EVIL!',
  ' ',
  '  ',
  '\t',
  ',',
  ';',
  '=',
  '/c',
  '-x',
  '--',
  ':',
  '#',
  '$',
  '$(id)',
  '{}',
  '[]',
  '?',
  '\u00a0',
  '\u3000',
  '&calc.exe',
  '"&calc.exe',
  '\\"&calc.exe',
  '"&calc.exe&"',
  '%CMDCMDLINE:~-1%&calc.exe',
  '|calc',
  '>out',
  'é',
  '日本',
  '🙂',
  '\u201d',
  '\uff02',
  '\u2028',
  '\u000b',
  '\u000c',
  '\u001a',
  '\u007f',
  'REM ',
  'a',
  'B',
  '0',
  'calc.exe',
  'C:\\',
];
const argument = fc.array(fc.constantFrom(...fragments), { maxLength: 6 }).map(parts => parts.join(''));
const hostile = {
  PATH: '" & calc.exe & "',
  CD: 'C:\\a & calc.exe',
  EVIL: '"&calc.exe&"',
  PATHEXT: '.EXE"',
  CMDCMDLINE: '"',
};
const commandLines = fc.sample(fc.array(argument, { minLength: 1, maxLength: 5 }), { numRuns: 400, seed: 11 });

describe('the arguments of a batch file', () => {
  it('reach the program as they were given, and none of them runs anything: 400 command lines', () => {
    for (const args of commandLines) {
      const { script, parameters } = runByCmd(batchCommandLine(npm, args), hostile);
      expect([args, script]).toEqual([args, npm]);
      // npm.cmd and its like: "%NODE%" "%CLI%" %*
      const passedOn = afterSpecialCharacters(`"node.exe" "cli.js" ${parameters}`);
      expect(argumentsIn(passedOn)).toEqual(['node.exe', 'cli.js', ...args]);
      // A file that takes them one by one: node "%~1" "%~2"
      const words = parametersOf(parameters);
      expect([args, words]).toEqual([args, expect.objectContaining({ length: args.length })]);
      const oneByOne = afterSpecialCharacters(words.map(word => `"${withoutQuotes(word)}"`).join(' '));
      expect(argumentsIn(oneByOne)).toEqual(args);
      expect(() => afterSpecialCharacters(words.map(word => `echo ${word}`).join(' '))).not.toThrow();
    }
  });

  it('would run something with the quotes that programs other than cmd.exe expect', () => {
    const usual = (text: string) => `"${text.replaceAll(/(\\*)"/g, '$1$1\\"')}"`;
    const escapes = commandLines.filter(args => {
      try {
        runByCmd(`/e:ON /v:OFF /d /c ""${npm}" ${args.map(usual).join(' ')}"`, hostile);
        return false;
      } catch {
        return true;
      }
    });
    expect(escapes.length).toBeGreaterThan(50);
    expect(replaceVariables('%PATH%', hostile)).toBe(hostile.PATH);
  });

  it('are refused if no line can hold them, without being shown', () => {
    for (const geheim of ['geheim\n', 'geheim\r', 'geheim\0']) {
      expect(() => batchCommandLine(npm, ['a', geheim])).toThrow('argument 2, which has a line break');
      expect(() => batchCommandLine(npm, ['a', geheim])).not.toThrow('geheim');
    }
    expect(() => batchCommandLine(npm, ['x'.repeat(8200)])).toThrow('at most 8191 characters');
    expect(() => batchCommandLine('C:\\a"b.cmd', [])).toThrow('a character that no file can have');
    expect(runByCmd(batchCommandLine('C:\\%CD%\\a&b.cmd', ['x']), hostile).script).toBe('C:\\%CD%\\a&b.cmd');
  });

  it('stay as they are where that is certain', () => {
    expect(['run', '--port=1', '', 'a\\', 'é', 'C:\\x', '\u00a0'].map(batchArgument)).toEqual([
      'run',
      '"--port=1"',
      '""',
      '"a\\\\"',
      'é',
      'C:\\x',
      '"\u00a0"',
    ]);
  });
});

describe('starting a program', () => {
  it('goes through cmd.exe of the system for batch files only', () => {
    const { SystemRoot } = process.env;
    process.env.SystemRoot = 'D:\\Windows';
    try {
      const cmd = 'D:\\Windows\\System32\\cmd.exe';
      const options = { argv0: 'cmd.exe', windowsVerbatimArguments: true };
      const line = `/e:ON /v:OFF /d /c ""${npm}" run "a b""`;
      expect(launchOf(npm, ['npm', 'run', 'a b'], 'win32')).toEqual({ file: cmd, args: [line], options });
      for (const path of ['D:\\x.BAT', 'D:\\x.cmd. ', 'D:\\x.bat...'])
        expect(launchOf(path, ['x'], 'win32').file).toBe(cmd);
      const node = { file: 'D:\\node.exe', args: ['-p', '1 & 2'], options: { argv0: 'node' } };
      expect(launchOf('D:\\node.exe', ['node', '-p', '1 & 2'], 'win32')).toEqual(node);
      expect(launchOf('/bin/x.cmd', ['x.cmd', 'a'], 'linux').args).toEqual(['a']);
      const editor = launchOfShell('code --wait', ['C:\\Users\\A & B\\x.env'], 'win32');
      expect(editor).toEqual({ file: cmd, args: ['/d /s /c "code --wait "C:\\Users\\A & B\\x.env""'], options });
      expect(launchOfShell('less -FRX', [], 'linux').args).toEqual(['-c', 'less -FRX "$@"', 'less -FRX']);
    } finally {
      if (SystemRoot === undefined) delete process.env.SystemRoot;
      else process.env.SystemRoot = SystemRoot;
    }
  });

  it('takes programs of the system from its own folder', () => {
    expect(systemProgram('cmd.exe', { SYSTEMROOT: 'E:\\WinNT' })).toBe('E:\\WinNT\\System32\\cmd.exe');
    expect(systemProgram('cmd.exe', { SystemRoot: 'evil' })).toBe('C:\\Windows\\System32\\cmd.exe');
    expect(systemProgram('cmd.exe', {})).toBe('C:\\Windows\\System32\\cmd.exe');
  });
});

describe('the variables of a command on Windows', () => {
  const parent = { Path: 'C:\\', api_key: 'old', holdfast_token: 'geheim', Holdfast_Id_Token: 'geheim', Other: '1' };
  const given = (entries: [string, string][], allowed: string[] = []) =>
    childEnvironment(entries, '7', { allowed, parent, isWindows: true });

  it('have one spelling, the secret’s, and no token in any', () => {
    const { variables: own, refusals } = given([['API_KEY', 'new']]);
    expect(refusals).toEqual([]);
    expect({ ...own }).toEqual({ Path: 'C:\\', Other: '1', API_KEY: 'new', HOLDFAST_REVISION: '7' });
    expect({ ...given([['PATH', 'D:\\']], ['PATH']).variables }).toMatchObject({ PATH: 'D:\\' });
    expect(given([['PATH', 'D:\\']], ['PATH']).variables).not.toHaveProperty('Path');
    expect([isWithheld('holdfast_token', false), isWithheld('holdfast_token', true)]).toEqual([false, true]);
  });

  it('are refused if two keys are one variable, or a name is dangerous in another case', () => {
    const reasons = (entries: [string, string][]) =>
      given(entries).refusals.map(({ key, reason }) => `${key} ${reason}`);
    expect(
      reasons([
        ['Key', '1'],
        ['KEY', '2'],
      ]),
    ).toEqual(['KEY and Key are one variable on Windows']);
    expect(reasons([['path', 'x']])).toEqual([expect.stringContaining('path decides which program')]);
    expect(reasons([['Node_Options', 'x']])).toHaveLength(1);
    expect(reasons([['holdfast_revision', 'x']])).toEqual(['holdfast_revision is set by run itself']);
    expect(reasons([['LONG', 'x'.repeat(32_767)]])).toEqual([expect.stringContaining('longer than a variable can be')]);
    expect(reasons([['LONG', 'x'.repeat(32_766)]])).toEqual([]);
    expect(
      childEnvironment(
        [
          ['Key', '1'],
          ['KEY', '2'],
        ],
        '7',
        { allowed: [], parent, isWindows: false },
      ).refusals,
    ).toEqual([]);
  });
});

describe('places and signals on Windows', () => {
  const windows = { platform: 'win32', homeDirectory: 'C:\\Users\\Ada' };

  it('are the folders of a program’s data', () => {
    const set = { APPDATA: 'D:\\Roaming', LOCALAPPDATA: 'D:\\Local' };
    expect(ownDirectory('config', set, windows)).toBe('D:\\Roaming\\holdfast');
    expect(ownDirectory('cache', set, windows)).toBe('D:\\Local\\holdfast');
    expect(ownDirectory('config', {}, windows)).toBe('C:\\Users\\Ada\\AppData\\Roaming\\holdfast');
    expect(ownDirectory('cache', { LOCALAPPDATA: 'relative' }, windows)).toBe(
      'C:\\Users\\Ada\\AppData\\Local\\holdfast',
    );
    expect(ownDirectory('config', { ...set, XDG_CONFIG_HOME: 'E:\\x' }, windows)).toBe('E:\\x\\holdfast');
    const linux = { platform: 'linux', homeDirectory: '/home/ada' };
    expect(ownDirectory('config', set, linux)).toBe('/home/ada/.config/holdfast');
    expect(ownDirectory('cache', { XDG_CACHE_HOME: '/c' }, linux)).toBe('/c/holdfast');
  });

  it('reach the command from its console, and are never forwarded, because that would end it at once', () => {
    for (const signal of ['SIGINT', 'SIGBREAK', 'SIGHUP', 'SIGTERM'] as const) {
      expect(isForwarded(signal, true, 'win32') || isForwarded(signal, false, 'win32')).toBe(false);
    }
    expect(isForwarded('SIGINT', true, 'linux')).toBe(false);
    expect([isForwarded('SIGINT', false, 'linux'), isForwarded('SIGTERM', true, 'linux')]).toEqual([true, true]);
  });
});
