import { contract, succeeds } from '../contract.ts';

export const sendVerification = contract({
  operationId: 'send-verification',
  route: 'POST /v1/auth/send-verification',
  summary: 'Send an e-mail verification link',
  description:
    'Sends an e-mail with a link that is valid for 24 hours and replaces any earlier one. Does nothing if the ' +
    'address is already verified. Limited to 20 e-mails an hour.',
  access: { kind: 'account', tokens: 'session', narrowestToken: 'none' },
  responses: succeeds('The e-mail is on its way.'),
  errors: ['rate_limited'],
  uses: { table: ['PutItem'], writes: ['RATE'], mail: true },
});
