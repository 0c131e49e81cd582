import { ArnFormat, type Stack, Validations } from 'aws-cdk-lib';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Config } from '../plan/config.ts';

/** The topic of all alarms, which mails them to `alarmEmail`. Without that setting it has no subscriber. */
export function addAlarmTopic(stack: Stack, { name, alarmEmail }: Config): Topic {
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
