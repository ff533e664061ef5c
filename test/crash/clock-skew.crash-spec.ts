import { describeWrongClocks } from '../support/wrong-clocks';

describeWrongClocks(['+1h', '-1h']);
