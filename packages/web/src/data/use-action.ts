// Runs one action of the owner: one call that shows the daemon's sentence if it is refused and then refetches what it
// affected. A page that shows `error` in place passes `showsErrorInPlace`.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryNoun } from './refresher.ts';
import { readableError } from './relay.ts';

interface ActionOptions<Input, Answer> {
  readonly run: (input: Input) => Promise<Answer>;
  readonly invalidates: readonly QueryNoun[];
  /** Shown when the action is done, if the result is not visible by itself. */
  readonly successMessage?: string;
  readonly showsErrorInPlace?: boolean;
  onSuccess?(answer: Answer, input: Input): void;
}

export function useAction<Input = void, Answer = unknown>({
  run,
  invalidates,
  successMessage,
  showsErrorInPlace = false,
  onSuccess: onDone,
}: ActionOptions<Input, Answer>) {
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: run,
    onSuccess(answer, input) {
      if (successMessage !== undefined) notifications.show({ message: successMessage });
      onDone?.(answer, input);
    },
    onError(error) {
      if (!showsErrorInPlace) notifications.show({ message: readableError(error), color: 'red' });
    },
    onSettled: () =>
      Promise.all(invalidates.map((noun) => queries.invalidateQueries({ queryKey: [noun] }))),
  });
}
