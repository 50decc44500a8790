// Saving settings: what was changed, all of it or nothing.
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { changeOf } from './words.ts';

export const useSave = (onDone: () => void) =>
  useAct({
    act: (values: Readonly<Record<string, unknown>>) =>
      relay.patch('/api/settings', { body: changeOf(values) }),
    touches: ['settings', 'status', 'groups'],
    quiet: true,
    done: 'Saved.',
    onDone,
  });
