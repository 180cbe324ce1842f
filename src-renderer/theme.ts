import {
  type BadgeProps,
  type ComboboxChevronProps,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MenuProps,
  type ModalProps,
  type NotificationProps,
  type PasswordInputProps,
  type TooltipProps,
} from '@mantine/core';
import { omitUndefined } from '../src-server/platform/omit-undefined.ts';
import { perLanguage } from './language/locale.ts';
import { texts } from './texts.ts';

const verdigris: MantineColorsTuple = [
  '#e4f2ee',
  '#d6e9e4',
  '#a9d8cc',
  '#7ad6c4',
  '#55c2ae',
  '#2c9484',
  '#0b665b',
  '#0a5b51',
  '#084f47',
  '#04362f',
];

const copper: MantineColorsTuple = [
  '#fbf1e9',
  '#f5e3d6',
  '#f0c6a9',
  '#eba077',
  '#d67f4f',
  '#b9632f',
  '#9c4a20',
  '#87401c',
  '#6b3317',
  '#4c2410',
];

const gray: MantineColorsTuple = [
  '#f5f6f3',
  '#ebede8',
  '#e3e6e0',
  '#d7dbd4',
  '#b9c0b7',
  '#76817a',
  '#57635e',
  '#414d49',
  '#2a3431',
  '#16201d',
];

const dark: MantineColorsTuple = [
  '#e8eeeb',
  '#b9c5c0',
  '#98a6a1',
  '#6c7b77',
  '#3b4846',
  '#2a3534',
  '#1c2525',
  '#151c1c',
  '#101616',
  '#0b1010',
];

/** The defaults of a component, which is not loaded for them. */
const defaults = <Props>(defaultProps: Partial<Props>) => ({ defaultProps });

/** Component defaults: names of icon buttons, and roles for screen readers. */
const components = perLanguage(() => ({
  // A picture without words, beside a field with its name.
  ComboboxChevron: defaults<ComboboxChevronProps>({ 'aria-hidden': true }),
  Badge: defaults<BadgeProps>({ variant: 'light', color: 'gray', radius: 'sm' }),
  Modal: defaults<ModalProps>({
    closeButtonProps: { 'aria-label': texts.common.close },
    // A `header` outside the page's sections would be a second banner.
    attributes: { header: { role: 'presentation' } },
  }),
  Notification: defaults<NotificationProps>({ closeButtonProps: { 'aria-label': texts.common.close } }),
  PasswordInput: defaults<PasswordInputProps>({ visibilityToggleButtonProps: { 'aria-label': texts.common.reveal } }),
  // Rendered inside the main part. The first item gets the focus.
  Menu: defaults<MenuProps>({ withinPortal: false, withInitialFocusPlaceholder: false }),
  // At the end of the body, where portals usually are, it would be outside the sections of the page.
  Tooltip: defaults<TooltipProps>({ openDelay: 300, portalProps: { target: '#main' }, floatingStrategy: 'fixed' }),
}));

/** The tokens of `styles/tokens.css` as a theme: a component without a style of its own already looks right. */
export const themeOfLanguage = perLanguage(() =>
  createTheme({
    primaryColor: 'verdigris',
    primaryShade: { light: 6, dark: 4 },
    colors: { verdigris, copper, gray, dark },
    black: '#16201d',
    autoContrast: true,
    luminanceThreshold: 0.35,
    // Text on a filled button is chosen by scheme; the library would use that of the light scheme in both.
    variantColorResolver: (input) => ({
      ...defaultVariantColorsResolver(input),
      ...omitUndefined({ color: input.variant === 'filled' ? 'var(--q-on-act)' : undefined }),
    }),
    fontFamily: 'var(--q-font)',
    fontFamilyMonospace: 'var(--q-mono)',
    fontSizes: {
      xs: 'var(--q-text-xs)',
      sm: 'var(--q-text-sm)',
      md: 'var(--q-text-md)',
      lg: 'var(--q-text-lg)',
      xl: 'var(--q-text-xl)',
    },
    lineHeights: { xs: '1.34', sm: '1.385', md: '1.43', lg: '1.625', xl: '1.34' },
    spacing: { xs: 'var(--q-1)', sm: 'var(--q-2)', md: 'var(--q-4)', lg: 'var(--q-6)', xl: 'var(--q-8)' },
    radius: {
      xs: 'var(--q-radius-sm)',
      sm: 'var(--q-radius-sm)',
      md: 'var(--q-radius-md)',
      lg: 'var(--q-radius-lg)',
      xl: 'var(--q-radius-lg)',
    },
    defaultRadius: 'md',
    shadows: { md: 'var(--q-shadow-pop)', xl: 'var(--q-shadow-dialog)' },
    headings: {
      fontWeight: '600',
      sizes: {
        h1: { fontSize: 'var(--q-text-2xl)', lineHeight: 'var(--q-line-2xl)' },
        h2: { fontSize: 'var(--q-text-md)', lineHeight: 'var(--q-line-md)' },
        h3: { fontSize: 'var(--q-text-md)', lineHeight: 'var(--q-line-md)' },
      },
    },
    components: components(),
    respectReducedMotion: true,
    cursorType: 'pointer',
  }),
);

/** The same in both schemes: the tokens themselves change. */
const both = {
  '--mantine-color-body': 'var(--q-bed)',
  '--mantine-color-text': 'var(--q-ink)',
  '--mantine-color-bright': 'var(--q-ink)',
  '--mantine-color-dimmed': 'var(--q-ink-2)',
  '--mantine-color-placeholder': 'var(--q-ink-3)',
  '--mantine-color-default': 'var(--q-face)',
  '--mantine-color-default-hover': 'color-mix(in srgb, var(--q-face) 94%, var(--q-ink))',
  '--mantine-color-default-color': 'var(--q-ink)',
  '--mantine-color-default-border': 'var(--q-line-control)',
  '--mantine-color-anchor': 'var(--q-act)',
  '--mantine-color-error': 'var(--q-bad)',
  '--mantine-primary-color-filled': 'var(--q-act)',
  '--mantine-primary-color-filled-hover': 'var(--q-act-hover)',
  '--mantine-primary-color-light': 'var(--q-act-tint)',
  '--mantine-primary-color-light-color': 'var(--q-act-ink)',
  '--mantine-primary-color-contrast': 'var(--q-on-act)',
  '--mantine-color-verdigris-filled': 'var(--q-act)',
  '--mantine-color-verdigris-filled-hover': 'var(--q-act-hover)',
  '--mantine-color-verdigris-light': 'var(--q-act-tint)',
  '--mantine-color-verdigris-light-color': 'var(--q-act-ink)',
  '--mantine-color-verdigris-text': 'var(--q-act)',
  '--mantine-color-red-filled': 'var(--q-bad)',
  '--mantine-color-red-filled-hover': 'var(--q-bad)',
  '--mantine-color-red-light': 'var(--q-bad-tint)',
  '--mantine-color-red-light-hover': 'var(--q-bad-tint)',
  '--mantine-color-red-light-color': 'var(--q-bad)',
  '--mantine-color-red-outline': 'var(--q-bad)',
  '--mantine-color-red-text': 'var(--q-bad)',
  '--mantine-color-orange-light': 'var(--q-wait-tint)',
  '--mantine-color-orange-light-color': 'var(--q-wait)',
  '--mantine-color-gray-light': 'var(--q-pit)',
  '--mantine-color-gray-light-hover': 'var(--q-line)',
  '--mantine-color-gray-light-color': 'var(--q-ink-2)',
  '--mantine-color-gray-text': 'var(--q-ink-2)',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({ variables: {}, light: both, dark: both });
