// The steps that a row is one of: of its message, else of the approval it belongs to. Of what stands alone there are
// none.
import type { LedgerLine } from '@relay/core/api/ledger';
import { useQuery } from '@tanstack/react-query';
import { LoadingLines } from '../../parts/places.tsx';
import { approvalQuery } from '../approvals/queries.ts';
import classes from './ledger.module.css';
import { whyQuery } from './queries.ts';
import { Steps } from './steps.tsx';
import { approvalOf, chatOf, messageOf } from './words.ts';

export function StepsOf({ entry }: { readonly entry: LedgerLine }) {
  const message = messageOf(entry);
  const approval = message === null ? approvalOf(entry) : null;
  const why = useQuery({
    ...whyQuery(
      message ?? '',
      entry.subject.kind === 'message' ? (chatOf(entry) ?? undefined) : undefined,
    ),
    enabled: message !== null,
  });
  const asked = useQuery({ ...approvalQuery(approval ?? ''), enabled: approval !== null });
  const rows = why.data?.rows ?? asked.data?.rows;
  if (rows === undefined && (why.isLoading || asked.isLoading)) {
    return (
      <div className={classes.story}>
        <LoadingLines lines={3} />
      </div>
    );
  }
  if (rows === undefined || rows.length === 0) return null;
  return (
    <section className={classes.story} aria-label="Its steps">
      {why.data !== undefined && <p dir="auto">{why.data.sentence}</p>}
      <Steps rows={rows} current={entry.seq} />
    </section>
  );
}
