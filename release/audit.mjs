/* Fails if a shipped package has a known vulnerability. It needs the build and a registry with vulnerability data. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './shipped.mjs';

const BILL_OF_MATERIALS = join(ROOT, 'dist/sbom.cdx.json');
const LARGEST_OUTPUT = 64 * 1_048_576;

/**
 * @param report output of `npm audit --json` for all packages
 * @param {Set<string>} shipped `name@version` of the shipped packages
 * @param {(folder: string) => string} versionOf returns the version of the package in a folder of the lock file
 * @returns {string[]} a line for each vulnerable shipped package
 */
export function shippedVulnerabilities(report, shipped, versionOf) {
  return Object.values(report.vulnerabilities).flatMap(({ name, severity, nodes, via }) => {
    const found = nodes.map((folder) => `${name}@${versionOf(folder)}`).filter((reference) => shipped.has(reference));
    const reasons = via.map((one) => (typeof one === 'string' ? `by ${one}` : `${one.title} (${one.url})`));
    return [...new Set(found)].map((reference) => `${reference}: ${severity}: ${reasons.join('; ')}`);
  });
}

function main() {
  if (!existsSync(BILL_OF_MATERIALS)) {
    throw new Error('There is no dist/sbom.cdx.json. Run npm run build.');
  }
  const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: ROOT, encoding: 'utf8', maxBuffer: LARGEST_OUTPUT });
  const report = JSON.parse(stdout);
  if (report.vulnerabilities === undefined) {
    throw new Error(`The registry does not answer npm audit: ${report.message}`);
  }
  const { components } = JSON.parse(readFileSync(BILL_OF_MATERIALS, 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const shipped = new Set(components.map((one) => one['bom-ref']));
  const lines = shippedVulnerabilities(report, shipped, (folder) => packages[folder]?.version);
  const sum = `${lines.length} of ${shipped.size} packages that ship are vulnerable.`;
  process.stdout.write(`${[...lines, sum].join('\n')}\n`);
  process.exitCode = lines.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main();
}
