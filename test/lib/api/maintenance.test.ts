import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handler as readUser } from '../../../functions/auth/get-current-user.ts';
import { handler as logOut } from '../../../functions/auth/log-out.ts';
import { forgetSettings } from '../../../lib/core/settings.ts';

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('MAINTENANCE', 'true');
  forgetSettings();
});
afterEach(() => {
  vi.unstubAllEnvs();
  forgetSettings();
});

const event = (method: string) =>
  ({
    headers: { 'content-type': 'application/json' },
    requestContext: { requestId: 'r', http: { method, sourceIp: '192.0.2.1', userAgent: '' } },
  }) as unknown as APIGatewayProxyEventV2;

describe('under maintenance', () => {
  it('a change is refused with the time after which it may be sent again', async () => {
    const answer = await logOut(event('POST'), {} as never);
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '60' } });
    expect(JSON.parse(answer.body ?? '').error.code).toBe('temporarily_unavailable');
  });

  it('a read goes its usual way', async () => {
    const answer = await readUser(event('GET'), {} as never);
    expect(answer.statusCode).toBe(401);
  });
});
