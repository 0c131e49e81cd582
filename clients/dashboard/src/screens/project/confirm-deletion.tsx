import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../api.ts';
import { keepDays } from '../../keep-days.ts';
import { navigate } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { showToast } from '../../ui/toast.tsx';

interface ConfirmDeletionProps extends Omit<ProjectProps, 'parameters'> {
  of: 'project' | Environment;
  onClose: () => void;
}

/** Asks before the project, or one environment of it, is deleted. */
export function ConfirmDeletion({ organization, project, reload, of: target, onClose }: ConfirmDeletionProps) {
  const params = { orgId: organization.id, slug: project.slug };
  const query = { keepDays };
  const whole = target === 'project';
  const { name, slug } = whole ? project : target;
  const deleteProject = async () => {
    await call('DELETE /v1/projects/{orgId}/{slug}', { params, query });
    showToast(`${slug} deleted. It can be restored for ${keepDays} days.`);
    navigate(`/organizations/${organization.slug}`, { replace: true });
  };
  const deleteEnvironment = async () => {
    await call('DELETE /v1/projects/{orgId}/{slug}/environments/{env}', { params: { ...params, env: slug }, query });
    showToast(`${slug} deleted. It can be restored for ${keepDays} days.`);
    await reload();
  };
  return (
    <Confirm
      title={`Delete ${name}`}
      action="Delete"
      word={slug}
      onClose={onClose}
      onConfirm={whole ? deleteProject : deleteEnvironment}
    >
      <p>
        {whole
          ? `Nobody can reach its environments and secrets any more. An owner can restore it for ${keepDays} days, in the organization’s settings. Then it is erased for good.`
          : `Nobody can reach its secrets any more. An owner can restore it for ${keepDays} days, in the organization’s settings. Then it is erased for good.`}
      </p>
    </Confirm>
  );
}
