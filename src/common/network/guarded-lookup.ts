import { isIPv4, type LookupFunction } from 'node:net';

/**
 * For the option `lookup` of a connection: it goes to one of these addresses and to no other. Nobody looks up a literal
 * address, so check it before.
 *
 * @param addressesOf the addresses of the name, at least one, after they were checked; it throws where one is refused
 */
export function guardedLookup(addressesOf: () => Promise<string[]>): LookupFunction {
  return (_name, { all }, callback) => {
    addressesOf().then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
        const [first] = found;
        if (all) {
          callback(null, found);
        } else if (first) {
          callback(null, first.address, first.family);
        }
      },
      (error: Error) => callback(error, ''),
    );
  };
}
