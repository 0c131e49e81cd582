import { join } from 'node:path';
import { build } from 'esbuild';
import type { FunctionPlan } from '#infra/plan/functions.ts';

const root = join(import.meta.dirname, '../..');

/** The code that makes each call. Only `lib/table/write.ts` writes to the table. */
const marks: Readonly<Record<string, string>> = {
  'dynamodb:GetItem': 'new GetCommand(',
  'dynamodb:BatchGetItem': 'new BatchGetCommand(',
  'dynamodb:Query': 'new QueryCommand(',
  'dynamodb:BatchWriteItem': 'BatchWriteCommand(',
  'dynamodb:PutItem': 'kind: "put"',
  'dynamodb:UpdateItem': 'kind: "update"',
  'dynamodb:DeleteItem': 'kind: "remove"',
  'dynamodb:ConditionCheckItem': 'kind: "check"',
  'kms:GenerateDataKey': 'new GenerateDataKeyCommand(',
  'kms:Encrypt': 'new EncryptCommand(',
  'kms:Decrypt': 'new DecryptCommand(',
  'sqs:SendMessage': 'new SendMessage',
  'lambda:InvokeFunction': 'new InvokeCommand(',
  'ses:SendEmail': 'new SendEmailCommand(',
  'ssm:GetParameter': 'new GetParameterCommand(',
  // Not a call to AWS, but just as expensive.
  scrypt: '(scrypt)',
};

/** Bundled for each function alone, because a shared build keeps the parts of a file that any function needs. */
export async function reachableActions({ area, name }: Pick<FunctionPlan, 'area' | 'name'>): Promise<string[]> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`functions/${area}/${name}.ts`],
    bundle: true,
    packages: 'external',
    external: ['*.json'],
    format: 'esm',
    platform: 'node',
    target: 'node24',
    write: false,
    logLevel: 'silent',
  });
  const code = outputFiles[0]?.text ?? '';
  return Object.keys(marks).filter(action => code.includes(marks[action] as string));
}
