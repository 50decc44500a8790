// Queries of the approvals page: the list page by page, and one approval with its history.
import type { Approval, ApprovalDetail, ApprovalState } from '@relay/contract/api/approvals';
import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';

const PAGE = 50;

export const approvalPagesQuery = (state: ApprovalState) =>
  infiniteQueryOptions({
    queryKey: nounKey('approvals', 'pages', state),
    queryFn: ({ signal, pageParam }) => {
      const after = pageParam === '' ? {} : { after: pageParam };
      return relay.get('/api/approvals', { signal, query: { state, limit: PAGE, ...after } });
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page.length < PAGE ? undefined : page.at(-1)?.id),
    select: ({ pages }) => pages.flat(),
  });

export const approvalQuery = (id: string) =>
  queryOptions({
    queryKey: nounKey('approvals', 'one', id),
    queryFn: ({ signal }) => relay.get('/api/approvals/{id}', { signal, path: { id } }),
  });

// The owner's three answers to an approval. Each waits for the daemon; a refusal is shown in place, and nothing is
// shown as done before it is.

interface AnswerCallbacks {
  /** While an answer is pending, changes come from this tab. */
  onActing(isActing: boolean): void;
  /** Called with the approval that replaced it, if any. */
  onDecided(instead?: string): void;
}

export function useApprovalAnswers(
  approval: ApprovalDetail,
  { onActing, onDecided }: AnswerCallbacks,
) {
  const queries = useQueryClient();
  const { id, shown } = approval;
  const path = { id };
  const acting = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    onActing(true);
    return answer.catch((error: unknown) => {
      onActing(false);
      throw error;
    });
  };
  const act = {
    invalidates: ['approvals', 'instances', 'status', 'ledger'],
    showsErrorInPlace: true,
    onSuccess: () => onDecided(),
  } as const;
  const approve = useAction({
    ...act,
    run: () => acting(relay.post('/api/approvals/{id}/approve', { path, body: { shown } })),
    successMessage: t('approvals.approved'),
  });
  const edit = useAction<string, Approval>({
    ...act,
    run: (text) => acting(relay.post('/api/approvals/{id}/edit', { path, body: { text } })),
    successMessage: t('approvals.edit.saved'),
    onSuccess(instead) {
      // The history is the same, so the replacement can be shown at once.
      const before = queries.getQueryData(approvalQuery(id).queryKey);
      queries.setQueryData(approvalQuery(instead.id).queryKey, before && { ...before, ...instead });
      onDecided(instead.id);
    },
  });
  /** The owner wrote the new text themselves, so they need not read it once more. */
  const editAndApprove = useAction<string, Approval>({
    ...act,
    showsErrorInPlace: false,
    run: async (text) => {
      const instead = await acting(
        relay.post('/api/approvals/{id}/edit', { path, body: { text } }),
      );
      const approving = { path: { id: instead.id }, body: { shown: instead.shown } };
      // A refusal, such as during a hold, leaves the new text pending.
      const left = (error: unknown) => {
        onDecided(instead.id);
        throw error;
      };
      return relay.post('/api/approvals/{id}/approve', approving).catch(left);
    },
    successMessage: t('approvals.approved'),
  });
  const decline = useAction<string>({
    ...act,
    run: (reason) =>
      acting(
        relay.post('/api/approvals/{id}/reject', { path, body: reason === '' ? {} : { reason } }),
      ),
    successMessage: t('approvals.declined'),
  });
  return { approve, edit, editAndApprove, decline };
}

export type ApprovalAnswers = ReturnType<typeof useApprovalAnswers>;
