// One setting: a field that fits its value, where the value comes from, and when a change counts. What the environment
// sets is only shown.
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import type { SettingShown } from '@relay/core/api/settings';
import { useIsGone } from '../../data/use-live.ts';
import classes from './settings.module.css';
import { changeWords, sourceWords, valueWords, wordsOf } from './words.ts';

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'backup.every': ['off', 'hour', 'day', 'week'],
  log_level: ['error', 'warn', 'info', 'debug'],
};

interface FieldProps {
  readonly setting: SettingShown;
  readonly value: unknown;
  onChange(value: unknown): void;
}

export function Field({ setting, value, onChange }: FieldProps) {
  const { label, says, unit } = wordsOf(setting.name);
  const when = changeWords(setting);
  return (
    <div className={classes.field}>
      <div>
        <label htmlFor={setting.name}>{label}</label>
        <p className="small dim" id={`${setting.name}-says`}>
          {[says, when].filter(Boolean).join(' ')} {capital(sourceWords(setting))}
          {setting.from === 'file' && `; ${valueWords(setting.default, unit)} by default`}.
        </p>
      </div>
      <Control setting={setting} value={value} onChange={onChange} />
    </div>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function Control({ setting, value, onChange }: FieldProps) {
  const isGone = useIsGone();
  const { unit } = wordsOf(setting.name);
  const shared = {
    id: setting.name,
    'aria-describedby': `${setting.name}-says`,
    disabled: isGone || setting.from === 'environment',
  };
  const choices = CHOICES[setting.name];
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
        // Emptied: as by default.
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
