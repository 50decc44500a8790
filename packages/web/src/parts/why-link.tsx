// Leads from a message to why it was treated as it was. Every page that shows a message has this one link.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface WhyLinkProps {
  /** WhatsApp's id of the message, or Relay's own of one that it sent. */
  readonly message: string;
  /** Relay's id of its chat: two chats may hold messages of one id. */
  readonly chat?: string;
  readonly children?: ReactNode;
}

export function WhyLink({ message, chat, children = 'Why?' }: WhyLinkProps) {
  return (
    <Link
      className="small"
      to="/ledger"
      search={chat === undefined ? { message } : { message, chat }}
    >
      {children}
    </Link>
  );
}
