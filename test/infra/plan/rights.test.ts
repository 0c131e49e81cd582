import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { type FunctionPlan, functions, needsDashboardOrigin, passwordFunctions } from '#infra/plan/functions.ts';
import { routes } from '#lib/contracts/routes.ts';
import { reachableActions } from '#test/support/reachable-actions.ts';
import { checkedHandlers, requireRights } from '#test/support/table-rights.ts';

function allowedActions({ name, uses, readsCheckAccount }: FunctionPlan): string[] {
  return [
    ...Object.keys(uses.table).map(action => `dynamodb:${action}`),
    ...new Set(Object.values(uses.key ?? {}).flatMap(actions => actions.map(action => `kms:${action}`))),
    ...(uses.queues === undefined ? [] : ['sqs:SendMessage']),
    ...(uses.functions === undefined ? [] : ['lambda:InvokeFunction']),
    ...(uses.mail ? ['ses:SendEmail'] : []),
    // E-mails and hosted pages link to the dashboard, whose origin may be a parameter.
    ...(needsDashboardOrigin(uses) || readsCheckAccount ? ['ssm:GetParameter'] : []),
    ...(passwordFunctions.has(name) ? ['scrypt'] : []),
  ];
}

/** Actions in code that a function contains but never runs. `test/infra/build/bundles.test.ts` shows that it does not. */
function neverRun({ name }: FunctionPlan): string[] {
  // The chain can write audit entries, which only some operations do.
  const chain = ['dynamodb:GetItem', 'dynamodb:PutItem'];
  const isPublic = routes.find(({ operationId }) => operationId === name)?.access.kind === 'public';
  // The chain can authenticate, which a public route does not.
  if (isPublic) return [...chain, 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem', 'kms:Decrypt'];
  // Proposing is a dry run of the change: it decides, and writes nothing of the environment's secrets.
  if (name === 'create-proposal' || name === 'rebase-proposal') return [...chain, 'dynamodb:DeleteItem'];
  // An addition updates the session, which other changes of factors only check.
  return name === 'add-passkey' ? [...chain, 'dynamodb:ConditionCheckItem'] : chain;
}

describe('the permissions of a function', () => {
  test('are compared with the calls that it makes in any test', async () => {
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: 'http://127.0.0.1:1', maxAttempts: 1 }));
    const Item = { pk: 'AUDIT#o', sk: 'x' };
    const Put = { TableName: 'none', Item };
    const load = checkedHandlers(async () => async () => {
      await client.send(new TransactWriteCommand({ TransactItems: [{ Put }] })).catch(() => undefined);
    });
    const run = async (name: string) => (await load({ area: 'secrets', name }))({}, {} as Context);

    await run('pull-secrets');
    expect(requireRights).not.toThrow();
    await run('list-keys');
    expect(requireRights).toThrow('list-keys: PutItem AUDIT');
    expect(requireRights).not.toThrow();
  });

  test.each(functions.map(plan => [plan.name, plan] as const))(
    'match exactly what the code of %s can do',
    async (_, plan) => {
      const allowed = allowedActions(plan);
      const reachable = (await reachableActions(plan)).filter(
        action => allowed.includes(action) || !neverRun(plan).includes(action),
      );
      expect(allowed.sort()).toEqual(reachable.sort());
    },
  );
});
