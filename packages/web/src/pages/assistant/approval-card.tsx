// What the assistant may not do without a yes, in place: exactly whom it would reach and with which words. The page of
// the approval is where the text is changed.
import { Button } from '@mantine/core';
import type { Approval } from '@relay/core/api/approvals';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { approvalsQuery } from '../../data/queries.ts';
import { relay, sentenceOf } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { approvalWords, whyAsked } from '../../parts/approval-words.ts';
import { Tile } from '../../parts/marks.tsx';
import { Note } from '../../parts/note.tsx';
import { named } from '../../parts/numbers.ts';
import { Sentence } from '../../parts/sentence.tsx';
import classes from './assistant.module.css';

export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const isGone = useIsGone();
  const [end, isSeen] = useSeen();
  const { data: waiting = [], dataUpdatedAt } = useQuery(approvalsQuery);
  const [shownAt] = useState(Date.now);
  const path = { id: approval.id };
  const touches = ['approvals', 'status', 'assistant'] as const;
  const approve = useAct<void, Approval>({
    act: () => relay.post('/api/approvals/{id}/approve', { path, body: { shown: approval.shown } }),
    touches,
    quiet: true,
  });
  const decline = useAct<void, Approval>({
    act: () => relay.post('/api/approvals/{id}/reject', { path, body: {} }),
    touches,
    quiet: true,
  });
  const { question, icon, yes } = approvalWords(approval);
  const decided = approve.data ?? decline.data;
  const failure = approve.error ?? decline.error;
  // Not among what waits, though that was asked since: answered elsewhere, or too late.
  const waits = dataUpdatedAt <= shownAt || waiting.some(({ id }) => id === approval.id);
  const isOver = decided !== undefined || !waits;
  const isOff = isGone || approve.isPending || decline.isPending;
  return (
    <section className={classes.approval} aria-label={question} data-over={isOver || undefined}>
      <Tile hue={isOver ? 'parked' : 'you'} icon={icon} />
      <div>
        <p>
          <b dir="auto">{question}</b>{' '}
          {approval.recipient !== null && (
            <span className="small dim">{named(approval.recipient)}</span>
          )}
        </p>
        <p className={classes.exact} dir="auto">
          {approval.text}
          <span ref={end} />
        </p>
        {approval.when !== null && <p className="small dim">{approval.when}</p>}
        {isOver ? (
          <Answered decided={decided} />
        ) : (
          <>
            <p className="small dim">
              <Sentence text={whyAsked(approval)} />
            </p>
            {failure && (
              <Note hue="held" icon={IconAlertTriangle} role="alert">
                This moved on while you looked. <Sentence text={sentenceOf(failure)} />
              </Note>
            )}
            <div className={classes.acts}>
              <Button
                onClick={() => approve.mutate()}
                disabled={isOff || !isSeen}
                loading={approve.isPending}
              >
                {yes}
              </Button>
              <Button component={Link} to={`/approvals/${approval.id}`} variant="default">
                Edit
              </Button>
              <Button
                variant="default"
                onClick={() => decline.mutate()}
                disabled={isOff}
                loading={decline.isPending}
              >
                Decline
              </Button>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

/** A yes is to the whole text: it can be given once its end has been on the screen. */
function useSeen(): readonly [RefObject<HTMLSpanElement | null>, boolean] {
  const end = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (end.current === null) return;
    const watching = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting === true && setSeen(true),
    );
    watching.observe(end.current);
    return () => watching.disconnect();
  }, []);
  return [end, isSeen];
}

function Answered({ decided }: { readonly decided: Approval | undefined }) {
  const isYes = decided?.state === 'approved';
  const Icon = decided !== undefined && !isYes ? IconX : IconCheck;
  return (
    <p className="small dim">
      <Icon size={14} aria-hidden />{' '}
      {decided === undefined
        ? 'This no longer waits.'
        : isYes
          ? 'You said yes.'
          : 'You said no. Nothing was sent.'}
    </p>
  );
}
