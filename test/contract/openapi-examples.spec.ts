import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { builtDocument } from '../support/built-document';
import { target } from '../support/dereference';

type Node = Record<string, unknown>;

/** An example, and the location of the schema that it must match. */
interface Shown {
  at: string;
  schema: string;
  value: unknown;
}

/** Schemas inside a schema: one, a list or by name. */
const SCHEMAS = ['items', 'additionalProperties', 'not', 'contentSchema', 'allOf', 'anyOf', 'oneOf', 'properties'];

/** Raw JSON, which contains no schemas. */
const DATA = ['example', 'examples', 'default', 'enum', 'const', 'required'];

describe('the examples of the OpenAPI document', () => {
  let document: OpenAPIObject;
  let shown: Shown[];

  beforeAll(async () => {
    ({ document } = await builtDocument());
    shown = examplesIn({ ...document }, '#');
  });

  it('match their schemas, each of them', () => {
    // JSON Schema does not know OpenAPI's own keywords.
    const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema(document, 'document');
    const faults = shown.flatMap(({ at, schema, value }) => {
      const isValid = ajv.validate({ $ref: `document${schema}` }, value);
      return isValid ? [] : [`${at}: ${ajv.errorsText()}`];
    });
    expect(faults).toEqual([]);
    expect(shown.length).toBeGreaterThan(400);
  });

  it('are next to schemas that are valid in JSON Schema 2020-12, with none of its older keywords', () => {
    const ajv = new Ajv({ strict: false });
    const schemas = Object.entries(document.components?.schemas ?? {});
    const faults = schemas.filter(([, schema]) => ajv.validateSchema(schema) !== true).map(([name]) => name);
    expect(faults).toEqual([]);
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(JSON.stringify(schemas)).not.toMatch(/"nullable":|"examples?":(?!\[|\{"type")/);
  });

  it('are found in answers, parameters and fields', () => {
    const places = shown.map(({ at }) => at).join('\n');
    for (const place of ['/responses/', '/parameters/', '/components/schemas/', '/examples/']) {
      expect(places).toContain(place);
    }
  });

  /** For everything below a node that has an example next to a schema, or is a schema with an example. */
  function examplesIn(node: Node, at: string): Shown[] {
    const own = 'schema' in node ? besideSchema(node, at) : [];
    return [
      ...own,
      ...Object.entries(node).flatMap(([name, member]) => {
        const place = `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        if (name === 'schema' || at === '#/components/schemas') {
          return ofSchema(member as Node, place);
        }
        return isNode(member) && !DATA.includes(name) ? examplesIn(member, place) : [];
      }),
    ];
  }

  function besideSchema({ example, examples }: Node, at: string): Shown[] {
    const several = Object.entries((examples ?? {}) as Record<string, Node>).map(([name, one]): [string, unknown] => [
      `${at}/examples/${name}`,
      ((typeof one.$ref === 'string' ? target(document, one.$ref) : one) as Node).value,
    ]);
    const all: [string, unknown][] = example === undefined ? several : [[at, example], ...several];
    return all.map(([place, value]) => ({ at: place, schema: encodeURI(`${at}/schema`), value }));
  }

  function ofSchema(schema: Node, at: string): Shown[] {
    const parts = SCHEMAS.filter((name) => isNode(schema[name])).flatMap((name) => {
      const part = schema[name] as Node;
      const isOne = ['items', 'additionalProperties', 'not', 'contentSchema'].includes(name);
      return isOne
        ? ofSchema(part, `${at}/${name}`)
        : Object.entries(part).flatMap(([key, one]) => ofSchema(one as Node, `${at}/${name}/${key}`));
    });
    const values = [...((schema.examples ?? []) as unknown[]), ...('default' in schema ? [schema.default] : [])];
    return [...values.map((value) => ({ at, schema: encodeURI(at), value })), ...parts];
  }
});

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
