import { ArgumentMetadata, Injectable, PipeTransform, ValidationError, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { LRUCache } from 'lru-cache';
import { FieldFault, FieldFaultError, InvalidParameterError, ValidationFailedError } from '../errors/validation.errors';
import { hideAsSent } from './as-sent.decorator';
import { fieldFaults } from './field-faults';
import { VALIDATOR_OPTIONS } from './validator-options';
import { findMalformed } from './well-formed';

/** Most cached queries of each class. */
const MOST_QUERIES = 100;

/** Longest cached query, in characters of JSON. */
const LONGEST_QUERY = 100;

type Dto = Record<string, unknown>;

/**
 * Caches the DTOs of valid queries. The same query always results in the same DTO, and clients send few different ones.
 * Building and validating one takes longer than all other work on a small request.
 */
export class CheckedQueries {
  private readonly dtos = new WeakMap<object, LRUCache<string, Dto>>();

  /** A new copy of the DTO; undefined if the query is not cached. @param query as JSON */
  find(type: object, query: string): object | undefined {
    const known = this.dtos.get(type)?.get(query);
    return known && copyOf(known);
  }

  /** @param dto the validated DTO; it is cached if a flat copy of it is a complete copy */
  remember(type: object, query: string, dto: unknown): void {
    if (query.length > LONGEST_QUERY || !isFlat(dto)) {
      return;
    }
    const known = this.dtos.get(type) ?? new LRUCache({ max: MOST_QUERIES });
    this.dtos.set(type, known.set(query, copyOf(dto)));
  }
}

function isFlat(dto: unknown): dto is Dto {
  return typeof dto === 'object' && dto !== null && !Object.values(dto).some((value) => typeof value === 'object');
}

function copyOf(dto: Dto): Dto {
  return Object.assign(Object.create(Object.getPrototypeOf(dto) as object | null) as Dto, dto);
}

/**
 * Builds and validates the DTOs of bodies and queries. It drops unknown fields and does not convert types. A fault is
 * 422 in a body and 400 in a query (RFC 9110 §15.5). This folder: `fields.ts` and `times.ts` have the rules for DTOs,
 * `parameters.ts` and `id.pipe.ts` parse queries and paths, `field-faults.ts` names the broken rules. `json-excess.ts`
 * and `well-formed.ts` check a body before and after it is parsed.
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  private readonly body = validationPipe((faults) => new ValidationFailedError(faults));
  private readonly query = validationPipe((faults) => new InvalidParameterError(faults));
  private readonly checked = new CheckedQueries();

  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.data !== undefined && (metadata.type === 'body' || metadata.type === 'query')) {
      return this.transformMember(value, metadata, metadata.data);
    }
    if (metadata.type === 'body') {
      if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
        throw ValidationFailedError.of('body', 'wrong_type');
      }
      return (await this.body.transform(hideAsSent(value ?? {}, metadata.metatype), metadata)) as unknown;
    }
    return metadata.type === 'query' ? this.transformQuery(value as object, metadata) : value;
  }

  /** One member, as `@Query('page')` and `@Body('name')` read it. Its own pipes come after this one. */
  private async transformMember(value: unknown, metadata: ArgumentMetadata, name: string): Promise<unknown> {
    const isBody = metadata.type === 'body';
    const malformed = isBody ? null : findMalformed(value, name);
    if (malformed) {
      throw new InvalidParameterError([malformed]);
    }
    if (metadata.metatype === Number || metadata.metatype === Boolean) {
      return isBody ? value : readPrimitive(value, metadata.metatype);
    }
    try {
      return (await (isBody ? this.body : this.query).transform(value, metadata)) as unknown;
    } catch (error) {
      throw error instanceof FieldFaultError ? error.within(name) : error;
    }
  }

  private async transformQuery(value: object, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype = Object } = metadata;
    const text = JSON.stringify(value);
    const known = this.checked.find(metatype, text);
    if (known) {
      return known;
    }
    const malformed = findMalformed(value, 'query') ?? findBracketed(value, metadata.metatype);
    if (malformed) {
      throw new InvalidParameterError([malformed]);
    }
    const dto: unknown = await this.query.transform(value, metadata);
    this.checked.remember(metatype, text, dto);
    return dto;
  }
}

/** Reads a number or a boolean. Any other text stays as it is, so that the pipes of the parameter can refuse it. */
function readPrimitive(value: unknown, type: unknown): unknown {
  if (type === Boolean) {
    return value === 'true' || value === 'false' ? value === 'true' : value;
  }
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** `status[]=…` is a known parameter in an unsupported form. It is rejected, unlike unknown parameters. */
function findBracketed(query: object, dto: ArgumentMetadata['metatype']): FieldFault | null {
  const names = Object.keys(query).flatMap((name) => /^(.+?)\[/.exec(name)?.[1] ?? []);
  if (names.length === 0 || dto === undefined) {
    return null;
  }
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', true, false);
  const field = names.find((name) => rules.some(({ propertyName }) => propertyName === name));
  return field === undefined ? null : { field, reason: 'wrong_type' };
}

function validationPipe(toError: (faults: [FieldFault, ...FieldFault[]]) => Error): ValidationPipe {
  return new ValidationPipe({
    ...VALIDATOR_OPTIONS,
    transform: true,
    transformOptions: { exposeDefaultValues: true },
    exceptionFactory: (errors: ValidationError[]) => {
      const [first, ...rest] = fieldFaults(errors);
      return toError([first ?? { field: 'body', reason: 'wrong_type' }, ...rest]);
    },
  });
}
