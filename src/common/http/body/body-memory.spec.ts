import { ServiceOverloadedError, TooManyBodiesError } from '../../errors/common.errors';
import { BodyMemory } from './body-memory';

const MB = 1_048_576;

describe('the memory for request bodies', () => {
  const memory = () => new BodyMemory({ BODY_MEMORY_MB: 32 });

  it('is reserved by the bytes that arrive, and released once', () => {
    const all = memory();
    const first = all.begin(1);
    first.expect(20 * MB);
    first.add(20 * MB);
    expect(() => all.begin(2).add(9 * MB)).toThrow(ServiceOverloadedError);
    first.end();
    first.end();
    const second = all.begin(2);
    second.add(28 * MB);
    expect(() => all.begin(3).add(MB)).toThrow(ServiceOverloadedError);
    second.end();
    expect(all.held).toBe(0);
  });

  it('refuses a body whose announced size does not fit, and reserves nothing for it', () => {
    const all = memory();
    const first = all.begin(1);
    first.add(20 * MB);
    expect(() => all.begin(2).expect(9 * MB)).toThrow(ServiceOverloadedError);
    all.begin(2).expect(8 * MB);
    all.begin(2).expect(8 * MB);
    expect(all.held).toBe(20 * MB);
  });

  it('has space for small bodies when larger ones have used their share', () => {
    const all = memory();
    all.begin(1).add(28 * MB);
    expect(() => all.begin(2).add(65_537)).toThrow(ServiceOverloadedError);
    for (let count = 0; count < 64; count++) {
      all.begin(null).add(65_536);
    }
    expect(() => all.begin(null).add(1)).toThrow(ServiceOverloadedError);
  });

  it('allows two bodies over 1 MiB for each user, announced or not', () => {
    const all = memory();
    const announced = all.begin(1);
    announced.expect(MB + 1);
    const grown = all.begin(1);
    grown.add(MB);
    grown.add(1);
    expect(() => all.begin(1).expect(MB + 1)).toThrow(TooManyBodiesError);
    expect(() => all.begin(1).add(MB + 1)).toThrow(TooManyBodiesError);
    all.begin(1).expect(MB);
    all.begin(2).expect(MB + 1);
    announced.end();
    all.begin(1).expect(MB + 1);
    expect(() => all.begin(1).expect(MB + 1)).toThrow(TooManyBodiesError);
  });

  it('counts nothing for a finished body', () => {
    const all = memory();
    const body = all.begin(1);
    body.end();
    body.add(2 * MB);
    expect(all.held).toBe(0);
    all.begin(1).expect(2 * MB);
    all.begin(1).expect(2 * MB);
  });
});
