// Mantine in Relay's colours. Its variables refer to ours, so that each colour is defined once, in tokens.css.
import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type VariantColorsResolver,
} from '@mantine/core';

const FILLED = {
  background: 'var(--brand)',
  hover: 'var(--brand-hover)',
  color: 'var(--on-brand)',
  border: '1px solid transparent',
};

/** The filled button of a decision is petrol with a text colour that fits either scheme. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const isOurs = input.color === undefined || input.color === 'petrol';
  if (input.variant === 'filled' && isOurs) return FILLED;
  return defaultVariantColorsResolver(input);
};

export const theme = createTheme({
  variantColorResolver,
  primaryColor: 'petrol',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  black: '#1C2225',
  defaultRadius: 8,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '15px', xl: '18px' },
  headings: { fontFamily: 'var(--font)' },
  colors: {
    petrol: [
      ...['#EAF5F7', '#E0EFF2', '#B5DAE1', '#8AD3E0', '#5CB6C6'],
      ...['#3FA3B8', '#16819A', '#0C6075', '#0A5366', '#063845'],
    ] as unknown as Ten,
    red: [
      ...['#FCE9E6', '#F9D6D1', '#F7A79E', '#EE8478', '#E0685B'],
      ...['#C8453A', '#C2372B', '#B82F24', '#A3271D', '#7C1C14'],
    ] as unknown as Ten,
  },
  components: {
    Button: Button.extend({
      vars: (_theme, { size }) => ({
        root: {
          '--button-height': size === 'xs' ? 'calc(var(--control) - 4px)' : 'var(--control)',
          '--button-fz': '13.5px',
          '--button-padding-x': '13px',
        },
      }),
    }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle', color: 'gray' },
      vars: () => ({ root: { '--ai-size': 'var(--control)' } }),
    }),
    // By name only: the first page does not load components that only other pages use.
    Input: {
      vars: () => ({
        wrapper: {
          '--input-height': 'calc(var(--control) + 2px)',
          '--input-fz': 'var(--input-text)',
        },
      }),
    },
    Modal: {
      defaultProps: { radius: 12, transitionProps: { transition: 'fade', duration: 120 } },
    },
    Switch: { defaultProps: { withThumbIndicator: false } },
    Checkbox: { defaultProps: { radius: 4 } },
    Skeleton: { defaultProps: { radius: 6 } },
  },
});

type Ten = [string, string, string, string, string, string, string, string, string, string];

const OURS = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--dimmed)',
  '--mantine-color-placeholder': 'var(--faint)',
  '--mantine-color-anchor': 'var(--link)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-error': 'light-dark(#a3271d, #f7a79e)',
  '--mantine-color-disabled': 'var(--track)',
  '--mantine-color-disabled-color': 'var(--faint)',
  '--mantine-primary-color-filled': 'var(--brand)',
  '--mantine-primary-color-filled-hover': 'var(--brand-hover)',
  '--mantine-primary-color-contrast': 'var(--on-brand)',
  '--mantine-color-gray-light-color': 'var(--dimmed)',
  '--mantine-color-gray-light-hover': 'var(--hover)',
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: OURS,
  dark: OURS,
});

// Seven hues, each with one meaning; `data-hue` on an element sets its three colours.

/**
 * you: waits for the owner · agent: Relay acts · them: waits for others · parked: paused · ok: arrived · held: refused
 * · bad: broken
 */
export type Hue = 'you' | 'agent' | 'them' | 'parked' | 'ok' | 'held' | 'bad';
