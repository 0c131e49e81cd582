import { onTestFinished, vi } from 'vitest';

/** What the service logs from now on until the running test ends. */
export function captureLog() {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member of a line
  const lines: Record<string, any>[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(text => lines.push(JSON.parse(String(text))) > 0);
  onTestFinished(() => spy.mockRestore());
  return lines;
}
