import type { Endpoints } from './stack.ts';
import { StartError } from './start-error.ts';

/** What a command on this machine needs to use the table of the local stack that runs on a port. @throws StartError */
export async function runningStack(port: string): Promise<Endpoints> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/local/endpoints`);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return (await response.json()) as Endpoints;
  } catch {
    throw new StartError(
      `No local stack answers on port ${port}: start it with npm start, name its PORT, or set TABLE_NAME for a deployed table.`,
    );
  }
}
