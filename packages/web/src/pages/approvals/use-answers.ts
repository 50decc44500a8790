// The owner's three answers to one approval. Each waits for the daemon; a refusal is told in place, and nothing is
// taken for done before it is.
import type { Approval, ApprovalDetail } from '@relay/core/api/approvals';
import { useQueryClient } from '@tanstack/react-query';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { approvalQuery } from './queries.ts';

interface Watching {
  /** While an answer is on its way, what changes is our own doing. */
  onActing(isActing: boolean): void;
  /** With the approval that took its place, if one did. */
  onDecided(instead?: string): void;
}

export function useAnswers(approval: ApprovalDetail, { onActing, onDecided }: Watching) {
  const queries = useQueryClient();
  const { id, shown, said, rows } = approval;
  const path = { id };
  const acting = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    onActing(true);
    return answer.catch((error: unknown) => {
      onActing(false);
      throw error;
    });
  };
  const act = {
    touches: ['approvals', 'instances', 'status', 'ledger'],
    quiet: true,
    onDone: () => onDecided(),
  } as const;
  const approve = useAct({
    ...act,
    act: () => acting(relay.post('/api/approvals/{id}/approve', { path, body: { shown } })),
    done: 'Approved.',
  });
  const edit = useAct<string, Approval>({
    ...act,
    act: (text) => acting(relay.post('/api/approvals/{id}/edit', { path, body: { text } })),
    done: 'Your words wait for your yes. Nothing was sent.',
    onDone(instead) {
      // What led there is the same, so the new one is there at once.
      queries.setQueryData(approvalQuery(instead.id).queryKey, { ...instead, said, rows });
      onDecided(instead.id);
    },
  });
  const decline = useAct<string>({
    ...act,
    act: (reason) =>
      acting(
        relay.post('/api/approvals/{id}/reject', { path, body: reason === '' ? {} : { reason } }),
      ),
    done: 'Declined. Nothing was done.',
  });
  return { approve, edit, decline };
}

export type Answers = ReturnType<typeof useAnswers>;
