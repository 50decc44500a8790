// One card of settings: its fields, each with the source of its value, and one Save button. A refusal is shown in place
// and means that nothing was saved.
import { Button, NumberInput, Select, Switch, Textarea, TextInput } from '@mantine/core';
import type { ListedSetting, SettingsOverview } from '@relay/contract/api/settings';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useIsDaemonGone } from '../../data/live-stream.ts';
import { readableError, relay } from '../../data/relay.ts';
import { useAction } from '../../data/use-action.ts';
import { Card, Note, Sentence } from '../../parts/page.tsx';
import {
  findSetting,
  quietHoursText,
  readQuietHours,
  refusalText,
  type SettingsSection,
  settingChangeText,
  settingCopy,
  settingSourceText,
  settingValueText,
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
    <Card title={section.title}>
      <p className="small dim">{section.summary}</p>
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
              Save {section.title.toLowerCase()}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                setEdited({});
                save.reset();
              }}
            >
              Leave as it was
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

const SETTING_CHOICES: Readonly<Record<string, readonly string[]>> = {
  'backup.every': ['off', 'hour', 'day', 'week'],
  log_level: ['error', 'warn', 'info', 'debug'],
};

interface SettingFieldProps {
  readonly setting: ListedSetting;
  readonly value: unknown;
  onChange(value: unknown): void;
}

function SettingField({ setting, value, onChange }: SettingFieldProps) {
  const { label, help, unit } = settingCopy(setting.name);
  const when = settingChangeText(setting);
  return (
    <div className={classes.field}>
      <div>
        <label htmlFor={setting.name}>{label}</label>
        <p className="small dim" id={`${setting.name}-says`}>
          {[help, when].filter(Boolean).join(' ')} {capital(settingSourceText(setting))}
          {setting.from === 'file' && `; ${settingValueText(setting.default, unit)} by default`}.
        </p>
      </div>
      <Control setting={setting} value={value} onChange={onChange} />
    </div>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function Control({ setting, value, onChange }: SettingFieldProps) {
  const isGone = useIsDaemonGone();
  const { unit } = settingCopy(setting.name);
  const shared = {
    id: setting.name,
    'aria-describedby': `${setting.name}-says`,
    disabled: isGone || setting.from === 'environment',
  };
  const choices = SETTING_CHOICES[setting.name];
  if (choices !== undefined) {
    return (
      <Select
        {...shared}
        className={classes.input ?? ''}
        data={[...choices]}
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
        suffix={unit === undefined ? '' : ` ${unit}`}
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
      placeholder="not set"
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
    <Card title="Quiet hours">
      <p className="small dim">
        {quietHoursText(set)} What you send yourself and what you approve leaves at any hour; a
        contact’s own quiet hours go before these.
      </p>
      <form className={classes.form} onSubmit={submit}>
        <Switch
          label="Nobody is answered by itself at night"
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
              label="From"
              disabled={isGone}
              value={hours.from}
              onChange={(event) => setEdited({ ...hours, from: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label="Until"
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
              Save quiet hours
            </Button>
            <Button variant="default" onClick={() => setEdited(undefined)}>
              Leave as it was
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
    <Card title="Instructions">
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
          placeholder="Answer in the language you were written to. Never promise a date without asking me."
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
              Save instructions
            </Button>
            <Button variant="default" onClick={() => setEdited(null)}>
              Leave as it was
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
    successMessage: 'Saved.',
    onSuccess: onDone,
  });
