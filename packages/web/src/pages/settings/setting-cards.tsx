// One card of settings: its fields, each with the source of its value, and one Save button. A refusal is shown in place
// and means that nothing was saved.
import { Button, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { t } from '../../i18n.ts';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import {
  findSetting,
  quietHoursText,
  readQuietHours,
  refusalText,
  type SettingsSection,
  settingChangeText,
  settingChoices,
  settingCopy,
  settingSourceText,
  toSettingsChange,
} from './copy.ts';
import classes from './settings.module.css';

interface SectionCardProps {
  readonly section: SettingsSection;
  readonly shown: SettingsOverview;
  readonly children?: ReactNode;
}

export function SectionCard({ section, shown, children }: SectionCardProps) {
  const [edited, setEdited] = useState<Readonly<Record<string, unknown>>>({});
  const isGone = useIsDaemonGone();
  const save = useSaveSettings(() => setEdited({}));
  const fields = section.names.flatMap((name) => findSetting(shown, name) ?? []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(edited);
  };
  return (
    <Card title={t(`settings.section.${section.id}.title`)}>
      <p className="small dim">{t(`settings.section.${section.id}.summary`)}</p>
      <form className={classes.form} onSubmit={submit}>
        {fields.map((setting) => (
          <SettingField
            key={setting.name}
            setting={setting}
            value={setting.name in edited ? edited[setting.name] : (setting.next ?? setting.value)}
            onChange={(value) => setEdited({ ...edited, [setting.name]: value })}
          />
        ))}
        {save.error && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={refusalText(readableError(save.error))} />
          </Note>
        )}
        {Object.keys(edited).length > 0 && (
          <div className={classes.acts}>
            <Button type="submit" disabled={isGone} loading={save.isPending}>
              {t(`settings.section.${section.id}.save`)}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setEdited({});
                save.reset();
              }}
            >
              {t('settings.discard')}
            </Button>
          </div>
        )}
      </form>
      {children}
    </Card>
  );
}

// One setting: a field for its value, its source, and when a change takes effect. A value set by the environment is
// read-only.

interface SettingFieldProps {
  readonly setting: ListedSetting;
  readonly value: unknown;
  onChange(value: unknown): void;
}

function SettingField({ setting, value, onChange }: SettingFieldProps) {
  const { label, help } = settingCopy(setting.name);
  const sentences = [help, settingSourceText(setting), settingChangeText(setting)];
  return (
    <div className={classes.field}>
      <div>
        <label htmlFor={setting.name}>{label}</label>
        <p className="small dim" id={`${setting.name}-help`}>
          {sentences.filter(Boolean).join(' ')}
        </p>
      </div>
      <Control setting={setting} value={value} onChange={onChange} />
    </div>
  );
}

function Control({ setting, value, onChange }: SettingFieldProps) {
  const isGone = useIsDaemonGone();
  const { unit } = settingCopy(setting.name);
  const shared = {
    id: setting.name,
    'aria-describedby': `${setting.name}-help`,
    disabled: isGone || setting.from === 'environment',
  };
  const choices = settingChoices(setting.name);
  if (choices !== undefined) {
    return (
      <Select
        {...shared}
        className={classes.input ?? ''}
        data={choices}
        value={String(value)}
        allowDeselect={false}
        onChange={onChange}
      />
    );
  }
  if (typeof setting.default === 'boolean') {
    return (
      <Switch
        {...shared}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (typeof setting.default === 'number') {
    return (
      <NumberInput
        {...shared}
        className={classes.input ?? ''}
        value={typeof value === 'number' ? value : ''}
        min={0}
        suffix={unit === undefined ? '' : ` ${t(`settings.unit.${unit}`)}`}
        thousandSeparator=","
        hideControls
        // An empty field means the default.
        onChange={(next) => onChange(typeof next === 'number' ? next : null)}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      className={classes.input ?? ''}
      placeholder={t('settings.value.notSet')}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}

// Quiet hours: no automatic answers. Messages received meanwhile are answered afterwards.

const QUIET_HOURS_SETTING = 'auto_reply.quiet_hours';
const DEFAULT_QUIET_HOURS = { from: '22:00', to: '07:00' };

export function QuietHoursCard({ shown }: { readonly shown: SettingsOverview }) {
  const set = readQuietHours(shown);
  const [edited, setEdited] = useState<typeof set | undefined>(undefined);
  const isGone = useIsDaemonGone();
  const save = useSaveSettings(() => setEdited(undefined));
  const hours = edited === undefined ? set : edited;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ [QUIET_HOURS_SETTING]: hours });
  };
  return (
    <Card title={t('settings.quietHours.title')}>
      <p className="small dim">
        {quietHoursText(set)} {t('settings.quietHours.exceptions')}
      </p>
      <form className={classes.form} onSubmit={submit}>
        <Switch
          label={t('settings.quietHours.switch')}
          checked={hours !== null}
          disabled={isGone}
          onChange={(event) =>
            setEdited(event.currentTarget.checked ? (set ?? DEFAULT_QUIET_HOURS) : null)
          }
        />
        {hours !== null && (
          <div className={classes.pair}>
            <TextInput
              type="time"
              label={t('settings.quietHours.from')}
              disabled={isGone}
              value={hours.from}
              onChange={(event) => setEdited({ ...hours, from: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label={t('settings.quietHours.until')}
              disabled={isGone}
              value={hours.to}
              onChange={(event) => setEdited({ ...hours, to: event.currentTarget.value })}
            />
          </div>
        )}
        {save.error && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={readableError(save.error)} />
          </Note>
        )}
        {edited !== undefined && (
          <div className={classes.acts}>
            <Button type="submit" disabled={isGone} loading={save.isPending}>
              {t('settings.quietHours.save')}
            </Button>
            <Button variant="default" onClick={() => setEdited(undefined)}>
              {t('settings.discard')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

// Instructions for all agents, written by the owner.

const INSTRUCTIONS_SETTING = 'agent.instructions';

export function InstructionsCard({ shown }: { readonly shown: SettingsOverview }) {
  const set = String(findSetting(shown, INSTRUCTIONS_SETTING)?.value ?? '');
  const [edited, setEdited] = useState<string | null>(null);
  const isGone = useIsDaemonGone();
  const save = useSaveSettings(() => setEdited(null));
  const { label, help } = settingCopy(INSTRUCTIONS_SETTING);
  return (
    <Card title={t('settings.instructions.title')}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ [INSTRUCTIONS_SETTING]: edited === '' ? null : edited });
        }}
      >
        <Textarea
          label={label}
          description={help}
          placeholder={t('settings.instructions.placeholder')}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={4_000}
          disabled={isGone}
          dir="auto"
          value={edited ?? set}
          onChange={(event) => setEdited(event.currentTarget.value)}
        />
        {save.error && (
          <Note hue="bad" icon={IconAlertTriangle} role="alert">
            <Sentence text={readableError(save.error)} />
          </Note>
        )}
        {edited !== null && edited !== set && (
          <div className={classes.acts}>
            <Button type="submit" disabled={isGone} loading={save.isPending}>
              {t('settings.instructions.save')}
            </Button>
            <Button variant="default" onClick={() => setEdited(null)}>
              {t('settings.discard')}
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

// Saves all changes or none.

const useSaveSettings = (onDone: () => void) =>
  useAction({
    run: (values: Readonly<Record<string, unknown>>) =>
      relay.patch('/api/settings', { body: toSettingsChange(values) }),
    invalidates: ['settings', 'status', 'groups'],
    showsErrorInPlace: true,
    successMessage: t('settings.saved'),
    onSuccess: onDone,
  });
