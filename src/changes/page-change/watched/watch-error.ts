import { errorFamily } from '../../../errors.ts'

/** A watch that cannot be kept as it was written. */
export const WatchError = errorFamily({
  'selector-malformed': 'never',
  'selector-too-long': 'never',
  'too-many-ignore-rules': 'never',
})
