// Why a job cannot be begun now, said so that whoever wants it knows what to do.

import { errorFamily } from '../../errors.ts'

export class JobError extends errorFamily({
  'job-too-large': 'never',
  'job-still-ending': 'later',
  'crawling-stopped': 'later',
}) {}
