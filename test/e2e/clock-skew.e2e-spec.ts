// @databases mariadb: dates and times
// @part rest: starts instances with wrong clocks
import { describeWrongClocks } from '../support/wrong-clocks';

/** Each costs a start of the service. Both are in `npm run test:crash`. */
describeWrongClocks(['+1h']);
