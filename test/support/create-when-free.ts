import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, Caller } from './api.ts';

/** Creates something as soon as its slug is free. @returns the body of the response */
export async function createWhenFree(api: Api, path: string, body: object, as: Caller, intervalMs = 20) {
  for (;;) {
    const created = await api.post(path, body, as);
    if (created.status === 201) return created.body;
    if (created.body.error.code !== 'slug_taken')
      throw new Error(`Creating it failed: ${created.status} ${JSON.stringify(created.body)}`);
    await sleep(intervalMs);
  }
}
