import type { Config } from './config.ts';

/** What an operator should know about settings that are off, one sentence each. Pure. */
export function noticesOf({ waf, alarmEmail, alarmTopicArn, longConcurrency }: Config): string[] {
  return [
    ...(waf
      ? []
      : [
          'No firewall is on (waf is false): nothing stops a flood from one address before it reaches the gateway, where it uses up limits that all organizations share.',
        ]),
    ...(alarmEmail === undefined && alarmTopicArn === undefined
      ? ['Neither alarmEmail nor alarmTopicArn is set: alarms show on the dashboard, but nobody is notified of them.']
      : []),
    ...(longConcurrency > 0
      ? []
      : ['longConcurrency is 0: long queries of audit logs can take all of the account’s concurrent executions.']),
  ];
}
