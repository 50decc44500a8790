// Clients that use MCP or HTTP: each has a token with its scopes. A token is shown once, when it is created.
import { Button, Checkbox, Modal, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { ClientToken } from '@relay/contract/api/credentials';
import { CLIENT_SCOPES, SCOPE_DESCRIPTIONS } from '@relay/contract/policy/scopes';
import { IconCircleDashed, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { tokensQuery } from '../../data/queries.ts';
import { needsOwnerToken, readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { formatAgo, formatMoment, plural } from '../../parts/format.ts';
import { askToConfirm } from '../../shell/dialog.tsx';
import { OneTimeSecret } from './one-time-secret.tsx';
import { ToolCard } from './tool-card.tsx';
import classes from './tools.module.css';

export function ClientsCard() {
  const tokens = useQuery(tokensQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconPlugConnected}
        title="MCP clients"
        query={tokens}
        status={({ tokens: all }) => ({
          sentence: 'Your other agents use WhatsApp through the same grants.',
          word: all.length === 0 ? 'None' : plural(all.length, 'token'),
          hue: all.length === 0 ? 'parked' : 'ok',
          icon: all.length === 0 ? IconCircleDashed : IconPlugConnected,
        })}
        action={({ tokens: all }) => (
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
            <ClientTokenRow key={token.id} token={token} />
          ))}
        </ul>
        <NewTokenForm />
      </Modal>
    </>
  );
}

function ClientTokenRow({ token }: { readonly token: ClientToken }) {
  const now = useNow(30_000);
  const isGone = useIsDaemonGone();
  const revoke = useAction({
    run: () => relay.delete('/api/tokens/{token}', { path: { token: token.id } }),
    invalidates: ['tokens'],
    successMessage: `${token.name} is ended. What it had waiting is not sent.`,
  });
  const askFirst = () =>
    askToConfirm({
      title: `End the token of ${token.name}?`,
      body: 'Whatever comes with it is refused from now on, and what it has waiting is not sent.',
      confirmLabel: 'End it',
      cancelLabel: 'Keep it',
      isDestructive: true,
      onConfirm: () => revoke.mutate(),
    });
  const used =
    token.last_used_at === null ? 'never used' : `used ${formatAgo(token.last_used_at, now)}`;
  const until = token.expires_at === null ? '' : ` · ends ${formatMoment(token.expires_at, now)}`;
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

// Creates a token for a client: name, scopes, and whether its messages need an approval.

const DEFAULT_SCOPES = ['messages:read', 'messages:send', 'search:read'];

function NewTokenForm() {
  const isGone = useIsDaemonGone();
  const form = useForm({
    initialValues: { name: '', scopes: DEFAULT_SCOPES, confirm: true, ownerToken: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Give it a name.' : null),
      scopes: (scopes) => (scopes.length === 0 ? 'Choose at least one.' : null),
    },
  });
  const create = useAction({
    run: ({ scopes, ownerToken, ...rest }: typeof form.values) =>
      relay.post('/api/tokens', {
        header: ownerToken === '' ? {} : { 'relay-owner-token': ownerToken },
        body: { ...rest, scopes: CLIENT_SCOPES.filter((scope) => scopes.includes(scope)) },
      }),
    invalidates: ['tokens'],
    showsErrorInPlace: true,
    onSuccess: () => form.reset(),
  });
  const refusal = create.error && readableError(create.error);
  const refusedOwner = needsOwnerToken(create.error);
  if (create.data) {
    return (
      <div className={classes.form}>
        <OneTimeSecret
          secret={create.data.secret}
          says={`The token of ${create.data.name}: put it into RELAY_TOKEN for \`relay mcp\`, or send it as a bearer to ${location.origin}/mcp.`}
        />
        <div className={classes.acts}>
          <Button variant="default" onClick={() => create.reset()}>
            Done
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <TextInput
        label="Name of the program"
        placeholder="Claude Desktop"
        {...form.getInputProps('name')}
        error={form.errors.name ?? (refusedOwner ? null : refusal)}
      />
      <Checkbox.Group label="What it may do" {...form.getInputProps('scopes')}>
        {CLIENT_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            label={scope}
            description={SCOPE_DESCRIPTIONS[scope]}
            mt={8}
          />
        ))}
      </Checkbox.Group>
      <Switch
        label="Ask before it sends"
        description="The program asks whoever sits at it; one that cannot ask gets an approval instead."
        {...form.getInputProps('confirm', { type: 'checkbox' })}
      />
      {(refusedOwner || form.values.ownerToken !== '') && (
        <PasswordInput
          label="Your own token"
          description="`relay token` prints it. It is used for this once and not kept."
          autoComplete="off"
          {...form.getInputProps('ownerToken')}
          error={refusedOwner && refusal}
        />
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          Make token
        </Button>
      </div>
    </form>
  );
}
