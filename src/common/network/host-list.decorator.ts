import { applyDecorators } from '@nestjs/common';
import { ValidateBy, ValidateIf } from 'class-validator';
import { CommaSeparated } from '../../config/environment-rules';
import { AllowedHosts } from './allowed-hosts';

/** A setting with entries of `AllowedHosts`, separated by commas; absent: null. */
export function HostList(): PropertyDecorator {
  return applyDecorators(
    CommaSeparated(),
    ValidateIf((_config, value) => value !== null),
    ValidateBy({
      name: 'hostList',
      validator: {
        validate: (entries) => Array.isArray(entries) && entries.every((entry) => AllowedHosts.isEntry(entry)),
        defaultMessage: () =>
          '$property must be hosts, host:port, suffixes such as .internal, addresses or networks, separated by commas',
      },
    }),
  );
}
