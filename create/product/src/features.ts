import { TaskModule } from './tasks/task.module';

/** The modules that this product adds to the service. */
export const features = [TaskModule];
