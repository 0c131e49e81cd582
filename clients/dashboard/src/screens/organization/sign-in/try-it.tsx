import { useState } from 'preact/hooks';
import { pathname } from '../../../router.ts';
import { Section } from '../../../ui/page.tsx';
import { ProviderLink } from '../../../ui/provider-link.tsx';

export function TryIt({ slug }: { slug: string }) {
  return (
    <Section
      title="Test"
      lead="Sign in at the provider yourself. Everything is checked as in a member’s sign-in, and nothing is changed."
    >
      <div class="actions">
        <ProviderLink slug={slug} to={pathname()} only="test">
          Test the provider
        </ProviderLink>
      </div>
    </Section>
  );
}

/** Says that a test has passed, above the page that it returns to. */
export function TestResult() {
  const [passed] = useState(takeResult);
  if (!passed) return null;
  return (
    <p class="notice" role="status">
      The test passed: members can sign in like this.
    </p>
  );
}

/** The result is in the fragment, which is then removed, so that it isn't shown again when the page is reloaded. */
function takeResult(): boolean {
  if (window.location.hash !== '#tested') return false;
  history.replaceState(null, '', window.location.pathname + window.location.search);
  return true;
}
