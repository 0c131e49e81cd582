import { contract, succeeds } from '../contract.ts';
import { managers } from '../fields/role.ts';

export const removeTemplateKey = contract({
  operationId: 'remove-template-key',
  route: 'DELETE /v1/templates/{orgSlug}/{project}/{key}',
  summary: 'Remove a template key',
  description: 'Removes the key from the template. Secrets with this key are not affected. Owners and admins only.',
  access: { kind: 'member', roles: managers, tokens: 'full', narrowestToken: 'project' },
  notFound: { key: 'template_key_not_found' },
  responses: succeeds('The template key was removed.'),
  uses: { table: ['GetItem', 'Query', 'DeleteItem', 'ConditionCheckItem'], writes: ['ORG', 'AUDIT'] },
});
