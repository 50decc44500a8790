// The owner's controls below the transcript: what is pending, the composer, and the moves. On a phone the rarer moves
// are in a menu.
import { ActionIcon, Button, Menu, Textarea } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import type { Approval } from '@relay/contract/api/approvals';
import type { ConversationInstance } from '@relay/contract/api/instances';
import { RelayApiError } from '@relay/contract/client/api-error';
import { isTerminal } from '@relay/contract/conversation/states';
import { withoutApprovalsHint } from '@relay/core/approvals/approval-text';
import {
  type LegalMove,
  type OwnersMove,
  ownersMoves,
} from '@relay/core/conversation/transition-table';
import {
  IconAlertTriangle,
  IconClipboardCheck,
  IconDots,
  IconHandStop,
  IconRefresh,
  IconSend,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsDaemonGone } from '../../../data/live-stream.ts';
import { linkQuery, pendingApprovalsQuery } from '../../../data/queries.ts';
import { readableError, relay } from '../../../data/relay.ts';
import { useAction } from '../../../data/use-action.ts';
import { approvalCopy, approvalReason } from '../../../parts/approval-copy.ts';
import { Note, Sentence } from '../../../parts/page.tsx';
import { StateBadge } from '../../../parts/state-badge.tsx';
import { askToConfirm } from '../../../shell/dialog.tsx';
import classes from './conversation.module.css';
import { moveCopy } from './copy.ts';

interface OwnerControlsProps {
  readonly instance: ConversationInstance;
  readonly name: string;
  readonly moves: MoveControls;
}

export function OwnerControls({ instance, name, moves }: OwnerControlsProps) {
  const send = moves.legalMoves.find(({ move }) => move === 'manual_send');
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
      {send === undefined ? (
        <div className={classes.acts}>
          <p className="small dim">
            <Sentence text={instance.reason} />{' '}
            {isTerminal(instance.state) ? '' : cannotWrite(name)}
          </p>
          {acts}
        </div>
      ) : (
        <ManualComposer instance={instance} name={name} send={send}>
          {acts}
        </ManualComposer>
      )}
    </div>
  );
}

const cannotWrite = (name: string): string => `Until then you write to ${name} on your phone.`;

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
          aria-label="More moves"
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
              <b>{act}</b>: {result}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

// The composer for the owner's own messages: Ctrl+Enter sends, the text is kept until it is sent, and a refusal is
// shown in place.

interface ManualComposerProps {
  readonly instance: ConversationInstance;
  readonly name: string;
  readonly send: LegalMove;
  /** Shown beside the button. */
  readonly children?: ReactNode;
}

function ManualComposer({ instance, name, send: move, children }: ManualComposerProps) {
  const isGone = useIsDaemonGone();
  const { data: link } = useQuery(linkQuery);
  const draft = useMessageDraft(instance.id);
  const send = useAction({
    run: ({ message, key }: { message: string; key: string }) =>
      relay.post('/api/instances/{id}/send', {
        path: { id: instance.id },
        body: { message },
        header: { 'idempotency-key': key },
      }),
    invalidates: ['instances', 'status'],
    showsErrorInPlace: true,
    onSuccess: draft.forget,
  });
  const isOff = isGone || send.isPending || draft.text.trim() === '';
  const submit = () => isOff || send.mutate(draft.take());
  const isConnected = link === undefined || link.status === 'connected';
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {send.error && (
        <Note hue="held" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(send.error)} /> What you wrote is kept.
        </Note>
      )}
      <Textarea
        aria-label={`Write to ${name} as yourself`}
        placeholder={`Write to ${name} as yourself …`}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4_096}
        value={draft.text}
        onChange={(event) => {
          draft.type(event.currentTarget.value);
          send.reset();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      <div className={classes.acts}>
        <Button
          type="submit"
          disabled={isOff}
          loading={send.isPending}
          leftSection={<IconSend size={16} />}
          rightSection={<kbd>Ctrl ⏎</kbd>}
        >
          {isConnected ? moveCopy(move).act : 'Send when connected'}
        </Button>
        {children}
      </div>
    </form>
  );
}

// The owner's unsent text, kept in this browser until it is sent: it survives a reload, an unreachable daemon and a
// closed tab. The idempotency key is stored with it, so that a retry never sends the text twice.

