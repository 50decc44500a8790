// Confirmations in the browser's own dialog element: it handles focus and Escape, so the first page needs no library
// for it. One at a time; a new one replaces the current one.
import { Button, CloseButton } from '@mantine/core';
import { type ReactNode, useEffect, useId, useRef, useSyncExternalStore } from 'react';
import { t } from '../i18n.ts';
import classes from './dialog.module.css';

interface Confirmation {
  readonly title: string;
  readonly body: ReactNode;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  /** The action cannot be undone. */
  readonly isDestructive?: boolean;
  onConfirm(): void;
}

/** Text to read, without a decision. */
interface DialogContent {
  readonly title: string;
  readonly children: ReactNode;
}

let shownDialog: Confirmation | DialogContent | undefined;
const listeners = new Set<() => void>();

function setShownDialog(next: Confirmation | DialogContent | undefined): void {
  shownDialog = next;
  for (const listener of listeners) listener();
}

export const askToConfirm = (question: Confirmation): void => setShownDialog(question);
export const showDialog = (shown: DialogContent): void => setShownDialog(shown);
export const closeDialog = (): void => setShownDialog(undefined);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Rendered once, in the shell. */
export function DialogHost() {
  const shown = useSyncExternalStore(subscribe, () => shownDialog);
  return shown && <Dialog key={shown.title} shown={shown} />;
}

function Dialog({ shown }: { readonly shown: Confirmation | DialogContent }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const body = useId();
  useEffect(() => {
    dialog.current?.showModal();
    // Focuses the harmless answer.
    dialog.current?.querySelector<HTMLElement>('[data-harmless]')?.focus();
  }, []);
  const close = () => dialog.current?.close();
  const isQuestion = 'confirmLabel' in shown;
  return (
    <dialog
      ref={dialog}
      className={classes.dialog}
      aria-labelledby={title}
      aria-describedby={isQuestion ? body : undefined}
      onClose={() => shownDialog === shown && setShownDialog(undefined)}
      // Closes on an outside click where the browser supports it; Escape always works.
      closedby="any"
    >
      <header>
        <h2 id={title} dir="auto">
          {shown.title}
        </h2>
        <CloseButton onClick={close} aria-label={t('common.action.close')} />
      </header>
      <div id={body} className={classes.body}>
        {isQuestion ? shown.body : shown.children}
      </div>
      {isQuestion && <ConfirmButtons question={shown} close={close} />}
    </dialog>
  );
}

interface ConfirmButtonsProps {
  readonly question: Confirmation;
  close(): void;
}

function ConfirmButtons({ question, close }: ConfirmButtonsProps) {
  const { confirmLabel, cancelLabel, isDestructive = false, onConfirm } = question;
  const decide = () => {
    close();
    onConfirm();
  };
  return (
    <footer>
      <Button variant="default" onClick={close} data-harmless>
        {cancelLabel}
      </Button>
      <Button {...(isDestructive ? { color: 'red' } : {})} onClick={decide}>
        {confirmLabel}
      </Button>
    </footer>
  );
}
