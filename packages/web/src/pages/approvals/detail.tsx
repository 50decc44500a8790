// One approval, whole: to whom, the exact text, why it is asked, what led to it, and the acts. When it was answered
// elsewhere meanwhile, that is said here, and its new state is shown in its place.
import type { Approval, ApprovalDetail } from '@relay/core/api/approvals';
import { RelayApiError } from '@relay/core/client/api-error';
import { IconClock, IconInfoCircle, IconZoomQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { approvalWords, whyAsked } from '../../parts/approval-words.ts';
import { Badge, Tile } from '../../parts/marks.tsx';
import { Note } from '../../parts/note.tsx';
import { named } from '../../parts/numbers.ts';
import { Asked, Empty, LoadingLines } from '../../parts/places.tsx';
import { Sentence } from '../../parts/sentence.tsx';
import { ago, moment, span } from '../../parts/times.ts';
import { Acts } from './acts.tsx';
import classes from './approvals.module.css';
import { ExactText } from './exact-text.tsx';
import { LedHere } from './led-here.tsx';
import { approvalQuery } from './queries.ts';
import { RuleOfTwo } from './rule-of-two.tsx';
import { CHANGED, STATES } from './states.ts';
import { useAnswers } from './use-answers.ts';
import { askedBy, readBefore } from './words.ts';

interface DetailProps {
  readonly id: string;
  /** As the list has it, until the rest is there. */
  readonly listed: Approval | undefined;
  /** Whoever comes to this address begins here. */
  readonly isLanding: boolean;
  /** With the approval that took its place, if one did. */
  onDecided(instead?: string): void;
}

export function Detail({ id, listed, isLanding, onDecided }: DetailProps) {
  const query = useQuery({
    ...approvalQuery(id),
    ...(listed === undefined ? {} : { placeholderData: { ...listed, said: [], rows: [] } }),
  });
  const isUnknown = query.error instanceof RelayApiError && query.error.status === 404;
  if (isUnknown) return <NoSuchApproval />;
  return (
    <article className={classes.detail}>
      <Asked
        query={query}
        what="The approval"
        loading={
          <div className={classes.part}>
            <LoadingLines lines={7} />
          </div>
        }
      >
        {(approval) => <Whole approval={approval} isLanding={isLanding} onDecided={onDecided} />}
      </Asked>
    </article>
  );
}

interface WholeProps extends Pick<DetailProps, 'isLanding' | 'onDecided'> {
  readonly approval: ApprovalDetail;
}

function Whole({ approval, isLanding, onDecided }: WholeProps) {
  const [seen, setSeen] = useState<string | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const [isActing, setActing] = useState(false);
  const [began] = useState(approval.state);
  const answers = useAnswers(approval, { onActing: setActing, onDecided });
  const isNew = edited !== null && edited !== approval.text && edited.trim() !== '';
  const isGone = useIsGone();
  const keep = isNew && !isGone ? () => answers.edit.mutate(edited) : undefined;
  const hasMoved = began === 'pending' && approval.state !== 'pending' && !isActing;
  return (
    <>
      <Head approval={approval} isLanding={isLanding} />
      {hasMoved && <MovedOn approval={approval} />}
      <ExactText
        approval={approval}
        edited={edited}
        onEdit={setEdited}
        onKeep={keep}
        onSeen={() => setSeen(approval.shown)}
      />
      <Why approval={approval} />
      <LedHere approval={approval} />
      {approval.state === 'pending' && (
        <Acts
          approval={approval}
          answers={answers}
          isSeen={seen === approval.shown}
          edited={edited}
          onEdit={setEdited}
          onKeep={keep}
        />
      )}
    </>
  );
}

function Head({ approval, isLanding }: Pick<WholeProps, 'approval' | 'isLanding'>) {
  const now = useNow(30_000);
  const { icon, question } = approvalWords(approval);
  const { recipient, recipient_name, created_at } = approval;
  return (
    <header className={classes.head}>
      <Tile hue={approval.state === 'pending' ? 'you' : 'parked'} icon={icon} large />
      <div>
        <h2 dir="auto" tabIndex={-1} data-landing={isLanding || undefined}>
          {question}
        </h2>
        <p className="small dim num">
          {recipient !== null && recipient_name !== null && (
            <>
              <span dir="auto">{named(recipient)}</span> ·{' '}
            </>
          )}
          {askedBy(approval)} asked {ago(created_at, now)}
        </p>
      </div>
      <StateMark approval={approval} />
    </header>
  );
}

function StateMark({ approval }: { readonly approval: Approval }) {
  const now = useNow();
  const { state, expires_at, decided_at, replaced_by } = approval;
  if (state === 'pending') {
    const left = Date.parse(expires_at) - now;
    return (
      <Badge hue="you" icon={IconClock}>
        {left > 0 ? `Expires in ${span(left)}, ${moment(expires_at, now)}` : 'Expires now'}
      </Badge>
    );
  }
  const { word, hue, icon } = replaced_by === null ? STATES[state] : CHANGED;
  return (
    <Badge hue={hue} icon={icon}>
      {word} {moment(decided_at ?? expires_at, now)}
    </Badge>
  );
}

function MovedOn({ approval: { state, replaced_by } }: { readonly approval: Approval }) {
  return (
    <div className={classes.part}>
      <Note hue="parked" icon={IconInfoCircle} role="status">
        <b>This moved on while you looked.</b>{' '}
        {replaced_by === null
          ? MOVED[state]
          : 'The text changed after your yes; it needs a new one.'}{' '}
        {replaced_by !== null && (
          <Link to="/approvals/$id" params={{ id: replaced_by }}>
            Read the new text
          </Link>
        )}
      </Note>
    </div>
  );
}

const MOVED: Readonly<Record<Approval['state'], string>> = {
  pending: '',
  approved: 'It was approved elsewhere, and is carried out once.',
  rejected: 'It was declined elsewhere. Nothing was done.',
  expired: 'It ran out, or what it belongs to has ended. Nothing was done.',
};

function Why({ approval }: { readonly approval: ApprovalDetail }) {
  const asked = approval.rows.findLast(({ outcome }) => outcome === 'needs_approval');
  const sentence = asked?.reason === approval.reason_code ? asked.sentence : approval.reason;
  const read = readBefore(sentence);
  const title = approval.state === 'pending' ? 'Why it asks you' : 'Why it asked you';
  return (
    <section className={classes.part} aria-label={title}>
      <h3>{title}</h3>
      {approval.reason_code.startsWith('read_then_') && (
        <RuleOfTwo approval={approval} read={read} />
      )}
      <p className="small" dir="auto">
        <Sentence text={whyAsked({ ...approval, reason: sentence })} />{' '}
        <code className={classes.code}>{approval.reason_code}</code>
      </p>
      {approval.state === 'rejected' && approval.answer !== null && (
        <p className="small dim" dir="auto">
          Declined: {approval.answer}
        </p>
      )}
    </section>
  );
}

function NoSuchApproval() {
  return (
    <div className={classes.none}>
      <Empty
        icon={IconZoomQuestion}
        title="There is no such approval."
        act={<Link to="/approvals">See what waits</Link>}
      >
        What was declined or ran out is kept for 30 days.
      </Empty>
    </div>
  );
}
