// The inbox of all accounts: what waits for the owner in each, and the newest chats of all of them. A link leads to the
// page of its account.
import type { AccountsInbox } from '@relay/contract/api/accounts';
import { revealHidden } from '@relay/core/messages/text';
import { IconCircleCheck, IconClipboardCheck, IconMessages } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { addressInAccount } from '../../data/account.ts';
import { inboxQuery } from '../../data/queries.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatAgo, formatContact, formatPhoneNumber } from '../../parts/format.ts';
import { Initials } from '../../parts/initials.tsx';
import { Count, Light, Tile } from '../../parts/marks.tsx';
import { Card, Page } from '../../parts/page.tsx';
import { EmptyState, QueryContent } from '../../parts/query-content.tsx';
import classes from './inbox.module.css';

export function InboxScreen() {
  const inbox = useQuery(inboxQuery);
  return (
    <Page title={t('common.page.inbox')} summary={t('common.inbox.summary')}>
      <QueryContent query={inbox} subject={t('common.page.inbox')}>
        {({ accounts, approvals, chats }) => (
          <div className={classes.columns}>
            <div>
              <AccountsCard accounts={accounts} />
              <ApprovalsCard approvals={approvals} />
            </div>
            <ChatsCard chats={chats} />
          </div>
        )}
      </QueryContent>
    </Page>
  );
}

function AccountsCard({ accounts }: Pick<AccountsInbox, 'accounts'>) {
  return (
    <Card flush title={t('common.inbox.accounts')}>
      <ul className={classes.rows}>
        {accounts.map(({ name, state, sentence, phone_number, waiting_count }) => (
          <li key={name}>
            <a href={addressInAccount(name, '/')}>
              <Light hue={state === 'connected' ? 'ok' : 'you'} />
              <span>
                <b dir="auto">{name}</b>
                <small>
                  {phone_number === null || state !== 'connected'
                    ? sentence
                    : formatPhoneNumber(phone_number)}
                </small>
              </span>
              {waiting_count > 0 && (
                <Count n={waiting_count} says={t('common.nav.waiting', { count: waiting_count })} />
              )}
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ApprovalsCard({ approvals }: Pick<AccountsInbox, 'approvals'>) {
  const now = useNow();
  return (
    <Card flush title={t('common.page.approvals')}>
      {approvals.length === 0 ? (
        <EmptyState icon={IconCircleCheck} hue="ok" title={t('common.inbox.noneWaiting')} />
      ) : (
        <ul className={classes.rows}>
          {approvals.map(({ account, id, recipient, recipient_name, text, created_at }) => (
            <li key={id}>
              <a href={addressInAccount(account, `/approvals/${id}`)}>
                <Tile hue="you" icon={IconClipboardCheck} />
                <span>
                  <b dir="auto">{recipient_name ?? formatContact(recipient ?? '')}</b>
                  <small dir="auto">{revealHidden(text)}</small>
                </span>
                <Account name={account} at={formatAgo(created_at, now)} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function ChatsCard({ chats }: Pick<AccountsInbox, 'chats'>) {
  const now = useNow();
  return (
    <Card flush title={t('common.inbox.chats')}>
      {chats.length === 0 ? (
        <EmptyState icon={IconMessages} title={t('common.inbox.noChats')} />
      ) : (
        <ul className={classes.rows}>
          {chats.map(({ account, id, name, last, last_message_at }) => (
            <li key={`${account} ${id}`}>
              <a href={addressInAccount(account, `/chats/${id}`)}>
                <Initials name={name} />
                <span>
                  <b dir="auto">{name}</b>
                  <small dir="auto">
                    {last === null ? '' : last.label || revealHidden(last.text)}
                  </small>
                </span>
                <Account
                  name={account}
                  at={last_message_at === null ? '' : formatAgo(last_message_at, now)}
                />
              </a>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Account({ name, at }: { readonly name: string; readonly at: string }) {
  return (
    <span className={classes.account}>
      <b dir="auto">{name}</b>
      <small>{at}</small>
    </span>
  );
}
