import { useState } from 'preact/hooks';
import type { TokenAccess } from '../../../../../lib/contracts/fields/token-access.ts';
import { call } from '../../api.ts';
import { useAction } from '../../load.ts';
import { searchParameters } from '../../router.ts';
import { user } from '../../session.ts';
import { Button, CopyButton, Form } from '../../ui/controls.tsx';
import { Problem } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { loopbackRedirect } from './redirect-uri.ts';
import { type TokenChoice, TokenFields, tokenBody } from './token-fields.tsx';

/** Hands a token to the command line that asks, after its user agreed. The token itself never comes through here. */
export function AuthorizeCli() {
  const [query] = useState(searchParameters);
  const challenge = query.get('code_challenge') ?? '';
  const given = query.get('redirect_uri');
  const redirect = loopbackRedirect(given);
  const name = (query.get('name') ?? '').trim().slice(0, 100) || 'command line';
  const state = query.get('state') ?? '';
  const asked = (['read', 'write', 'full'] as const).find(access => access === query.get('access'));
  const [choice, setChoice] = useState<TokenChoice>({
    access: asked ?? ('full' satisfies TokenAccess),
    organizationId: '',
    projectId: '',
    environmentId: '',
    expiresInDays: '90',
  });
  const [code, setCode] = useState<string>();
  const [refused, setRefused] = useState(false);
  const agree = useAction(async () => {
    const made = await call('POST /v1/auth/cli-auth', {
      body: { codeChallenge: challenge, ...tokenBody(name, choice) },
    });
    const issued = (made as { code: string }).code;
    if (redirect === undefined) {
      setCode(issued);
      return;
    }
    const target = new URL(redirect);
    target.searchParams.set('code', issued);
    if (state !== '') target.searchParams.set('state', state);
    window.location.assign(target);
  });
  const wrong =
    given !== null && redirect === undefined
      ? 'It asks to be answered at an address that is not on this machine. Only http://127.0.0.1 and http://localhost with a port are.'
      : /^[A-Za-z0-9_-]{43}$/.test(challenge)
        ? undefined
        : 'It did not say how it will prove that it is the one that asked (code_challenge).';
  if (wrong !== undefined)
    return (
      <Page title="Log in refused">
        <div class="refusal" role="alert">
          <p>This request was not made by Holdfast’s command line. {wrong}</p>
          <p>
            No code was made. If you did not start this, someone may have sent you a malicious link; close this page.
          </p>
        </div>
      </Page>
    );
  if (refused)
    return (
      <Page title="Nothing was given">
        <p>The command line got no token. You can close this page.</p>
      </Page>
    );
  if (code !== undefined)
    return (
      <Page title="Copy the code">
        <p>Paste it into the command line. It works once, for a minute, and only there.</p>
        <div class="shown-once">
          <code class="mono">{code}</code>
          <CopyButton kind="primary" text={() => code} />
        </div>
      </Page>
    );
  return (
    <Page
      title="Log in the command line"
      lead={
        <>
          <strong class="mono">{name}</strong> asks for a token of <strong class="mono">{user.value?.email}</strong>.
        </>
      }
    >
      <Form onSubmit={() => void agree.run()}>
        <TokenFields choice={choice} onChange={setChoice} />
        <p class="hint">
          {redirect === undefined ? (
            'You will get a code to paste.'
          ) : (
            <>
              The answer goes to <code>{redirect.host}</code>, a program on this machine. Agree only if you started it a
              moment ago.
            </>
          )}
        </p>
        <Problem error={agree.error} />
        <div class="actions">
          <Button type="submit" kind="primary" busy={agree.busy}>
            Agree
          </Button>
          <Button kind="quiet" onClick={() => setRefused(true)}>
            Refuse
          </Button>
        </div>
      </Form>
    </Page>
  );
}
