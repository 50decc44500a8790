// One decision: its sentence, the steps around it, the details of the row, and links.

import { ActionIcon, CopyButton } from '@mantine/core';
import type { LedgerLine, MessageExplanation } from '@relay/contract/api/ledger';
import { IconCheck, IconCopy, IconZoomQuestion } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { capitalize } from '../../parts/format.ts';
import { WhyLink } from '../../parts/links.tsx';
import { Badge } from '../../parts/marks.tsx';
import { decisionDisplay } from '../../parts/outcomes.ts';
import parts from '../../parts/parts.module.css';
import { EmptyState, LoadingLines, QueryContent } from '../../parts/query-content.tsx';
import { RichText } from '../../parts/rich-text.tsx';
import { approvalQuery } from '../approvals/queries.ts';
import {
  actionLabel,
  actorLabel,
  decisionReason,
  decisionStepText,
  deliveryWord,
  rowApprovalId,
  rowChatId,
  rowContactId,
  rowConversationId,
  rowDayTime,
  rowFields,
  rowMessageId,
  rowTime,
  shortenId,
} from './copy.ts';
import classes from './ledger.module.css';
import { ledgerRowQuery, whyQuery } from './queries.ts';

interface DecisionDetailProps {
  readonly seq: number;
  /** The row as the list has it. */
  readonly listed?: LedgerLine | undefined;
  readonly isLanding?: boolean;
}

export function DecisionDetail({ seq, listed, isLanding = false }: DecisionDetailProps) {
  const row = useQuery({
    ...ledgerRowQuery(seq),
    ...(listed === undefined ? {} : { initialData: listed }),
  });
  return (
    <article className={classes.detail}>
      <QueryContent
        query={row}
        subject={t('ledger.detail.subject')}
        loading={<LoadingLines lines={6} />}
      >
        {(entry) =>
          entry === null ? <NoSuchRow /> : <DecisionContent entry={entry} isLanding={isLanding} />
        }
      </QueryContent>
    </article>
  );
}

