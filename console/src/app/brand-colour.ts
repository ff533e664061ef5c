/** Minimum contrast of text against its background (WCAG 2.2, 1.4.3). */
const READABLE = 4.5;

/** Steps from a colour to black or white. */
const STEPS = 50;

type Rgb = [red: number, green: number, blue: number];

/** The share of the colour in the background of a badge or of the current page's link. */
export const SOFT_SHARE = 0.1;

/**
 * A readable colour for buttons and links, as `#rrggbb`. It contrasts with the backgrounds, with its own soft background,
 * and with text on top of it.
 */
export interface BrandColour {
  light: string;
  dark: string;
}

/** The least favourable background of each theme, and the page. */
const BACKGROUNDS = { light: ['#f6f6f8', '#ffffff'], dark: ['#1e2027', '#16181d'] } as const;

/**
 * Returns the closest readable colours for the light and the dark theme.
 *
 * @param colour `#rrggbb`
 */
export function readable(colour: string): BrandColour {
  return {
    light: nearest(colour, [0, 0, 0], BACKGROUNDS.light),
    dark: nearest(colour, [255, 255, 255], BACKGROUNDS.dark),
  };
}

/** The contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(rgb(one)), luminance(rgb(other))].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function nearest(colour: string, end: Rgb, [background, page]: readonly [string, string]): string {
  const from = rgb(colour);
  for (let step = 0; step < STEPS; step++) {
    const mixed = hex(mix(from, end, step / STEPS));
    const soft = hex(mix(rgb(page), rgb(mixed), SOFT_SHARE));
    if ([background, soft].every((behind) => contrast(mixed, behind) >= READABLE)) return mixed;
  }
  return hex(end);
}

/** The colour between two others, in sRGB, as CSS mixes them. */
function mix(one: Rgb, other: Rgb, share: number): number[] {
  return one.map((part, index) => part + ((other[index] ?? 0) - part) * share);
}

function rgb(colour: string): Rgb {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16)) as Rgb;
}

function hex(parts: number[]): string {
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

function luminance(parts: Rgb): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
