// The model of the agents: which one, whether it is ready, and a button that sends it a real request.
import { Button, Modal, PasswordInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { PROVIDER_NAMES } from '@relay/contract/agent/providers';
import type { SettingsOverview } from '@relay/contract/api/settings';
import { IconAlertTriangle, IconCheck, IconRobot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { settingsQuery } from '../../data/queries.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Note, Sentence } from '../../parts/page.tsx';
import { ToolCard } from './tool-card.tsx';
import classes from './tools.module.css';

export function ModelCard() {
  const settings = useQuery(settingsQuery);
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <ToolCard
        icon={IconRobot}
        title={t('tools.model.title')}
        query={settings}
        status={({ model }) =>
          model.ready
            ? {
                sentence: describeModel(model),
                label: t('tools.model.ready'),
                hue: 'ok',
                icon: IconCheck,
              }
            : {
                sentence: model.sentence,
                label: t('tools.model.missing'),
                hue: 'you',
                icon: IconAlertTriangle,
              }
        }
        action={() => (
          <Button variant="default" size="xs" onClick={open}>
            {t('tools.change')}
          </Button>
        )}
      />
      <Modal
        opened={isOpen && settings.data !== undefined}
        onClose={close}
        title={t('tools.model.title')}
        closeButtonProps={{ 'aria-label': t('common.action.close') }}
      >
        {settings.data && <ModelForm model={settings.data.model} />}
      </Modal>
    </>
  );
}

const describeModel = ({ provider, name, has_key }: SettingsOverview['model']): string =>
  [name, provider, t(has_key ? 'tools.model.hasKey' : 'tools.model.noKey')]
    .filter(Boolean)
    .join(' · ');

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

function ModelForm({ model }: { readonly model: SettingsOverview['model'] }) {
  const isGone = useIsDaemonGone();
  const form = useForm({
    initialValues: {
      provider: model.provider ?? '',
      name: model.name ?? '',
      baseUrl: model.base_url ?? '',
      key: '',
    },
  });
  const save = useAction({
    run: ({ provider, name, baseUrl, key }: typeof form.values) =>
      relay.patch('/api/settings', {
        body: {
          model_provider: orNull(provider),
          model_name: orNull(name),
          model_base_url: orNull(baseUrl),
          ...(key === '' ? {} : { model_api_key: key }),
        },
      }),
    invalidates: ['settings'],
    showsErrorInPlace: true,
    successMessage: t('tools.model.saved'),
    onSuccess: () => form.setFieldValue('key', ''),
  });
  const trial = useAction({
    run: () => relay.post('/api/settings/model/trial'),
    invalidates: [],
    showsErrorInPlace: true,
  });
  const failure = save.error ?? trial.error;
  return (
    <form className={classes.form} onSubmit={form.onSubmit((values) => save.mutate(values))}>
      <Select
        label={t('tools.model.provider')}
        data={[...PROVIDER_NAMES]}
        {...form.getInputProps('provider')}
        allowDeselect={false}
      />
      <TextInput
        label={t('tools.model.name')}
        description={t('tools.model.nameHelp')}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={t('tools.model.address')}
        description={t('tools.model.addressHelp')}
        placeholder="http://127.0.0.1:11434/v1"
        {...form.getInputProps('baseUrl')}
      />
      <PasswordInput
        label={t('tools.model.key')}
        description={t(model.has_key ? 'tools.model.keyKept' : 'tools.model.keyHelp')}
        autoComplete="off"
        {...form.getInputProps('key')}
      />
      {failure && (
        <Note hue="bad" icon={IconAlertTriangle} role="alert">
          <Sentence text={readableError(failure)} />
        </Note>
      )}
      {trial.data && (
        <Note
          hue={trial.data.ok ? 'ok' : 'bad'}
          icon={trial.data.ok ? IconCheck : IconAlertTriangle}
          role="status"
        >
          <Sentence text={trial.data.sentence} />
        </Note>
      )}
      <div className={classes.acts}>
        <Button type="submit" disabled={isGone} loading={save.isPending}>
          {t('common.action.save')}
        </Button>
        <Button
          variant="default"
          disabled={isGone || form.isDirty()}
          title={form.isDirty() ? t('tools.model.saveFirst') : undefined}
          loading={trial.isPending}
          onClick={() => trial.mutate()}
        >
          {t('tools.model.test')}
        </Button>
      </div>
    </form>
  );
}
