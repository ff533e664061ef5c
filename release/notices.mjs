/* Writes the legal files of a build: the licences of third-party packages, which the console shows, and a software bill
   of materials (CycloneDX). It is the last step of `npm run build`. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONSOLE_LICENSES, ROOT, shippedPackages } from './shipped.mjs';

const NOTICES = join(ROOT, 'dist/console/third-party-notices.txt');
const BILL_OF_MATERIALS = join(ROOT, 'dist/sbom.cdx.json');

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i;
const LARGEST_OUTPUT = 64 * 1_048_576;

const shipped = shippedPackages();
writeFileSync(NOTICES, notices());
writeFileSync(BILL_OF_MATERIALS, `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
rmSync(CONSOLE_LICENSES);

function notices() {
  const byText = new Map();
  for (const [reference, one] of shipped) {
    const text = textOf(one);
    byText.set(text, [...(byText.get(text) ?? []), [reference, one]]);
  }
  const parts = [...byText].map(([text, packages]) => {
    const names = packages.map(([reference, { license }]) => `${reference} (${license ?? 'see below'})`);
    return [...names, '', text].join('\n');
  });
  const head = 'This service includes the following packages of third parties.';
  return `${[head, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

/**
 * The licence text in the package. A package for another platform is not installed, so only its name and licence are
 * listed.
 */
function textOf({ folder, license }) {
  const place = join(ROOT, folder);
  const files = existsSync(place) ? readdirSync(place).filter((name) => LICENSE_FILE.test(name)) : [];
  const texts = files.sort().map((name) => readFileSync(join(place, name), 'utf8').trim());
  return texts.length > 0 ? texts.join('\n\n') : `Licence: ${license ?? 'not named'}`;
}

/** The output of npm, without development dependencies. */
function billOfMaterials() {
  const output = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: LARGEST_OUTPUT,
  });
  const all = JSON.parse(output);
  const isShipped = (reference) => shipped.has(reference);
  const root = all.metadata.component['bom-ref'];
  const missing = [...shipped.keys()].filter(
    (reference) => !all.components.some((one) => one['bom-ref'] === reference),
  );
  if (missing.length > 0) {
    throw new Error(`The bill of materials of npm lacks ${missing.join(', ')}.`);
  }
  return {
    ...all,
    components: all.components
      .filter((one) => isShipped(one['bom-ref']))
      .map(({ properties = [], ...one }) => ({
        ...one,
        scope: 'required',
        properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
      })),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === root || isShipped(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isShipped) })),
  };
}
