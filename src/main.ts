import './process/young-generation';
import 'reflect-metadata';
import { releaseYoungGeneration } from './process/young-generation';
import { endWithReason, startService } from './start-service';

startService().then(releaseYoungGeneration, endWithReason);
