// What the conversation is for, with whom, and how it stands.
import { ActionIcon } from '@mantine/core';
import type { ListedInstance } from '@relay/core/api/instances';
import { IconArrowLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { named } from '../../../parts/numbers.ts';
import { StateBadge, YesBadge } from '../../../parts/state-badge.tsx';
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
    <header className={classes.head}>
      <ActionIcon
        className={classes.back}
        component={Link}
        to="/conversations"
        activeOptions={{ exact: true }}
        aria-label="All conversations"
      >
        <IconArrowLeft size={19} stroke={1.7} />
      </ActionIcon>
      <div>
        <h1 tabIndex={-1} dir="auto">
          {instance.objective}
        </h1>
        <p className="small dim">
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
      </div>
      <StateBadge instance={instance} />
      {instance.approval_id !== null && <YesBadge />}
    </header>
  );
}
