import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler } from '#functions/workers/check-service.ts';
import { certificateDaysLeft } from '#lib/metrics/certificate-end.ts';
import { createProject, startApi } from '#test/support/api.ts';
import { checkAccountOf, serveParameter } from '#test/support/check-account.ts';
import { shared } from '#test/support/fixtures.ts';
import { captureLog } from '#test/support/log-lines.ts';
import { seedPerson } from '#test/support/people.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { testCertificate } from '#test/support/test-certificate.ts';

const trusted = getCACertificates('default');
let host: string;
const server = shared(() => startReceiver(undefined, { tls: true }));
beforeAll(() => {
  host = `localhost:${server.port}`;
});

beforeEach(() => {
  setDefaultCACertificates([...trusted, testCertificate]);
  // The certificate ends on 2126-10-28 at 09:49:53.
  vi.useFakeTimers({ now: new Date('2126-10-01T00:00:00Z'), toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  setDefaultCACertificates(trusted);
});

describe('the days until a certificate ends', () => {
  it('are whole days, read from the host itself', async () => {
    expect(await certificateDaysLeft(`https://${host}`)).toBe(27);
  });

  it('are unknown if the host’s certificate is not trusted', async () => {
    setDefaultCACertificates(trusted);
    await expect(certificateDaysLeft(`https://${host}`)).rejects.toThrow(/self-signed certificate/);
  });
});

describe('the scheduled check', () => {
  const api = shared(() => startApi({ LOG_LEVEL: 'WARN' }));
  shared(async () => {
    const person = await seedPerson();
    const { slug } = await createProject(api, person);
    return serveParameter({ ...checkAccountOf(api, person), project: slug });
  });

  it.each([
    ['2126-10-01T00:00:00Z', [27]],
    ['2126-09-01T00:00:00Z', []],
  ])('writes the line that rings CertificateEnds in the last thirty days: %s', async (now, expected) => {
    const event = { parameter: '/holdfast/check', domainName: host };
    const lines = captureLog();
    vi.setSystemTime(new Date(now));

    await handler(event);

    const rung = lines.filter(({ alarm }) => alarm === 'certificate');
    expect(rung.map(({ daysLeft }) => daysLeft)).toEqual(expected);
  });
});
