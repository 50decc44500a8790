// Leads from a message to why it was treated as it was. Every page that shows a message has this one link.
import { defaultStringifySearch, Link, useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useCallback } from 'react';

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

// The way from a line to why it was treated as it was, as a plain address: the log follows it.

export const whyHref = (message: string, chat: string | undefined): string =>
  `/ledger${defaultStringifySearch(chat === undefined ? { message } : { message, chat })}`;

// Follows plain links without leaving the page: one listener for all that stand within it. A link that watches the
// router costs more than the card it stands on, and there are hundreds.

/** For links with an address of the console's own; with a modifier the browser does as it is told. */
export function useFollowLinks() {
  const { history } = useRouter();
  return useCallback(
    (event: MouseEvent) => {
      const address = (event.target as Element).closest('a')?.getAttribute('href');
      const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (!address || !isPlain || event.button !== 0 || event.defaultPrevented) return;
      event.preventDefault();
      history.push(address);
    },
    [history],
  );
}
