const PATHS = {
  overview: 'M3 12l9-8 9 8M5 10v10h5v-6h4v6h5V10',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  run: 'M7 4l13 8-13 8z',
  webhooks: 'M10 13a4 4 0 0 1 0-6l2-2a4 4 0 0 1 6 6l-1 1M14 11a4 4 0 0 1 0 6l-2 2a4 4 0 0 1-6-6l1-1',
  payments: 'M3 7h18v11H3zM3 11h18M7 15h3',
  limits: 'M4 18a9 9 0 1 1 16 0M12 14l4-5',
  models: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5',
  settings: 'M4 8h9M17 8h3M4 16h3M11 16h9M13 6v4M7 14v4',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM20 20l-4.5-4.5',
  contributions: 'M4 20l4-1L19 8l-3-3L5 16zM14 7l3 3',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  check: 'M5 12l5 5L20 7',
  cross: 'M6 6l12 12M18 6L6 18',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  moon: 'M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z',
  auto: 'M12 3a9 9 0 1 0 0 18V3z',
  upload: 'M12 16V5M7 10l5-5 5 5M5 19h14',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  back: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  retry: 'M4 12a8 8 0 1 0 3-6M4 4v4h4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  stop: 'M7 7h10v10H7z',
  warning: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  download: 'M12 5v11M7 11l5 5 5-5M5 20h14',
  plus: 'M12 5v14M5 12h14',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon: the same information is always available as text. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
