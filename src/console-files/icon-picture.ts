import { crc32, deflateSync } from 'node:zlib';

/** Samples of each pixel per side. The edges have that many shades, squared. */
const SAMPLES = 3;
const SHADES = SAMPLES * SAMPLES;

/**
 * The width of the icon in units of the drawing: the speech bubble of the favicon, plus the margin that round icons cut
 * off.
 */
const UNITS = 52;

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/**
 * The icon as a PNG, for systems that do not support SVG: a speech bubble on the colour.
 *
 * @param ground `#rrggbb`
 * @param ink of the bubble, `#rrggbb`
 */
export function iconPicture(size: number, ground: string, ink: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits a pixel, indexed colour (a palette).
  header.set([8, 3], 8);
  const [from, to] = [channelsOf(ground), channelsOf(ink)];
  const palette = Array.from({ length: SHADES + 1 }, (_, shade) =>
    from.map((channel, index) => Math.round(channel + (((to[index] ?? 0) - channel) * shade) / SHADES)),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(shades(size))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** One line for each row of pixels, after a byte that selects no filter. */
function shades(size: number): Buffer {
  const lines = Buffer.alloc(size * (size + 1));
  const step = UNITS / size / SAMPLES;
  for (let row = 0; row < size * SAMPLES; row++) {
    const line = Math.floor(row / SAMPLES) * (size + 1) + 1;
    for (let column = 0; column < size * SAMPLES; column++) {
      const place = line + Math.floor(column / SAMPLES);
      lines[place] = (lines[place] ?? 0) + Number(isInk((column + 0.5) * step, (row + 0.5) * step));
    }
  }
  return lines;
}

/** Whether a point is on the bubble and not on one of its three dots. */
function isInk(x: number, y: number): boolean {
  const beyond = Math.hypot(Math.max(0, Math.abs(x - 26) - 8), Math.max(0, Math.abs(y - 24) - 4.5));
  if (beyond > 6) {
    return x >= 17 && y >= 34 && y <= 40.5 && (x - 17) * 6.5 <= (40.5 - y) * 7.5;
  }
  return [20, 26, 32].every((centre) => Math.hypot(x - centre, y - 24) > 2.2);
}

function channelsOf(colour: string): number[] {
  return (colour.match(/[\da-f]{2}/gi) ?? []).map((part) => parseInt(part, 16));
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
