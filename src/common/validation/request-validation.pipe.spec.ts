import { IsIn, IsInt, Max, Min } from 'class-validator';
import { InvalidParameterError } from '../errors/validation.errors';
import { OptionalField } from './fields';
import { WholeNumberParameter } from './parameters';
import { CheckedQueries } from './request-validation.pipe';
import { RequestValidationPipe } from './request-validation.pipe';

class SampleQuery {
  @WholeNumberParameter()
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @OptionalField()
  @IsIn(['up', 'down'])
  order?: string;
}

class OtherQuery {
  @WholeNumberParameter()
  @IsInt()
  limit = 50;
}

describe('a repeated query', () => {
  let pipe: RequestValidationPipe;
  const read = (query: object, metatype: new () => object = SampleQuery) =>
    pipe.transform(query, { type: 'query', metatype });

  beforeEach(() => {
    pipe = new RequestValidationPipe();
  });

  it.each<[object, object]>([
    [{}, { limit: 20 }],
    [{ limit: '7' }, { limit: 7 }],
    [
      { limit: '7', order: 'up', unknown: 'x' },
      { limit: 7, order: 'up' },
    ],
  ])('is parsed like the first time: %j', async (query, expected) => {
    for (let time = 0; time < 3; time++) {
      const dto = await read(query);
      expect(dto).toEqual(Object.assign(new SampleQuery(), expected));
      expect(dto).toBeInstanceOf(SampleQuery);
    }
  });

  it('returns a separate object for each request', async () => {
    const dto = (await read({})) as SampleQuery;
    dto.limit = 1;
    expect(await read({})).toEqual({ limit: 20 });
    expect(await read({})).not.toBe(await read({}));
  });

  it('is identified by its class and by each of its values', async () => {
    expect(await read({ limit: '7' })).toEqual({ limit: 7 });
    expect(await read({ limit: '8' })).toEqual({ limit: 8 });
    expect(await read({}, OtherQuery)).toEqual({ limit: 50 });
    await expect(read({ limit: ['7'] })).rejects.toThrow(InvalidParameterError);
  });

  it('is refused each time if it breaks a rule', async () => {
    for (let time = 0; time < 3; time++) {
      await expect(read({ limit: '101' })).rejects.toThrow(InvalidParameterError);
    }
  });
});

describe('CheckedQueries', () => {
  const queries = new CheckedQueries();

  it('keeps neither long queries nor objects that a shallow copy would share', () => {
    const long = JSON.stringify({ search: 'x'.repeat(100) });
    queries.remember(SampleQuery, long, { search: 'x' });
    expect(queries.find(SampleQuery, long)).toBeUndefined();
    queries.remember(SampleQuery, '{}', { ids: [1] });
    expect(queries.find(SampleQuery, '{}')).toBeUndefined();
  });

  it('keeps the last hundred queries of a class', () => {
    for (let number = 0; number <= 100; number++) {
      queries.remember(OtherQuery, `${number}`, { limit: number });
    }
    expect(queries.find(OtherQuery, '0')).toBeUndefined();
    expect(queries.find(OtherQuery, '1')).toEqual({ limit: 1 });
  });
});
