import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(__dirname, '../..');

interface BillOfMaterials {
  bomFormat: string;
  components: { name: string; version: string; 'bom-ref': string }[];
}

/** The output of `npm run build` about third-party packages. */
describe('the packages that a build ships', () => {
  const bill = JSON.parse(readFileSync(join(ROOT, 'dist/sbom.cdx.json'), 'utf8')) as BillOfMaterials;
  const names = bill.components.map(({ name }) => name);

  it('are in the bill of materials, however they get there, and those that only build and test are not', () => {
    const installed = ['express', 'typeorm', 'zod', '@modelcontextprotocol/client', 'gpt-tokenizer'];
    const copied = ['redoc', 'swagger-ui-dist'];
    const inScripts = ['preact', 'marked', 'wouter-preact'];
    const withinOthers = ['mermaid', 'dompurify'];
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(names).toEqual(expect.arrayContaining([...installed, ...copied, ...inScripts, ...withinOthers]));
    expect(names.filter((name) => ['jest', 'vite', 'eslint', 'playwright-core'].includes(name))).toEqual([]);
  });

  it('are in the notices of the console, with their licences', () => {
    const notices = readFileSync(join(ROOT, 'dist/console/third-party-notices.txt'), 'utf8');
    for (const { 'bom-ref': reference } of bill.components) {
      expect(notices).toContain(`\n${reference} (`);
    }
    expect(notices).toContain('Permission is hereby granted, free of charge');
    expect(notices).toContain('Apache License');
  });

  it('are exactly the packages that the release audit checks', () => {
    const report = {
      vulnerabilities: {
        zod: { name: 'zod', severity: 'high', nodes: ['node_modules/zod'], via: [{ title: 'Slow', url: 'https://a' }] },
        jest: { name: 'jest', severity: 'high', nodes: ['node_modules/jest'], via: ['braces'] },
      },
    };
    const script = `
      import { shippedVulnerabilities } from ${JSON.stringify(pathToFileURL(join(ROOT, 'release/audit.mjs')).href)};
      const found = shippedVulnerabilities(${JSON.stringify(report)}, new Set(['zod@4.0.0']), () => '4.0.0');
      process.stdout.write(JSON.stringify(found));`;
    const found = execFileSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(found)).toEqual(['zod@4.0.0: high: Slow (https://a)']);
  });
});
