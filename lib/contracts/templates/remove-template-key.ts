import { contract } from '../contract.ts';
import { managers } from '../fields/role.ts';
import { Success } from '../fields/success.ts';

export const removeTemplateKey = contract({
  operationId: 'remove-template-key',
  route: 'DELETE /v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Remove a template key',
  description: 'Removes the key from the template. Secrets with this key are not affected. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  responses: { 200: { description: 'The template key was removed.', body: Success } },
  uses: { table: ['GetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'], writes: ['ORG', 'AUDIT'] },
});
