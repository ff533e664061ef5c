import { isIPv4, type LookupFunction } from 'node:net';

/**
 * For the option `lookup` of a connection, so that it connects only to one of these addresses. Literal addresses are
 * not looked up, so check them first.
 *
 * @param addressesOf the checked addresses of the name, at least one; it throws if one is refused
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
