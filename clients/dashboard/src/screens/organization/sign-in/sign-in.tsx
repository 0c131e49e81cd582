import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { ForRoles } from '../../../ui/for-roles.tsx';
import type { OrganizationProps } from '../../../ui/in-organization.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { Connection } from './connection.tsx';
import { Domains } from './domains.tsx';
import { Required } from './required.tsx';
import { Rules } from './rules.tsx';
import { TestResult, TryIt } from './try-it.tsx';
import './sign-in.css';

export function SignInSettings({ organization }: OrganizationProps) {
  return (
    <ForRoles
      organization={organization}
      operation="get-sign-in"
      heading="Sign-in provider"
      doing="set up the provider"
    >
      <Provider organization={organization} />
    </ForRoles>
  );
}

function Provider({ organization: { id: orgId, name, slug } }: { organization: OwnOrganization }) {
  const params = { orgId };
  const loaded = useLoad(orgId, signal => call('GET /v1/orgs/{orgId}/sign-in', { params, signal }));
  return (
    <Page
      title={`Sign-in provider · ${name}`}
      heading="Sign-in provider"
      lead="Members sign in with their company’s account at an OpenID Connect provider, such as Okta, Google Workspace or Keycloak."
    >
      <TestResult />
      <Await of={loaded}>
        {({ redirectUri, signIn }) => {
          const onSaved = (saved: NonNullable<typeof signIn>) => loaded.set({ redirectUri, signIn: saved });
          return (
            <>
              <RedirectUri uri={redirectUri} />
              <Connection params={params} signIn={signIn} onSaved={onSaved} />
              {signIn !== null && (
                <>
                  <Domains params={params} signIn={signIn} onSaved={onSaved} />
                  <TryIt slug={slug} />
                  <Rules params={params} signIn={signIn} onSaved={onSaved} />
                  <Required params={params} signIn={signIn} onSaved={onSaved} />
                  <Remove params={params} onRemoved={() => loaded.set({ redirectUri, signIn: null })} />
                </>
              )}
            </>
          );
        }}
      </Await>
    </Page>
  );
}

function RedirectUri({ uri }: { uri: string }) {
  return (
    <Section
      title="At your provider"
      lead="Register Holdfast there as a web application with this redirect URI and the scopes openid, email and profile. The URI is unique to this organization."
    >
      <p class="to-copy">
        <code class="mono">{uri}</code>
        <CopyButton text={() => uri} label="Copy the redirect URI" />
      </p>
    </Section>
  );
}

function Remove({ params, onRemoved }: { params: { orgId: string }; onRemoved: () => void }) {
  const [confirming, setConfirming] = useState(false);
  return (
    <Section title="Remove" danger>
      <Button kind="danger" onClick={() => setConfirming(true)}>
        Remove the provider
      </Button>
      {confirming && (
        <Confirm
          title="Remove the provider?"
          action="Remove"
          onConfirm={async () => {
            await call('DELETE /v1/orgs/{orgId}/sign-in', { params });
            onRemoved();
            showToast('Provider removed.');
          }}
          onClose={() => setConfirming(false)}
        >
          <p>
            Nobody can sign in through it any more, and it is no longer required. Members and their sessions stay.
            Members without a password can set one with “Forgot your password?”.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
