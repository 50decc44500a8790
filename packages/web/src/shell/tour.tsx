// The guided tour of the demo: five steps, each with a link to the page it is about. It is part of the page and not
// modal, so the console works as usual meanwhile. Loaded only in the demo.
import { Button } from '@mantine/core';
import type { Chat } from '@relay/contract/api/chats';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { nounKey, pendingApprovalsQuery } from '../data/queries.ts';
import { relay } from '../data/relay.ts';
import { t } from '../i18n.ts';
import { latestConversationsQuery } from '../pages/conversations/queries.ts';
import { approvalRecipient } from '../parts/approval-copy.ts';
import { formatContact } from '../parts/format.ts';
import { useFollowLinks, whyHref } from '../parts/links.tsx';
import { useKeys } from './keys.tsx';
import classes from './tour.module.css';

/** Set in this browser once the tour is finished or skipped. */
const TOUR_STORAGE = 'relay-tour';

export function Tour() {
  const [isOver, setIsOver] = useState(() => localStorage.getItem(TOUR_STORAGE) !== null);
  const end = () => {
    localStorage.setItem(TOUR_STORAGE, 'done');
    setIsOver(true);
  };
  return isOver ? null : <TourSteps onEnd={end} />;
}

function TourSteps({ onEnd }: { onEnd(): void }) {
  const steps = useTourSteps();
  const [at, setAt] = useState(0);
  const section = useRef<HTMLElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  const follow = useFollowLinks();
  const { pathname } = useLocation();
  const end = () => {
    const hasFocus = section.current?.contains(document.activeElement) ?? false;
    onEnd();
    // The focused button is about to disappear.
    if (hasFocus) focusPage();
  };
  useKeys({ Escape: steps && end }, t('common.tour.skip'), 'everywhere');
  const step = steps?.[at];
  if (steps === undefined || step === undefined) return null;
  const { key, href, name } = step;
  const isLast = at === steps.length - 1;
  // The filled button is what to do now: go there, then go on.
  const isThere = pathname.endsWith(href.split('?', 1)[0] ?? href);
  const back = () => {
    setAt(at - 1);
    // The first step has no button to go back.
    if (at === 1) next.current?.focus();
  };
  return (
    <section ref={section} className={classes.tour} aria-label={t('common.tour.label')}>
      <div className={classes.text} aria-live="polite">
        <p className="small dim">
          {t('common.tour.progress', { step: at + 1, total: steps.length })}
        </p>
        <h2>{t(`common.tour.${key}.title`)}</h2>
        <p>
          {name === null ? t(`common.tour.${key}.none`) : t(`common.tour.${key}.text`, { name })}
        </p>
      </div>
      <div className={classes.actions}>
        <Button component="a" href={href} variant={isThere ? 'default' : 'filled'} onClick={follow}>
          {t(name === null ? `common.tour.${key}.list` : `common.tour.${key}.action`)}
        </Button>
        {!isLast && (
          <Button variant="subtle" onClick={end}>
            {t('common.tour.skip')}
          </Button>
        )}
        {at > 0 && (
          <Button variant="default" onClick={back}>
            {t('common.tour.back')}
          </Button>
        )}
        <Button
          ref={next}
          variant={isThere ? 'filled' : 'default'}
          onClick={isLast ? end : () => setAt(at + 1)}
        >
          {t(isLast ? 'common.tour.finish' : 'common.tour.next')}
        </Button>
      </div>
    </section>
  );
}

function focusPage(): void {
  const page =
    document.querySelector<HTMLElement>('#main h1') ?? document.querySelector<HTMLElement>('#main');
  page?.focus({ preventScroll: true });
}

// What each step shows in this demo; the list of its page if that does not exist yet.

interface TourStep {
  readonly key: 'reply' | 'draft' | 'conversation' | 'digest' | 'why';
  readonly href: string;
  /** Whom or what the step is about; null if there is nothing to show yet. */
  readonly name: string | null;
}

/** Undefined until everything is loaded. */
function useTourSteps(): readonly TourStep[] | undefined {
  const chats = useQuery(tourChatsQuery);
  const approvals = useQuery(pendingApprovalsQuery);
  const conversations = useQuery(latestConversationsQuery({}));
  const digests = useQuery(tourDigestsQuery);
  const chat = chats.data?.chats.find(hasAutomaticReplies);
  const messages = useQuery(tourMessagesQuery(chat?.id));
  const loaded = [chats, approvals, conversations, digests, messages];
  if (loaded.some(({ isLoading }) => isLoading)) return undefined;

  const reply = messages.data?.messages.findLast(({ author }) => author === 'auto_reply');
  const [draft] = approvals.data ?? [];
  const [conversation] = conversations.data ?? [];
  const digest = digests.data?.digests.find(({ daily }) => daily !== null);
  return [
    chat === undefined
      ? nothingYet('reply', '/chats')
      : { key: 'reply', href: `/chats/${chat.id}`, name: chat.name },
    draft === undefined
      ? nothingYet('draft', '/approvals')
      : { key: 'draft', href: `/approvals/${draft.id}`, name: approvalRecipient(draft) },
    conversation === undefined
      ? nothingYet('conversation', '/conversations')
      : {
          key: 'conversation',
          href: `/conversations/${conversation.id}`,
          name: conversation.contact_name ?? formatContact(conversation.target_contact),
        },
    digest === undefined
      ? nothingYet('digest', '/groups')
      : {
          key: 'digest',
          href: `/groups/${digest.chat_id}?by=day&day=${digest.day}`,
          name: digest.group,
        },
    chat === undefined || reply === undefined
      ? nothingYet('why', '/ledger')
      : { key: 'why', href: whyHref(reply.message_id, chat.id), name: chat.name },
  ];
}

const nothingYet = (key: TourStep['key'], list: string): TourStep => ({
  key,
  href: list,
  name: null,
});

const hasAutomaticReplies = ({ kind, grant, last }: Chat): boolean =>
  kind === 'direct' && grant?.can_reply === true && grant.reply_mode === 'auto' && last !== null;

/** The last day of each group that has digests. */
const tourDigestsQuery = queryOptions({
  queryKey: nounKey('digests', 'tour'),
  queryFn: ({ signal }) => relay.get('/api/digests', { signal }),
});

const tourChatsQuery = queryOptions({
  queryKey: nounKey('messages', 'tour'),
  queryFn: ({ signal }) => relay.get('/api/chats', { signal, query: { limit: 50 } }),
});

const tourMessagesQuery = (chat: string | undefined) =>
  queryOptions({
    queryKey: nounKey('messages', 'tour', chat),
    queryFn: ({ signal }) =>
      relay.get('/api/chats/{id}/messages', {
        signal,
        path: { id: chat ?? '' },
        query: { limit: 100 },
      }),
    enabled: chat !== undefined,
  });
