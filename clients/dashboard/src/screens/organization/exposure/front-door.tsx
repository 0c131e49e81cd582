import type { OwnOrganization } from '@holdfast/contracts/auth/account.ts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../../../api.ts';
import { useLoad } from '../../../load.ts';
import { navigate } from '../../../router.ts';
import { may, whoMay } from '../../../session.ts';
import { Await } from '../../../ui/await.tsx';
import { Button } from '../../../ui/button.tsx';
import { clientName } from '../../../ui/client-name.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form } from '../../../ui/form.tsx';
import { exposurePath, type SubjectType, sawWords } from '../../../ui/leaked.tsx';
import { Page, Section } from '../../../ui/page.tsx';
import { Select } from '../../../ui/select.tsx';
import { ago } from '../../../ui/time.tsx';
import { listCredentials, memberInWords, type NamedToken, tokenInWords, tokensInLog } from '../credentials.ts';

/** Asks what leaked, and leads to what it saw. */
export function FrontDoor({ organization }: { organization: OwnOrganization }) {
  return (
    <Page
      title={`Something leaked? · ${organization.name}`}
      heading="Something leaked?"
      lead="Say what got into the wrong hands. You will see every secret that it saw, and which of them you still have to change. If it still works, stop it first: you can look up what it saw afterwards too."
    >
      {may('get-exposure', organization.role) ? <Questions organization={organization} /> : <OwnCredentials />}
    </Page>
  );
}

function OwnCredentials() {
  return (
    <Empty title={whoMay('get-exposure', 'see what a credential saw')}>
      <p>
        You can stop your own: <a href="/account/tokens">revoke a token</a> or <a href="/account">end a session</a>.
        There you also get a link that shows an owner or admin what it saw.
      </p>
    </Empty>
  );
}

type Options = readonly (readonly [id: string, label: string])[];

function Questions({ organization }: { organization: OwnOrganization }) {
  const { slug, id: orgId } = organization;
  const loaded = useLoad(orgId, async signal => {
    const [{ members, identities, tokens }, { sessions }, { projects }] = await Promise.all([
      listCredentials(organization, signal),
      call('GET /v1/auth/sessions', { signal }),
      call('GET /v1/projects/{orgId}', { params: { orgId }, signal }),
    ]);
    return { members, identities, tokens, sessions, projects };
  });
  // Searching a long log takes a while, and the rest of the page doesn’t wait for it.
  const logged = useLoad(orgId, signal => tokensInLog(orgId, signal));
  const auditLink = <a href={`/organizations/${slug}/audit`}>audit log</a>;
  return (
    <Await of={loaded} rows={10}>
      {({ members, identities, tokens, sessions, projects }) => (
        <>
          <Question
            {...{ slug, type: 'token', title: 'A token', none: 'No tokens are known.' }}
            options={allTokens(tokens, logged.data ?? []).map(token => [token.id, tokenInWords(token)])}
          >
            Yours, and those created for this organization. If it is not listed, click it in an entry of the {auditLink}
            .
          </Question>
          <Question
            {...{ slug, type: 'user', title: 'A person’s account', none: '' }}
            options={members.map(member => [member.userId, memberInWords(member)])}
          >
            Their password, laptop or mailbox: everything that they, their sessions and their tokens saw.
          </Question>
          <Question
            {...{ slug, type: 'session', title: 'A session of yours', none: 'You have no sessions.' }}
            options={sessions.map(({ id, userAgent, ip, current, lastUsedAt }) => [
              id,
              `${clientName(userAgent) || 'unknown'} from ${ip}, ${current ? 'this one' : `last used ${ago(lastUsedAt)}`}`,
            ])}
          >
            One browser in which you were logged in.
          </Question>
          <Question
            {...{ slug, type: 'identity', title: 'A pipeline or workload', none: 'There are no identities.' }}
            options={identities.map(({ id, name }) => [id, name])}
          >
            What the jobs that signed in as an identity saw.
          </Question>
          <KeyQuestion
            slug={slug}
            options={projects.flatMap(project =>
              project.environments.map(one => [one.id, `${project.slug}/${one.slug}`] as const),
            )}
          />
        </>
      )}
    </Await>
  );
}

const allTokens = (own: readonly NamedToken[], logged: readonly NamedToken[]) => [
  ...own,
  ...logged.filter(({ id }) => !own.some(token => token.id === id)),
];

interface QuestionProps {
  slug: string;
  type: SubjectType;
  title: string;
  options: Options;
  /** What it says if there are no options. */
  none: string;
  children: ComponentChildren;
}

function Question({ slug, type, title, options, none, children }: QuestionProps) {
  const [id, setId] = useState('');
  return (
    <Section title={title} lead={children}>
      {options.length === 0 ? (
        <p>{none}</p>
      ) : (
        <Form label={title} onSubmit={() => navigate(exposurePath(slug, { [type]: id }))}>
          <div class="filters">
            <Select label="Which one?" required value={id} options={[['', 'Choose'], ...options]} onChange={setId} />
            <Button type="submit">{sawWords(type)}</Button>
          </div>
        </Form>
      )}
    </Section>
  );
}

function KeyQuestion({ slug, options }: { slug: string; options: Options }) {
  const [environment, setEnvironment] = useState('');
  return (
    <Section title="The value of a secret" lead="Everyone who knows it, in case you want to find out where it leaked.">
      <Form
        label="The value of a secret"
        onSubmit={({ key = '' }) => navigate(exposurePath(slug, { environment, key: key.trim() }))}
      >
        <div class="filters">
          <Select
            label="Environment"
            required
            value={environment}
            options={[['', 'Choose'], ...options]}
            onChange={setEnvironment}
          />
          <Field label="Key" name="key" mono required maxLength={256} />
          <Button type="submit">Who knows it</Button>
        </div>
      </Form>
    </Section>
  );
}
