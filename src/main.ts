import './process/young-generation';
import 'reflect-metadata';
import { endWithReason } from './process/end-with-reason';
import { releaseYoungGeneration } from './process/young-generation';
import { startService } from './start-service';

startService().then(releaseYoungGeneration, endWithReason);
