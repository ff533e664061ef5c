import { type ArgumentMetadata, HttpException } from '@nestjs/common';
import { PipesConsumer } from '@nestjs/core/pipes';

/** The parameter of a route whose value a pipe refused. */
export interface FailedParameter {
  type: ArgumentMetadata['type'];
  name: string;
  value: unknown;
}

const parameters = new WeakMap<HttpException, FailedParameter>();

/** The parameter whose pipe threw the exception; undefined if no pipe did, or the parameter has no name. */
export function parameterOf(exception: HttpException): FailedParameter | undefined {
  return parameters.get(exception);
}

// Nest's pipes do not name the parameter in their exceptions, and no filter, guard or interceptor knows it. All pipes run here.
const applyPipes = Reflect.get(PipesConsumer.prototype, 'applyPipes');

PipesConsumer.prototype.applyPipes = function (this: PipesConsumer, value, metadata, pipes) {
  return applyPipes.call(this, value, metadata, pipes).catch((error: unknown) => {
    if (error instanceof HttpException && metadata.data !== undefined) {
      parameters.set(error, { type: metadata.type as FailedParameter['type'], name: String(metadata.data), value });
    }
    throw error;
  });
} as PipesConsumer['applyPipes'];
