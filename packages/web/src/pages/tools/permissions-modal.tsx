// Seed 000's dialog: all permissions over the whole page.
import { Modal } from '@mantine/core';
import { PermissionsTable } from '../people/permissions-table.tsx';

export function PermissionsModal({ onClose }: { onClose(): void }) {
  return (
    <Modal
      opened
      fullScreen
      radius={0}
      onClose={onClose}
      title="Manage permissions"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <PermissionsTable />
    </Modal>
  );
}
