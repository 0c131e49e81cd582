import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { verifySignature } from './aws-signature.ts';
import { startReceiver } from './receiver.ts';

interface AccessKey {
  userName: string;
  secretAccessKey: string;
  status: 'Active' | 'Inactive';
}

/** A user has at most so many access keys. */
const mostKeys = 2;
const namespaces = {
  '2010-05-08': 'https://iam.amazonaws.com/doc/2010-05-08/',
  '2011-06-15': 'https://sts.amazonaws.com/doc/2011-06-15/',
} as const;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
  }
}

/**
 * The access keys of IAM and GetCallerIdentity of STS, in the Query protocol that AWS documents, on loopback. Requests
 * have to be signed with an active key.
 * @param administrator the access key of somebody who may change all others
 */
export async function startIam(administrator: { accessKeyId: string; secretAccessKey: string }) {
  const keys = new Map<string, AccessKey>([
    [administrator.accessKeyId, { ...administrator, userName: 'administrator', status: 'Active' }],
  ]);
  const ofUser = (userName: string) => [...keys].filter(([, key]) => key.userName === userName);
  const newKey = (userName: string) => {
    if (ofUser(userName).length >= mostKeys) throw new Refusal(409, 'LimitExceeded');
    const accessKeyId = `AKIA${randomBytes(8).toString('hex').toUpperCase()}`;
    const key: AccessKey = { userName, secretAccessKey: randomBytes(30).toString('base64'), status: 'Active' };
    keys.set(accessKeyId, key);
    return { accessKeyId, ...key };
  };
  const member = (id: string, { userName, status }: AccessKey) =>
    `<UserName>${userName}</UserName><AccessKeyId>${id}</AccessKeyId><Status>${status}</Status>`;
  const created = '<CreateDate>2026-11-27T09:00:00Z</CreateDate>';
  const actions: Record<string, (field: (name: string) => string, caller: AccessKey) => string> = {
    ListAccessKeys: field => {
      const members = ofUser(field('UserName')).map(([id, key]) => `<member>${member(id, key)}${created}</member>`);
      return `<AccessKeyMetadata>${members.join('')}</AccessKeyMetadata><IsTruncated>false</IsTruncated>`;
    },
    CreateAccessKey: field => {
      const { accessKeyId, ...key } = newKey(field('UserName'));
      const secret = `<SecretAccessKey>${key.secretAccessKey}</SecretAccessKey>`;
      return `<AccessKey>${member(accessKeyId, key)}${secret}${created}</AccessKey>`;
    },
    UpdateAccessKey: field => {
      keyOf(field).status = field('Status') === 'Active' ? 'Active' : 'Inactive';
      return '';
    },
    DeleteAccessKey: field => {
      keyOf(field);
      keys.delete(field('AccessKeyId'));
      return '';
    },
    GetCallerIdentity: (_, { userName }) =>
      `<Arn>arn:aws:iam::123456789012:user/${userName}</Arn><UserId>AIDA</UserId><Account>123456789012</Account>`,
  };
  const keyOf = (field: (name: string) => string): AccessKey => {
    const key = keys.get(field('AccessKeyId'));
    if (key === undefined || key.userName !== field('UserName')) throw new Refusal(404, 'NoSuchEntity');
    return key;
  };

  const receiver = await startReceiver((response, received) => {
    const form = new URLSearchParams(received.body.toString());
    const action = form.get('Action') ?? '';
    const namespace = namespaces[form.get('Version') as keyof typeof namespaces];
    try {
      const answer = namespace === undefined ? undefined : actions[action];
      if (answer === undefined) throw new Refusal(400, 'InvalidAction');
      const active = (id: string) => (keys.get(id)?.status === 'Active' ? keys.get(id) : undefined);
      const { accessKeyId } = verifySignature(received, active);
      const caller = keys.get(accessKeyId) as AccessKey;
      if (caller.userName !== 'administrator' && action !== 'GetCallerIdentity') throw new Refusal(403, 'AccessDenied');
      const result = answer(name => form.get(name) ?? '', caller);
      const inner = result === '' ? '' : `<${action}Result>${result}</${action}Result>`;
      const metadata = '<ResponseMetadata><RequestId>made-up</RequestId></ResponseMetadata>';
      response.setHeader('content-type', 'text/xml');
      response.end(`<${action}Response xmlns="${namespace}">${inner}${metadata}</${action}Response>`);
    } catch (error) {
      refuse(response, error instanceof Refusal ? error : new Refusal(403, (error as Error).message));
    }
  });
  return { ...receiver, keys, newKey };
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  const error = `<Error><Type>Sender</Type><Code>${message.replace(/:.*/, '')}</Code><Message>Refused</Message></Error>`;
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(`<ErrorResponse>${error}<RequestId>made-up</RequestId></ErrorResponse>`);
}
