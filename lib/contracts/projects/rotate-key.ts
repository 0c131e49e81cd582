import * as z from 'zod';
import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Project, projectExample, Rotation } from './project.ts';

function response(description: string, shown: Pick<Rotation, 'status' | 'total'>) {
  const rotation = { ...shown, fromVersion: 1, toVersion: 2, reencrypted: 0 };
  return {
    description,
    body: z.object({ project: Project, rotation: Rotation }),
    example: { project: { ...projectExample, keyVersion: 2, rotation }, rotation },
  };
}

export const rotateKey = contract({
  operationId: 'rotate-key',
  route: 'POST /v1/projects/{orgId}/{slug}/rotate-key',
  summary: 'Rotate the encryption key',
  description:
    'Creates a new data key for new values and re-encrypts everything stored, including the history. Reads and ' +
    'writes continue throughout. When the rotation completes, the old wrapped key is deleted. ' +
    '`project.rotation` shows the progress. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project', fresh: 'always' },
  responses: {
    200: response('The rotation is complete: there was nothing to re-encrypt.', { status: 'completed', total: 0 }),
    202: response('The new key is in use. Re-encryption continues in the background.', {
      status: 'in_progress',
      total: 310,
    }),
  },
  errors: ['rotation_in_progress'],
  uses: {
    table: ['GetItem', 'Query'],
    reads: ['ORGID', 'ENV'],
    writes: ['ORG', 'ENV', 'AUDIT', 'UNFINISHED'],
    key: { project: ['GenerateDataKey'] },
    queues: ['jobs'],
  },
});
