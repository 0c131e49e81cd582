import { ArnFormat, type Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Config } from '../plan/config.ts';

/** `page`: users can't use the service, so somebody should look at once. `notify`: it can wait until working hours. */
export type Severity = 'page' | 'notify';

/** Where alarms are sent: all of them to the first topic, those that should wake somebody also to the second. */
export interface AlarmTopics {
  all: ITopic;
  pages: ITopic | undefined;
}

/** The topics of the installation's file, or one of its own. */
export function addAlarmTopics(stack: Stack, config: Config): AlarmTopics {
  const { alarmTopicArn, pageTopicArn } = config;
  return {
    all:
      alarmTopicArn === undefined
        ? addOwnTopic(stack, config)
        : Topic.fromTopicArn(stack, 'SharedAlarms', alarmTopicArn),
    pages: pageTopicArn === undefined ? undefined : Topic.fromTopicArn(stack, 'Pages', pageTopicArn),
  };
}

export function topicsFor(severity: Severity, { all, pages }: AlarmTopics): ITopic[] {
  return severity === 'page' && pages !== undefined ? [all, pages] : [all];
}

/** The text starts with the severity, for people and tools that read only the message. */
export function withSeverity(severity: Severity, text: string): string {
  return `[${severity}] ${text}`;
}

/** Mails all alarms to `alarmEmail`. Without that setting it has no subscriber. */
function addOwnTopic(stack: Stack, { name, alarmEmail }: Config): ITopic {
  const topic = new Topic(stack, 'Alarms', { displayName: `${name} alarms`, enforceSSL: true });
  Validations.of(topic).acknowledge({
    id: 'AwsSolutions-SNS2',
    reason:
      'Alarms hold no secret, CloudWatch cannot publish to a topic under the AWS-managed key, and a separate key would cost more than all alarms.',
  });
  // Setting a policy (for TLS) replaces the default one, which allows the account's alarms to publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'PublishAlarms',
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': stack.account },
        ArnLike: {
          'aws:SourceArn': stack.formatArn({
            service: 'cloudwatch',
            resource: 'alarm',
            resourceName: `${name}-*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        },
      },
    }),
  );
  if (alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(alarmEmail));
  return topic;
}
