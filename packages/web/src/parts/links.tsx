// The link from a message to why it was treated as it was. Every page that shows a message uses it.

import { defaultStringifySearch, Link, useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useCallback } from 'react';
import { addressInCurrentAccount } from '../data/account.ts';
import { t } from '../i18n.ts';

interface WhyLinkProps {
  /** WhatsApp's id of the message, or Relay's id of one that it sent. */
  readonly message: string;
  /** Relay's id of its chat: two chats may contain messages with the same id. */
  readonly chat?: string;
  readonly children?: ReactNode;
}

export function WhyLink({ message, chat, children }: WhyLinkProps) {
  return (
    <Link
      className="small"
      to="/ledger"
      search={chat === undefined ? { message } : { message, chat }}
    >
      {children ?? t('common.why')}
    </Link>
  );
}

// The same link as a plain address, for the transcript, which handles clicks itself.

export const whyHref = (message: string, chat: string | undefined): string =>
  addressInCurrentAccount(
    `/ledger${defaultStringifySearch(chat === undefined ? { message } : { message, chat })}`,
  );

// Follows plain links inside an element without a page load: one listener for all. A router link costs more than the
// card that contains it, and there are hundreds.

/** For links within the console; with a modifier key the browser handles the click. */
export function useFollowLinks() {
  const { history } = useRouter();
  return useCallback(
    (event: MouseEvent) => {
      const link = (event.target as Element).closest('a');
      // The browser itself follows what leaves the console or saves a file.
      if (link === null || link.target !== '' || link.hasAttribute('download')) return;
      const address = link.getAttribute('href');
      const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
      if (!address || !isPlain || event.button !== 0 || event.defaultPrevented) return;
      event.preventDefault();
      history.push(address);
    },
    [history],
  );
}
