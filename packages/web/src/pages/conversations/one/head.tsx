// What the conversation is for, with whom, and how it stands.
import type { ListedInstance } from '@relay/core/api/instances';
import { Link } from '@tanstack/react-router';
import { named } from '../../../parts/numbers.ts';
import { StateBadge, YesBadge } from '../../../parts/state-badge.tsx';
import { TalkHead } from '../../../parts/talk-head.tsx';
import { span } from '../../../parts/times.ts';
import classes from './conversation.module.css';
import { useProgramNamed } from './history.tsx';

interface HeadProps {
  readonly instance: ListedInstance;
  readonly name: string;
}

export function Head({ instance, name }: HeadProps) {
  const program = useProgramNamed()(instance.created_by);
  const number = named(instance.target_contact);
  const { max_followups, interval_ms } = instance.heartbeat_config;
  return (
    <TalkHead
      back={{ to: '/conversations', label: 'All conversations', className: classes.back }}
      title={instance.objective}
      about={
        <p className={`${classes.about} small dim`}>
          <Link to="/chats/$id" params={{ id: instance.chat_id }} dir="auto">
            {name}
          </Link>
          {number !== name && <span className={classes.wide}> · {number}</span>}
          {` · follow-up ${instance.follow_up_count} of ${max_followups}`}
          <span className={classes.wide}>
            {`, every ${span(interval_ms)}`}
            {program !== null && ` · begun by ${program}`}
          </span>
        </p>
      }
      end="badges"
    >
      <StateBadge instance={instance} />
      {/* On a phone it stands below, with the text. */}
      {instance.approval_id !== null && (
        <span className={classes.wide}>
          <YesBadge />
        </span>
      )}
    </TalkHead>
  );
}
