// Where toasts appear. Toasts created before this is mounted wait in its store.
import { Notifications } from '@mantine/notifications';

export const Toasts = () => <Notifications position="bottom-right" />;
