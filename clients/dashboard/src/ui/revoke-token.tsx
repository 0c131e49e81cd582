import type { CliToken } from '@holdfast/contracts/auth/tokens.ts';
import { call } from '../api.ts';
import { Confirm } from './confirm.tsx';
import { showToast } from './toast.tsx';

interface RevokeTokenProps {
  token: CliToken;
  onRevoked: () => Promise<void>;
  onClose: () => void;
}

/** Asks before one of the user's own tokens is revoked. */
export function RevokeToken({ token: { id: tokenId, name }, onRevoked, onClose }: RevokeTokenProps) {
  return (
    <Confirm
      title="Revoke token"
      action="Revoke"
      onClose={onClose}
      onConfirm={async () => {
        await call('DELETE /v1/auth/tokens/{tokenId}', { params: { tokenId } });
        showToast(`Token ${name} revoked.`);
        await onRevoked();
      }}
    >
      <p>
        Everything that uses{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        loses access at once. If it leaked, you can still look up what it saw afterwards.
      </p>
    </Confirm>
  );
}
