// What led to the question, in the order it happened: the last lines of the chat, and each row of the ledger, one
// click from its proof.

import type { ApprovalDetail } from '@relay/core/api/approvals';
import type { LedgerLine } from '@relay/core/api/ledger';
import type { BufferedMessage } from '@relay/core/api/whatsapp';
import { visible } from '@relay/core/messages/visible';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { key } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useNow } from '../../data/use-now.ts';
import { whomOf } from '../../parts/approval-words.ts';
import { grouped } from '../../parts/numbers.ts';
import { moment } from '../../parts/times.ts';
import { WhyLink } from '../../parts/why-link.tsx';
import classes from './approvals.module.css';
import { stepWords } from './words.ts';

type Step =
  | { readonly at: number; readonly message: BufferedMessage }
  | { readonly at: number; readonly row: LedgerLine };

export function LedHere({ approval }: { readonly approval: ApprovalDetail }) {
  const steps: Step[] = [
    ...approval.said.map((message) => ({ at: message.timestamp, message })),
    ...approval.rows.map((row) => ({ at: Date.parse(row.at), row })),
  ].sort((a, b) => a.at - b.at);
  return (
    <section className={classes.part} aria-label="What led here">
      <h3>What led here</h3>
      {approval.instance_id !== null && <OfConversation id={approval.instance_id} />}
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={'row' in step ? `row ${step.row.seq}` : step.message.id}>
            <Time at={step.at} />
            {'row' in step ? (
              <span>
                {stepWords(step.row)}{' '}
                <Link className="small" to="/ledger/$row" params={{ row: String(step.row.seq) }}>
                  Ledger&nbsp;{grouped(step.row.seq)}
                </Link>
              </span>
            ) : (
              <Line message={step.message} whom={whomOf(approval)} />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Time({ at }: { readonly at: number }) {
  const now = useNow(60_000);
  return <time dateTime={new Date(at).toISOString()}>{moment(at, now)}</time>;
}

function Line({ message, whom }: { readonly message: BufferedMessage; readonly whom: string }) {
  const { id, body, fromMe, fromName, isGroup } = message;
  const who = fromMe ? 'You' : isGroup ? (fromName ?? 'Somebody') : whom;
  return (
    <span>
      <b dir="auto">{who}:</b> <span dir="auto">{visible(body)}</span> <WhyLink message={id} />
    </span>
  );
}

function OfConversation({ id }: { readonly id: string }) {
  const { data: instance } = useQuery({
    queryKey: key('instances', 'one', id),
    queryFn: ({ signal }) => relay.get('/api/instances/{id}', { signal, path: { id } }),
  });
  return (
    <p className="small">
      In the conversation{' '}
      <Link to="/conversations/$id" params={{ id }} dir="auto">
        {instance === undefined ? id.slice(0, 8) : instance.objective}
      </Link>
    </p>
  );
}
