// Runs one action of the owner: one call that shows the daemon's sentence if it is refused and then refetches what it
// affected. A page that shows `error` in place passes `quiet`.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryNoun } from './refresher.ts';
import { readableError } from './relay.ts';

interface ActionOptions<Input, Answer> {
  readonly act: (input: Input) => Promise<Answer>;
  readonly touches: readonly QueryNoun[];
  /** Shown when the action is done, if the result is not visible by itself. */
  readonly done?: string;
  readonly quiet?: boolean;
  onDone?(answer: Answer, input: Input): void;
}

export function useAction<Input = void, Answer = unknown>({
  act,
  touches,
  done,
  quiet = false,
  onDone,
}: ActionOptions<Input, Answer>) {
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: act,
    onSuccess(answer, input) {
      if (done !== undefined) notifications.show({ message: done });
      onDone?.(answer, input);
    },
    onError(error) {
      if (!quiet) notifications.show({ message: readableError(error), color: 'red' });
    },
    onSettled: () =>
      Promise.all(touches.map((noun) => queries.invalidateQueries({ queryKey: [noun] }))),
  });
}
