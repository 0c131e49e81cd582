import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Job } from '#lib/core/job.ts';
import { DeliveryMessage } from '#lib/deliveries/message.ts';
import { type Config, ConfigError } from '../plan/config.ts';
import { readInstallation } from '../plan/installation-file.ts';
import { readOutputs } from './read-deployed.ts';
import { sentenceOf } from './sentence-of.ts';

/*
 * `npm run operate -- parked <installation> jobs|webhooks [--delete <id> | --retry <id>]`: lists the messages of a
 * dead-letter queue by their ids, deletes one, or queues a job again. It prints ids and slugs, never a payload.
 */

const usage =
  'Usage: npm run operate -- parked <installation> jobs|webhooks [--delete <id> | --retry <id>]\n' +
  'Only a job can be retried: a webhook is delivered at most once.';

/** Long enough to read the whole queue once without receiving a message twice. */
const visibilityTimeoutSeconds = 60;
/** A queue with more has a problem that no single message explains. */
const maximumMessages = 1_000;

const outputs = { jobs: 'JobDeadLettersUrl', webhooks: 'WebhookDeadLettersUrl' } as const;
type Kind = keyof typeof outputs;

try {
  const [installation = '', kind = '', option, id, ...more] = process.argv.slice(2);
  const isComplete = option === undefined || (id !== undefined && more.length === 0);
  const options = kind === 'jobs' ? ['--delete', '--retry'] : ['--delete'];
  if (!Object.hasOwn(outputs, kind) || !isComplete || (option !== undefined && !options.includes(option))) {
    throw new ConfigError(usage);
  }
  const config = readInstallation(installation);
  const lines = await run(config, kind as Kind, { option, id });
  console.log(lines.join('\n'));
} catch (error) {
  console.error(sentenceOf(error));
  process.exitCode = 1;
}

interface Request {
  option: string | undefined;
  id: string | undefined;
}

async function run(config: Config, kind: Kind, { option, id }: Request): Promise<string[]> {
  const { [outputs[kind]]: deadLetters, JobsUrl: jobs } = await readOutputs(config, 'foundation');
  if (deadLetters === undefined || jobs === undefined) {
    throw new ConfigError(`The stack ${config.name}-foundation names no queue of parked ${kind}: deploy it first.`);
  }
  const client = new SQSClient(config.region === undefined ? {} : { region: config.region });
  const messages = await receiveAll(client, deadLetters);
  const chosen = messages.find(({ MessageId }) => MessageId === id);
  try {
    if (option === undefined) return [...messages.map(message => described(message, kind)), summaryOf(messages, kind)];
    if (chosen === undefined) throw new ConfigError(`No message with the id ${id} is parked.`);
    // A message that can't be deleted is run twice, which every step of a job allows.
    if (option === '--retry') await client.send(new SendMessageCommand({ QueueUrl: jobs, MessageBody: chosen.Body }));
    await client.send(new DeleteMessageCommand({ QueueUrl: deadLetters, ReceiptHandle: chosen.ReceiptHandle }));
    return [`${option === '--retry' ? 'Queued again' : 'Deleted'}: ${described(chosen, kind)}`];
  } finally {
    await release(client, deadLetters, option === undefined ? messages : messages.filter(one => one !== chosen));
    client.destroy();
  }
}

async function receiveAll(client: SQSClient, QueueUrl: string): Promise<Message[]> {
  const received = new Map<string | undefined, Message>();
  while (received.size < maximumMessages) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: visibilityTimeoutSeconds,
        // Long polling asks all servers of the queue, so an empty answer means that nothing is left.
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) break;
    for (const message of Messages) received.set(message.MessageId, message);
  }
  return [...received.values()];
}

/** Makes messages visible again, for the next command. */
async function release(client: SQSClient, QueueUrl: string, messages: readonly Message[]): Promise<void> {
  for (const { ReceiptHandle } of messages) {
    const visible = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
    await client.send(visible).catch(error => {
      // It has become visible by itself.
      if (error.name !== 'MessageNotInflight') throw error;
    });
  }
}

function summaryOf(messages: readonly Message[], kind: Kind): string {
  return messages.length === 0 ? `No ${kind} are parked.` : `${messages.length} parked ${kind}`;
}

function described({ MessageId: id, Body: body = '', Attributes: attributes }: Message, kind: Kind): string {
  const sentAt = new Date(Number(attributes?.SentTimestamp ?? 0)).toISOString();
  return `${id}  ${sentAt}  ${contentOf(body, kind)}`;
}

function contentOf(body: string, kind: Kind): string {
  const schema = kind === 'jobs' ? Job : DeliveryMessage;
  const parsed = schema.safeParse(parseJson(body));
  if (!parsed.success) return `not a valid ${kind === 'jobs' ? 'job' : 'delivery'}, ${Buffer.byteLength(body)} bytes`;
  const { cursor: _, payload: __, ...shown } = parsed.data as Record<string, unknown>;
  return Object.entries(shown)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
