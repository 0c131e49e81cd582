import type { Context } from 'aws-lambda';
import { openLog } from '#lib/core/logger.ts';
import { certificateDaysLeft } from '#lib/metrics/certificate-end.ts';
import { checkService, readCheckAccount } from '#lib/metrics/service-check.ts';

interface CheckEvent {
  /** The name of the SSM parameter with the check account. */
  parameter: string;
  /** Under maintenance nothing can be set. */
  isReadOnly?: boolean;
  /** The installation's own domain, whose certificate must be renewed in time. */
  domainName?: string;
  /** The gateway's own origin, if a firewall would stop the check at the public address. */
  gatewayOrigin?: string;
}

/** ACM renews a certificate 60 days before its end (Certificate Manager, "Managed certificate renewal"). */
const renewedDaysLeft = 30;

/** Runs on a schedule. */
export async function handler(
  { parameter, isReadOnly = false, domainName, gatewayOrigin }: CheckEvent,
  context?: Pick<Context, 'awsRequestId'>,
): Promise<void> {
  const log = openLog({ requestId: context?.awsRequestId, operation: 'check-service' });
  try {
    const milliseconds = await checkService(await readCheckAccount(parameter), { isReadOnly, gatewayOrigin });
    log.info('the service works', { milliseconds });
    if (domainName === undefined) return;
    const daysLeft = await certificateDaysLeft(`https://${domainName}`);
    // The field `alarm` rings the alarm CertificateEnds.
    if (daysLeft < renewedDaysLeft) log.warn('the certificate is about to end', { alarm: 'certificate', daysLeft });
  } catch (error) {
    log.error('the service check failed', error);
    throw error;
  }
}
