import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/*
 * Checks the document named on the command line against the recommended rules of Redocly and of Spectral, and prints
 * the findings as a JSON list of messages. It is a separate program because Redocly's library is an ES module, which
 * jest does not load. It uses the libraries instead of their command-line tools, which check for updates over the
 * network.
 */

const [file] = process.argv.slice(2);
const text = await readFile(file, 'utf8');

const config = await createConfig({ extends: ['recommended'] });
const redocly = await lintFromString({ source: text, absoluteRef: file, config });

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']] });
const found = await spectral.run(JSON.parse(text));

const findings = [
  ...redocly.map(({ ruleId, location: [place], message }) => `${ruleId} ${place?.pointer ?? ''}: ${message}`),
  ...found.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`),
];
process.stdout.write(JSON.stringify(findings));
