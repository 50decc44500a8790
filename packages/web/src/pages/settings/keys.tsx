// Letter keys in this browser: on unless switched off, for whoever speaks to their computer or uses a reader.
import { Switch } from '@mantine/core';
import { Card } from '../../parts/card.tsx';
import { COMMAND_KEY } from '../../shell/command-key.ts';
import { switchLetters } from '../../shell/letter-keys.ts';
import { useLettersAreOn } from '../../shell/use-letters.ts';

export function KeysCard() {
  const isOn = useLettersAreOn();
  return (
    <Card title="Letter keys">
      <Switch
        label="Single letters do something"
        description={`Each is also a button; ? lists them. Kept in this browser, and ${COMMAND_KEY} works either way.`}
        checked={isOn}
        onChange={({ currentTarget }) => switchLetters(currentTarget.checked)}
      />
    </Card>
  );
}
