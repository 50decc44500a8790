// The dialog of seed 000 with all permissions.
import { Button, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconLock, IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { EmptyState, QueryContent } from '../../parts/query-content.tsx';
import { FindField, GrantsList } from './grants.tsx';
import classes from './people.module.css';
import { contactsQuery } from './queries.ts';

export function PermissionsModal({ onClose }: { onClose(): void }) {
  return (
    <Modal
      opened
      fullScreen
      radius={0}
      onClose={onClose}
      title={t('people.permissions.title')}
      closeButtonProps={{ 'aria-label': t('common.action.close') }}
    >
      <PermissionsTable />
    </Modal>
  );
}

// The permissions as seed 000's dialog has them: everyone with a record, and a form to add a contact by number and
// name.

function PermissionsTable() {
  const [q, setQ] = useState('');
  const [page, setPage] = useState(1);
  const recorded = useQuery(contactsQuery({ show: 'recorded', q, page }));
  const isEmpty = q === '' && recorded.data?.total === 0;
  return (
    <div className={classes.permissions}>
      <AddPermission />
      {!isEmpty && (
        <div className={classes.bar}>
          <FindField
            value={q}
            onFind={(next) => {
              setQ(next);
              setPage(1);
            }}
          />
        </div>
      )}
      <QueryContent query={recorded} subject={t('people.permissions.subject')}>
        {(found) => {
          if (found.contacts.length > 0)
            return <GrantsList found={found} page={page} onPage={setPage} />;
          return q === '' ? (
            <EmptyState icon={IconLock} title={t('people.permissions.empty')}>
              {t('people.permissions.emptyHint')}
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearchOff} title={t('people.permissions.noMatches')}>
              {t('people.permissions.noMatchesHint')}
            </EmptyState>
          );
        }}
      </QueryContent>
    </div>
  );
}

// Adds a contact by number and name, without any grant. Replies granted later begin as drafts.

function AddPermission() {
  const isGone = useIsDaemonGone();
  const form = useForm({
    initialValues: { phoneNumber: '', displayName: '' },
    validate: {
      phoneNumber: (number) =>
        /\d/.test(number) ? null : t('people.permissions.phoneNumberMissing'),
      displayName: (name) => (name.trim() === '' ? t('people.permissions.nameMissing') : null),
    },
  });
  const add = useAction({
    run: (body: typeof form.values) =>
      relay.post('/api/whatsapp/permissions', { body: { ...body, replyMode: 'draft' } }),
    invalidates: ['whatsapp-permissions', 'contacts', 'knocks'],
    showsErrorInPlace: true,
    onSuccess: () => form.reset(),
  });
  return (
    <form className={classes.add} onSubmit={form.onSubmit((values) => add.mutate(values))}>
      <TextInput
        label={t('people.permissions.phoneNumber')}
        placeholder={t('people.permissions.phoneNumberExample')}
        type="tel"
        {...form.getInputProps('phoneNumber')}
        error={form.errors.phoneNumber ?? (add.error && readableError(add.error))}
      />
      <TextInput
        label={t('people.permissions.name')}
        placeholder={t('people.permissions.nameExample')}
        {...form.getInputProps('displayName')}
      />
      <Button type="submit" disabled={isGone} loading={add.isPending}>
        {t('people.permissions.add')}
      </Button>
    </form>
  );
}
