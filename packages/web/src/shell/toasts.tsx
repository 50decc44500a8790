// Where toasts appear. Earlier ones wait in its store.
import { Notifications } from '@mantine/notifications';

export const Toasts = () => <Notifications position="bottom-right" />;
