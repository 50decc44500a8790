// Something the owner does: one call, whose refusal is told in the daemon's words, and after which what it touched
// is asked for again. Where a page can say it in place, it shows `error` and passes `quiet`.
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { QueryNoun } from './refresher.ts';
import { readableError } from './relay.ts';

interface ActionOptions<Input, Answer> {
  readonly act: (input: Input) => Promise<Answer>;
  readonly touches: readonly QueryNoun[];
  /** Said when it is done, if that does not show by itself. */
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
