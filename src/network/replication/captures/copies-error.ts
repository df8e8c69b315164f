// What can go wrong in keeping copies, besides what calls and the store fail with.

import { errorFamily } from '../../../errors.ts'

export const CopiesError = errorFamily({
  /** Fewer peers than wanted have it, for as long as anybody waits. */
  'copies-too-few': 'later',
  /** The other has no room. */
  'copies-peer-full': 'later',
  /** We have no room. */
  'copies-no-room': 'later',
  /** What the other said it has it does not give, or gives wrong. */
  'copies-peer-wrong': 'later',
  /** What was sent cannot be right: its time, or who sent it. */
  'copies-not-plausible': 'later',
  /** Too many ask at once. */
  'copies-busy': 'later',
  /** We are about to leave for good: nobody is to count on us. */
  'copies-leaving': 'later',
})