interface MessageDraft {
  readonly text: string;
  /** The key of the first attempt; null until then. */
  readonly key: string | null;
}

const EMPTY_MESSAGE_DRAFT: MessageDraft = { text: '', key: null };

function useMessageDraft(of: string) {
  const [draft, setDraft, forget] = useLocalStorage<MessageDraft>({
    key: `relay-draft-${of}`,
    defaultValue: EMPTY_MESSAGE_DRAFT,
    getInitialValueInEffect: false,
  });
  return {
    text: draft.text,
    type: (text: string) => setDraft(text === '' ? EMPTY_MESSAGE_DRAFT : { text, key: null }),
    /** The text to send, with a key that stays the same until the text changes. */
    take() {
      const key = draft.key ?? crypto.randomUUID();
      setDraft({ ...draft, key });
      return { message: draft.text.trim(), key };
    },
    forget,
  };
}

// What is pending in this conversation: the agent's question, or the exact message that needs an approval.

function WaitingForOwner({ instance }: { readonly instance: ConversationInstance }) {
  const { data: approvals = [] } = useQuery(pendingApprovalsQuery);
  const held = approvals.filter(({ instance_id }) => instance_id === instance.id);
  const isAsking = instance.state === 'NEEDS_HUMAN_INTERVENTION' && held.length === 0;
  return (
    <>
      {isAsking && (
        <Note hue="you" icon={IconHandStop}>
          <b>The agent asks:</b>{' '}
          <span dir="auto">
            <Sentence text={withoutApprovalsHint(instance.reason)} />
          </span>
        </Note>
      )}
      {held.map((approval) => (
        <WaitingApproval key={approval.id} approval={approval} />
      ))}
    </>
  );
}

function WaitingApproval({ approval }: { readonly approval: Approval }) {
  return (
    <Note
      hue="you"
      icon={IconClipboardCheck}
      actions={
        <Button component={Link} to={`/approvals/${approval.id}`} size="xs">
          Decide
        </Button>
      }
    >
      <b dir="auto">{approvalCopy(approval).question}</b>{' '}
      <span className="dim">
        <Sentence text={approvalReason(approval)} />
      </span>
      <blockquote className={classes.held} dir="auto">
        {approval.text}
      </blockquote>
    </Note>
  );
}

// The moves that are legal now; each button names its effect. Cancelling asks first; if the conversation has changed
// meanwhile, the refusal is shown with the new state.

type ButtonMove = Exclude<OwnersMove, 'manual_send'>;

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
      if (isOff || !legalMoves.some((one) => one.move === move)) return;
      if (move === 'cancel') askToCancel(instance, () => act.mutate('cancel'));
      else act.mutate(move);
    },
  };
}

type MoveControls = ReturnType<typeof useMoveControls>;

function askToCancel({ objective }: ConversationInstance, onConfirm: () => void): void {
  askToConfirm({
    title: 'Cancel this conversation?',
    body: (
      <p>
        “<span dir="auto">{objective}</span>” ends without a farewell. What waits to be sent is not
        sent. This cannot be undone.
      </p>
    ),
    confirmLabel: 'Cancel the conversation',
    cancelLabel: 'Keep it',
    isDestructive: true,
    onConfirm,
  });
}

/** `manual_send` belongs to the composer. */
const isButtonMove = (legal: LegalMove): legal is LegalMove & { readonly move: ButtonMove } =>
  legal.move !== 'manual_send';

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
              <StateBadge
                instance={{
                  state: legal.to,
                  failure_reason: legal.move === 'cancel' ? 'cancelled' : null,
                }}
              />
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
      {isConflict && 'This moved on while you looked. '}
      <Sentence text={readableError(moves.error)} />
    </Note>
  );
}

function MoveButton({ moves, move }: { readonly moves: MoveControls; readonly move: ButtonMove }) {
  const legal = moves.legalMoves.find((one) => one.move === move);
  if (legal === undefined) return null;
  const { act, result, icon: Icon } = moveCopy(legal);
  return (
    <Button
      variant="default"
      disabled={moves.isOff}
      loading={moves.busy === move}
      leftSection={<Icon size={16} />}
      aria-label={`${act}: ${result}`}
      onClick={() => moves.runMove(move)}
    >
      {act}
    </Button>
  );
}
