import { useState } from 'preact/hooks';
import { call } from '../../api.ts';
import { useAction, useLoad } from '../../load.ts';
import { searchParameters } from '../../router.ts';
import { organizationBySlug, user } from '../../session.ts';
import { Await } from '../../ui/await.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Form } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { loopbackRedirect } from './redirect-uri.ts';
import { type TokenChoice, TokenFields, tokenBody } from './token-fields.tsx';

interface Asked {
  choice: TokenChoice;
  /** What it asked for that this person can't give. */
  missing?: string;
}

/** The limits that were asked for by slug, as ids. One that can't be met is an error, never a wider token. */
async function resolveLimits(query: URLSearchParams): Promise<Asked> {
  const choice: TokenChoice = {
    access: (['read', 'write', 'full'] as const).find(access => access === query.get('access')) ?? 'full',
    organizationId: '',
    projectId: '',
    environmentId: '',
    expiresInDays: /^\d{1,3}$/.test(query.get('expiresInDays') ?? '') ? (query.get('expiresInDays') ?? '') : '90',
  };
  const [organizationSlug, projectSlug, environmentSlug] = ['organization', 'project', 'environment'].map(name =>
    query.get(name),
  );
  if (!organizationSlug) {
    return projectSlug || environmentSlug ? { choice, missing: 'a project without its organization' } : { choice };
  }
  const organization = organizationBySlug(organizationSlug);
  if (organization === undefined) return { choice, missing: `the organization ${organizationSlug}` };
  choice.organizationId = organization.id;
  if (!projectSlug) return environmentSlug ? { choice, missing: 'an environment without its project' } : { choice };
  const { projects } = await call('GET /v1/projects/{orgId}', { params: { orgId: organization.id } });
  const project = projects.find(({ slug }) => slug === projectSlug);
  if (project === undefined) return { choice, missing: `the project ${projectSlug}` };
  choice.projectId = project.id;
  if (!environmentSlug) return { choice };
  const environment = project.environments.find(({ slug }) => slug === environmentSlug);
  if (environment === undefined) return { choice, missing: `the environment ${environmentSlug}` };
  choice.environmentId = environment.id;
  return { choice };
}

/** Hands a token to the command line that asks, after its user agreed. The token itself never comes through here. */
export function AuthorizeCli() {
  const [query] = useState(searchParameters);
  const asked = useLoad('hand-off', () => resolveLimits(query));
  const challenge = query.get('code_challenge') ?? '';
  const given = query.get('redirect_uri');
  const redirect = loopbackRedirect(given);
  const name = (query.get('name') ?? '').trim().slice(0, 100) || 'command line';
  const state = query.get('state') ?? '';
  const [changed, setChoice] = useState<TokenChoice>();
  const choice = changed ?? asked.data?.choice;
  const [code, setCode] = useState<string>();
  const [refused, setRefused] = useState(false);
  const answer = (parameters: Record<string, string>) => {
    if (redirect === undefined) return false;
    const target = new URL(redirect);
    for (const [parameter, value] of Object.entries(parameters)) target.searchParams.set(parameter, value);
    if (state !== '') target.searchParams.set('state', state);
    window.location.assign(target);
    return true;
  };
  const agree = useAction(async (agreed: TokenChoice) => {
    const made = await call('POST /v1/auth/cli-auth', {
      body: { codeChallenge: challenge, ...tokenBody(name, agreed) },
    });
    const issued = (made as { code: string }).code;
    if (!answer({ code: issued })) setCode(issued);
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
  if (asked.data?.missing !== undefined)
    return (
      <Page title="Log in refused">
        <div class="refusal" role="alert">
          <p>
            <strong class="mono">{name}</strong> asks for {asked.data.missing}, which you don’t have. No code was made.
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
      <Await of={asked}>
        {() =>
          choice === undefined ? null : (
            <Form onSubmit={() => void agree.run(choice)}>
              <TokenFields choice={choice} onChange={setChoice} />
              <p class="hint">
                {redirect === undefined ? (
                  'You will get a code to paste.'
                ) : (
                  <>
                    The answer goes to <code>{redirect.host}</code>, a program on this machine. Agree only if you
                    started it a moment ago.
                  </>
                )}
              </p>
              <Problem error={agree.error} />
              <div class="actions">
                <Button type="submit" kind="primary" busy={agree.busy}>
                  Agree
                </Button>
                <Button
                  kind="quiet"
                  onClick={() => {
                    if (!answer({ error: 'access_denied' })) setRefused(true);
                  }}
                >
                  Refuse
                </Button>
              </div>
            </Form>
          )
        }
      </Await>
    </Page>
  );
}
