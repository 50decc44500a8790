// Where short notices appear. What is said before this is there waits in its store.
import { Notifications } from '@mantine/notifications';

export const Toasts = () => <Notifications position="bottom-right" />;
