import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPricesDto } from './bundled-prices.dto';

const FILE = join(__dirname, 'release-prices.json');

/** Reads the bundled price file on demand, because only this request needs it in memory. */
export async function readBundledPrices(): Promise<BundledPricesDto> {
  return JSON.parse(await readFile(FILE, 'utf8')) as BundledPricesDto;
}
