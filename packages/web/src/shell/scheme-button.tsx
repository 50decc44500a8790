// Light, dark, or as the system is: each press goes on to the next.
import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react';

const NEXT: Record<MantineColorScheme, MantineColorScheme> = {
  auto: 'dark',
  dark: 'light',
  light: 'auto',
};
const SAYS: Record<MantineColorScheme, string> = {
  auto: 'Use the colours of your system',
  dark: 'Use dark colours',
  light: 'Use light colours',
};
const ICONS = { auto: IconSunMoon, dark: IconMoon, light: IconSun };

export function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = NEXT[colorScheme];
  const Icon = ICONS[next];
  return (
    <ActionIcon
      variant="default"
      onClick={() => setColorScheme(next)}
      aria-label={SAYS[next]}
      title={SAYS[next]}
    >
      <Icon size={17} stroke={1.6} />
    </ActionIcon>
  );
}
