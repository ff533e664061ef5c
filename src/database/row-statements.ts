// A released migration (requested deliveries) imports it from here.
export { isSqlite } from './connection/dialect';
