// One approval in full: recipient, exact text, reason, history and buttons. If it was answered elsewhere meanwhile, the
// panel says so and shows the new state.

import { Textarea } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import type { Approval, ApprovalDetail } from '@relay/contract/api/approvals';
import { CONVERSATION_LIMITS } from '@relay/contract/api/constants';
import type { LedgerLine } from '@relay/contract/api/ledger';
import type { BufferedMessage } from '@relay/contract/api/whatsapp';
import { RelayApiError } from '@relay/contract/client/api-error';
import { revealHidden } from '@relay/core/messages/text';
import {
  IconClock,
  IconHash,
  IconInfoCircle,
  IconLock,
  IconMessage,
  IconSend,
  IconZoomQuestion,
  type TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { nounKey } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { approvalCopy, approvalReason, approvalRecipient } from '../../parts/approval-copy.ts';
import { formatAgo, formatContact, formatMoment, formatSpan } from '../../parts/format.ts';
import { WhyLink } from '../../parts/links.tsx';
import { Badge, Tile } from '../../parts/marks.tsx';
import { LazyOutgoingContent } from '../../parts/media/lazy-media.tsx';
import { Note, Sentence } from '../../parts/page.tsx';
import { EmptyState, LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { SendRisks } from '../../parts/send-risks.tsx';
import { sourcesReadBefore } from '../../parts/sentences.ts';
import classes from './approvals.module.css';
import {
  APPROVAL_STATE_DISPLAY,
  approvalStepText,
  approvalTitle,
  exactTextHeading,
  requesterName,
  shortHash,
  shownState,
} from './copy.ts';
import { DecisionBar } from './decision-bar.tsx';
import { approvalQuery, useApprovalAnswers } from './queries.ts';

interface ApprovalPanelProps {
  readonly id: string;
  /** The approval as the list has it, until the details are loaded. */
  readonly placeholder: Approval | undefined;
  /** Focus starts here when somebody opens this address. */
  readonly takesFocus: boolean;
  /** Called with the approval that replaced it, if any. */
  onDecided(instead?: string): void;
}

export function ApprovalPanel({ id, placeholder, takesFocus, onDecided }: ApprovalPanelProps) {
  const query = useQuery({
    ...approvalQuery(id),
    ...(placeholder === undefined
      ? {}
      : { placeholderData: { ...placeholder, said: [], rows: [] } }),
  });
  const isUnknown = query.error instanceof RelayApiError && query.error.status === 404;
  if (isUnknown) return <NoSuchApproval />;
  return (
    <article className={classes.detail}>
      <QueryContent
        query={query}
        subject={t('approvals.subject')}
        loading={
          <div className={classes.part}>
            <LoadingLines lines={7} />
          </div>
        }
      >
        {(approval) => (
          <ApprovalContent approval={approval} takesFocus={takesFocus} onDecided={onDecided} />
        )}
      </QueryContent>
    </article>
  );
}

interface ApprovalContentProps extends Pick<ApprovalPanelProps, 'takesFocus' | 'onDecided'> {
  readonly approval: ApprovalDetail;
}

function ApprovalContent({ approval, takesFocus, onDecided }: ApprovalContentProps) {
  const [seen, setSeen] = useState<string | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const [isActing, setActing] = useState(false);
  const [began] = useState(approval.state);
  const answers = useApprovalAnswers(approval, { onActing: setActing, onDecided });
  const isNew = edited !== null && edited !== approval.text && edited.trim() !== '';
  const isGone = useIsDaemonGone();
  const keep = isNew && !isGone ? () => answers.edit.mutate(edited) : undefined;
  const approveEdited = isNew && !isGone ? () => answers.editAndApprove.mutate(edited) : undefined;
  const hasMoved = began === 'pending' && approval.state !== 'pending' && !isActing;
  return (
    <>
      <ApprovalHeader approval={approval} takesFocus={takesFocus} />
      {hasMoved && <DecidedElsewhereNote approval={approval} />}
      {/* Above the text, so that nobody can approve it without passing the risks. */}
      {approval.risks.length > 0 && (
        <div className={classes.part}>
          <SendRisks risks={approval.risks} />
        </div>
      )}
      <ExactText
        approval={approval}
        edited={edited}
        onEdit={setEdited}
        onKeep={keep}
        onSeen={() => setSeen(approval.shown)}
      />
      <ApprovalReasonSection approval={approval} />
      <ApprovalTimeline approval={approval} />
      {approval.state === 'pending' && (
        <DecisionBar
          approval={approval}
          answers={answers}
          isSeen={seen === approval.shown}
          edited={edited}
          onEdit={setEdited}
          onKeep={keep}
          onApproveEdited={approveEdited}
        />
      )}
    </>
  );
}

function ApprovalHeader({
  approval,
  takesFocus,
}: Pick<ApprovalContentProps, 'approval' | 'takesFocus'>) {
  const now = useNow(30_000);
  const { icon, question } = approvalCopy(approval);
  const { recipient, recipient_name, created_at } = approval;
  const ago = formatAgo(created_at, now);
  const requester = <span dir="auto">{requesterName(approval)}</span>;
  return (
    <header className={classes.head}>
      <Tile hue={approval.state === 'pending' ? 'you' : 'parked'} icon={icon} large />
      <div>
        <h2 dir="auto" tabIndex={-1} data-landing={takesFocus || undefined}>
          {question}
        </h2>
        <p className="small dim num">
          {recipient !== null && recipient_name !== null ? (
            <RichText
              id="approvals.requested.to"
              values={{ ago }}
              components={{
                recipient: <span dir="auto">{formatContact(recipient)}</span>,
                requester,
              }}
            />
          ) : (
            <RichText id="approvals.requested" values={{ ago }} components={{ requester }} />
          )}
        </p>
      </div>
      <StateMark approval={approval} />
    </header>
  );
}

function StateMark({ approval }: { readonly approval: Approval }) {
  const now = useNow();
  const { expires_at, decided_at } = approval;
  if (approval.state === 'pending') {
    const left = Date.parse(expires_at) - now;
    return (
      <Badge hue="you" icon={IconClock}>
        {left > 0
          ? t('approvals.time.expiresInAt', {
              span: formatSpan(left),
              time: formatMoment(expires_at, now),
            })
          : t('approvals.time.expiresNow')}
      </Badge>
    );
  }
  const state = shownState(approval);
  const { hue, icon } = APPROVAL_STATE_DISPLAY[state];
  const time = formatMoment(decided_at ?? expires_at, now);
  return (
    <Badge hue={hue} icon={icon}>
      {t('approvals.time.decided', { state, time })}
    </Badge>
  );
}

function DecidedElsewhereNote({
  approval: { state, replaced_by },
}: {
  readonly approval: Approval;
}) {
  return (
    <div className={classes.part}>
      <Note hue="parked" icon={IconInfoCircle} role="status">
        {replaced_by === null ? (
          state !== 'pending' && (
            <RichText id={`approvals.elsewhere.${state}`} components={{ b: <b /> }} />
          )
        ) : (
          <RichText
            id="approvals.elsewhere.changed"
            components={{
              b: <b />,
              link: <Link to="/approvals/$id" params={{ id: replaced_by }} />,
            }}
          />
        )}
      </Note>
    </div>
  );
}

function ApprovalReasonSection({ approval }: { readonly approval: ApprovalDetail }) {
  const asked = approval.rows.findLast(({ outcome }) => outcome === 'needs_approval');
  const read = asked?.reason === approval.reason_code ? sourcesReadBefore(asked.read_before) : null;
  const title = t(approval.state === 'pending' ? 'approvals.why.pending' : 'approvals.why.past');
  return (
    <section className={classes.part} aria-label={title}>
      <h3>{title}</h3>
      {approval.reason_code.startsWith('read_then_') && (
        <RuleOfTwo approval={approval} read={read} />
      )}
      <p className="small">
        <Sentence text={approvalReason(approval)} />{' '}
        <code className={classes.code}>{approval.reason_code}</code>
      </p>
      {approval.spoken !== undefined && (
        <figure className={classes.spoken}>
          <blockquote dir="auto">{revealHidden(approval.spoken)}</blockquote>
          <figcaption>{t('approvals.spoken')}</figcaption>
        </figure>
      )}
      {approval.state === 'rejected' && approval.answer !== null && (
        <p className="small dim" dir="auto">
          {t('approvals.why.declined', { reason: approval.answer })}
        </p>
      )}
    </section>
  );
}

function NoSuchApproval() {
  return (
    <div className={classes.none}>
      <EmptyState
        icon={IconZoomQuestion}
        title={t('approvals.notFound')}
        action={<Link to="/approvals">{t('approvals.notFound.action')}</Link>}
      >
        {t('approvals.notFound.hint')}
      </EmptyState>
    </div>
  );
}

// The exact text, byte for byte as it would be sent, and whether its end has been on screen. During editing a field
// replaces it; nothing is sent from there.

interface ExactTextProps {
  readonly approval: Approval;
  /** The edited text; null while the text is only read. */
  readonly edited: string | null;
  onEdit(text: string): void;
  /** Undefined while there is no change to save. */
  readonly onKeep: (() => void) | undefined;
  onSeen(): void;
}

function ExactText({ approval, edited, onEdit, onKeep, onSeen }: ExactTextProps) {
  const { kind, text, content = '', shown, when } = approval;
  if (edited !== null) {
    return (
      <section className={classes.part} aria-label={t('approvals.edit.section')}>
        <Textarea
          label={t('approvals.edit.label')}
          description={t('approvals.edit.hint')}
          autosize
          autoFocus
          // Most edits add something.
          onFocus={({ currentTarget: field }) =>
            field.setSelectionRange(field.value.length, field.value.length)
          }
          minRows={3}
          maxRows={14}
          maxLength={
            kind === 'create_conversation'
              ? CONVERSATION_LIMITS.objective
              : CONVERSATION_LIMITS.message
          }
          dir="auto"
          value={edited}
          onChange={(event) => onEdit(event.currentTarget.value)}
          onKeyDown={getHotkeyHandler([['mod+Enter', () => onKeep?.()]])}
        />
      </section>
    );
  }
  return (
    <section className={classes.part} aria-label={exactTextHeading(approval)}>
      <p className={classes.label}>{exactTextHeading(approval)}</p>
      <ExactTextBubble key={shown} approval={approval} onSeen={onSeen} />
      {when !== null && (
        <p className="small" dir="auto">
          <RichText id="approvals.text.when" values={{ when }} components={{ b: <b /> }} />
        </p>
      )}
      <p className={classes.hash} title={t('approvals.text.hash.hint')}>
        <IconHash size={13} aria-hidden />
        {t('approvals.text.hash', {
          hash: shortHash(shown),
          count: [...text, ...content].length,
        })}
      </p>
    </section>
  );
}

/** Minimum time on screen, so that a key pressed once too often does not approve what has just appeared. */
const GLANCE_MS = 600;

interface ExactTextBubbleProps {
  readonly approval: Approval;
  onSeen(): void;
}

const hasContent = ({ content, media, target }: Approval): boolean =>
  content !== undefined || media !== undefined || target !== undefined;

function ExactTextBubble({ approval, onSeen }: ExactTextBubbleProps) {
  const { text } = approval;
  // A picture counts as read only after it is there to be seen.
  const [isShown, setShown] = useState(!hasContent(approval));
  const end = useRef<HTMLSpanElement>(null);
  const seen = useEffectEvent(onSeen);
  useEffect(() => {
    if (end.current === null || !isShown) return;
    let looking: ReturnType<typeof setTimeout> | undefined;
    const watching = new IntersectionObserver(
      ([entry]) => {
        clearTimeout(looking);
        if (entry?.isIntersecting === true) looking = setTimeout(seen, GLANCE_MS);
      },
      // Text under the buttons, or on a phone under the tab bar, is not on screen.
      {
        rootMargin: matchMedia('(max-width: 860px)').matches
          ? '0px 0px -140px 0px'
          : '0px 0px -64px 0px',
      },
    );
    watching.observe(end.current);
    return () => {
      clearTimeout(looking);
      watching.disconnect();
    };
  }, [isShown]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled with the keyboard
    <section className={classes.bubble} tabIndex={0} aria-label={t('approvals.text.label')}>
      {hasContent(approval) && (
        <LazyOutgoingContent
          approval={approval}
          onShown={() => setShown(true)}
          fallback={<p dir="auto">{revealHidden(approval.content ?? '')}</p>}
        />
      )}
      {text !== '' && <p dir="auto">{revealHidden(text)}</p>}
      <span ref={end} className={classes.end} />
    </section>
  );
}

// The history of the approval: the last messages of the chat and each ledger row, with a link to the row.

type TimelineStep =
  | { readonly at: number; readonly message: BufferedMessage }
  | { readonly at: number; readonly row: LedgerLine };

function ApprovalTimeline({ approval }: { readonly approval: ApprovalDetail }) {
  const steps: TimelineStep[] = [
    ...approval.said.map((message) => ({ at: message.timestamp, message })),
    ...approval.rows.map((row) => ({ at: Date.parse(row.at), row })),
  ].sort((a, b) => a.at - b.at);
  return (
    <section className={classes.part} aria-label={t('approvals.history.title')}>
      <h3>{t('approvals.history.title')}</h3>
      {approval.instance_id !== null && <ConversationLink id={approval.instance_id} />}
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={'row' in step ? `row ${step.row.seq}` : step.message.id}>
            <StepTime at={step.at} />
            {'row' in step ? (
              <span>
                {approvalStepText(step.row, approval)}{' '}
                <Link className="small" to="/ledger/$row" params={{ row: String(step.row.seq) }}>
                  {t('approvals.history.row', { row: step.row.seq })}
                </Link>
              </span>
            ) : (
              <MessageStep message={step.message} whom={approvalRecipient(approval)} />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function StepTime({ at }: { readonly at: number }) {
  const now = useNow(60_000);
  return <time dateTime={new Date(at).toISOString()}>{formatMoment(at, now)}</time>;
}

function MessageStep({
  message,
  whom,
}: {
  readonly message: BufferedMessage;
  readonly whom: string;
}) {
  const { id, body, fromMe, fromName, isGroup } = message;
  const who = fromMe ? t('common.you') : isGroup ? (fromName ?? t('common.unknownPerson')) : whom;
  return (
    <span>
      <b dir="auto">{who}:</b> <span dir="auto">{revealHidden(body)}</span> <WhyLink message={id} />
    </span>
  );
}

function ConversationLink({ id }: { readonly id: string }) {
  const { data: instance } = useQuery({
    queryKey: nounKey('instances', 'one', id),
    queryFn: ({ signal }) => relay.get('/api/instances/{id}', { signal, path: { id } }),
  });
  return (
    <p className="small">
      <RichText
        id="approvals.history.conversation"
        components={{
          link: (
            <Link to="/conversations/$id" params={{ id }} dir="auto">
              {instance === undefined ? id.slice(0, 8) : instance.objective}
            </Link>
          ),
        }}
      />
    </p>
  );
}

// The three facts that together require a person: foreign text was read, private data is known, and text goes
// elsewhere. Shown where that is the reason for the approval.

interface RuleOfTwoProps {
  readonly approval: Approval;
  /** Whose texts were read, if known. */
  readonly read: string | null;
}

function RuleOfTwo({ approval, read }: RuleOfTwoProps) {
  return (
    <>
      <ul className={classes.three}>
        <RuleOfTwoPart
          icon={IconMessage}
          title={t('approvals.rule.read')}
          detail={read ?? t('approvals.rule.read.unknown')}
        />
        <RuleOfTwoPart
          icon={IconLock}
          title={t('approvals.rule.private')}
          detail={t('approvals.rule.private.hint')}
        />
        <RuleOfTwoPart
          icon={IconSend}
          title={t('approvals.rule.act')}
          detail={approvalTitle(approval)}
          isAsked={approval.state === 'pending'}
        />
      </ul>
      <p className="small dim">{t('approvals.rule.hint')}</p>
    </>
  );
}

interface RuleOfTwoPartProps {
  readonly icon: TablerIcon;
  readonly title: string;
  readonly detail: string;
  /** True if this is a reason for the approval. */
  readonly isAsked?: boolean;
}

function RuleOfTwoPart({ icon: Icon, title, detail, isAsked = false }: RuleOfTwoPartProps) {
  return (
    <li data-hue={isAsked ? 'you' : undefined}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <b>{title}</b>
      <span dir="auto">{detail}</span>
    </li>
  );
}
