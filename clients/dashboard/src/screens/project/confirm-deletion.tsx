import type { Environment } from '@holdfast/contracts/projects/projects.ts';
import { call } from '../../api.ts';
import { navigate } from '../../router.ts';
import { Confirm } from '../../ui/confirm.tsx';
import type { ProjectProps } from '../../ui/in-project.tsx';
import { showToast } from '../../ui/toast.tsx';

interface ConfirmDeletionProps extends Omit<ProjectProps, 'parameters'> {
  of: 'project' | Environment;
  onClose: () => void;
}

/** Asks before the project, or one environment of it, is deleted for good. */
export function ConfirmDeletion({ organization, project, reload, of: target, onClose }: ConfirmDeletionProps) {
  const params = { orgId: organization.id, slug: project.slug };
  const whole = target === 'project';
  const { name, slug } = whole ? project : target;
  const deleteProject = async () => {
    await call('DELETE /v1/projects/{orgId}/{slug}', { params });
    navigate(`/organizations/${organization.slug}`, { replace: true });
  };
  const deleteEnvironment = async () => {
    await call('DELETE /v1/projects/{orgId}/{slug}/environments/{env}', { params: { ...params, env: slug } });
    showToast(`${slug} deleted.`);
    await reload();
  };
  return (
    <Confirm
      title={`Delete ${name}`}
      action="Delete for good"
      word={slug}
      onClose={onClose}
      onConfirm={whole ? deleteProject : deleteEnvironment}
    >
      <p>
        {whole
          ? 'All its environments and secrets are deleted, including their history. This can’t be undone.'
          : 'Its secrets are deleted, including their history. This can’t be undone.'}
      </p>
    </Confirm>
  );
}
