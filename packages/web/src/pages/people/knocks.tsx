// Who wrote without being allowed to be read: how often and when, never a word of it, unless the owner looks.
import { Button } from '@mantine/core';
import type { Knock } from '@relay/core/api/contacts';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { knocksQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { Card } from '../../parts/card.tsx';
import { Initials } from '../../parts/initials.tsx';
import { Count } from '../../parts/marks.tsx';
import { phoneNumber } from '../../parts/numbers.ts';
import { calledIn, UNKNOWN } from '../../parts/somebody.ts';
import classes from './knocks.module.css';
import { Peek } from './peek.tsx';
import shared from './people.module.css';
import { TOUCHES } from './use-grant.ts';
import { knockedWhen, knockedWho } from './words.ts';

const SHOWN = 5;

export function KnocksCard() {
  const { data: knocks = [] } = useQuery(knocksQuery);
  const [isWhole, setWhole] = useState(false);
  const now = useNow(30_000);
  if (knocks.length === 0) return null;
  const shown = isWhole ? knocks : knocks.slice(0, SHOWN);
  return (
    <Card
      flush
      className={shared.card ?? ''}
      title="Knocked"
      mark={<Count n={knocks.length} hue="parked" says={`${knocks.length} in all`} />}
      aside={
        <span className="small dim">They wrote and nobody was home. No agent has read them.</span>
      }
    >
      <ul className={classes.knocks} aria-label="Who knocked">
        {shown.map((knock) => (
          <Knocked key={knock.contact_id} knock={knock} now={now} />
        ))}
      </ul>
      {knocks.length > shown.length && (
        <p className={classes.more}>
          <button type="button" className="link small" onClick={() => setWhole(true)}>
            Show all {knocks.length}
          </button>
        </p>
      )}
    </Card>
  );
}

function Knocked({ knock, now }: { readonly knock: Knock; readonly now: number }) {
  const [isPeeking, setPeeking] = useState(false);
  const isGone = useIsGone();
  const number = knock.phone_number === null ? null : phoneNumber(knock.phone_number);
  // Whoever names themselves is shown by their number: a name is quickly chosen.
  const name = knock.calls_itself ? (number ?? UNKNOWN) : calledIn(knock);
  const allow = useAct({
    act: () =>
      relay.post('/api/whatsapp/permissions', {
        body: {
          contactId: knock.contact_id,
          canRead: true,
          replyMode: 'draft',
        },
      }),
    touches: TOUCHES,
    done: `Relay may read ${name} from now on. It does not answer.`,
  });
  const dismiss = useAct({
    act: () => relay.post('/api/knocks/{contact}/dismiss', { path: { contact: knock.contact_id } }),
    touches: ['knocks', 'contacts', 'status'],
    done: `${name} stays closed. Whoever writes again is shown again.`,
  });
  const isOff = isGone || allow.isPending || dismiss.isPending;
  return (
    <li>
      <div className={classes.knock}>
        <Initials name={knock.calls_itself ? null : knock.name} />
        <div>
          <b dir="auto" className="num">
            {name}
          </b>
          <p className="small dim" dir="auto">
            {knockedWho(knock, number)}
          </p>
        </div>
        <p className="small dim num">{knockedWhen(knock, now)}</p>
        <div className={classes.acts}>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            leftSection={isPeeking ? <IconEyeOff size={16} /> : <IconEye size={16} />}
            aria-expanded={isPeeking}
            aria-label={`Peek at what ${name} wrote`}
            onClick={() => setPeeking(!isPeeking)}
          >
            Peek
          </Button>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            disabled={isOff}
            aria-label={`Dismiss ${name}`}
            onClick={() => dismiss.mutate()}
          >
            Dismiss
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={isOff}
            loading={allow.isPending}
            aria-label={`Allow reading ${name}`}
            onClick={() => allow.mutate()}
          >
            Allow reading
          </Button>
        </div>
      </div>
      {isPeeking && <Peek knock={knock} now={now} />}
    </li>
  );
}
