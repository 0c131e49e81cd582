import { type Proposal, templateProblems } from '../../../secrets/propose.ts';

/** What the proposal breaks in the template. Only the requests that propose or apply it say so. */
export function TemplateProblems({ proposal, template }: { proposal: Proposal; template: string }) {
  const problems = templateProblems.value.get(proposal.id);
  if (problems === undefined) return null;
  const isOpen = proposal.state === 'open';
  return (
    <div class="refusal">
      <p>
        {isOpen ? 'It would break the ' : 'It breaks the '}
        <a href={template}>template</a>:
      </p>
      <ul>
        {problems.missing.map(key => (
          <li key={key}>
            <span class="mono key">{key}</span> is required, and {isOpen ? 'would be' : 'was'} deleted
          </li>
        ))}
        {problems.invalid.map(({ key, reason }) => (
          <li key={key}>
            <span class="mono key">{key}</span> {reason}
          </li>
        ))}
      </ul>
      <p>
        {isOpen
          ? 'It can be applied anyway. If this is a mistake, withdraw or reject it and propose something else.'
          : 'It was applied anyway. If this is a mistake, restore the previous revision in the history.'}
      </p>
    </div>
  );
}
