// What waits for the owner in this conversation: what the agent asks, and the message that needs a yes, word for word.
import { Button } from '@mantine/core';
import type { Approval } from '@relay/core/api/approvals';
import type { ConversationInstance } from '@relay/core/api/instances';
import { readHere } from '@relay/core/approvals/read-here';
import { IconClipboardCheck, IconHandStop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { approvalsQuery } from '../../../data/queries.ts';
import { approvalWords, whyAsked } from '../../../parts/approval-words.ts';
import { Note } from '../../../parts/note.tsx';
import { Sentence } from '../../../parts/sentence.tsx';
import classes from './conversation.module.css';

export function Waiting({ instance }: { readonly instance: ConversationInstance }) {
  const { data: approvals = [] } = useQuery(approvalsQuery);
  const held = approvals.filter(({ instance_id }) => instance_id === instance.id);
  const isAsking = instance.state === 'NEEDS_HUMAN_INTERVENTION' && held.length === 0;
  return (
    <>
      {isAsking && (
        <Note hue="you" icon={IconHandStop}>
          <b>The agent asks:</b>{' '}
          <span dir="auto">
            <Sentence text={readHere(instance.reason)} />
          </span>
        </Note>
      )}
      {held.map((approval) => (
        <Held key={approval.id} approval={approval} />
      ))}
    </>
  );
}

function Held({ approval }: { readonly approval: Approval }) {
  return (
    <Note
      hue="you"
      icon={IconClipboardCheck}
      acts={
        <Button component={Link} to={`/approvals/${approval.id}`} size="xs">
          Decide
        </Button>
      }
    >
      <b dir="auto">{approvalWords(approval).question}</b>{' '}
      <span className="dim">
        <Sentence text={whyAsked(approval)} />
      </span>
      <blockquote className={classes.held} dir="auto">
        {approval.text}
      </blockquote>
    </Note>
  );
}
