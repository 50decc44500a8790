// One conversation: what happened in it, and what its owner may do with it now.
import type { ListedInstance } from '@relay/core/api/instances';
import { IconMessageOff, IconMessages } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { isMissing } from '../../data/relay.ts';
import { named } from '../../parts/numbers.ts';
import { Asked, Empty, LoadingLines, LoadingRows } from '../../parts/places.tsx';
import heads from '../../parts/talk-head.module.css';
import { Transcript } from '../../parts/transcript/transcript.tsx';
import { useKeys } from '../../shell/keys.tsx';
import classes from './one/conversation.module.css';
import { Decide } from './one/decide.tsx';
import { Head } from './one/head.tsx';
import { History } from './one/history.tsx';
import { MoveList, useMoves } from './one/moves.tsx';
import { Plan } from './one/plan.tsx';
import { instanceQuery, transcriptSource } from './one/queries.ts';
import { Rail } from './one/rail.tsx';
import { Tabs } from './one/tabs.tsx';
import { toLine } from './one/words.ts';

export function Conversation() {
  const { id } = useParams({ from: '/conversations/$id' });
  const { tab = 'transcript' } = useSearch({ strict: false });
  const instance = useQuery(instanceQuery(id));
  return (
    <div className={classes.page} data-fills data-tab={tab}>
      <Rail current={id} />
      {isMissing(instance.error) ? (
        <Missing />
      ) : (
        <Asked query={instance} what="The conversation" loading={<LoadingConversation />} isPage>
          {(now) => <One key={now.id} instance={now} />}
        </Asked>
      )}
    </div>
  );
}

const LoadingConversation = () => (
  <>
    <section className={classes.talk}>
      <div className={heads.head}>
        <div>
          <LoadingLines lines={2} />
        </div>
      </div>
      <LoadingRows rows={4} />
    </section>
    <aside className={classes.side}>
      <LoadingLines lines={8} />
    </aside>
  </>
);

function Missing() {
  return (
    <Empty
      isPage
      icon={IconMessageOff}
      title="There is no such conversation."
      act={<Link to="/conversations">All conversations</Link>}
    >
      It was never there, or whom it was with has been forgotten.
    </Empty>
  );
}

function One({ instance }: { readonly instance: ListedInstance }) {
  const { id, objective, state } = instance;
  const moves = useMoves(instance);
  const name = instance.contact_name ?? named(instance.target_contact);
  const source = useMemo(() => transcriptSource(id, toLine), [id]);
  const mayPause = moves.legal.some(({ move }) => move === 'pause');
  useKeys({ p: mayPause ? () => moves.press('pause') : undefined }, 'Pause this conversation');
  useEffect(() => {
    document.title = `${objective} · Relay`;
  }, [objective]);
  return (
    <>
      <section className={classes.talk} aria-label={`Conversation with ${name}`}>
        <Head instance={instance} name={name} />
        <Tabs instance={instance} />
        <Transcript
          source={source}
          label={`Messages with ${name}`}
          begins="The conversation began here."
          chat={instance.chat_id}
          empty={
            <Empty icon={IconMessages} title="Nothing was said yet.">
              {instance.reason}
            </Empty>
          }
        />
        <Decide key={state} instance={instance} name={name} moves={moves} />
      </section>
      <aside className={classes.side} aria-label="Plan and history">
        <div>
          <Plan instance={instance} />
          {moves.legal.length > 0 && (
            <section aria-labelledby="moves">
              <h2 id="moves">What you may do now</h2>
              <MoveList moves={moves} />
            </section>
          )}
        </div>
        <History instance={instance} />
      </aside>
    </>
  );
}
