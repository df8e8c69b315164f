import { errorFamily } from '../../errors.ts'

/** What is wrong with what is asked of watches and of those who are told of them. */
export class WatchesError extends errorFamily({
  'watch-malformed': 'never',
  'watch-unknown': 'never',
  'watches-full': 'never',
  'webhook-malformed': 'never',
  'webhook-unknown': 'never',
  'webhooks-full': 'never',
  /** There is nothing of it in the archive to be looked at. */
  'watch-nothing-archived': 'later',
}) {}
