import type JSZip from 'jszip';
import { BUILD } from '../../../common/build-facts';
import { loadPackage } from '../../../common/load-package';

/** The files of a bundle after the manifest, in their order. */
export interface BundleContent {
  'health.json': unknown;
  'instances.json': unknown;
  'config.json': unknown;
  'metrics.txt': string;
  'migrations.json': unknown;
  'counts.json': unknown;
  'failures.json': unknown;
  'attention.json': unknown;
  'log.jsonl': string;
}

const ORDER: readonly (keyof BundleContent)[] = [
  'health.json',
  'instances.json',
  'config.json',
  'metrics.txt',
  'migrations.json',
  'counts.json',
  'failures.json',
  'attention.json',
  'log.jsonl',
];

/** What the manifest says about the bundle. */
export interface BundleOrigin {
  createdAt: Date;
  /** Null: made by the command, without a running service. */
  instanceId: string | null;
  hours: number;
  /** Files that could not be filled, with the cause. */
  missing: Partial<Record<keyof BundleContent, string>>;
}

/** The longest texts of a file. All other files have a bounded number of rows, so a bundle has less than 20 MiB. */
export const LONGEST_TEXT = 6 * 1_048_576;

/** A support bundle, as a ZIP file. */
export async function writeBundle(content: BundleContent, origin: BundleOrigin): Promise<Buffer> {
  const Zip = loadPackage('jszip') as typeof JSZip;
  const zip = new Zip();
  const texts = ORDER.map((path): [string, string] => {
    const value = content[path];
    return [path, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`];
  });
  const manifest = {
    created_at: origin.createdAt.toISOString(),
    ...BUILD,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    instance_id: origin.instanceId,
    hours: origin.hours,
    files: texts.map(([path, text]) => ({ path, bytes: Buffer.byteLength(text) })),
    missing: origin.missing,
  };
  for (const [path, text] of [['manifest.json', `${JSON.stringify(manifest, null, 2)}\n`], ...texts] as const) {
    zip.file(path, text, { date: origin.createdAt });
  }
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
}

/** The last lines that fit into a file. */
export function lastLines(lines: readonly string[], longest = LONGEST_TEXT): string {
  let first = lines.length;
  for (let bytes = 0; first > 0; first--) {
    bytes += Buffer.byteLength(lines[first - 1]!) + 1;
    if (bytes > longest) {
      break;
    }
  }
  return lines
    .slice(first)
    .map((line) => `${line}\n`)
    .join('');
}
