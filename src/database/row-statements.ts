// The released migration of requested deliveries imports it from here.
export { isSqlite } from './connection/dialect';
