import { endWithReason, startService } from 'chat-service';
import { features } from './dist/features.js';

startService({ features }).catch(endWithReason);
