import { type ChildProcess, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { systemProgram } from '../launch/windows.ts';

/** Marks the processes of one start, by which those are found whose parents have ended. */
export const markVariable = 'HOLDFAST_WATCH';

interface RunningProcess {
  pid: number;
  parent: number;
  isZombie: boolean;
  /** Differs from that of an earlier process with the same pid. */
  startedAt: string;
}

const idOf = ({ pid, startedAt }: RunningProcess): string => `${pid} ${startedAt}`;

/** How long the system may take to end a killed process. */
const killMs = 5_000;

/**
 * Ends everything that one start began: TERM, then KILL after the grace period. The processes stay in this process's
 * group, because another group couldn't read the terminal. So they are found by descent and by their mark.
 * @returns the pids that are still running, which this user may not kill or the system can't
 */
export async function endProcesses(child: ChildProcess, mark: string, graceMs: number): Promise<number[]> {
  if (process.platform === 'win32') return await endTree(child);
  const members = new Set<string>();
  const signalled = new Set<number>();
  const killAt = performance.now() + graceMs;
  for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, 500)) {
    const pids = findMembers(child, mark, members).map(({ pid }) => pid);
    // Where processes can't be listed, there is only the child.
    if (isRunning(child) && child.pid !== undefined && !pids.includes(child.pid)) pids.push(child.pid);
    if (pids.length === 0 || performance.now() >= killAt + killMs) return pids;
    const isLate = performance.now() >= killAt;
    for (const pid of pids) if (isLate || !signalled.has(pid)) end(pid, isLate);
    for (const pid of pids) signalled.add(pid);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
}

/** Windows can only end processes at once, and finds them by descent as long as those between them run. */
async function endTree(child: ChildProcess): Promise<number[]> {
  const { pid } = child;
  if (pid === undefined || !isRunning(child)) return [];
  const ended = new Promise<number[]>(resolve => child.once('exit', () => resolve([])));
  spawnSync(systemProgram('taskkill.exe'), ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore' });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<number[]>(resolve => {
    timer = setTimeout(() => resolve([pid]), killMs);
  });
  return await Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

function end(pid: number, isLate: boolean): void {
  try {
    process.kill(pid, isLate ? 'SIGKILL' : 'SIGTERM');
    // A stopped process gets the signal when it continues.
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended, or belongs to another user.
  }
}

/** Adds processes to `members`, which keeps those whose parents end later. */
function findMembers(child: ChildProcess, mark: string, members: Set<string>): RunningProcess[] {
  const all = listProcesses();
  const byPid = new Map(all.map(one => [one.pid, one]));
  const decided = new Map<number, boolean>([[process.pid, false]]);
  const isMember = (one: RunningProcess): boolean => {
    const parent = byPid.get(one.parent);
    const belongs =
      decided.get(one.pid) ??
      (members.has(idOf(one)) ||
        (one.pid === child.pid && isRunning(child)) ||
        (parent !== undefined && isMember(parent)) ||
        hasMark(one.pid, mark));
    decided.set(one.pid, belongs);
    if (belongs) members.add(idOf(one));
    return belongs;
  };
  return all.filter(one => isMember(one) && !one.isZombie);
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

function hasMark(pid: number, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${markVariable}=${mark}\0`);
  } catch {
    return false;
  }
}

/** Empty where the system has neither /proc nor `ps`. */
function listProcesses(): RunningProcess[] {
  if (process.platform !== 'linux') return listByPs();
  return readdirSync('/proc').flatMap(name => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The name before it may contain spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state = '', parent = ''] = fields;
      return { pid: Number(name), parent: Number(parent), isZombie: /[ZX]/.test(state), startedAt: fields[19] ?? '' };
    } catch {
      return [];
    }
  });
}

function listByPs(): RunningProcess[] {
  const { stdout } = spawnSync('ps', ['-Ao', 'pid=,ppid=,state='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap(line => {
    const [pid, parent, state = ''] = line.trim().split(/\s+/);
    return pid ? [{ pid: Number(pid), parent: Number(parent), isZombie: state.startsWith('Z'), startedAt: '' }] : [];
  });
}
