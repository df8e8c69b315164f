// What is wrong with a cursor, or with the log that it is to be followed in.

import { errorFamily } from '../errors.ts'

export class ChangesError extends errorFamily({
  'cursor-malformed': 'never',
  /** What came after it is not kept any more. */
  'cursor-too-old': 'never',
  /** Events that are not safe with others yet. */
  'changes-not-safe': 'later',
}) {}
