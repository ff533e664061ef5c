import type { JSX } from 'preact';

/** Stroke paths on a 24 × 24 grid. Each icon has one meaning. */
const PATHS = {
  archive: 'M4 8v11h16V8M2 4h20v4H2zM10 12h4',
  arrowDown: 'M12 5v14M6 13l6 6 6-6',
  ascending: 'M7 15l5-6 5 6',
  back: 'M15 5l-7 7 7 7',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  forward: 'M9 5l7 7-7 7',
  check: 'M5 12l5 5 9-10',
  clip: 'M20 11l-8 8a5 5 0 01-7-7l8-8a3.500 3.500 0 015 5l-8 8a2 2 0 01-3-3l7-7',
  chat: 'M4 5h16v11H11l-5 4v-4H4z',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  descending: 'M7 9l5 6 5-6',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  edit: 'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
  empty: 'M3 13l3-8h12l3 8v6H3zM3 13h5l2 3h4l2-3h5',
  info: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5M12 8v.01',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9v.01',
  key: 'M8 8a4 4 0 100 8 4 4 0 000-8zM12 12h9M18 12v4',
  keyboard: 'M3 6h18v12H3zM7 10v.01M12 10v.01M17 10v.01M8 14h8',
  language: 'M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  leave: 'M10 4H5v16h5M15 8l4 4-4 4M9 12h10',
  menu: 'M4 6h16M4 12h16M4 18h16',
  more: 'M5 11a1 1 0 100 2 1 1 0 000-2zM12 11a1 1 0 100 2 1 1 0 000-2zM19 11a1 1 0 100 2 1 1 0 000-2z',
  moon: 'M20 14A8 8 0 1110 4a6.500 6.500 0 0010 10z',
  off: 'M12 3v9M7 6a8 8 0 1010 0',
  pin: 'M9 4h6l-1 6 4 4H6l4-4zM12 14v6',
  plus: 'M12 5v14M5 12h14',
  print: 'M7 8V3h10v5M7 17H4V8h16v9h-3M7 14h10v7H7z',
  refresh: 'M20 11a8 8 0 10-2 6M20 4v7h-7',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l5 5',
  send: 'M12 19V5M6 11l6-6 6 6',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  share: 'M12 15V3M8 7l4-4 4 4M5 12v8h14v-8',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19',
  tag: 'M4 4h8l8 8-8 8-8-8zM8 8v.01',
  thumbDown: 'M7 14V4h10l3 9h-6l1 6-2 1-5-6zM7 4H4v10h3',
  thumbUp: 'M7 10v10h10l3-9h-6l1-6-2-1-5 6zM7 20H4V10h3',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 010 12h-3',
  upload: 'M12 15V4M7 9l5-5 5 5M4 20h16',
  user: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4 21c0-4 4-6 8-6s8 2 8 6',
  warning: 'M12 3L2 20h20zM12 10v4M12 17v.01',
} as const;

export type IconName = keyof typeof PATHS;

/** For the page of all components. */
export function iconNames(): IconName[] {
  return Object.keys(PATHS) as IconName[];
}

/** A decorative icon next to a text. Screen readers ignore it. */
export function Icon({ name }: { name: IconName }): JSX.Element {
  return <Drawing path={PATHS[name]} />;
}

/** An icon that few pages need. */
export function Drawing({ path }: { path: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** The icon with a name that a feature chose. */
export function iconNamed(name: string): IconName {
  return Object.hasOwn(PATHS, name) ? (name as IconName) : 'file';
}
