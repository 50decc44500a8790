// The three parts of a conversation on a phone, as links: each is an address of its own.
import type { ConversationInstance } from '@relay/core/api/instances';
import { Link } from '@tanstack/react-router';
import classes from './conversation.module.css';
import { doneOf } from './plan.tsx';
import { TABS, type Tab } from './tab.ts';

/** Which of them is shown is the router's to say. */
export function Tabs({ instance }: { readonly instance: ConversationInstance }) {
  return (
    <nav className={classes.tabs} aria-label="Parts of the conversation">
      {(Object.keys(TABS) as Tab[]).map((tab) => (
        <Link
          key={tab}
          to="/conversations/$id"
          params={{ id: instance.id }}
          search={tab === 'transcript' ? {} : { tab }}
          replace
          activeOptions={{ exact: true }}
        >
          {TABS[tab]}
          {tab === 'plan' && instance.todos.length > 0 && <small>{doneOf(instance)}</small>}
        </Link>
      ))}
    </nav>
  );
}
