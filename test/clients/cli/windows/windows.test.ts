import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownDirectory } from '#clients/cli/src/files.ts';
import { launchOf, launchOfShell } from '#clients/cli/src/launch/launch.ts';
import { batchCommand, commandLine, systemProgram, windowsCandidates } from '#clients/cli/src/launch/windows.ts';
import { addVariables, childEnvironment } from '#clients/cli/src/run/child-environment.ts';
import { findOnWindows } from '#clients/cli/src/run/find-program.ts';
import { hand, isForwarded } from '#clients/cli/src/run/spawn.ts';
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
    expect(found('both', { PATH: '"C:\\a;b";D:\\tools' })).toBe('D:\\tools\\both.exe');
    expect(windowsCandidates('x.exe', { PATH: '"C:\\a;b\\bin";' })[0]).toBe('C:\\a;b\\bin\\x.exe');
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
  ...String.raw`" "" ' \ \\ \" ^ ^^ ^" & && | < > ( ) @ ! ~ * , ; = : # $ ? /c -x -- $(id) {} []`.split(' '),
  ...`% %% %PATH% %PATH %CD% %cd:~,% %PATHEXT:~-1% %1 %* %~dp0 %EVIL% %=EVIL% !EVIL!`.split(' '),
  ...String.raw`&calc.exe "&calc.exe \"&calc.exe "&calc.exe&" %CMDCMDLINE:~-1%&calc.exe |calc >out`.split(' '),
  ...'`| |  |\t|REM |a|B|0|calc.exe|C:\\|é|日本|🙂'.split('|'),
  // Blanks, quotes and ends of lines for some readers.
  ...'\u00a0\u3000\u02ba\u201d\uff02\u2028\u000b\u000c\u001a\u007f',
];
const argument = fc.array(fc.constantFrom(...fragments), { maxLength: 4 }).map(parts => parts.join(''));
const hostile = {
  PATH: '" & calc.exe & "',
  CD: 'C:\\a & calc.exe',
  EVIL: '"&calc.exe&"',
  PATHEXT: '.EXE"',
  CMDCMDLINE: '"',
};
const commandLines = fc.sample(fc.array(argument, { minLength: 1, maxLength: 3 }), { numRuns: 1000, seed: 11 });
const isRefused = (args: readonly string[]) => args.some(one => /["%\r\n\0]/.test(one));
const lineOf = (args: readonly string[]) => commandLine(batchCommand(npm, args));

describe('the arguments of a batch file', () => {
  const passed = commandLines.filter(args => !isRefused(args));

  it('reach the program as they were given, and none of them runs anything', () => {
    expect(passed.length).toBeGreaterThan(200);
    for (const args of passed) {
      const { script, parameters } = runByCmd(lineOf(args), hostile);
      expect([args, script]).toEqual([args, npm]);
      // npm.cmd and its like: "%NODE%" "%CLI%" %*
      const passedOn = afterSpecialCharacters(`"node.exe" "cli.js" ${parameters}`);
      expect(argumentsIn(passedOn)).toEqual(['node.exe', 'cli.js', ...args]);
      // A file that takes them one by one: node "%~1" "%~2"
      const words = parametersOf(parameters);
      expect([args, words]).toEqual([args, expect.objectContaining({ length: args.length })]);
      const oneByOne = afterSpecialCharacters(words.map(word => `"${withoutQuotes(word)}"`).join(' '));
      expect(argumentsIn(oneByOne)).toEqual(args);
    }
  });

  it('run nothing in a file that lets cmd.exe read them again and again', () => {
    for (const args of passed) {
      let { parameters } = runByCmd(lineOf(args), hostile);
      // `call other.cmd %*` and `for /f %%i in ('program %*')` also replace variables once more.
      for (let time = 0; time < 3; time += 1) {
        parameters = afterSpecialCharacters(replaceVariables(`echo ${parameters}`, hostile)).slice('echo '.length);
      }
      expect(argumentsIn(parameters)).toEqual(args);
    }
  });

  it('are refused if they have what no quotes hold, without being shown', () => {
    const refused = commandLines.filter(isRefused);
    expect(refused.length).toBeGreaterThan(200);
    for (const args of refused) expect(() => lineOf(args)).toThrow('which cmd.exe may run');
    for (const geheim of ['geheim\n', 'geheim\r', 'geheim\0', '%geheim%', '"geheim']) {
      expect(() => lineOf(['a', geheim])).toThrow('argument 2 has a quote, a % or a line break');
      expect(() => lineOf(['a', geheim])).not.toThrow('geheim');
    }
    expect(() => lineOf(['x'.repeat(8200)])).toThrow('at most 8191 characters');
    for (const path of ['C:\\a"b.cmd', 'C:\\%CD%\\b.cmd']) expect(() => batchCommand(path, [])).toThrow('its path has');
    expect(runByCmd(commandLine(batchCommand('C:\\a&b (x86)\\^c.cmd', ['x'])), hostile).script).toBe(
      'C:\\a&b (x86)\\^c.cmd',
    );
  });

  it('would run something with the quotes that programs other than cmd.exe expect', () => {
    const usual = (text: string) => `"${text.replaceAll(/(\\*)"/g, '$1$1\\"')}"`;
    const escapes = commandLines.filter(args => {
      try {
        runByCmd(`/d /v:OFF /s /c ""${npm}" ${args.map(usual).join(' ')}"`, hostile);
        return false;
      } catch {
        return true;
      }
    });
    expect(escapes.length).toBeGreaterThan(50);
    expect(replaceVariables('%PATH%', hostile)).toBe(hostile.PATH);
  });

  it('stay as they are where that is certain', () => {
    const given = ['run', '--port', '--a=1', '', 'a\\', 'a b\\\\', 'C:\\x', 'é', '\u00a0', '@x/y:*?'];
    const written = [
      'run',
      '--port',
      '"--a=1"',
      '""',
      '"a\\\\"',
      '"a b\\\\\\\\"',
      'C:\\x',
      '"é"',
      '"\u00a0"',
      '@x/y:*?',
    ];
    expect(batchCommand('C:\\x.cmd', given)).toBe(['"C:\\x.cmd"', ...written].join(' '));
  });
});

describe('starting a program', () => {
  it('goes through cmd.exe of the system for batch files only', () => {
    const { SystemRoot } = process.env;
    process.env.SystemRoot = 'D:\\Windows';
    try {
      const cmd = 'D:\\Windows\\System32\\cmd.exe';
      const options = { argv0: 'cmd.exe', windowsVerbatimArguments: true };
      const line = `/d /v:OFF /s /c ""${npm}" run "a b""`;
      expect(launchOf(npm, ['npm', 'run', 'a b'], 'win32')).toEqual({ file: cmd, args: [line], options });
      for (const path of ['D:\\x.BAT', 'D:\\x.cmd. ', 'D:\\x.bat...'])
        expect(launchOf(path, ['x'], 'win32').file).toBe(cmd);
      const node = { file: 'D:\\node.exe', args: ['-p', '1 & 2'], options: { argv0: 'node' } };
      expect(launchOf('D:\\node.exe', ['node', '-p', '1 & 2'], 'win32')).toEqual(node);
      expect(launchOf('/bin/x.cmd', ['x.cmd', 'a'], 'linux').args).toEqual(['a']);
      const editor = launchOfShell('code --wait', ['C:\\Users\\A & B\\x.env'], 'win32');
      expect(editor).toEqual({ file: cmd, args: ['/d /v:OFF /s /c "code --wait "C:\\Users\\A & B\\x.env""'], options });
      // A script of a rotation.
      expect(launchOfShell('set.cmd & try.cmd', [], 'win32').args).toEqual(['/d /v:OFF /s /c "set.cmd & try.cmd"']);
      expect(() => launchOfShell('set.cmd\ntry.cmd', [], 'win32')).toThrow('A command of several lines');
      expect(() => launchOfShell('code', ['C:\\%TEMP%\\x.env'], 'win32')).toThrow('with a quote or a %');
      expect(launchOfShell('vi -R', ['/tmp/x'], 'linux').args).toEqual(['-c', 'vi -R "$@"', 'vi -R', '/tmp/x']);
      expect(launchOfShell('cat <<E\nx\nE', [], 'linux').args).toEqual(['-c', 'cat <<E\nx\nE']);
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

describe('the variables of a rotation’s scripts on Windows', () => {
  const added = (entries: [string, string][], isWindows: boolean) =>
    addVariables(entries, { parent: { Path: 'C:\\', holdfast_new_a: 'of this process' }, isWindows });

  it('have one value each, or no script is run', () => {
    expect({ ...added([['HOLDFAST_NEW_A', '1']], true).variables }).toEqual({ Path: 'C:\\', HOLDFAST_NEW_A: '1' });
    const two: [string, string][] = [
      ['HOLDFAST_NEW_a', '1'],
      ['HOLDFAST_NEW_A', '2'],
    ];
    expect(added(two, true).refusals).toHaveLength(1);
    expect(added(two, false).refusals).toEqual([]);
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
    const sent: unknown[] = [];
    const child = { kill: (signal?: unknown) => sent.push(signal) > 0 };
    for (const signal of ['SIGBREAK', 'SIGHUP', 'SIGWINCH'] as const) hand(child, signal, 'win32');
    hand(child, 'SIGHUP', 'linux');
    expect(sent).toEqual([undefined, undefined, 'SIGHUP']);
    expect(isForwarded('SIGINT', true, 'linux')).toBe(false);
    expect([isForwarded('SIGINT', false, 'linux'), isForwarded('SIGTERM', true, 'linux')]).toEqual([true, true]);
  });
});
