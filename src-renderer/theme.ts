import {
  Badge,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  Modal,
  Notification,
} from '@mantine/core';
import { texts } from './texts.ts';

/** The accent colour: oxidised copper. */
const copper: MantineColorsTuple = [
  '#e8f6f3',
  '#d3ebe6',
  '#a5d7cc',
  '#74c2b1',
  '#4db19b',
  '#35a68d',
  '#0f766a',
  '#0b655b',
  '#08564d',
  '#04433c',
];

/** Surfaces and lines of the dark scheme. */
const dark: MantineColorsTuple = [
  '#e3e8ea',
  '#c3ccd0',
  '#a3afb6',
  '#7d8b93',
  '#3a464b',
  '#2c3539',
  '#20282b',
  '#1a2023',
  '#151a1c',
  '#0f1314',
];

/** Component defaults: names of icon buttons and roles for screen readers. */
const components = {
  Badge: Badge.extend({ styles: { root: { textTransform: 'none' } } }),
  Modal: Modal.extend({
    defaultProps: {
      closeButtonProps: { 'aria-label': texts.common.close },
      // A `header` outside the page's sections would be a second banner.
      attributes: { header: { role: 'presentation' } },
    },
  }),
  Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': texts.common.close } } }),
  // Rendered inside the main part. The first item gets the focus.
  Menu: Menu.extend({ defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } }),
};

export const theme = createTheme({
  primaryColor: 'copper',
  primaryShade: 6,
  colors: { copper, dark },
  autoContrast: true,
  luminanceThreshold: 0.35,
  defaultRadius: 'md',
  components,
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'Inter, "Segoe UI", system-ui, -apple-system, Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '620', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.1rem' } } },
});

/** The library's dimmed text is too pale for WCAG AA. These colours keep 4.5 to 1 on all surfaces. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f8f8',
    '--mantine-color-dimmed': '#556068',
    '--mantine-color-placeholder': '#66717a',
    '--mantine-color-error': '#b42318',
    '--mantine-color-red-outline': '#b42318',
    '--mantine-color-red-light-color': '#912018',
    '--mantine-color-orange-light-color': '#7a3d00',
    '--surface': '#ffffff',
    '--line': '#e2e6e8',
    '--sunken': '#eff2f3',
    '--good': '#146c43',
    '--bad': '#b42318',
    '--busy': '#0b5cad',
    '--idle': '#556068',
    '--warn': '#8a5300',
    '--code': '#f1f4f5',
    '--mark': '#ffe9a8',
  },
  dark: {
    '--mantine-color-body': '#121618',
    '--mantine-color-dimmed': '#a3afb6',
    '--mantine-color-placeholder': '#8e9aa2',
    '--mantine-color-text': '#e3e8ea',
    '--mantine-color-anchor': '#74c2b1',
    '--mantine-color-default': '#232b2f',
    '--mantine-color-default-border': '#3a464b',
    '--mantine-color-error': '#ff9b90',
    '--mantine-color-red-outline': '#ff9b90',
    '--mantine-color-red-light-color': '#ffb4ab',
    '--mantine-color-copper-light-color': '#a5d7cc',
    '--surface': '#1a2023',
    '--line': '#2c3539',
    '--sunken': '#151a1c',
    '--good': '#5fd39a',
    '--bad': '#ff9b90',
    '--busy': '#78b8ff',
    '--idle': '#a3afb6',
    '--warn': '#f2b85c',
    '--code': '#14191b',
    '--mark': '#5c4a12',
  },
});
