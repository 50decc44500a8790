// Why a message was treated as it was: the one sentence first, then what it was told from.

import { ActionIcon, CopyButton } from '@mantine/core';
import type { Why } from '@relay/core/api/ledger';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import parts from '../../parts/parts.module.css';
import { Asked, LoadingLines } from '../../parts/places.tsx';
import classes from './ledger.module.css';
import { whyQuery } from './queries.ts';
import { Steps } from './steps.tsx';
import { capital, rowTime, shortId } from './words.ts';

interface WhyDetailProps {
  readonly message: string;
  readonly chat: string | undefined;
}

export function WhyDetail({ message, chat }: WhyDetailProps) {
  const why = useQuery(whyQuery(message, chat));
  return (
    <article className={classes.detail}>
      <Asked query={why} what="The message’s story" loading={<LoadingLines lines={6} />}>
        {(story) => <Story story={story} />}
      </Asked>
    </article>
  );
}

function Story({ story }: { readonly story: Why }) {
  const now = useNow(60_000);
  const { day, time } = rowTime(story.at, now);
  const command = `relay why ${story.message_id}`;
  return (
    <>
      <div className={classes.body}>
        <p className={classes.eyebrow}>
          {story.way === 'in' ? 'Message in' : 'Message out'}, {day === null ? '' : `${day} `}
          {time}
        </p>
        <h2 tabIndex={-1} data-landing dir="auto">
          {capital(story.chat.name)}
        </h2>
        <p className={classes.sentence} dir="auto">
          {story.sentence}
        </p>
        <p className={classes.links}>
          {story.instance_id !== null && (
            <Link className="small" to="/conversations/$id" params={{ id: story.instance_id }}>
              The conversation
            </Link>
          )}
          {story.approval !== null && (
            <Link className="small" to="/approvals/$id" params={{ id: story.approval.id }}>
              The approval
            </Link>
          )}
          {story.schedule_id !== null && (
            <Link className="small" to="/schedules">
              The schedule
            </Link>
          )}
          <Link className="small" to="/chats/$id" params={{ id: story.chat.id }}>
            The chat
          </Link>
        </p>
      </div>
      {story.rows.length > 0 && (
        <section className={classes.story} aria-label="Its steps">
          <Steps rows={story.rows} />
        </section>
      )}
      <Facts story={story} />
      <div className={classes.command}>
        <code>{command}</code>
        <CopyButton value={command}>
          {({ copied, copy }) => (
            <ActionIcon onClick={copy} aria-label="Copy the command">
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          )}
        </CopyButton>
      </div>
    </>
  );
}

function Facts({ story: { run, deliveries } }: { readonly story: Why }) {
  if (run === null && deliveries.length === 0) return null;
  return (
    <section className={classes.kept} aria-label="What came of it">
      <dl className={parts.facts}>
        {run !== null && (
          <div className={classes.fact}>
            <dt>Run of the model</dt>
            <dd>
              {run.model ?? 'no model'} · <code title={run.id}>{shortId(run.id)}</code>
            </dd>
          </div>
        )}
        {deliveries.map(({ id, state, failure }) => (
          <div key={id} className={classes.fact}>
            <dt>Answer</dt>
            <dd dir="auto">
              {state}
              {failure === null ? '' : `: ${failure}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
