import { Tracing } from '../../src/common/tracing/tracing';
import { TracingConfig } from '../../src/common/tracing/tracing.config';

/** Tracing that is off. */
export const NO_TRACING = new Tracing(new TracingConfig(), null);
