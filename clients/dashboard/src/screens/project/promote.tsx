import { EmptyPage } from '../../ui/empty-page.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { Page } from '../../ui/page.tsx';
import { PromotionForm } from './promotion-form.tsx';
import { usePromotion } from './use-promotion.ts';

export function Promote({ organization, project, reload }: ProjectProps) {
  const promotion = usePromotion({ organization, project, reload });
  const title = `Promote · ${project.slug}`;
  if (promotion.sources.length === 0 || promotion.targets.length === 0)
    return (
      <EmptyPage
        title={title}
        heading="Promote"
        reason={`As a ${organization.role}, you can’t change any environment in this project.`}
      />
    );
  return (
    <Page
      title={title}
      heading="Promote"
      lead="Copies values from one environment to another, as one revision of the target."
    >
      <PromotionForm promotion={promotion} />
    </Page>
  );
}
