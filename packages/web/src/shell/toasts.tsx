// Where toasts appear. Toasts created before this is mounted wait in its store.
import { MantineThemeProvider, useDirection } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { t } from '../i18n.ts';

const LABELLED = {
  components: {
    Notification: {
      defaultProps: () => ({ closeButtonProps: { 'aria-label': t('common.action.dismiss') } }),
    },
  },
};

export function Toasts() {
  const { dir } = useDirection();
  return (
    <MantineThemeProvider theme={LABELLED}>
      <Notifications position={dir === 'rtl' ? 'bottom-left' : 'bottom-right'} />
    </MantineThemeProvider>
  );
}
