// Where the owner writes: a text with a reply, a time or a draft by the model. Enter sends, Shift+Enter starts a new
// line; the text is kept until it is sent, and a refusal is shown in place.
import { ActionIcon, Button, CloseButton, Popover, Textarea, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { ChatDetail } from '@relay/contract/api/chats';
import type { OutboxState } from '@relay/contract/outbox/states';
import { revealHidden } from '@relay/core/messages/text';
import {
  IconAlertTriangle,
  IconBulb,
  IconClock,
  IconPencil,
  IconSend,
  IconSparkles,
  IconX,
} from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { chatQuery, linkQuery, nounKey, statusQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { formatFullTime } from '../format.ts';
import { Note, Sentence } from '../page.tsx';
import { deliveryLabel } from '../transcript/delivery.tsx';
import type { TranscriptEntry } from '../transcript/window.ts';
import { AttachButton, type AttachedMedia, AttachmentField, useAttachment } from './attachment.tsx';
import classes from './composer.module.css';

const scheduledQuery = (chat: string) =>
  queryOptions({
    queryKey: nounKey('schedules', 'chat', chat),
    queryFn: ({ signal }) =>
      relay.get('/api/schedules', { signal, query: { chat, state: 'active', limit: 20 } }),
  });

/** The message that the owner replies to. */
export interface ReplyTarget {
  readonly messageId: string;
  readonly by: string;
  readonly text: string;
}

export const toReplyTarget = (line: TranscriptEntry, by: string): ReplyTarget => ({
  messageId: line.whyMessageId ?? '',
  by: line.authorName ?? by,
  text: line.text || (line.label ?? ''),
});

export interface ComposedMessage {
  /** The caption, if there is a file. */
  readonly text: string;
  readonly key: string;
  readonly replyTo?: string;
  /** The uploaded file. */
  readonly media?: AttachedMedia;
}

interface ComposerProps {
  readonly chatId: string;
  readonly name: string;
  /** What the unsent text belongs to. */
  readonly draftKey: string;
  send(message: ComposedMessage): Promise<unknown>;
  /** What sending does besides. */
  readonly sendLabel?: string | undefined;
  readonly hint?: ReactNode;
  readonly replyTo: ReplyTarget | null;
  onReplyEnd(): void;
  /** The delivery state of the owner's last message. */
  readonly lastDelivery: OutboxState | null;
  /** Whether files can be sent here. */
  readonly canAttach?: boolean;
  /** Shown beside the buttons. */
  readonly children?: ReactNode;
}

export function Composer(props: ComposerProps) {
  const { chatId, name, hint, replyTo, onReplyEnd, lastDelivery, canAttach, children } = props;
  const isGone = useIsDaemonGone();
  const { data: status } = useQuery(statusQuery);
  const { data: link } = useQuery(linkQuery);
  const { data: chat } = useQuery(chatQuery(chatId));
  const unsent = useUnsentText(props.draftKey);
  const field = useRef<HTMLTextAreaElement>(null);
  const [undo, setUndo] = useState<string | null>(null);
  const note = useId();
  const attachment = useAttachment(canAttach === true);
  const send = useAction({
    run: async (message: ComposedMessage) => {
      const media = await attachment.upload();
      return props.send(media === null ? message : { ...message, media });
    },
    invalidates: ['messages', 'instances', 'contacts', 'status'],
    showsErrorInPlace: true,
    onSuccess: () => {
      unsent.forget();
      attachment.remove();
      setUndo(null);
      onReplyEnd();
    },
  });
  const draft = useAction({
    run: (text: string) =>
      relay.post('/api/chats/{id}/draft', {
        path: { id: chatId },
        body: text === '' ? {} : { hint: text.slice(0, MAX_HINT) },
      }),
    invalidates: ['status'],
    showsErrorInPlace: true,
    onSuccess: ({ text }) => {
      setUndo(unsent.text);
      unsent.type(text);
      field.current?.focus();
    },
  });
  useEffect(() => {
    if (replyTo !== null) field.current?.focus();
  }, [replyTo]);

  const label = composerLabel(chat, name);
  const isBusy = send.isPending || draft.isPending;
  const isHeld = status?.hold === true;
  const { file } = attachment;
  const isEmpty = file === null && unsent.text.trim() === '';
  const isOff = isGone || isBusy || isHeld || isEmpty;
  const submit = () => {
    if (isOff) return;
    const { text, key } = unsent.take(`${replyTo?.messageId ?? ''}${attachment.key}`);
    send.mutate({ text, key, ...(replyTo === null ? {} : { replyTo: replyTo.messageId }) });
  };
  const isConnected = link === undefined || link.status === 'connected';
  const stateNote = noteText(isHeld, isConnected, link?.phone ?? null);
  const error = send.error ?? draft.error;
  return (
    <div className={classes.all}>
      {chat?.suggestion && (
        <Suggestion
          chat={chat}
          isOff={isGone || isBusy || isHeld}
          onSend={(text) => send.mutateAsync({ text, key: crypto.randomUUID() })}
          onEdit={(text) => {
            unsent.type(text);
            field.current?.focus();
          }}
        />
      )}
      <Scheduled chatId={chatId} />
      <form
        className={classes.composer}
        data-drop={attachment.isDragging || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {error && (
          <Note hue="held" icon={IconAlertTriangle} role="alert">
            <Sentence text={readableError(error)} /> {t('common.composer.kept')}
          </Note>
        )}
        <ReplyQuote replyTo={replyTo} onEnd={onReplyEnd} />
        <AttachmentField
          attachment={attachment}
          isBusy={isBusy}
          onRemoved={() => field.current?.focus()}
        />
        <Textarea
          ref={field}
          aria-label={label}
          aria-describedby={note}
          placeholder={label}
          // The placeholder is in the language of the page.
          dir={unsent.text === '' ? undefined : 'auto'}
          autosize
          minRows={1}
          maxRows={8}
          maxLength={4_096}
          value={unsent.text}
          onChange={(event) => {
            unsent.type(event.currentTarget.value);
            setUndo(null);
            send.reset();
            draft.reset();
          }}
          onPaste={(event) => {
            if (attachment.add(event.clipboardData.files)) event.preventDefault();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && replyTo !== null) onReplyEnd();
            // While an input method composes a character, Enter accepts it.
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        <div className={classes.acts}>
          <Button
            type="submit"
            disabled={isOff}
            loading={send.isPending}
            leftSection={<IconSend className="mirrored" size={16} />}
            rightSection={<kbd aria-hidden>⏎</kbd>}
          >
            {isConnected
              ? (props.sendLabel ?? t('common.action.send'))
              : t('common.composer.sendWhenConnected')}
          </Button>
          <AttachButton
            attachment={attachment}
            isOff={isGone || isBusy}
            onChosen={() => {
              send.reset();
              field.current?.focus();
            }}
          />
          <SendLater
            chat={chat}
            text={unsent.text.trim()}
            isOff={isGone || isBusy || replyTo !== null || file !== null}
            isReply={replyTo !== null}
            onScheduled={() => {
              unsent.forget();
              setUndo(null);
            }}
          />
          {canDraft(chat) && (
            <Button
              className={classes.draft ?? ''}
              variant="default"
              disabled={isGone || isBusy}
              loading={draft.isPending}
              leftSection={<IconSparkles size={16} />}
              aria-label={t('common.composer.draft')}
              title={t('common.composer.draft.help')}
              onClick={() => draft.mutate(unsent.text.trim())}
            >
              <span>{t('common.composer.draft')}</span>
            </Button>
          )}
          {undo !== null && (
            <Button
              variant="subtle"
              onClick={() => {
                unsent.type(undo);
                setUndo(null);
                field.current?.focus();
              }}
            >
              {t('common.action.undo')}
            </Button>
          )}
          {children}
        </div>
        <p id={note} className={`${classes.note} small dim`} role="status">
          <ComposerNote state={stateNote} lastDelivery={lastDelivery} hint={hint} />
        </p>
      </form>
    </div>
  );
}

interface ReplyQuoteProps {
  readonly replyTo: ReplyTarget | null;
  onEnd(): void;
}

function ReplyQuote({ replyTo, onEnd }: ReplyQuoteProps) {
  if (replyTo === null) return null;
  return (
    <div className={classes.quote}>
      <blockquote>
        <b dir="auto">{t('common.composer.replyTo', { name: replyTo.by })}</b>
        <span dir="auto">{revealHidden(replyTo.text)}</span>
      </blockquote>
      <CloseButton aria-label={t('common.composer.replyEnd')} onClick={onEnd} />
    </div>
  );
}

interface ComposerNoteProps extends Pick<ComposerProps, 'lastDelivery' | 'hint'> {
  /** Why a message is not sent at once. */
  readonly state: string | null;
}

const ComposerNote = ({ state, lastDelivery, hint }: ComposerNoteProps) => (
  <>
    {state !== null && <span>{state}</span>}
    {lastDelivery !== null && (
      <span>{t('common.composer.last', { state: deliveryLabel(lastDelivery) })}</span>
    )}
    {hint !== undefined && <span>{hint}</span>}
  </>
);

const MAX_HINT = 2_000;

type KnownChat = Pick<ChatDetail, 'kind'> | undefined;

const composerLabel = (chat: KnownChat, name: string): string =>
  chat?.kind === 'own' ? t('common.composer.labelOwn') : t('common.composer.label', { name });

/** The model drafts for direct chats only. */
const canDraft = (chat: KnownChat): boolean => chat === undefined || chat.kind === 'direct';

function noteText(isHeld: boolean, isConnected: boolean, phone: string | null): string | null {
  if (isHeld) return t('common.composer.held');
  if (isConnected) return null;
  return t(phone === null ? 'common.composer.notLinked' : 'common.composer.notConnected');
}

// A reply that the agent suggests where it may only read. Only these buttons send it, as the owner.

interface SuggestionProps {
  readonly chat: ChatDetail;
  readonly isOff: boolean;
  onSend(text: string): Promise<unknown>;
  onEdit(text: string): void;
}

function Suggestion({ chat, isOff, onSend, onEdit }: SuggestionProps) {
  const { id, suggestion } = chat;
  const dismiss = useAction({
    run: () => relay.delete('/api/chats/{id}/suggestion', { path: { id } }),
    invalidates: ['contacts'],
  });
  if (suggestion === null) return null;
  const { text } = suggestion;
  return (
    <section className={classes.suggestion} aria-label={t('common.composer.suggestion')}>
      <h2>
        <IconBulb size={16} aria-hidden /> {t('common.composer.suggestion')}
      </h2>
      <p dir="auto">{revealHidden(text)}</p>
      <div className={classes.acts}>
        <Button
          size="xs"
          disabled={isOff}
          leftSection={<IconSend className="mirrored" size={14} />}
          onClick={() => void onSend(text).catch(() => {})}
        >
          {t('common.composer.suggestion.send')}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPencil size={14} />}
          onClick={() => {
            onEdit(text);
            dismiss.mutate();
          }}
        >
          {t('common.action.edit')}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconX size={14} />}
          onClick={() => dismiss.mutate()}
        >
          {t('common.action.dismiss')}
        </Button>
      </div>
    </section>
  );
}

// Messages of this chat that are sent later.

function Scheduled({ chatId }: { readonly chatId: string }) {
  const { data: schedules = [] } = useQuery(scheduledQuery(chatId));
  const isGone = useIsDaemonGone();
  const cancel = useAction({
    run: (id: string) => relay.delete('/api/schedules/{id}', { path: { id } }),
    invalidates: ['schedules'],
  });
  if (schedules.length === 0) return null;
  return (
    <ul className={classes.scheduled} aria-label={t('common.composer.scheduled')}>
      {schedules.map(({ id, text, next }) => (
        <li key={id}>
          <IconClock size={15} aria-hidden />
          <span>
            <b>
              {next[0] === undefined
                ? t('common.composer.scheduled')
                : t('common.composer.scheduled.at', { time: formatFullTime(next[0]) })}
            </b>{' '}
            <span dir="auto">{revealHidden(text)}</span>
          </span>
          <CloseButton
            aria-label={t('common.composer.scheduled.cancel', { text })}
            disabled={isGone || cancel.isPending}
            onClick={() => cancel.mutate(id)}
          />
        </li>
      ))}
    </ul>
  );
}

interface SendLaterProps {
  readonly chat: ChatDetail | undefined;
  readonly text: string;
  readonly isOff: boolean;
  readonly isReply: boolean;
  onScheduled(): void;
}

function SendLater({ chat, text, isOff, isReply, onScheduled }: SendLaterProps) {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState('');
  const schedule = useAction({
    run: (to: string) =>
      relay.post('/api/schedules', {
        body: {
          to,
          text,
          rule: { kind: 'once' as const, at },
          zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        },
      }),
    invalidates: ['schedules'],
    showsErrorInPlace: true,
    onSuccess: () => {
      setOpen(false);
      onScheduled();
    },
  });
  const address = chat?.address ?? null;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="top-start" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t('common.composer.later')}
          title={t(isReply ? 'common.composer.later.noQuote' : 'common.composer.later')}
          disabled={isOff || text === '' || address === null}
          onClick={() => {
            setAt(inAnHour());
            schedule.reset();
            setOpen(!isOpen);
          }}
        >
          <IconClock size={17} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={classes.later}>
          <TextInput
            type="datetime-local"
            label={t('common.composer.later.time')}
            value={at}
            error={schedule.error && readableError(schedule.error)}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
          <Button
            disabled={at === '' || address === null}
            loading={schedule.isPending}
            onClick={() => address !== null && schedule.mutate(address)}
          >
            {t('common.composer.later.confirm')}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The next full hour that is at least an hour away, as the field takes it. */
function inAnHour(): string {
  const at = new Date(Date.now() + 2 * 3_600_000);
  at.setMinutes(0, 0, 0);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:00`;
}

// The owner's unsent text, kept in this browser until it is sent: it survives a reload, an unreachable daemon and a
// closed tab. The idempotency key is stored with it, so that a retry never sends the text twice.

interface UnsentText {
  readonly text: string;
  /** The key of the first attempt, and what it replied to; null until then. */
  readonly key: string | null;
  readonly replyTo?: string;
}

const NOTHING_UNSENT: UnsentText = { text: '', key: null };

function useUnsentText(of: string) {
  const [unsent, setUnsent, forget] = useLocalStorage<UnsentText>({
    key: `relay-draft-${of}`,
    defaultValue: NOTHING_UNSENT,
    getInitialValueInEffect: false,
  });
  return {
    text: unsent.text,
    type: (text: string) => setUnsent(text === '' ? NOTHING_UNSENT : { text, key: null }),
    /** The text to send, with a key that stays the same until the text or what it replies to changes. */
    take(replyTo: string) {
      const isSame = unsent.key !== null && (unsent.replyTo ?? '') === replyTo;
      const key = isSame && unsent.key !== null ? unsent.key : crypto.randomUUID();
      setUnsent({ ...unsent, key, replyTo });
      return { text: unsent.text.trim(), key };
    },
    forget,
  };
}
