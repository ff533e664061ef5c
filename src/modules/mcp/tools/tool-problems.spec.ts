import { hasFaultyHeaders } from './tool-problems';

describe('hasFaultyHeaders', () => {
  const schemaOf = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
  const region = { type: 'string', 'x-mcp-header': 'Region' };

  it.each<[string, Record<string, unknown>]>([
    ['none', schemaOf({ region: { type: 'string' } })],
    ['plain values', schemaOf({ region, count: { type: 'integer', 'x-mcp-header': 'Count' } })],
    ['a value within another', schemaOf({ place: schemaOf({ region }) })],
    ['a property of that name', schemaOf({ 'x-mcp-header': { type: 'string' } })],
    ['a default that looks like one', schemaOf({ place: { type: 'object', default: { 'x-mcp-header': '' } } })],
  ])('accepts a schema with %s', (_what, schema) => {
    expect(hasFaultyHeaders(schema)).toBe(false);
  });

  it.each<[string, Record<string, unknown>]>([
    ['an empty name', schemaOf({ region: { ...region, 'x-mcp-header': '' } })],
    ['a name that is no text', schemaOf({ region: { ...region, 'x-mcp-header': 7 } })],
    ['a name that would end the header', schemaOf({ region: { ...region, 'x-mcp-header': 'A\r\nHost' } })],
    ['a name beyond ASCII', schemaOf({ region: { ...region, 'x-mcp-header': 'Région' } })],
    ['one name twice', schemaOf({ region, other: { type: 'string', 'x-mcp-header': 'REGION' } })],
    ['a number', schemaOf({ region: { ...region, type: 'number' } })],
    ['an object', schemaOf({ region: { ...region, type: 'object' } })],
    ['a value without a type', schemaOf({ region: { 'x-mcp-header': 'Region' } })],
    ['the members of a list', schemaOf({ regions: { type: 'array', items: region } })],
    ['one of several forms', schemaOf({}, { oneOf: [schemaOf({ region })] })],
    ['what others refer to', schemaOf({}, { $defs: { region } })],
    ['all of it', schemaOf({}, { 'x-mcp-header': 'All' })],
  ])('refuses a schema that names a header for %s', (_what, schema) => {
    expect(hasFaultyHeaders(schema)).toBe(true);
  });
});
