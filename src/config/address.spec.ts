import { addressFault, type AddressForm } from './address';

const form: AddressForm = {
  schemes: ['cache', 'caches'],
  description: 'an address such as cache://user:password@host:1/0',
  takesPassword: true,
  path: /^(\/\d)?$/,
};
const web: AddressForm = {
  schemes: ['http', 'https'],
  description: 'an http or https address',
  takesPassword: false,
  path: /^\//,
  parametersFault: (parameters) => (parameters.has('no') ? 'no is no parameter' : null),
};

describe('an address in the configuration', () => {
  it.each([
    'cache://host',
    'CACHE://host:65535/1',
    'caches://user:p%23ss@cache_1.example.com',
    'cache://:p@ss:word@10.0.0.1:1',
    'cache://[::1]:7/0',
  ])('may be %s', (address) => expect(addressFault(address, form)).toBeNull());

  it.each(['https://app.example.com', 'http://vllm_server:8000/v1?version=2'])('for HTTP may be %s', (address) =>
    expect(addressFault(address, web)).toBeNull(),
  );

  it.each([
    ['cache://user:S3cr3t#Pw@host:1', 'not percent-encoded'],
    ['cache://user:123#S3cr3t@host', 'not percent-encoded'],
    ['cache://user:123/S3cr3t@host', 'not percent-encoded'],
    ['cache://user:1/2@S3cr3t', 'not percent-encoded'],
    ['cache://user:123?S3cr3t@host', 'not percent-encoded'],
    ['cache://user:S3cr3t%zz@host', 'percent-encoding is wrong'],
    ['cache://S3cr3t%ff@host', 'percent-encoding is wrong'],
    ['cache://user:S3cr3t@host:65536/1', 'port'],
    ['cache://user:S3cr3t@host:0', 'port'],
    ['cache://user:S3cr3t@', 'missing'],
    ['cache://', 'host'],
    ['cache://user:S3cr3t@999.1.1.1', 'host'],
    ['cache://user:S3cr3t@ho%20st', 'host'],
    ['cache://user:S3cr3t w@host', 'white space'],
    ['cache://user:S3cr3t@host\n', 'white space'],
    ['cache://user:S3cr3t@host/name', 'missing or too much'],
    ['cache://user:S3cr3t@host?x=1', 'missing or too much'],
    ['memory://user:S3cr3t@host', 'an address such as'],
    ['S3cr3t', 'an address such as'],
  ])('may not be %j, and the error does not repeat it', (address, reason) => {
    const fault = addressFault(address, form);
    expect(fault).toContain(form.description);
    expect(fault).toContain(reason);
    expect(fault).not.toContain('S3cr3t');
  });

  it.each([
    ['http://user:S3cr3t@host', 'user name and password have no place'],
    ['http://host#S3cr3t', 'missing or too much'],
    ['http://host?no=S3cr3t', 'no is no parameter'],
  ])('for HTTP may not be %s', (address, reason) => {
    expect(addressFault(address, web)).toContain(reason);
    expect(addressFault(address, web)).not.toContain('S3cr3t');
  });
});
