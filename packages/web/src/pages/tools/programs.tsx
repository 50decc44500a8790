// Programs of others, over MCP or HTTP: each has a token with its scopes. A secret is shown once, when it is made.

import { Button, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ProgramToken } from '@relay/core/api/tokens';
import { IconCircleDashed, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { tokensQuery } from '../../data/queries.ts';
import { relay } from '../../data/relay.ts';
import { useAct } from '../../data/use-act.ts';
import { useIsGone } from '../../data/use-live.ts';
import { useNow } from '../../data/use-now.ts';
import { plural } from '../../parts/numbers.ts';
import { ago, moment } from '../../parts/times.ts';
import { ask } from '../../shell/asking.tsx';
import { NewToken } from './new-token.tsx';
import { ToolCard } from './tool-card.tsx';
import classes from './tools.module.css';

export function ProgramsCard() {
  const tokens = useQuery(tokensQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconPlugConnected}
        title="MCP clients"
        query={tokens}
        standing={({ tokens: all }) => ({
          says: 'Your other agents use WhatsApp through the same grants.',
          word: all.length === 0 ? 'None' : plural(all.length, 'token'),
          hue: all.length === 0 ? 'parked' : 'ok',
          icon: all.length === 0 ? IconCircleDashed : IconPlugConnected,
        })}
        act={({ tokens: all }) => (
          <Button variant="default" size="xs" onClick={open}>
            {all.length === 0 ? 'New token' : 'Manage'}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title="MCP clients and tokens"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ul className={classes.listed}>
          {tokens.data?.tokens.map((token) => (
            <Token key={token.id} token={token} />
          ))}
        </ul>
        <NewToken />
      </Modal>
    </>
  );
}

function Token({ token }: { readonly token: ProgramToken }) {
  const now = useNow(30_000);
  const isGone = useIsGone();
  const revoke = useAct({
    act: () => relay.delete('/api/tokens/{token}', { path: { token: token.id } }),
    touches: ['tokens'],
    done: `${token.name} is ended. What it had waiting is not sent.`,
  });
  const askFirst = () =>
    ask({
      title: `End the token of ${token.name}?`,
      words: 'Whatever comes with it is refused from now on, and what it has waiting is not sent.',
      yes: 'End it',
      no: 'Keep it',
      isGrave: true,
      onYes: () => revoke.mutate(),
    });
  const used = token.last_used_at === null ? 'never used' : `used ${ago(token.last_used_at, now)}`;
  const until = token.expires_at === null ? '' : ` · ends ${moment(token.expires_at, now)}`;
  return (
    <li>
      <div>
        <b dir="auto">{token.name}</b>
        <p className="small dim">
          {token.scopes.join(', ')} · {used}
          {until}
          {token.has_read && ' · has read chats, so what it sends elsewhere waits for you'}
        </p>
      </div>
      <Button
        variant="default"
        size="xs"
        onClick={askFirst}
        disabled={isGone}
        loading={revoke.isPending}
        aria-label={`End the token of ${token.name}`}
      >
        End
      </Button>
    </li>
  );
}
