// The owner's controls below the transcript: what is pending, the composer, and the actions. On a phone the rarer
// actions are in a menu.
import { ActionIcon, Button, Menu } from '@mantine/core';
import type { ConversationInstance } from '@relay/contract/api/instances';
import { RelayApiError } from '@relay/contract/client/api-error';
import { type LegalMove, ownersMoves } from '@relay/core/conversation/transition-table';
import { IconDots, IconHandStop, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { useIsDaemonGone } from '../../../data/live-stream.ts';
import { pendingApprovalsQuery } from '../../../data/queries.ts';
import { readableError, relay } from '../../../data/relay.ts';
import { useAction } from '../../../data/use-action.ts';
import { t } from '../../../i18n.ts';
import { type ComposedMessage, Composer } from '../../../parts/composer/composer.tsx';
import { Note, Sentence } from '../../../parts/page.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { WaitingApproval } from '../../../parts/waiting-approval.tsx';
import { askToConfirm } from '../../../shell/dialog.tsx';
import { stateReason } from '../copy.ts';
import classes from './conversation.module.css';
import { type ButtonMove, isDismissal, type LegalButtonMove, moveCopy } from './copy.ts';

interface OwnerControlsProps {
  readonly instance: ConversationInstance;
  readonly name: string;
  readonly moves: MoveControls;
  readonly reply: Pick<ComponentProps<typeof Composer>, 'replyTo' | 'onReplyEnd' | 'lastDelivery'>;
}

export function OwnerControls({ instance, name, moves, reply }: OwnerControlsProps) {
  const maySend = moves.legalMoves.some(({ move }) => move === 'manual_send');
  const acts = (
    <>
      <MoveButton moves={moves} move="resume" />
      <RareMoves moves={moves} />
    </>
  );
  return (
    <div className={classes.decide}>
      <WaitingForOwner instance={instance} />
      <MoveRefused moves={moves} instance={instance} />
      {maySend ? (
        <Composer
          chatId={instance.chat_id}
          name={name}
          draftKey={instance.id}
          send={(message) => sendInConversation(instance.id, message)}
          sendLabel={sendLabel(instance)}
          hint={instance.state === 'PAUSED' ? t('conversations.composer.paused') : undefined}
          {...reply}
        >
          {acts}
        </Composer>
      ) : (
        <div className={classes.acts}>
          <p className="small dim">
            <Sentence text={stateReason(instance)} />{' '}
            <Link to="/chats/$id" params={{ id: instance.chat_id }}>
              {t('conversations.useChat', { name })}
            </Link>
          </p>
          {acts}
        </div>
      )}
    </div>
  );
}

function RareMoves({ moves }: { readonly moves: MoveControls }) {
  const rare = moves.legalMoves.filter(isButtonMove).filter(({ move }) => move !== 'resume');
  if (rare.length === 0) return null;
  return (
    <Menu position="top-end" width={300}>
      <Menu.Target>
        <ActionIcon
          className={classes.rare}
          variant="default"
          size={44}
          aria-label={t('conversations.moves.more')}
          disabled={moves.isOff}
        >
          <IconDots size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {rare.map((legal) => {
          const { act, result, icon: Icon } = moveCopy(legal);
          return (
            <Menu.Item
              key={legal.move}
              leftSection={<Icon size={17} />}
              onClick={() => moves.runMove(legal.move)}
            >
              <b>{act}</b>
              <br />
              {result}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

/** A message to a conversation that needs the owner also resumes it. */
const sendLabel = ({ state }: ConversationInstance) =>
  state === 'NEEDS_HUMAN_INTERVENTION' ? t('conversations.composer.sendAndResume') : undefined;

const sendInConversation = (id: string, { text, key, replyTo }: ComposedMessage) =>
  relay.post('/api/instances/{id}/send', {
    path: { id },
    body: { message: text, ...(replyTo === undefined ? {} : { replyTo }) },
    header: { 'idempotency-key': key },
  });

// What is pending in this conversation: the agent's question, or the exact message that needs an approval.

function WaitingForOwner({ instance }: { readonly instance: ConversationInstance }) {
  const { data: approvals = [] } = useQuery(pendingApprovalsQuery);
  const held = approvals.filter(({ instance_id }) => instance_id === instance.id);
  const isAsking = instance.state === 'NEEDS_HUMAN_INTERVENTION' && held.length === 0;
  return (
    <>
      {isAsking && (
        <Note hue="you" icon={IconHandStop}>
          <b>{t('conversations.needsInput')}</b>{' '}
          <span dir="auto">
            <Sentence text={stateReason(instance)} />
          </span>
        </Note>
      )}
      {held.map((approval) => (
        <WaitingApproval key={approval.id} approval={approval} />
      ))}
    </>
  );
}

// The actions that are legal now; each button names its effect. Cancelling asks first; if the conversation has changed
// meanwhile, the refusal is shown with the new state.

export function useMoveControls(instance: ConversationInstance) {
  const isGone = useIsDaemonGone();
  const path = { id: instance.id };
  const act = useAction({
    run: (move: ButtonMove) =>
      ({
        pause: () => relay.post('/api/instances/{id}/pause', { path }),
        resume: () => relay.post('/api/instances/{id}/resume', { path }),
        cancel: () => relay.post('/api/instances/{id}/cancel', { path }),
      })[move](),
    invalidates: ['instances', 'approvals', 'status'],
    showsErrorInPlace: true,
  });
  const legalMoves = ownersMoves(instance.state, instance.previous_state);
  const isOff = isGone || act.isPending;
  return {
    legalMoves,
    isOff,
    busy: act.isPending ? act.variables : null,
    error: act.error,
    /** Only legal moves are possible, also by key. */
    runMove(move: ButtonMove) {
      const legal = legalMoves.find((one) => one.move === move);
      if (isOff || legal === undefined) return;
      if (move === 'cancel' && !isDismissal(legal))
        askToCancel(instance, () => act.mutate('cancel'));
      else act.mutate(move);
    },
  };
}

type MoveControls = ReturnType<typeof useMoveControls>;

function askToCancel({ objective }: ConversationInstance, onConfirm: () => void): void {
  askToConfirm({
    title: t('conversations.cancel.title'),
    body: (
      <>
        <p>
          <b dir="auto">{objective}</b>
        </p>
        <p>{t('conversations.cancel.text')}</p>
      </>
    ),
    confirmLabel: t('conversations.cancel.confirm'),
    cancelLabel: t('conversations.cancel.keep'),
    isDestructive: true,
    onConfirm,
  });
}

const isButtonMove = (legal: LegalMove): legal is LegalButtonMove => legal.move !== 'manual_send';

export function MoveList({ moves }: { readonly moves: MoveControls }) {
  return (
    <ul className={classes.moves}>
      {moves.legalMoves.filter(isButtonMove).map((legal) => {
        const { act, result, icon: Icon } = moveCopy(legal);
        return (
          <li key={legal.move}>
            <button type="button" disabled={moves.isOff} onClick={() => moves.runMove(legal.move)}>
              <Icon size={17} stroke={1.7} aria-hidden />
              <span>
                <b>{act}</b>
                <small>{result}</small>
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** After a refusal the state is refetched, so this shows the current one. */
function MoveRefused({
  moves,
  instance,
}: {
  readonly moves: MoveControls;
  readonly instance: ConversationInstance;
}) {
  if (moves.error === null) return null;
  const isConflict = moves.error instanceof RelayApiError && moves.error.status === 409;
  return (
    <Note hue="held" icon={IconRefresh} role="alert" actions={<StateBadge instance={instance} />}>
      {isConflict && `${t('conversations.changedMeanwhile')} `}
      <Sentence text={readableError(moves.error)} />
    </Note>
  );
}

function MoveButton({ moves, move }: { readonly moves: MoveControls; readonly move: ButtonMove }) {
  const legal = moves.legalMoves.filter(isButtonMove).find((one) => one.move === move);
  if (legal === undefined) return null;
  const { act, result, icon: Icon } = moveCopy(legal);
  return (
    <Button
      variant="default"
      disabled={moves.isOff}
      loading={moves.busy === move}
      leftSection={<Icon size={16} />}
      title={result}
      onClick={() => moves.runMove(move)}
    >
      {act}
    </Button>
  );
}
