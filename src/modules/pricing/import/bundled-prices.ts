import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPricesDto } from './bundled-prices.dto';

const FILE = join(__dirname, 'release-prices.json');

/** The file that lies beside the code. It is read when somebody asks for it: nobody else needs it in memory. */
export async function readBundledPrices(): Promise<BundledPricesDto> {
  return JSON.parse(await readFile(FILE, 'utf8')) as BundledPricesDto;
}
