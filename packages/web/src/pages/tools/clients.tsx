// Clients that use MCP or HTTP: each has a token with its scopes. A token is shown once, when it is created.
import { Button, Checkbox, Modal, PasswordInput, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import type { ClientToken } from '@relay/contract/api/credentials';
import { CLIENT_SCOPES } from '@relay/contract/policy/scopes';
import { IconCircleDashed, IconPlugConnected } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { tokensQuery } from '../../data/queries.ts';
import { needsOwnerToken, readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { useNow } from '../../data/use-now.ts';
import { t } from '../../i18n.ts';
import { formatAgo, formatMoment } from '../../parts/format.ts';
import { Sentence } from '../../parts/page.tsx';
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
        title={t('tools.clients.title')}
        query={tokens}
        status={({ tokens: all }) => ({
          sentence: t('tools.clients.text'),
          label:
            all.length === 0 ? t('common.none') : t('tools.clients.count', { count: all.length }),
          hue: all.length === 0 ? 'parked' : 'ok',
          icon: all.length === 0 ? IconCircleDashed : IconPlugConnected,
        })}
        action={({ tokens: all }) => (
          <Button variant="default" size="xs" onClick={open}>
            {t(all.length === 0 ? 'tools.clients.new' : 'tools.manage')}
          </Button>
        )}
      />
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t('tools.clients.list')}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
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
    successMessage: t('tools.clients.revoked', { name: token.name }),
  });
  const resume = useAction({
    run: () => relay.post('/api/tokens/{token}/resume', { path: { token: token.id } }),
    invalidates: ['tokens'],
    successMessage: t('tools.clients.resumed', { name: token.name }),
  });
  const askToResume = () =>
    askToConfirm({
      title: t('tools.clients.resume.title', { name: token.name }),
      body: t('tools.clients.resume.text'),
      confirmLabel: t('tools.clients.resume'),
      cancelLabel: t('common.action.keep'),
      onConfirm: () => resume.mutate(),
    });
  const askFirst = () =>
    askToConfirm({
      title: t('tools.clients.revoke.title', { name: token.name }),
      body: t('tools.clients.revoke.text'),
      confirmLabel: t('tools.clients.revoke'),
      cancelLabel: t('common.action.keep'),
      isDestructive: true,
      onConfirm: () => revoke.mutate(),
    });
  const facts = [
    token.scopes.join(', '),
    token.last_used_at === null
      ? t('tools.clients.neverUsed')
      : t('tools.clients.used', { ago: formatAgo(token.last_used_at, now) }),
    token.expires_at !== null &&
      t('tools.clients.expires', { time: formatMoment(token.expires_at, now) }),
    token.has_read && t('tools.clients.hasRead'),
  ];
  return (
    <li>
      <div>
        <b dir="auto">{token.name}</b>
        <p className="small dim">{facts.filter(Boolean).join(' · ')}</p>
        {token.suspended_at !== null && (
          <p className="small">
            <Sentence text={t('tools.clients.suspended')} />
          </p>
        )}
      </div>
      {token.suspended_at !== null && (
        <Button
          variant="default"
          size="xs"
          onClick={askToResume}
          disabled={isGone}
          loading={resume.isPending}
          aria-label={t('tools.clients.resumeLabel', { name: token.name })}
        >
          {t('tools.clients.resume')}
        </Button>
      )}
      <Button
        variant="default"
        size="xs"
        onClick={askFirst}
        disabled={isGone}
        loading={revoke.isPending}
        aria-label={t('tools.clients.revokeLabel', { name: token.name })}
      >
        {t('tools.clients.revoke')}
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
      name: (name) => (name.trim() === '' ? t('tools.clients.nameMissing') : null),
      scopes: (scopes) => (scopes.length === 0 ? t('tools.clients.scopesMissing') : null),
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
          text={t('tools.clients.secret', {
            name: create.data.name,
            url: `${location.origin}/mcp`,
          })}
        />
        <div className={classes.acts}>
          <Button variant="default" onClick={() => create.reset()}>
            {t('tools.done')}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      <TextInput
        label={t('tools.clients.name')}
        placeholder={t('tools.clients.nameExample')}
        {...form.getInputProps('name')}
        error={form.errors.name ?? (refusedOwner ? null : refusal)}
      />
      <Checkbox.Group label={t('tools.clients.scopes')} {...form.getInputProps('scopes')}>
        {CLIENT_SCOPES.map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            label={scope}
            description={t(`tools.scope.${scope}`)}
            mt={8}
          />
        ))}
      </Checkbox.Group>
      <Switch
        label={t('tools.clients.confirm')}
        description={t('tools.clients.confirmHelp')}
        {...form.getInputProps('confirm', { type: 'checkbox' })}
      />
      {(refusedOwner || form.values.ownerToken !== '') && (
        <PasswordInput
          label={t('tools.clients.ownerToken')}
          description={<Sentence text={t('tools.clients.ownerTokenHelp')} />}
          autoComplete="off"
          {...form.getInputProps('ownerToken')}
          error={refusedOwner && refusal}
        />
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={create.isPending}>
          {t('tools.clients.create')}
        </Button>
      </div>
    </form>
  );
}
