// Where a decision leads: the message's story, the conversation, the approval, and everything about the same person.
import type { LedgerLine } from '@relay/core/api/ledger';
import { Link } from '@tanstack/react-router';
import { WhyLink } from '../../parts/why-link.tsx';
import classes from './ledger.module.css';
import { approvalOf, chatOf, contactOf, instanceOf, messageOf } from './words.ts';

export function RowLinks({ entry }: { readonly entry: LedgerLine }) {
  const [message, chat, contact] = [messageOf(entry), chatOf(entry), contactOf(entry)];
  const [approval, instance] = [approvalOf(entry), instanceOf(entry)];
  const subject = chat ?? contact;
  return (
    <p className={classes.links}>
      {message !== null && <WhyLink message={message}>The message’s story</WhyLink>}
      {instance !== null && (
        <Link className="small" to="/conversations/$id" params={{ id: instance }}>
          The conversation
        </Link>
      )}
      {approval !== null && (
        <Link className="small" to="/approvals/$id" params={{ id: approval }}>
          The approval
        </Link>
      )}
      {chat !== null && (
        <Link className="small" to="/chats/$id" params={{ id: chat }}>
          The chat
        </Link>
      )}
      {subject !== null && entry.about !== null && (
        <Link className="small" to="/ledger" search={{ subject }}>
          All about <span dir="auto">{entry.about}</span>
        </Link>
      )}
    </p>
  );
}
