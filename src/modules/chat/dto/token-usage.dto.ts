export { TokenUsageDto } from '../../../common/token-usage.dto';
