// The parts of undici that `undici.ts` loads one by one. Their types are those that its main file exports.
declare module 'undici/lib/api/api-request' {
  import { type Dispatcher } from 'undici';
  const request: Dispatcher['request'];
  export default request;
}

declare module 'undici/lib/dispatcher/agent' {
  export { Agent as default } from 'undici';
}

declare module 'undici/lib/dispatcher/client' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/dispatcher/dispatcher' {
  export { Dispatcher as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool' {
  export { Pool as default } from 'undici';
}
