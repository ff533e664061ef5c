import 'reflect-metadata';
import { commandLineDataSource } from './src/database/command-line-data-source';

/** For the TypeORM command line; the service itself opens its database in `src/database`. */
export default commandLineDataSource();
