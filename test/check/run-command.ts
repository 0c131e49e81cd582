import { spawn } from 'node:child_process';

export interface Outcome {
  title: string;
  isGood: boolean;
  output: string;
  seconds: number;
}

export function run(title: string, command: string, args: readonly string[]): Promise<Outcome> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', reject);
    child.once('close', code => {
      resolve({ title, isGood: code === 0, output, seconds: Math.round((performance.now() - startedAt) / 1000) });
    });
  });
}

export function report({ title, isGood, output, seconds }: Outcome): void {
  if (!isGood) print(output);
  print(`${isGood ? 'passed' : 'FAILED'} in ${seconds} s: ${title}`);
}

export const print = (line: string) => process.stdout.write(`${line}\n`);
