import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { base64url } from '../../base64url.ts';
import { useAction, useLoad } from '../../load.ts';
import { searchParameters } from '../../router.ts';
import { user } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Form } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { loopbackRedirect } from './redirect-uri.ts';
import { resolveLimits } from './resolve-limits.ts';
import { type TokenChoice, TokenFields, tokenBody } from './token-fields.tsx';
import '../../ui/shown-once.css';

interface HandOff {
  name: string;
  challenge: string;
  state: string;
  /** The address that receives the code; undefined if the user pastes it. */
  redirect: URL | undefined;
}

/** Authorizes the command line to get a token once the user agrees. The token itself never reaches the browser. */
export function AuthorizeCli() {
  const [query] = useState(searchParameters);
  const given = query.get('redirect_uri');
  const handOff: HandOff = {
    name: (query.get('name') ?? '').trim().slice(0, 100) || 'command line',
    challenge: query.get('code_challenge') ?? '',
    state: query.get('state') ?? '',
    redirect: loopbackRedirect(given),
  };
  const wrong = problemOf(handOff, given);
  if (wrong !== undefined)
    return (
      <Refused>
        <p>This request was not made by Holdfast’s command line. {wrong}</p>
        <p>
          No code was issued. If you did not start this, someone may have sent you a malicious link: close this page.
        </p>
      </Refused>
    );
  return <Request handOff={handOff} query={query} />;
}

function problemOf({ challenge, redirect }: HandOff, given: string | null): string | undefined {
  if (given !== null && redirect === undefined)
    return 'It asked to send the code to an address that is not on this machine. Only http://127.0.0.1 and http://localhost with a port are allowed.';
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    return 'It has no code_challenge, so it could not prove later that the request was its own.';
  return undefined;
}

function Refused({ children }: { children: ComponentChildren }) {
  return (
    <Page title="Log in refused">
      <div class="refusal" role="alert">
        {children}
      </div>
    </Page>
  );
}

/** Redirects the browser to the waiting command line. Returns false if there is none. */
function answer({ redirect, state }: HandOff, parameters: Record<string, string>): boolean {
  if (redirect === undefined) return false;
  const target = new URL(redirect);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
  if (state !== '') target.searchParams.set('state', state);
  window.location.assign(target);
  return true;
}

function Request({ handOff, query }: { handOff: HandOff; query: URLSearchParams }) {
  const asked = useLoad('hand-off', () => resolveLimits(query));
  const [code, setCode] = useState<string>();
  const [refused, setRefused] = useState(false);
  if (refused)
    return (
      <Page title="Refused">
        <p>The command line did not get a token. You can close this page.</p>
      </Page>
    );
  if (code !== undefined) return <PasteCode code={code} />;
  if (asked.data?.missing !== undefined)
    return (
      <Refused>
        <p>
          <strong class="mono">{handOff.name}</strong> asks for {asked.data.missing}, which you don’t have. No code was
          issued.
        </p>
      </Refused>
    );
  return (
    <Page
      title="Log in the command line"
      lead={
        <>
          <strong class="mono">{handOff.name}</strong> asks for a token of{' '}
          <strong class="mono">{user.value?.email}</strong>.
        </>
      }
    >
      <Await of={asked}>
        {({ choice, why }) => (
          <Consent handOff={handOff} asked={choice} why={why} onCode={setCode} onRefused={() => setRefused(true)} />
        )}
      </Await>
    </Page>
  );
}

interface ConsentProps {
  handOff: HandOff;
  asked: TokenChoice;
  why: string | undefined;
  onCode: (code: string) => void;
  onRefused: () => void;
}

function Consent({ handOff, asked, why, onCode, onRefused }: ConsentProps) {
  const [choice, setChoice] = useState(asked);
  const agree = useAction(async () => {
    const made = await call('POST /v1/auth/cli-auth', {
      body: { codeChallenge: handOff.challenge, ...tokenBody(handOff.name, choice) },
    });
    const { code, iss } = made as { code: string; iss: string };
    if (!answer(handOff, { code, iss })) onCode(`${code}~${base64url(new TextEncoder().encode(iss))}`);
  });
  const refuse = () => {
    if (!answer(handOff, { error: 'access_denied', iss: window.location.origin })) onRefused();
  };
  return (
    <Form onSubmit={() => void agree.run()}>
      <TokenFields choice={choice} onChange={setChoice} why={why} />
      <p class="hint">
        {handOff.redirect === undefined ? (
          'You will get a code to paste.'
        ) : (
          <>
            The code will be sent to <code>{handOff.redirect.host}</code>, a program on this machine. Agree only if you
            started it a moment ago.
          </>
        )}
      </p>
      <Problem error={agree.error} />
      <div class="actions">
        <Button type="submit" kind="primary" busy={agree.busy}>
          Agree
        </Button>
        <Button kind="quiet" onClick={refuse}>
          Refuse
        </Button>
      </div>
    </Form>
  );
}

function PasteCode({ code }: { code: string }) {
  return (
    <Page title="Copy the code">
      <p>Paste it into the command line. It works once, within a minute, and only there.</p>
      <div class="shown-once">
        <code class="mono">{code}</code>
        <CopyButton kind="primary" text={() => code} />
      </div>
    </Page>
  );
}