function DecisionContent({
  entry,
  isLanding,
}: {
  readonly entry: LedgerLine;
  readonly isLanding: boolean;
}) {
  const now = useNow(60_000);
  const { word, hue, icon } = decisionDisplay(entry);
  const actor = actorLabel(entry);
  const fields = rowFields(entry);
  return (
    <>
      <div className={classes.body}>
        <p className={classes.eyebrow}>
          {t('ledger.detail.actionTime', {
            action: actionLabel(entry),
            time: rowDayTime(entry.at, now),
          })}
        </p>
        <h2 tabIndex={-1} data-landing={isLanding || undefined} dir="auto">
          {entry.about === null ? actor : capitalize(entry.about)}
        </h2>
        <Badge hue={hue} icon={icon}>
          {word}
        </Badge>
        <p dir="auto">
          {decisionReason(entry)} <code>{entry.reason}</code>
        </p>
        <p className="small dim">
          <RichText
            id="ledger.detail.decidedBy"
            values={{ actor: entry.actor }}
            components={{ who: <span dir="auto">{actor}</span> }}
          />
        </p>
        <DecisionLinks entry={entry} />
      </div>
      <RelatedSteps entry={entry} />
      {fields.length > 0 && (
        <section className={classes.kept} aria-label={t('ledger.detail.fields')}>
          <dl className={parts.facts}>
            {fields.map(({ label, value, isId }) => (
              <div key={label} className={classes.fact}>
                <dt>{label}</dt>
                <dd dir="auto" title={isId ? value : undefined}>
                  {isId ? <code>{shortenId(value)}</code> : value}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      <p className={classes.foot}>
        {t('ledger.detail.foot', {
          row: entry.seq,
          kind: entry.subject.kind,
          id: shortenId(entry.subject.id),
        })}
      </p>
    </>
  );
}

function NoSuchRow() {
  return (
    <EmptyState
      icon={IconZoomQuestion}
      title={t('ledger.detail.notFound')}
      action={<Link to="/ledger">{t('ledger.detail.notFound.action')}</Link>}
    />
  );
}

// Links of a decision: the message's history, the conversation, the approval, and all decisions about the same contact.

function DecisionLinks({ entry }: { readonly entry: LedgerLine }) {
  const [message, chat, contact] = [rowMessageId(entry), rowChatId(entry), rowContactId(entry)];
  const [approval, instance] = [rowApprovalId(entry), rowConversationId(entry)];
  const subject = chat ?? contact;
  return (
    <p className={classes.links}>
      {message !== null && <WhyLink message={message}>{t('ledger.link.message')}</WhyLink>}
      {instance !== null && (
        <Link className="small" to="/conversations/$id" params={{ id: instance }}>
          {t('ledger.link.conversation')}
        </Link>
      )}
      {approval !== null && (
        <Link className="small" to="/approvals/$id" params={{ id: approval }}>
          {t('ledger.link.approval')}
        </Link>
      )}
      {chat !== null && (
        <Link className="small" to="/chats/$id" params={{ id: chat }}>
          {t('ledger.link.chat')}
        </Link>
      )}
      {subject !== null && entry.about !== null && (
        <Link className="small" to="/ledger" search={{ subject }}>
          <RichText
            id="ledger.link.about"
            components={{ name: <span dir="auto">{entry.about}</span> }}
          />
        </Link>
      )}
    </p>
  );
}

// The steps that a row belongs to: those of its message, else of its approval. A single row has none.

function RelatedSteps({ entry }: { readonly entry: LedgerLine }) {
  const message = rowMessageId(entry);
  const approval = message === null ? rowApprovalId(entry) : null;
  const why = useQuery({
    ...whyQuery(
      message ?? '',
      entry.subject.kind === 'message' ? (rowChatId(entry) ?? undefined) : undefined,
    ),
    enabled: message !== null,
  });
  const asked = useQuery({ ...approvalQuery(approval ?? ''), enabled: approval !== null });
  const rows = why.data?.rows ?? asked.data?.rows;
  if (rows === undefined && (why.isLoading || asked.isLoading)) {
    return (
      <div className={classes.story}>
        <LoadingLines lines={3} />
      </div>
    );
  }
  if (rows === undefined || rows.length === 0) return null;
  return (
    <section className={classes.story} aria-label={t('ledger.steps.label')}>
      {why.data !== undefined && <p dir="auto">{why.data.sentence}</p>}
      <DecisionSteps rows={rows} current={entry.seq} />
    </section>
  );
}

// The rows of a message as steps, in order; the selected one is marked.

interface DecisionStepsProps {
  readonly rows: readonly LedgerLine[];
  readonly current?: number;
}

function DecisionSteps({ rows, current }: DecisionStepsProps) {
  const now = useNow(60_000);
  return (
    <ol className={classes.steps}>
      {rows.map((row) => {
        const { word, hue, icon: Icon } = decisionDisplay(row);
        const isCurrent = row.seq === current;
        const number = t('ledger.detail.row', { row: row.seq });
        return (
          <li key={row.seq} aria-current={isCurrent ? 'step' : undefined}>
            <span className={classes.dot} data-hue={hue}>
              <Icon size={13} stroke={2.5} aria-hidden />
            </span>
            <div>
              <b dir="auto">
                {t('ledger.row.actorAction', {
                  actor: actorLabel(row),
                  action: actionLabel(row),
                })}
              </b>
              <p dir="auto">
                {isCurrent
                  ? t('ledger.steps.outcome', { outcome: word })
                  : decisionStepText(word, row)}
              </p>
              <small className="num">
                {rowTime(row.at, now).time} ·{' '}
                {isCurrent ? (
                  number
                ) : (
                  <Link to="/ledger/$row" params={{ row: String(row.seq) }} resetScroll={false}>
                    {number}
                  </Link>
                )}
              </small>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

// Why a message was treated as it was: one sentence first, then the rows behind it.

interface WhyDetailProps {
  readonly message: string;
  readonly chat: string | undefined;
}

export function WhyDetail({ message, chat }: WhyDetailProps) {
  const why = useQuery(whyQuery(message, chat));
  return (
    <article className={classes.detail}>
      <QueryContent
        query={why}
        subject={t('ledger.link.message')}
        loading={<LoadingLines lines={6} />}
      >
        {(story) => <WhyContent story={story} />}
      </QueryContent>
    </article>
  );
}

function WhyContent({ story }: { readonly story: MessageExplanation }) {
  const now = useNow(60_000);
  const time = rowDayTime(story.at, now);
  const command = `relay why ${story.message_id}`;
  return (
    <>
      <div className={classes.body}>
        <p className={classes.eyebrow}>
          {t(story.way === 'in' ? 'ledger.why.incoming' : 'ledger.why.outgoing', { time })}
        </p>
        <h2 tabIndex={-1} data-landing dir="auto">
          {capitalize(story.chat.name)}
        </h2>
        <p className={classes.sentence} dir="auto">
          {story.sentence}
        </p>
        <p className={classes.links}>
          {story.instance_id !== null && (
            <Link className="small" to="/conversations/$id" params={{ id: story.instance_id }}>
              {t('ledger.link.conversation')}
            </Link>
          )}
          {story.approval !== null && (
            <Link className="small" to="/approvals/$id" params={{ id: story.approval.id }}>
              {t('ledger.link.approval')}
            </Link>
          )}
          {story.schedule_id !== null && (
            <Link className="small" to="/schedules">
              {t('ledger.link.schedule')}
            </Link>
          )}
          <Link className="small" to="/chats/$id" params={{ id: story.chat.id }}>
            {t('ledger.link.chat')}
          </Link>
        </p>
      </div>
      {story.rows.length > 0 && (
        <section className={classes.story} aria-label={t('ledger.steps.label')}>
          <DecisionSteps rows={story.rows} />
        </section>
      )}
      <WhyFacts story={story} />
      <div className={classes.command}>
        <code>{command}</code>
        <CopyButton value={command}>
          {({ copied, copy }) => (
            <ActionIcon onClick={copy} aria-label={t('ledger.why.copy')}>
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          )}
        </CopyButton>
      </div>
    </>
  );
}

function WhyFacts({ story: { run, deliveries } }: { readonly story: MessageExplanation }) {
  if (run === null && deliveries.length === 0) return null;
  return (
    <section className={classes.kept} aria-label={t('ledger.why.result')}>
      <dl className={parts.facts}>
        {run !== null && (
          <div className={classes.fact}>
            <dt>{t('ledger.why.run')}</dt>
            <dd>
              {run.model ?? t('ledger.why.noModel')} ·{' '}
              <code title={run.id}>{shortenId(run.id)}</code>
            </dd>
          </div>
        )}
        {deliveries.map(({ id, state, failure }) => (
          <div key={id} className={classes.fact}>
            <dt>{t('ledger.why.delivery')}</dt>
            <dd dir="auto">
              {failure === null
                ? deliveryWord(state)
                : t('ledger.why.failure', { state: deliveryWord(state), failure })}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
