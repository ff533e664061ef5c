import type SCIMMY from 'scimmy';
import { loadPackage } from '../../../common/load-package';

/** Schemas, filters and patches of RFC 7643 and 7644. */
export const scimmy = loadPackage('scimmy') as typeof SCIMMY;

const { User, EnterpriseUser } = scimmy.Schemas;

// Directories send the attributes of this extension too. Without it, their patches would refer to unknown paths.
User.extend(EnterpriseUser as never, false);
