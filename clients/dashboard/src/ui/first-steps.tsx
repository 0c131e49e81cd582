import { Example } from './example.tsx';

interface FirstStepsProps {
  /** The slug of the organization. */
  organization: string;
  /** The slugs of an environment; without it, the steps create a project. */
  place?: { project: string; environment: string };
}

/** How to get secrets into an environment from a terminal: commands to copy, with this installation's address. */
export function FirstSteps({ organization, place }: FirstStepsProps) {
  const { origin } = window.location;
  const { project, environment } = place ?? { project: 'my-app', environment: 'dev' };
  const link = `holdfast link ${organization}/${project}/${environment}${place === undefined ? ' --create' : ''}`;
  const steps = [
    ['Install the command line. It needs Node 20 or newer.', `curl -fsS ${origin}/install.sh | sh`],
    ['Log in. This opens your browser.', `holdfast login --url ${origin}`],
    [
      place === undefined
        ? 'Create a project, and push the .env file of your directory to it.'
        : 'Link your directory to this environment, and push its .env file.',
      `${link}\nholdfast push .env`,
    ],
  ] as const;
  return (
    <div class="first-steps">
      {steps.map(([title, text]) => (
        <Example key={title} title={title} text={text} />
      ))}
      <p class="hint">
        Then <code>holdfast run -- COMMAND</code> starts a program with the secrets in its environment.
      </p>
    </div>
  );
}
